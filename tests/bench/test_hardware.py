# SPDX-License-Identifier: GPL-2.0-only
"""The hardware as sysfs shows it, and what is said of what it does not show."""

from case import Folder
from schedqos_bench import hardware


class Facts(Folder):
    def put(self, files):
        for path, text in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text + "\n", encoding="utf-8")

    def test_all_of_it(self):
        cpu = "sys/devices/system/cpu"
        for number, (core, capacity) in enumerate(((0, 1024), (0, 1024), (1, 512), (1, 512))):
            self.put({f"{cpu}/cpu{number}/topology/core_id": str(core),
                      f"{cpu}/cpu{number}/topology/physical_package_id": "0",
                      f"{cpu}/cpu{number}/cpu_capacity": str(capacity)})
        for number, governor in enumerate(("schedutil", "powersave")):
            self.put({f"{cpu}/cpufreq/policy{number}/scaling_driver": "intel_pstate",
                      f"{cpu}/cpufreq/policy{number}/scaling_governor": governor,
                      f"{cpu}/cpufreq/policy{number}/energy_performance_preference": "balance_power"})
        self.put({f"{cpu}/smt/control": "on", f"{cpu}/intel_pstate/no_turbo": "1",
                  f"{cpu}/cpuidle/current_driver": "intel_idle", f"{cpu}/cpuidle/current_governor": "menu",
                  f"{cpu}/cpu0/cpuidle/state0/name": "POLL", f"{cpu}/cpu0/cpuidle/state0/disable": "0",
                  f"{cpu}/cpu0/cpuidle/state1/name": "C6", f"{cpu}/cpu0/cpuidle/state1/disable": "1",
                  f"{cpu}/vulnerabilities/meltdown": "Mitigation: PTI", f"{cpu}/vulnerabilities/l1tf": "Not affected",
                  "sys/devices/system/node/node0/cpulist": "0-3", "sys/kernel/sched_ext/state": "disabled",
                  "sys/kernel/debug/sched/cgroup_mode": "up", "sys/kernel/debug/sched/features": "NO_RUN_TO_PARITY",
                  "proc/cmdline": "quiet", "proc/cpuinfo": "microcode\t: 0x42",
                  "proc/version": "Linux version 7.3.0-g0123456789ab (me@here) (gcc (Debian 14.2.0-1) 14.2.0, GNU ld) #1"})
        self.assertEqual(hardware.facts(self.folder), {
            "topology": "packages: 1, cores: 2, CPUs: 4", "smt": "on", "numa": "node 0: CPUs 0-3",
            "capacities": "1024: CPUs 0-1; 512: CPUs 2-3",
            "cpufreq": "policies 0: driver intel_pstate, governor schedutil, EPP balance_power; "
                       "policies 1: driver intel_pstate, governor powersave, EPP balance_power",
            "turbo": "off", "idle": "driver intel_idle, governor menu: POLL C6 (off)", "mitigations": "meltdown: Mitigation: PTI",
            "command_line": "quiet", "microcode": "0x42", "sched_ext": "disabled", "cgroup_mode": "up",
            "features": "NO_RUN_TO_PARITY", "kernel_commit": "0123456789ab",
            "kernel_compiler": "gcc (Debian 14.2.0-1) 14.2.0, GNU ld", "not_read": []})

    def test_what_cannot_be_read_is_named(self):
        found = hardware.facts(self.folder)
        missing = found.pop("not_read")
        self.assertEqual(set(found.values()), {None})
        text = "; ".join(missing)
        for name in ("topology", "SMT", "NUMA", "capacities", "cpufreq", "turbo", "idle", "mitigations", "command line",
                     "microcode", "sched_ext", "cgroup_mode", "features", "git hash", "compiler"):
            self.assertIn(name, text)
