# SPDX-License-Identifier: GPL-2.0-only
"""What has to hold before anything is measured."""

import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

from .. import attr
from .listeners import Listener
from ..daemon import is_running
from ..process import Failure

ROOT = Path(__file__).resolve().parents[3]
EXIT_SKIPPED = 77


def require_root(name):
    if os.geteuid() != 0:
        print(f"{name}: needs root, to listen to the proc connector", file=sys.stderr)
        sys.exit(EXIT_SKIPPED)


def _copy(build, folder):
    """What is measured stays the same even if somebody builds meanwhile. Returns where it is."""
    copy = Path(folder).resolve() / "build"
    copy.mkdir()
    for name in ("schedqos", "bench/bench-listener"):
        if not (Path(build) / name).exists():
            raise Failure(f"{build}/{name} is missing: make bench-tools")
    shutil.copy(Path(build) / "schedqos", copy)
    (copy / "bench").mkdir()
    for tool in (Path(build) / "bench").glob("bench-*"):
        shutil.copy(tool, copy / "bench")
    return copy


def prepare(build, folder):
    """Checks the machine, and makes us pristine, so that what we start is. Returns the build to be used."""
    build = _copy(build, folder)
    if is_running(build / "schedqos"):
        raise Failure("a schedqos is running: stop it first")
    if not attr.has_slices():
        attr.without_slices()
    with Listener("b", "bare listener", build, "bare") as listener:
        subprocess.run(["true"], check=True)
        time.sleep(0.1)
        if not listener.counts()["execs"]:
            print("no events: not the initial namespaces, or no CONFIG_PROC_EVENTS", file=sys.stderr)
            sys.exit(EXIT_SKIPPED)
    return build


def facts(build):
    version = subprocess.run([Path(build) / "schedqos", "--version"], capture_output=True,
                             text=True, check=False).stdout.strip()
    return {"version": version.rpartition(" ")[2] or "?", "kernel": platform.release(),
            "cpus": os.cpu_count(), "load": os.getloadavg()[0],
            "date": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
