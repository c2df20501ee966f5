#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs the live tests: run.py [FILE or WORD ...]. One line for each file, the failures in full, and at the end the line
"N passed, N failed, N skipped". Exits 77 when none of them can run here, and says why.
"""

import glob
import os
import sys
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import harness  # noqa: E402


class Quiet(unittest.TestResult):
    """Counts; tells of what went wrong, and of what was skipped, only."""

    def __init__(self):
        super().__init__()
        self.passed = 0

    def addSuccess(self, test):
        self.passed += 1


def load(path, words):
    module = os.path.splitext(os.path.basename(path))[0]
    tests = unittest.defaultTestLoader.loadTestsFromName(module)
    if not words:
        return tests
    chosen = unittest.TestSuite()
    for suite in tests:
        for test in suite:
            if any(word in test.id() for word in words):
                chosen.addTest(test)
    return chosen


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


def main():
    reason = harness.why_not()
    if reason:
        print("live tests cannot run here: %s" % reason)
        count = sum(load(path, []).countTestCases() for path in glob.glob(os.path.join(HERE, "test_*.py")))
        print("0 passed, 0 failed, %d skipped" % count)
        return 77
    tagged = harness.already_tagged(harness.snapshot())
    if tagged:
        print("  note: %d tasks carry a class's attributes already, left by a daemon that was killed" % tagged)
    files = sorted(glob.glob(os.path.join(HERE, "test_*.py")))
    named = {os.path.basename(arg) for arg in sys.argv[1:] if arg.endswith(".py")}
    words = [arg for arg in sys.argv[1:] if not arg.endswith(".py")]
    totals = [0, 0, 0]
    for path in files:
        if not named or os.path.basename(path) in named:
            totals = [total + count for total, count in zip(totals, run_file(path, words))]
    print("%d passed, %d failed, %d skipped" % tuple(totals))
    return 1 if totals[1] or not sum(totals) else 0


if __name__ == "__main__":
    sys.exit(main())
