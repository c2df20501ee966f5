# SPDX-License-Identifier: GPL-2.0-only
"""What is found out about the machine, from files that look like the kernel's."""

import unittest
import unittest.mock
from pathlib import Path

from schedqos_bench import accounting, environment

CONFIG = """\
CONFIG_HZ_250=y
CONFIG_HZ=250
# CONFIG_UCLAMP_TASK is not set
CONFIG_PREEMPT_DYNAMIC=y
CONFIG_SCHED_HRTICK=y
CONFIG_EXT4_FS=y
CONFIG_CPU_FREQ_DEFAULT_GOV_SCHEDUTIL=y
"""


class Environment(unittest.TestCase):
    def with_files(self, files):
        """_read finds these files and no others."""
        return unittest.mock.patch.object(environment, "_read",
                                          lambda path, default=None: files.get(str(path), default))

    def test_configuration(self):
        found = environment.parse_config(CONFIG)
        for name, want in (("HZ", "250"), ("UCLAMP_TASK", "n"), ("SCHED_HRTICK", "y"),
                           ("CPU_FREQ_DEFAULT_GOV_SCHEDUTIL", "y")):
            self.assertEqual(found[f"CONFIG_{name}"], want)
        self.assertNotIn("CONFIG_EXT4_FS", found)
        self.assertNotIn("CONFIG_PREEMPT_NONE", found)

    def test_autogroup(self):
        knob = "/proc/sys/kernel/sched_autogroup_enabled"
        for files, count in (({knob: "1"}, 1), ({knob: "0"}, 0), ({}, 0)):
            with self.with_files(files):
                self.assertEqual(len(environment._autogroup()), count, files)

    def test_heat(self):
        zone = "/sys/class/thermal/thermal_zone0"
        for now, trip, count in (("96000", "100000", 1), ("40000", "100000", 0), ("-5", "100000", 0),
                                 ("40000", "0", 0)):
            files = {f"{zone}/temp": now, f"{zone}/trip_point_0_temp": trip, f"{zone}/type": "x86_pkg_temp"}
            with self.with_files(files), unittest.mock.patch.object(environment.glob, "glob", lambda _: [zone]):
                self.assertEqual([each["what"] for each in environment._hot()],
                                 ["x86_pkg_temp is at 96 degrees of 100"] * count)

    def test_governor(self):
        for governor, count in ((None, 0), ("performance", 0), ("schedutil", 0), ("powersave", 1)):
            self.assertEqual(len(environment._governor({"governor": governor})), count, governor)

    def test_other_load(self):
        def after(busy, steal):
            return [accounting.Machine(10, 1, 100), accounting.Machine(10 + busy, 1 + steal, 104)]
        for machines, words in ((after(0.04, 0), []), (after(2, 0), ["50%"]), (after(0, 1), ["25%"]),
                                (after(2, 1), ["50%", "25%"])):
            with unittest.mock.patch.object(accounting, "machine", machines.pop), \
                    unittest.mock.patch.object(environment, "OTHER_LOAD_SECONDS", 0):
                machines.reverse()
                found = environment._other_load()
            self.assertEqual(len(found), len(words))
            for word, each in zip(words, found):
                self.assertIn(word, each["what"])

    def test_the_group_that_we_are_in(self):
        path = "/proc/self/cgroup"
        for text, want in (("2:cpu,cpuacct:/a\n1:name=systemd:/b\n0::/c", "/a"), ("0::/c", "/c"),
                           ("3:cpuset:/x\n0::/c", "/c"), ("", None)):
            with self.with_files({path: text}):
                self.assertEqual(environment._cpu_group(), want, text)

    def test_every_finding_says_what_to_do(self):
        with self.with_files({"/proc/sys/kernel/sched_autogroup_enabled": "1"}):
            for each in environment._autogroup() + environment._virtual({"virtual": "kvm"}):
                self.assertEqual(set(each), {"what", "consequence", "remedy"})
                self.assertTrue(all(each.values()))

    def test_what_a_program_is_that_no_package_has(self):
        self.assertRegex(environment._package_version(str(Path(__file__).with_name("run.py"))), "^sha256 [0-9a-f]{16}$")
