# SPDX-License-Identifier: GPL-2.0-only
"""What --prepare changes is put back: on folders that look like the kernel's."""

import contextlib
import unittest.mock

from case import Folder
from schedqos_bench import preparing


def quiet(_):
    pass


class Preparing(Folder):
    def group(self, path, controllers, **files):
        group = self.folder / path
        group.mkdir(parents=True, exist_ok=True)
        (group / "cgroup.subtree_control").write_text(controllers)
        for name, text in files.items():
            (group / name.replace("_", ".", 1)).write_text(text)
        return group

    def test_autogroup(self):
        knob = self.folder / "knob"
        for was in ("0", "1"):
            knob.write_text(was + "\n")
            with contextlib.ExitStack() as stack:
                preparing.autogroup_off(stack, quiet, knob)
                self.assertEqual(knob.read_text().strip(), "0")
            self.assertEqual(knob.read_text().strip(), was)

    def test_flat_hierarchy(self):
        top = self.group(".", "cpu io memory\n")
        inner = self.group("inner", "cpu\n", cpu_weight="300\n")
        other = self.group("other", "memory\n", cpu_weight="50\n")
        self.group("inner/leaf", "", cpu_weight="100\n")
        writes = []

        def write(path, text):
            writes.append((path, text))
            if text == "-cpu":  # as the kernel does: the children have default weights from here on
                (path.parent / "cgroup.subtree_control").write_text("memory")
                for child in path.parent.iterdir():
                    if (child / "cpu.weight").exists():
                        (child / "cpu.weight").write_text("100\n")
        with unittest.mock.patch.object(preparing, "write", write):
            with contextlib.ExitStack() as stack:
                preparing.flat_v2(stack, quiet, [self.folder])
                # A group may lose the controller only when its children do not hand it on.
                self.assertEqual(writes, [(inner / "cgroup.subtree_control", "-cpu"),
                                          (top / "cgroup.subtree_control", "-cpu")])
                del writes[:]
        self.assertEqual(writes[:2], [(top / "cgroup.subtree_control", "+cpu"),
                                      (inner / "cgroup.subtree_control", "+cpu")])
        self.assertEqual(sorted(writes[2:]), [(inner / "cpu.weight", "300"), (other / "cpu.weight", "50")])

    def test_version_1_is_left_for_its_root(self):
        self.group("ours", "")
        (self.folder / "cgroup.procs").write_text("")
        (self.folder / "ours" / "cgroup.procs").write_text("")
        membership = self.folder / "membership"
        membership.write_text("3:cpuset:/x\n2:cpu,cpuacct:/ours\n0::/\n")
        pid = str(preparing.os.getpid())
        with contextlib.ExitStack() as stack:
            preparing.flat_v1(stack, quiet, [self.folder / "missing", self.folder], membership)
            self.assertEqual((self.folder / "cgroup.procs").read_text(), pid)
        self.assertEqual((self.folder / "ours" / "cgroup.procs").read_text(), pid)
