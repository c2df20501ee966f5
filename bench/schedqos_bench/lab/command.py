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
            "reboot", "rm", "sleep", "stty", "true", "uname")


def add_parser(verbs):
    lab = verbs.add_parser("lab", help="run a scenario in virtual time, in a virtual machine: the same result everywhere")
    lab.add_argument("scenario", choices=list(scenarios.ALL), metavar="SCENARIO",
                     help="; ".join(f"{name}: {module.TITLE}" for name, module in scenarios.ALL.items()))
    lab.add_argument("--kernel", default=kernels.NEWEST, metavar="KERNEL",
                     help="a series of Debian's, such as 7.3, or an image (%(default)s)")
    lab.add_argument("--cpus", type=int, choices=emulator.CPUS, default=1, help="of the guest (%(default)s)")
    lab.add_argument("--seeds", type=int, metavar="N", help="so many, which vary phases and lengths (default: the scenario's)")
    lab.add_argument("--variants", action="append", metavar="LIST", help=f"of {variants.EXPECTED}")
    lab.add_argument("--build", type=Path, default=BUILD, metavar="DIR", help="where make has put the programs")
    lab.add_argument("--out", type=Path, metavar="FILE", help="for all values of all seeds, as JSON")
    return lab


def _archive(scenario, variant, seed, args):
    archive = Archive()
    archive.add_program(_BUSYBOX, _BUSYBOX)
    for applet in _APPLETS:
        archive.add_link(f"/bin/{applet}", "busybox")
    for file in sorted(_GUEST.iterdir()):
        archive.add_file(f"/lab/{file.name}", file)
    archive.add_text("/init", (_GUEST / "init").read_text(encoding="utf-8"), executable=True)
    for tool in ("listener", "turns", *scenario.TOOLS):
        archive.add_program(f"/lab/bench-{tool}", args.build / "bench" / f"bench-{tool}")
    if variant.executable:
        archive.add_program("/lab/schedqos", variant.executable)
        archive.add_folder("/usr/share/schedqos", CONFIGS)
    scenario.fill(archive, variant, args)
    archive.add_text("/lab/script", scenario.script(variant, seed, args))
    return archive


def measure(args):
    """{variant: {metric: [value of each seed]}}."""
    scenario = scenarios.ALL[args.scenario]
    chosen = variants.parse(args.variants or [scenario.VARIANTS], args.build)
    seeds = range(1, (args.seeds or scenario.SEEDS) + 1)
    qemu = emulator.find(args.cpus)
    kernel = kernels.find(args.kernel)
    progress.log(f"{args.scenario}: {kernel}, {args.cpus} CPUs, QEMU {qemu.version}")
    found = {variant.name: {} for variant in chosen}
    for variant in chosen:
        for seed in seeds:
            machine = Machine(qemu, kernel, _archive(scenario, variant, seed, args), args.cpus,
                              f"{variant.name}, seed {seed}")
            for metric, value in scenario.values(machine.run(), args).items():
                found[variant.name].setdefault(metric, []).append(value)
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
