#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the tests of the bench harness: run.py [FILE or WORD ...]. The last line is "N passed, N failed, N skipped"."""

import os
import signal
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "live"), os.path.join(os.path.dirname(TESTS), "bench")]

import suite  # noqa: E402

if __name__ == "__main__":
    # A shell that starts us in the background has us ignore it, and so would what the tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(suite.run(HERE, sys.argv[1:]))
