# SPDX-License-Identifier: GPL-2.0-only
"""
A compositor's frames, sound, and a key in a pty, beside a build; with all in one cpu cgroup and in those that systemd
makes. The programs have the names of real ones, so that the daemon runs with the rules that are installed.
"""

from pathlib import Path

from ...layouts import LAYOUTS, USER_WEIGHT
from ...process import Failure

NAME, TITLE = "frames", "Frames, sound and keys beside a build"
VARIANTS, SEEDS, SECONDS = "none,schedqos", 5, 10
RUNS_DAEMON = False
JUDGED = True
TOOLS, APPLETS = ("attr",), ("hexdump", "awk")

# The label of what --trace asks for.
TRACE = "trace"

# Two and a half jobs of the build for each CPU.
_JOBS = {1: 3, 2: 5, 4: 10, 8: 20}
_PROGRAMS = {"frames": "kwin_wayland", "sound": "pipewire", "shell": "foot"}
_SHOWN = {"frame": ("frame", "missed"), "sound": ("sound", "late"), "key": ("key", "late")}
_PERCENTILES = ("p50", "p99", "max")


def add_options(parser):
    parser.add_argument("--layouts", default=",".join(LAYOUTS), metavar="LIST",
                        help="frames: of %(default)s, which is the default")
    parser.add_argument("--trace", type=Path, metavar="FILE",
                        help="frames: write the kernel's switches and wake-ups around the longest wait of each variant")


def own_words(options):
    """The words of a command line that repeats the run, beside those of all scenarios."""
    return [] if options.layouts == ",".join(LAYOUTS) else ["--layouts", options.layouts]


def layouts(options):
    names = options.layouts.split(",")
    wrong = [name for name in names if name not in LAYOUTS]
    if wrong:
        raise Failure(f"--layouts: there is no {', '.join(wrong)}; there are {', '.join(LAYOUTS)}")
    return names


def fill(archive, _, options):
    archive.add_program("/lab/build/make", options.build / "bench" / "bench-build")
    for program in _PROGRAMS.values():
        archive.add_program(f"/lab/{program}", options.build / "bench" / "bench-frames")


def _group(name):
    return name.replace("-", "/")


def script(variant, seeds, options):
    lines = [". /lab/frames", f"jobs={_JOBS[options.cpus]}", f"seconds={options.seconds or SECONDS}"]
    lines += ["trace_begin"] if options.trace else []
    for layout in layouts(options):
        group_of = {name: _group(group) for name, group in LAYOUTS[layout].items()}
        groups = sorted(set(group_of.values()))
        if groups:
            lines.append(f"make_groups {' '.join(groups)}")
            if variant.weights:
                lines += [f"weigh user {USER_WEIGHT}", f"weigh user/session {variant.weights}"]
            if variant.kind != "none":
                lines.append(f"move {group_of['daemon']} $daemon")
        words = " ".join(f'"{group_of.get(name, "")}"' for name in ("frames", "sound", "shell", "build"))
        lines += [f"frames {seed}/{layout} {seed} {words}" for seed in seeds]
        if groups:
            lines.append("remove_groups")
    lines += [f"tell_file {TRACE} /tmp/excerpt"] if options.trace else []
    return "\n".join([*lines, ""])


def _of_loop(layout, name, found):
    what, late = _SHOWN[name]
    values = {f"{layout} {what}_done_{each}": found["done"][each] / 1000 for each in _PERCENTILES}
    if name != "key":
        values.update({f"{layout} {what}_start_{each}": found["wakeup"][each] / 1000 for each in _PERCENTILES})
    values[f"{layout} {what}_{late}"] = found["left_out"]
    return values


def values(results, options):
    found = {}
    for label, value in results:
        layout, name = label.split("/")
        if name == "build":
            # The build begins half a second before the loops, and these run for half a second before and after the seconds
            # that they count.
            found[f"{layout} build"] = value / 1e6 / (1.5 + (options.seconds or SECONDS))
        else:
            found.update(_of_loop(layout, name, value))
    return found


def units(options):
    found = {}
    for layout in layouts(options):
        for what, late in _SHOWN.values():
            for phase in ("start", "done") if what != "key" else ("done",):
                found.update({f"{layout} {what}_{phase}_{each}": "ms" for each in _PERCENTILES})
            found[f"{layout} {what}_{late}"] = ""
        found[f"{layout} build"] = "s/s"
    return found
