# SPDX-License-Identifier: GPL-2.0-only
"""The hardware and how the kernel drives it, for the environment of a result; and what of it could not be read."""

import os
import re
from pathlib import Path

_CPU = "sys/devices/system/cpu"
_DEBUG = "sys/kernel/debug/sched"


class _Root:
    """Reads files below a folder, which is / but for tests, and keeps in mind which could not be read."""

    def __init__(self, path):
        self.path, self.missing = Path(path), []

    def text(self, name, path):
        try:
            return (self.path / path).read_text(encoding="utf-8", errors="replace").strip().replace("\0", " ")
        except OSError as error:
            self.missing.append(f"{name} (/{path}: {error.strerror})")
            return None

    def maybe(self, path):
        try:
            return (self.path / path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def folders(self, pattern):
        def number(path):
            return int(re.search(r"\d+$", path.name)[0])
        return sorted((path for path in self.path.glob(pattern) if re.search(r"\d+$", path.name)), key=number)


def _grouped(pairs):
    """{value: "0-3 8"} of (number, value): equal ones together."""
    numbers = {}
    for number, value in pairs:
        numbers.setdefault(value, []).append(number)
    return {value: _ranges(each) for value, each in numbers.items()}


def _ranges(numbers):
    found = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return " ".join(str(low) if low == high else f"{low}-{high}" for low, high in found)


def _number(path):
    return int(re.search(r"\d+$", path.name)[0])


def _topology(root):
    packages, cores, cpus = set(), set(), 0
    for cpu in root.folders(f"{_CPU}/cpu[0-9]*"):
        folder = cpu.relative_to(root.path) / "topology"
        package, core = (root.maybe(folder / name) for name in ("physical_package_id", "core_id"))
        if core is not None:
            packages.add(package)
            cores.add((package, core))
            cpus += 1
    if not cores:
        root.missing.append(f"topology (/{_CPU}/cpu*/topology)")
        return None
    return f"packages: {len(packages)}, cores: {len(cores)}, CPUs: {cpus}"


def _capacities(root):
    found = [(_number(cpu), root.maybe(cpu.relative_to(root.path) / "cpu_capacity"))
             for cpu in root.folders(f"{_CPU}/cpu[0-9]*")]
    found = _grouped((number, value) for number, value in found if value is not None)
    if not found:
        root.missing.append(f"CPU capacities (/{_CPU}/cpu*/cpu_capacity)")
        return None
    return "; ".join(f"{value}: CPUs {cpus}" for value, cpus in found.items())


def _policies(root):
    """Of each cpufreq policy the driver, the governor, the preference and the limits."""
    def described(folder):
        about = {name: root.maybe(folder / file) for name, file in (
            ("driver", "scaling_driver"), ("governor", "scaling_governor"),
            ("EPP", "energy_performance_preference"), ("least", "scaling_min_freq"), ("most", "scaling_max_freq"))}
        return ", ".join(f"{name} {value}" for name, value in about.items() if value is not None)
    found = _grouped((_number(each), described(each.relative_to(root.path)))
                     for each in root.folders(f"{_CPU}/cpufreq/policy[0-9]*"))
    if not found:
        root.missing.append(f"cpufreq (/{_CPU}/cpufreq: no policy)")
        return None
    return "; ".join(f"policies {numbers}: {text}" for text, numbers in found.items())


def _turbo(root):
    off = root.maybe(f"{_CPU}/intel_pstate/no_turbo")
    boost = root.maybe(f"{_CPU}/cpufreq/boost") if off is None else str(1 - int(off))
    if boost is None:
        root.missing.append(f"turbo (/{_CPU}/intel_pstate/no_turbo, /{_CPU}/cpufreq/boost)")
        return None
    return "on" if boost == "1" else "off"


def _idle(root):
    driver = root.text("idle driver", f"{_CPU}/cpuidle/current_driver")
    if driver is None:
        return None
    states = []
    for state in root.folders(f"{_CPU}/cpu0/cpuidle/state[0-9]*"):
        name, off = (root.maybe(state.relative_to(root.path) / file) for file in ("name", "disable"))
        states.append(f"{name}{' (off)' if off not in (None, '0') else ''}")
    governor = root.maybe(f"{_CPU}/cpuidle/current_governor")
    return f"driver {driver}, governor {governor}: {' '.join(states) or 'no state'}"


def _mitigations(root):
    found = {path.name: root.maybe(path.relative_to(root.path))
             for path in sorted(root.path.glob(f"{_CPU}/vulnerabilities/*"))}
    if not found:
        root.missing.append(f"mitigations (/{_CPU}/vulnerabilities)")
        return None
    affected = "; ".join(f"{name}: {text}" for name, text in found.items() if text != "Not affected")
    return affected or "none needed"


def _nodes(root):
    found = [(_number(node), root.maybe(node.relative_to(root.path) / "cpulist"))
             for node in root.folders("sys/devices/system/node/node[0-9]*")]
    if not found:
        root.missing.append("NUMA nodes (/sys/devices/system/node)")
        return None
    return "; ".join(f"node {number}: CPUs {cpus}" for number, cpus in found)


def _cpuinfo(root, key):
    found = re.search(rf"^{key}\s*:\s*(.+)$", root.maybe("proc/cpuinfo") or "", re.MULTILINE)
    if not found:
        root.missing.append(f"{key} (/proc/cpuinfo)")
    return found[1] if found else None


def _build(root):
    """The kernel's git hash, which is in its name or not, and its compiler."""
    text = root.text("compiler", "proc/version") or ""
    release = text.split()[2] if text.count(" ") > 2 else ""
    commit = re.search(r"-g([0-9a-f]{7,40})", release)
    compiler = re.search(r"\(([^()]*(?:\([^()]*\)[^()]*)*(?:gcc|clang)[^()]*(?:\([^()]*\)[^()]*)*)\)", text)
    if not commit:
        root.missing.append(f"the kernel's git hash (its name, {release}, has none: CONFIG_LOCALVERSION_AUTO)")
    if not compiler and text:
        root.missing.append("the kernel's compiler (/proc/version)")
    return commit and commit[1], compiler and compiler[1]


def facts(root=os.sep):
    """{name: text or None}, of which "not_read" lists what could not be read."""
    root = _Root(root)
    commit, compiler = _build(root)
    found = {
        "topology": _topology(root), "smt": root.text("SMT", f"{_CPU}/smt/control"), "numa": _nodes(root),
        "capacities": _capacities(root), "cpufreq": _policies(root), "turbo": _turbo(root), "idle": _idle(root),
        "mitigations": _mitigations(root), "command_line": root.text("command line", "proc/cmdline"),
        "microcode": _cpuinfo(root, "microcode"), "sched_ext": root.text("sched_ext", "sys/kernel/sched_ext/state"),
        "cgroup_mode": root.text("cgroup_mode", f"{_DEBUG}/cgroup_mode"),
        "features": root.text("scheduler features", f"{_DEBUG}/features"), "kernel_commit": commit,
        "kernel_compiler": compiler,
    }
    return {**found, "not_read": root.missing}
