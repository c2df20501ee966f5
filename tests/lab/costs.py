# SPDX-License-Identifier: GPL-2.0-only
"""
The table of the daemon's costs: CPU time in us, which virtual time gives exactly. It depends on what the daemon is built
with and runs on, so these are in the table too, and with others it says nothing.
"""

import json
import re
import subprocess
from pathlib import Path

import lab

TABLE = Path(__file__).with_name("costs.json")
TOLERANCE = 0.03
# How many threads of a storm share a wake-up is another number with any other binary.
_TOLERANCES = {"thread, storm": 0.15, "fork, storm": 0.15, "rename, storm": 0.15, "fork, idle": 0.06}
# Less than this is a wake-up more or less, not a cost.
_LEAST_US = 5


def versions():
    """The versions that the costs depend on, as far as a change is to be expected from them."""
    from schedqos_bench.lab import emulator, kernels

    def first_line(*command):
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.partition("\n")[0]
    return {"compiler": first_line("cc", "--version"), "libc": first_line("ldd", "--version"),
            "kernel": kernels.find(lab.KERNEL).parent.name, "qemu": re.match(r"\d+", emulator.find(1).version)[0]}


def measured():
    """{operation: us} of the daemon's process and its helpers together."""
    found = {}
    for metric, (value, ) in lab.costs("--variants", "schedqos").values["schedqos"].items():
        name, _, part = metric.rpartition(": ")
        if part in ("main", "helper"):
            found[name] = round(found.get(name, 0) + value, 2)
    return found


def _tolerance(name):
    return _TOLERANCES.get(name.rpartition(", ")[0], TOLERANCE)


def differences(stored, found):
    """What costs more or less than it did, as text."""
    if stored.keys() != found.keys():
        return [f"other operations: {', '.join(sorted(stored.keys() ^ found.keys()))}"]
    return [f"{name}: {found[name]} us, in the table {was} us" for name, was in stored.items()
            if abs(found[name] - was) > _tolerance(name) * was and max(was, found[name]) > _LEAST_US]


def renew():
    TABLE.write_text(json.dumps({"versions": versions(), "us": measured()}, indent="\t") + "\n", encoding="utf-8")
    print(f"{TABLE}: written; commit it with the change that explains it")
    return 0
