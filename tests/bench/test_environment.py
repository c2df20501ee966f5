# SPDX-License-Identifier: GPL-2.0-only
"""What is found out about the machine, from files that look like the kernel's."""

import unittest
import unittest.mock

from schedqos_bench import accounting, environment


class Environment(unittest.TestCase):
    def with_files(self, files):
        """_read finds these files and no others."""
        return unittest.mock.patch.object(environment, "_read",
                                          lambda path, default=None: files.get(str(path), default))

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
                self.assertEqual(environment.cpu_group(), want, text)
