# SPDX-License-Identifier: GPL-2.0-only
"""
Compares the daemon's costs with a table of them: CPU time in us, which virtual time measures exactly. The costs depend
on the compiler and the kernel, so the table names these, and holds only for them.
"""

import json
import re
import subprocess
from pathlib import Path

import lab

TABLE = Path(__file__).with_name("costs.json")
TOLERANCE = 0.03
# The number of tasks that share a wake-up changes with any change of the binary: a fork costs up to 13 % more or less when
# idle, and 17 % in a storm, although no instruction of its own has changed. An exec that sets a class in a storm cost 3.1 % more
# when only the version, which `status` prints, was shorter.
_TOLERANCES = {"thread, storm": 0.15, "fork, storm": 0.2, "rename, storm": 0.15, "fork, idle": 0.15, "exec-sets, storm": 0.06}


def versions():
    """Returns the versions of everything from which the costs can be expected to depend."""
    from schedqos_bench.lab import emulator, kernels

    def first_line(*command):
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.partition("\n")[0]
    return {"compiler": first_line("cc", "--version"), "libc": first_line("ldd", "--version"),
            "kernel": kernels.find(lab.KERNEL).parent.name, "qemu": re.match(r"\d+", emulator.find(1).version)[0]}


def measured():
    """Returns {operation: us} for the daemon's process and its helpers together."""
    found = {}
    for metric, (value, ) in lab.costs("--variants", "schedqos").values["schedqos"].items():
        name, _, part = metric.rpartition(": ")
        if part in ("main", "helper"):
            found[name] = round(found.get(name, 0) + value, 2)
    return found


def _tolerance(name):
    return _TOLERANCES.get(name.rpartition(", ")[0], TOLERANCE)


def differences(stored, found):
    """Describes each cost that is higher or lower than in the table."""
    if stored.keys() != found.keys():
        return [f"other operations: {', '.join(sorted(stored.keys() ^ found.keys()))}"]
    return [f"{name}: {found[name]} us, in the table {was} us" for name, was in stored.items()
            if abs(found[name] - was) > _tolerance(name) * was]


def renew():
    """Writes the table again. Returns the exit status."""
    version = subprocess.run([lab.BUILD / "schedqos", "--version"], capture_output=True, text=True, check=True).stdout
    if "dirty" in version:
        print(f"{version.strip()}: commit first, and build again: the table is for versions without that word")
        return 1
    TABLE.write_text(json.dumps({"versions": versions(), "us": measured()}, indent="\t") + "\n", encoding="utf-8")
    print(f"{TABLE}: written; commit it with the change that explains it")
    return 0
