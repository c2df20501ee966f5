# SPDX-License-Identifier: GPL-2.0-only
"""What the command line refuses, and that it says so in words for people."""

import contextlib
import io
import unittest

from schedqos_bench import cli

WRONG = (
    ("cyclictest", "--rounds", "x", "'x' is not a whole number"),
    ("cyclictest", "--duration", "0", "must be at least 1"),
    ("cyclictest", "--warmup", "-1", "must be at least 0"),
    ("cyclictest", "--cyclictest-interval", "0", "must be at least 1"),
    ("cyclictest", "--hackbench-loops", "-5", "must be at least 1"),
    ("schbench", "--kernel-jobs", "0", "must be at least 1"),
    ("io", "--io-size", "0", "must be at least 1"),
    ("io", "--io-schedulers", "", "names none"),
    ("io", "--io-priorities", "be0", "'be0' is not class or READER:WRITER"),
)


class CommandLine(unittest.TestCase):
    def test_wrong_values(self):
        for scenario, option, value, said in WRONG:
            errors = io.StringIO()
            with self.subTest(option=option, value=value), contextlib.redirect_stderr(errors), \
                    self.assertRaises(SystemExit) as caught:
                cli.parse(["run", scenario, option, value])
            self.assertEqual(caught.exception.code, 2)
            self.assertIn(said, errors.getvalue())
