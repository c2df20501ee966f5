# SPDX-License-Identifier: GPL-2.0-only
"""Runs unittest files: one line for each file, the failures in full, and the line that tests/check reads."""

import glob
import os
import sys
import time
import unittest


class Quiet(unittest.TestResult):
    """Counts tests; prints only failures and skipped ones."""

    def __init__(self):
        super().__init__()
        self.passed = 0

    def addSuccess(self, test):
        self.passed += 1


def files(folder):
    return sorted(glob.glob(os.path.join(folder, "test_*.py")))


def load(path, words=()):
    """Returns the tests of a file, or those whose names contain one of the words."""
    loader = unittest.TestLoader()
    if words:
        loader.testNamePatterns = ["*%s*" % word for word in words]
    return loader.loadTestsFromName(os.path.splitext(os.path.basename(path))[0])


def run_file(path, words):
    result, began = Quiet(), time.monotonic()
    load(path, words).run(result)
    failures = result.failures + result.errors
    failed = len({test.id().split(" ")[0] for test, _ in failures})
    if not result.testsRun:
        return 0, 0, 0
    passed, skipped = result.passed, len(result.skipped)
    print("  %-22s %3d passed, %d failed, %d skipped, %.1f s"
          % (os.path.basename(path), passed, failed, skipped, time.monotonic() - began))
    for test, reason in result.skipped:
        print("    skipped: %s: %s" % (test.id(), reason))
    for test, text in failures:
        print("    FAILED: %s\n%s" % (test.id(), text))
    sys.stdout.flush()
    return passed, failed, skipped


def run(folder, arguments):
    """
    Runs the files of the folder, and the tests in them, that the arguments name; all by default. Returns the exit
    status.
    """
    named = {os.path.basename(arg) for arg in arguments if arg.endswith(".py")}
    words = [arg for arg in arguments if not arg.endswith(".py")]
    totals = [0, 0, 0]
    for path in files(folder):
        if not named or os.path.basename(path) in named:
            totals = [total + count for total, count in zip(totals, run_file(path, words))]
    print("%d passed, %d failed, %d skipped" % tuple(totals))
    return 1 if totals[1] or not sum(totals) else 0
