# SPDX-License-Identifier: GPL-2.0-only
"""What somebody without privilege takes from others: their work beside storms, with the daemon and without."""

import contextlib
import time
from pathlib import Path
from typing import NamedTuple

from .. import attr
from ..process import Program
from . import latency, rules

NOBODY = "65534"
WORK = "bench-work"


class Attack(NamedTuple):
    key: str
    program: str
    processes: int = 1  # of two workers each
    starts: str = ""


ATTACKS = (
    Attack("nothing", "", 0),
    Attack("renames", "bench-renames"),
    Attack("renames by 32 processes", "bench-renames", 16),
    Attack("forks", "bench-forks"),
    Attack("forks by 32 processes", "bench-forks", 16),
    Attack("execs", "bench-execs", starts="bench-tiny"),
    Attack("execs by 32 processes", "bench-execs", 16, "bench-tiny"),
    Attack("threads", "bench-threads"),
    Attack("threads by 32 processes", "bench-threads", 16),
)


def _storm(build, program, variant, starts="", user=None):
    """Ready to be told to go. Where nobody tags, it is started with what the daemon would give it."""
    tools = Path(build).resolve() / "bench"
    # Whom a path leads through is no question of what is measured: the copy is in root's folder.
    args = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"] if user else []
    args += [tools / program, "-k", 0]
    if starts:
        args += ["-x", tools / starts]
    start_attr = attr.PRISTINE if variant.tags else rules.expected(program)
    running = Program(args, start_attr=start_attr, ends_at_eof=True, whole_group=bool(user))
    try:
        running.read_line()
    except BaseException:
        running.end()
        raise
    return running


# Execs and renames of others that are waited for, and the longest pause between two.
PROBES, PAUSE_US = 20, 20_000


def measure(variant, build, attack, seconds, seed):
    """
    Operations a second of the work, and the share of one CPU that the variant used meanwhile; then, with the daemon, how long
    others' programs and threads wait for their class, in ns.
    """
    found = {}
    with contextlib.ExitStack() as stack:
        work = stack.enter_context(_storm(build, WORK, variant))
        storms = [stack.enter_context(_storm(build, attack.program, variant, attack.starts, NOBODY))
                  for _ in range(attack.processes)]
        for storm in storms:
            storm.say("go")
        before, began = variant.usage(), time.monotonic()
        work.say("go")
        time.sleep(seconds)
        work.say("stop")
        result = work.read_json(timeout=120)
        used = variant.usage().since(before).cpu_ns / 1e9 / (time.monotonic() - began)
        if variant.probed:
            found = latency.probe(build, variant, PROBES, PAUSE_US, seed)
        elapsed = time.monotonic() - began
        for storm in storms:
            storm.say("stop")
        made = sum(storm.read_json(timeout=120)["ops"] for storm in storms)
    return {"work": result["ops"] * 1e9 / result["ns"], "cpu": used, "made": made / elapsed,
            "exec": found.get("exec", []), "rename": found.get("rename", []),
            "never": found.get("exec_timeouts", 0) + found.get("rename_timeouts", 0)}
