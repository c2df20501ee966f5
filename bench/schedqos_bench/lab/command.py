# SPDX-License-Identifier: GPL-2.0-only
"""The verb "lab" of schedqos-bench."""

import argparse
import json
import os
import re
import shlex
import subprocess
import traceback
from pathlib import Path

from .. import marked, progress
from ..folders import BUILD, CONFIGS
from ..process import Failure, nothing_left
from ..scenarios import positive
from . import emulator, expect, kernels, overview, scenarios, values, variants
from .archive import Archive
from .machine import Machine, NoBoot, run_all

# As git bisect run takes them: a bad revision, one to skip, and an end of the bisection.
EXIT_NOT_AS_EXPECTED, EXIT_USAGE, EXIT_NO_BOOT, EXIT_FAILED = 1, 2, 125, 128
_GUEST = Path(__file__).with_name("guest")
_BUSYBOX = "/bin/busybox"
_NO_DAEMON = "none"
# Seconds of the guest's time without a word, at most: the longest are the verification of a sched_ext scheduler and, with
# many rules, costs.
_PATIENCE, _PATIENCE_FACTOR = 1200, 20
_APPLETS = ("sh", "cat", "chmod", "cp", "echo", "grep", "hostname", "ip", "kill", "ln", "mkdir", "mkfifo", "mount", "nproc",
            "reboot", "rm", "rmdir", "sed", "sleep", "stty", "true", "uname")


def _seeds(text):
    """N: those from 1 to N; A-B: those from A to B."""
    first, dash, last = text.partition("-")
    try:
        found = range(int(first), int(last) + 1) if dash else range(1, int(first) + 1)
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0, or two with a - between")
    return found


def _chosen_seeds(args, scenario):
    return args.seeds or range(1, scenario.SEEDS + 1)


def add_parser(verbs):
    lab = verbs.add_parser("lab", help="run a scenario in virtual time, in a virtual machine: the same result everywhere",
                           allow_abbrev=False)
    lab.add_argument("scenario", choices=list(scenarios.ALL), metavar="SCENARIO",
                     help="; ".join(f"{name}: {module.TITLE}" for name, module in scenarios.ALL.items()))
    lab.add_argument("--kernel", default=kernels.NEWEST, metavar="KERNEL",
                     help="a series of Debian's, such as 7.3, or an image (%(default)s)")
    lab.add_argument("--cpus", type=int, choices=emulator.CPUS, default=1, help="of the guest (%(default)s)")
    lab.add_argument("--seeds", type=_seeds, metavar="N", help="number of seeds, or A-B for those from A to B; each has other "
                     "phases, lengths and CPUs (default: the scenario's)")
    lab.add_argument("--variants", action="append", metavar="LIST", help=f"of {variants.EXPECTED}")
    lab.add_argument("--seconds", type=positive, metavar="S", help="of each measurement, in the guest (default: the scenario's)")
    for module in scenarios.ALL.values():
        getattr(module, "add_options", lambda _: None)(lab)
    lab.add_argument("--jobs", type=positive, default=len(os.sched_getaffinity(0)), metavar="N",
                     help="guests that run at the same time, each of which keeps one CPU busy (%(default)s)")
    lab.add_argument("--build", type=Path, default=BUILD, metavar="DIR", help="where make has put the programs")
    lab.add_argument("--expect", action="append", default=[], metavar="CONDITION",
                     help="such as 'session frame_done_p99 <= 5 ms': exit 0 if all hold, 1 if not, 125 if the kernel does "
                     "not boot, 128 after any other error")
    lab.add_argument("--carry", action="append", default=[], type=Path, metavar="FILE",
                     help="a program, with its libraries, or a folder, that is in the guest under the same path")
    lab.add_argument("--out", type=Path, metavar="FILE", help="write the values of all seeds, as JSON")
    lab.add_argument("--figures", type=Path, metavar="FILE", help="write the table into a document, between its marks "
                     "<!-- lab: SCENARIO KERNEL CPUS VARIANTS --> and <!-- end of lab: ... -->")
    return lab


def _script(scenario, variant, seeds, args):
    """What is common to scenarios, around the script of one. $changed stands before what is measured."""
    features = [f"tune features {name}" for name in variant.features]
    lines = features + ([f"tune cgroup_mode {variant.cgroup_mode}"] if variant.cgroup_mode else [])
    lines += [f"check_slice {variant.slice_ns}"] if variant.slice_ns else []
    lines.append("changed=" + (shlex.quote(f"bench-attr 0:0:{variant.slice_ns}") if variant.slice_ns else ""))
    own = scenario.script(variant, seeds, args)
    if variant.kind == "command":
        return "\n".join([*lines, f"start_command {shlex.quote(variant.command)}", own, "stop_daemon", ""])
    if scenario.RUNS_DAEMON or not variant.executable:
        return "\n".join([*lines, own])
    mapping = "--mapping lab" if variant.mapping else ""
    # Its sched profile may have changed a feature.
    return "\n".join([*lines, f"start_daemon {mapping}", *features, own, "stop_daemon", ""])


def _archive(scenario, variant, seeds, args):
    archive = Archive()
    archive.add_program(_BUSYBOX, _BUSYBOX)
    for applet in (*_APPLETS, *scenario.APPLETS):
        archive.add_link(f"/bin/{applet}", "busybox")
    for file in sorted(_GUEST.iterdir()):
        archive.add_file(f"/lab/{file.name}", file)
    archive.add_text("/init", (_GUEST / "init").read_text(encoding="utf-8"), executable=True)
    for tool in ("listener", "turns", *scenario.TOOLS):
        archive.add_program(f"/lab/bench-{tool}", args.build / "bench" / f"bench-{tool}")
    if variant.executable:
        archive.add_program("/lab/schedqos", variant.executable)
        archive.add_folder("/usr/share/schedqos", CONFIGS)
    if variant.mapping:
        archive.add_file("/usr/share/schedqos/mappings/lab.json", variant.mapping)
    for path in args.carry:
        (archive.add_folder if path.is_dir() else archive.add_program)(path.absolute(), path)
    scenario.fill(archive, variant, args)
    archive.add_text("/lab/script", _script(scenario, variant, seeds, args))
    return archive


def measure(args, scenario, chosen, qemu, kernel):
    """{variant: {metric: [value of each seed]}}."""
    seeds = _chosen_seeds(args, scenario)
    progress.log(f"{args.scenario}: {kernel}, {args.cpus} CPUs, QEMU {qemu.version}")
    guests = [Machine(qemu, kernel, _archive(scenario, variant, seeds, args), args.cpus, variant.name,
                      scenario.RUNS_DAEMON or variant.kind != "none",
                      _PATIENCE + _PATIENCE_FACTOR * (args.seconds or getattr(scenario, "SECONDS", 0))) for variant in chosen]
    run_all(guests, args.jobs)
    found, traces = {}, []
    for guest in guests:
        of_seed = [[(label.partition("/")[2], value) for label, value in guest.results if label.startswith(f"{seed}/")]
                   for seed in seeds]
        if not all(of_seed):
            raise guest.broken(f"the guest has ended without results of seed {seeds[of_seed.index([])]}")
        each = [scenario.values(some, args) for some in of_seed]
        traces += [f"{guest.title}, {text}" for label, text in guest.results if label == scenarios.frames.TRACE]
        found[guest.title] = {metric: [values.get(metric) for values in each] for metric in each[0]}
    if traces:
        args.trace.write_text("\n".join(traces), encoding="utf-8")
    return found


def _parse_variants(args, scenario):
    return variants.parse(args.variants or [scenario.VARIANTS], args.build)


def _judge(expectations, found):
    failures = [failure for each in expectations for failure in each.failures(found)]
    for failure in failures:
        progress.log(failure)
    return EXIT_NOT_AS_EXPECTED if failures else 0


def usage_status(words):
    """The exit status for a wrong command line. git bisect takes 2 for a bad commit."""
    return EXIT_FAILED if any(word.startswith("--expect") for word in words) else EXIT_USAGE


def _variants(args, scenario):
    return ",".join(args.variants or [scenario.VARIANTS])


def _marks(args, scenario):
    return " ".join([args.scenario, args.kernel, str(args.cpus), _variants(args, scenario)])


_PARTS = {"weights": "weights", "slice_ns": "slice:", "mapping": "a mapping", "features": "features:"}


def _check_variants(scenario, chosen):
    for variant in chosen:
        for part in getattr(scenario, "IGNORES", ()):
            if getattr(variant, part):
                raise Failure(f"variant {variant.name}: {scenario.NAME} has no use for {_PARTS[part]}")
        if variant.slice_ns and variant.executable:
            raise Failure(f"variant {variant.name}: slice: is for none. The daemon gives its own slice, or takes the one for "
                          "somebody's choice and gives no class: write a mapping instead")


def _check_options(args):
    """Refuses what only another scenario would heed."""
    if args.seconds and not hasattr(scenarios.ALL[args.scenario], "SECONDS"):
        raise Failure(f"--seconds is not for {args.scenario}, which counts operations")
    for name, module in scenarios.ALL.items():
        if name == args.scenario or not hasattr(module, "add_options"):
            continue
        parser = argparse.ArgumentParser()
        module.add_options(parser)
        for option, default in vars(parser.parse_args([])).items():
            if getattr(args, option) != default:
                raise Failure(f"--{option} is for the scenario {name}, not for {args.scenario}")


def _check_figures(args, scenario):
    """Marks do not name the options of a scenario, on which a table's rows depend."""
    if args.trace:
        raise Failure("--trace changes the results: there is no table of them")
    old = marked.between(args.figures.read_text(encoding="utf-8"), _marks(args, scenario), "lab")
    words = scenario.own_words(args) if hasattr(scenario, "own_words") else []
    if old.strip() and (shlex.join(words) not in old or (not words and re.search(r" --(layouts|rules) ", old))):
        raise Failure(f"{args.figures} has a table with other rows between these marks: use the options of its command")


def _check_writable(path):
    is_new = not path.exists()
    with open(path, "a", encoding="utf-8"):
        pass
    if is_new:
        path.unlink()


def _check_files(args, scenario):
    """Before an hour of measuring, not after it."""
    missing = [path for path in (_BUSYBOX, *args.carry) if not Path(path).exists()]
    if missing:
        raise Failure(f"there is no {', no '.join(map(str, missing))}")
    if subprocess.run([_BUSYBOX, "true"], check=False).returncode:
        raise Failure(f"{_BUSYBOX} does not run")
    if args.figures:
        _check_figures(args, scenario)
        _compiler()
    for path in filter(None, (args.out, args.trace, args.figures)):
        _check_writable(path)


def run(args):
    scenario = scenarios.ALL[args.scenario]
    try:
        _check_options(args)
        chosen = _parse_variants(args, scenario)
        _check_variants(scenario, chosen)
        units = scenario.units(args)
        expectations = [expect.parse(text, units, [each.name for each in chosen]) for text in args.expect]
        _check_files(args, scenario)
    except (Failure, OSError) as failure:
        progress.log(failure)
        return EXIT_FAILED if args.expect else EXIT_USAGE
    try:
        qemu, kernel = emulator.find(args.cpus), kernels.find(args.kernel)
        with nothing_left():
            found = measure(args, scenario, chosen, qemu, kernel)
        print(values.table(found, units), flush=True)
        for sentence in _promise(found) if scenario.JUDGED else ():
            progress.log(sentence)
        if args.out:
            args.out.write_text(json.dumps(found, indent="\t") + "\n", encoding="utf-8")
        if args.figures:
            _write_figures(args, scenario, found, qemu, kernel)
        return _judge(expectations, found)
    except NoBoot as failure:
        progress.log(failure)
        return EXIT_NO_BOOT
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        progress.log(failure)
        return EXIT_FAILED if expectations else 1
    except Exception:  # a fault of ours: git bisect would take the 1 of an uncaught exception for a bad commit
        traceback.print_exc()
        return EXIT_FAILED if expectations else 1


def _command(args, scenario):
    """The command that repeats the table."""
    seeds = _chosen_seeds(args, scenario)
    words = ["schedqos-bench", "lab", args.scenario, "--kernel", args.kernel, "--cpus", str(args.cpus),
             "--seeds", str(seeds[-1]) if seeds[0] == 1 else f"{seeds[0]}-{seeds[-1]}"]
    if hasattr(scenario, "SECONDS"):
        words += ["--seconds", str(args.seconds or scenario.SECONDS)]
    words += ["--variants", _variants(args, scenario)]
    words += scenario.own_words(args) if hasattr(scenario, "own_words") else []
    for path in args.carry:
        words += ["--carry", str(path)]
    return shlex.join(words)


def _settings(name):
    """The parts of a variant's name that change the kernel's settings."""
    return {part for part in name.split("+") if part.startswith(("features:", "cgroup_mode:", "slice:"))}


def _is_bare(name):
    """Whether neither a daemon nor a command runs."""
    return all(part == _NO_DAEMON or part.startswith("weights") or _settings(part) for part in name.split("+"))


def _without_daemon(found, name):
    """The variant without a daemon that has the same settings of the kernel, else the one without any; None if there is none."""
    same = [each for each in found if _is_bare(each) and "weights" not in each and _settings(each) == _settings(name)]
    return same[0] if same else _NO_DAEMON if _NO_DAEMON in found else None


def _promise(found):
    """The cells that break the promise that no p99 and no count of late ones is above 1.05 x no daemon, as sentences."""
    for name in found:
        without = _without_daemon(found, name)
        if without is None or _is_bare(name):
            continue
        broken = values.worse(found, name, without, values.PROMISE)
        cells = [f"{metric} ({values.number(now)} for {values.number(was)}"
                 + (f", {now / was:.2f} x" if was else "") + (", in every seed)" if in_all else ")")
                 for metric, (was, now, in_all) in broken.items()]
        yield (f"Above {values.PROMISE} x no daemon with {name}: {', '.join(cells)}." if cells else
               f"With {name} no p99 and no count of late ones is above {values.PROMISE} x no daemon.")


def _compiler():
    name = os.environ.get("CC") or "gcc"
    found = subprocess.run([*shlex.split(name), "-dumpfullversion"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           check=False, encoding="utf-8", errors="replace")
    return f"{name} {found.stdout.strip()}"


def _write_figures(args, scenario, found, qemu, kernel):
    """The table without medians and longest waits, of which a page has room for few."""
    shown = {name: {metric: value for metric, value in metrics.items() if not metric.endswith(("_p50", "_max"))}
             for name, metrics in found.items()}
    name = args.kernel if Path(args.kernel).is_file() else f"Linux {kernel.parent.name}"
    text = (f"`{_command(args, scenario)}`: {name}, QEMU {qemu.version}, {_compiler()}, "
            f"{2 ** emulator.SHIFTS[args.cpus]} ns for an instruction{'' if args.cpus == 1 else ' of any CPU'}; medians over "
            "the seeds (least - greatest).\n\n" + values.table(shown, scenario.units(args)))
    marked.write(args.figures, _marks(args, scenario), text, "lab")
    overview.renew(args.figures)
