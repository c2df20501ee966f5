# SPDX-License-Identifier: GPL-2.0-only
"""Settings of the kernel as part of a variant: what they mean, and that they are put back."""

import unittest
from unittest import mock

from case import Folder
from schedqos_bench import settings, variants
from schedqos_bench.process import Failure

EXECUTABLE = "/build/schedqos"


class Parsing(unittest.TestCase):
    def parsed(self, text):
        return [(each.name, each.kind, each.weights, [one.text for one in each.settings])
                for each in variants.parse([text], EXECUTABLE)]

    def test_alone_and_with_mappings(self):
        self.assertEqual(self.parsed("default,features:NO_RUN_TO_PARITY,schedqos:announcement+features:NO_RUN_TO_PARITY+slice:3"), [
            ("default", "none", None, []),
            ("features:NO_RUN_TO_PARITY", "none", None, ["features:NO_RUN_TO_PARITY"]),
            ("schedqos:announcement+features:NO_RUN_TO_PARITY+slice:3", "schedqos", None,
             ["features:NO_RUN_TO_PARITY", "slice:3"])])
        self.assertEqual(self.parsed("cgroup_mode:smp,default+weights+cgroup_mode:up,sysctl:kernel.sched_x=1"), [
            ("cgroup_mode:smp", "none", None, ["cgroup_mode:smp"]),
            ("default+weights+cgroup_mode:up", "none", 125, ["cgroup_mode:up"]),
            ("sysctl:kernel.sched_x=1", "none", None, ["sysctl:kernel.sched_x=1"])])

    def test_a_command_is_not_taken_apart(self):
        self.assertEqual(self.parsed("cmd:x=run a+slice:3")[0], ("x", "command", None, []))

    def test_what_makes_no_sense_is_refused(self):
        for text in ("features:lower", "slice:0", "slice:200", "cgroup_mode:", "sysctl:a", "nothing+slice:3"):
            with self.assertRaises(Failure, msg=text):
                variants.parse([text], EXECUTABLE)


class Applying(Folder):
    def setUp(self):
        super().setUp()
        for name, value in (("DEBUG", self.folder), ("SYSCTLS", self.folder / "sys")):
            patch = mock.patch.object(settings, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        (self.folder / "sys" / "kernel").mkdir(parents=True)
        files = {"features": "PLACE_LAG RUN_TO_PARITY NO_HRTICK", "base_slice_ns": "2800000", "cgroup_mode": "up [smp] max",
                 "sys/kernel/sched_x": "7"}
        self.files = {self.folder / name: text + "\n" for name, text in files.items()}
        self.reset()

    def reset(self):
        for path, text in self.files.items():
            path.write_text(text, encoding="ascii")

    def test_they_hold_and_are_put_back(self):
        for text, name, during, after in (
                ("features:NO_RUN_TO_PARITY", "features", "NO_RUN_TO_PARITY", "RUN_TO_PARITY"),
                ("features:HRTICK", "features", "HRTICK", "NO_HRTICK"), ("slice:3", "base_slice_ns", "3000000", "2800000"),
                ("cgroup_mode:max", "cgroup_mode", "max", "smp"), ("sysctl:kernel.sched_x=1", "sys/kernel/sched_x", "1", "7")):
            with settings.applied([settings.parse(text)]):
                self.assertEqual((self.folder / name).read_text(encoding="ascii"), during)
            self.assertEqual((self.folder / name).read_text(encoding="ascii"), after)
            self.reset()

    def test_what_this_kernel_lacks_is_named(self):
        for text, why in (("features:NO_SUCH", "no such feature"), ("sysctl:kernel.none=1", "no such sysctl")):
            with self.assertRaisesRegex(Failure, why), settings.applied([settings.parse(text)]):
                pass
