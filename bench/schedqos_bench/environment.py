# SPDX-License-Identifier: GPL-2.0-only
"""What the measurement ran on, and what about it would spoil the result."""

import glob
import gzip
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import time
from pathlib import Path

from . import accounting, hardware
from .folders import ROOT

# The kernel's configuration options that affect how fair tasks are scheduled; those not set are reported, too.
_CONFIG = ("HZ", "HIGH_RES_TIMERS", "SCHED_HRTICK", "PREEMPT_DYNAMIC", "PREEMPT_RT", "SCHED_AUTOGROUP",
           "FAIR_GROUP_SCHED", "RT_GROUP_SCHED", "CFS_BANDWIDTH", "UCLAMP_TASK", "SCHED_CLASS_EXT", "SCHED_CORE",
           "SCHED_SMT", "SCHED_MC", "SCHED_CLUSTER", "NO_HZ_FULL", "VIRT_CPU_ACCOUNTING_GEN")
_ONE_OF = re.compile(r"^(CONFIG_(?:PREEMPT_NONE|PREEMPT_VOLUNTARY|PREEMPT_LAZY|PREEMPT|CPU_FREQ_DEFAULT_GOV_\w+))=y$",
                     re.MULTILINE)

# Not about this machine, or reported elsewhere.
_NOT_FINDINGS = ("kernel", "configuration", "daemon", "unit", "events", "problem")

OTHER_LOAD_SECONDS, OTHER_LOAD_LIMIT = 2.0, 0.03
STEAL_LIMIT = 0.01


def _read(path, default=None):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return default


def _output(argv, default=None):
    try:
        run = subprocess.run([str(arg) for arg in argv], capture_output=True, text=True, check=False, errors="replace")
    except OSError:
        return default
    return run.stdout.strip() or default


def parse_config(text):
    values = dict(re.findall(r"^(CONFIG_\w+)=(.*)$", text, re.MULTILINE))
    found = {f"CONFIG_{name}": values.get(f"CONFIG_{name}", "n") for name in _CONFIG}
    return {**found, **dict.fromkeys(_ONE_OF.findall(text), "y")}


def kernel_config():
    """What matters of it; empty where the kernel does not show it."""
    try:
        with gzip.open("/proc/config.gz", "rt") as file:
            text = file.read()
    except OSError:
        text = _read(f"/boot/config-{platform.release()}")
    return parse_config(text) if text else {}


def _cpu():
    found = re.search(r"^(?:model name|Processor|cpu model)\s*:\s*(.+)$", _read("/proc/cpuinfo", ""), re.MULTILINE)
    return found[1] if found else platform.machine()


def _distribution():
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', _read("/etc/os-release", ""), re.MULTILINE)
    return found[1] if found else None


def virtual():
    """The kind of virtual machine, or None."""
    kind = _output(["systemd-detect-virt", "--vm"])
    if kind:
        return None if kind == "none" else kind
    return "hypervisor" if re.search(r"^flags\s*:.*\bhypervisor\b", _read("/proc/cpuinfo", ""), re.MULTILINE) else None


def _debugfs(name):
    return _read(f"/sys/kernel/debug/sched/{name}")


def _sysctls():
    found = {f"kernel.{Path(path).name}": _read(path) for path in sorted(glob.glob("/proc/sys/kernel/sched_*"))
             if not re.search("sched_(rt|rr|deadline|cfs_bandwidth)_", path)}
    for name in ("base_slice_ns", "features", "preempt"):
        if _debugfs(name) is not None:
            found[f"debug/sched/{name}"] = _debugfs(name)
    return found


def _digest(program):
    path = shutil.which(program)
    return "sha256 " + hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path else None


def _package_version(program):
    """Where the program does not print its version, that of its package or a hash of its content."""
    path = shutil.which(program)
    folder = path and Path(path).resolve().parent
    if folder and (folder / ".git").exists():
        return f"git {_output(['git', '-C', folder, 'rev-parse', 'HEAD'], '?')}"
    owner = path and _output(["dpkg", "-S", os.path.realpath(path)])
    owners = [line for line in (owner or "").splitlines() if not line.startswith("diversion by ")]
    if not owners:
        return _digest(program)
    package = owners[0].partition(":")[0]
    return f"{package} {_output(['dpkg-query', '-W', '-f', '${Version}', package], '?')}"


def versions(executable, programs):
    found = {"schedqos": _output([executable, "--version"], "?").rpartition(" ")[2],
             "gcc": _output(["gcc", "-dumpfullversion"])}
    found.update({os.path.basename(program): _package_version(program) for program in programs})
    return found


def cpu_group():
    """The group among whose siblings our CPU time is divided, where there may be any."""
    for line in _read("/proc/self/cgroup", "").splitlines():
        number, controllers, path = line.split(":", 2)
        if "cpu" in controllers.split(",") or number == "0" and not _v1_has_cpu():
            return path
    return None


def _v1_has_cpu():
    return any(line.split(":")[1] and "cpu" in line.split(":")[1].split(",")
               for line in _read("/proc/self/cgroup", "").splitlines())


def facts(executable, programs):
    memory = re.search(r"^MemTotal:\s+(\d+)", _read("/proc/meminfo", ""), re.MULTILINE)
    return {
        "kernel": f"{platform.release()} {platform.version()}", "config": kernel_config(), "cpu": _cpu(),
        "cpus": len(os.sched_getaffinity(0)), "memory_bytes": int(memory[1]) * 1024 if memory else None,
        "distribution": _distribution(), "virtual": virtual(), "versions": versions(executable, programs),
        "commit": _output(["git", f"--git-dir={ROOT}/.git", "describe", "--always", "--dirty"]),
        "sysctls": _sysctls(), "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "cgroup_cpu": cpu_group(), **hardware.facts(), "boot": _read("/proc/sys/kernel/random/boot_id"),
    }


def finding(what, consequence, remedy):
    return {"what": what, "consequence": consequence, "remedy": remedy}


def _doctor(executable, options):
    """What the daemon itself knows to keep classes from having their effect."""
    text = _output([executable, "doctor", "--json", *options])
    try:
        items = json.loads(text or "{}").get("findings", [])
    except ValueError:
        items = []
    return [item for item in items if item["state"] != "ok" and item["name"] not in _NOT_FINDINGS]


def _autogroup():
    if _read("/proc/sys/kernel/sched_autogroup_enabled") != "1":
        return []
    return [finding("autogroup is on",
                    "the daemon turns it off while it runs, unless a scenario's rules keep it, and default runs with "
                    "it: the comparison includes that",
                    "--prepare")]


def _other_load():
    before = accounting.machine()
    time.sleep(OTHER_LOAD_SECONDS)
    elapsed = accounting.machine().since(before)
    share = elapsed.busy / elapsed.total if elapsed.total else 0
    found = []
    if share > OTHER_LOAD_LIMIT:
        found.append(finding(f"other programs use {share:.0%} of the CPUs",
                             "they are measured as well, and not the same in every round", "end them, or wait"))
    if elapsed.total and elapsed.steal / elapsed.total > STEAL_LIMIT:
        found.append(finding(f"the host takes away {elapsed.steal / elapsed.total:.0%} of the CPUs",
                             "latencies contain those of the host", "a machine of its own"))
    return found


def throttled():
    """How often the CPUs have been throttled, or None where that is not counted."""
    counts = [_read(path) for path in glob.glob("/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count")]
    return sum(int(count) for count in counts if count) if counts else None


def _degrees(path):
    """None where the kernel gives none, or a placeholder."""
    text = _read(path, "")
    return int(text) / 1000 if text.isdigit() and int(text) > 0 else None


def _hot():
    """Zones within 5 degrees of the first point at which something is done about it."""
    found = []
    for zone in glob.glob("/sys/class/thermal/thermal_zone*"):
        now, trip = _degrees(f"{zone}/temp"), _degrees(f"{zone}/trip_point_0_temp")
        if now and trip and now > trip - 5:
            found.append(finding(f"{_read(zone + '/type', 'a sensor')} is at {now:.0f} degrees of {trip:.0f}",
                                 "clocks may go down during the run", "let it cool down"))
    return found


def _governor(facts_found):
    if facts_found["governor"] in (None, "performance", "schedutil"):
        return []
    return [finding(f"the governor is {facts_found['governor']}", "clocks follow the load with a delay of their own",
                    "cpupower frequency-set -g performance (or schedutil)")]


def _virtual(facts_found):
    if not facts_found["virtual"]:
        return []
    return [finding(f"a virtual machine ({facts_found['virtual']})",
                    "waking an idle CPU and steal time add latencies that no scheduler here can change",
                    "bare metal; compare ratios, not numbers")]


def findings(executable, options, facts_found):
    """What would spoil the result, before anything runs."""
    found = [finding(f"{item['name']}: {item['what']}", item["consequence"], item["remedy"])
             for item in _doctor(executable, options) if item["name"] not in ("autogroup", "governor")]
    return (_autogroup() + _other_load() + _hot() + _governor(facts_found) + _virtual(facts_found) + found)
