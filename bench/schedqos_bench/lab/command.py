# SPDX-License-Identifier: GPL-2.0-only
"""The verb "lab" of schedqos-bench."""

import json
from pathlib import Path

from .. import progress
from ..process import nothing_left
from ..variants import BUILD, CONFIGS
from . import emulator, kernels, scenarios, values, variants
from .archive import Archive
from .machine import Machine, NoBoot

EXIT_NOT_AS_EXPECTED, EXIT_NO_BOOT = 1, 125
_GUEST = Path(__file__).with_name("guest")
_BUSYBOX = "/bin/busybox"
_APPLETS = ("sh", "cat", "chmod", "cp", "echo", "grep", "hostname", "ip", "kill", "ln", "mkdir", "mkfifo", "mount", "nproc",
            "reboot", "rm", "rmdir", "sleep", "stty", "true", "uname")


def add_parser(verbs):
    lab = verbs.add_parser("lab", help="run a scenario in virtual time, in a virtual machine: the same result everywhere")
    lab.add_argument("scenario", choices=list(scenarios.ALL), metavar="SCENARIO",
                     help="; ".join(f"{name}: {module.TITLE}" for name, module in scenarios.ALL.items()))
    lab.add_argument("--kernel", default=kernels.NEWEST, metavar="KERNEL",
                     help="a series of Debian's, such as 7.3, or an image (%(default)s)")
    lab.add_argument("--cpus", type=int, choices=emulator.CPUS, default=1, help="of the guest (%(default)s)")
    lab.add_argument("--seeds", type=int, metavar="N", help="so many, which vary phases and lengths (default: the scenario's)")
    lab.add_argument("--variants", action="append", metavar="LIST", help=f"of {variants.EXPECTED}")
    lab.add_argument("--seconds", type=int, metavar="S", help="of each measurement, in the guest (default: the scenario's)")
    for module in scenarios.ALL.values():
        getattr(module, "add_options", lambda _: None)(lab)
    lab.add_argument("--build", type=Path, default=BUILD, metavar="DIR", help="where make has put the programs")
    lab.add_argument("--out", type=Path, metavar="FILE", help="for all values of all seeds, as JSON")
    return lab


def _script(scenario, variant, seeds, args):
    """What is common to scenarios, around the script of one."""
    lines = [f"tune features {name}" for name in variant.features]
    lines += [f"tune cgroup_mode {variant.cgroup_mode}"] if variant.cgroup_mode else []
    lines.append(f"changed={f'bench-attr 0:0:{variant.slice_ns}' if variant.slice_ns else ''}")
    own = scenario.script(variant, seeds, args)
    if scenario.RUNS_DAEMON or not variant.executable:
        return "\n".join([*lines, own])
    mapping = "--mapping lab" if variant.mapping else ""
    return "\n".join([*lines, f"start_daemon {mapping}", own, "stop_daemon", ""])


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
    scenario.fill(archive, variant, args)
    archive.add_text("/lab/script", _script(scenario, variant, seeds, args))
    return archive


def measure(args):
    """{variant: {metric: [value of each seed]}}."""
    scenario = scenarios.ALL[args.scenario]
    chosen = variants.parse(args.variants or [scenario.VARIANTS], args.build)
    seeds = range(1, (args.seeds or scenario.SEEDS) + 1)
    qemu = emulator.find(args.cpus)
    kernel = kernels.find(args.kernel)
    progress.log(f"{args.scenario}: {kernel}, {args.cpus} CPUs, QEMU {qemu.version}")
    found = {}
    for variant in chosen:
        archive = _archive(scenario, variant, seeds, args)
        results = Machine(qemu, kernel, archive, args.cpus, variant.name).run()
        of_seed = [[(label.partition("/")[2], value) for label, value in results if label.startswith(f"{seed}/")]
                   for seed in seeds]
        each = [scenario.values(some, args) for some in of_seed]
        found[variant.name] = {metric: [values.get(metric) for values in each] for metric in each[0]}
    return found


def run(args):
    scenario = scenarios.ALL[args.scenario]
    with nothing_left():
        try:
            found = measure(args)
        except NoBoot as failure:
            progress.log(failure)
            return EXIT_NO_BOOT
    print(values.table(found, scenario.units(args)))
    if args.out:
        args.out.write_text(json.dumps(found, indent="\t") + "\n", encoding="utf-8")
    return 0
