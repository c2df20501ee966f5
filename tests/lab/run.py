#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs the tests in virtual time: run.py [FILE or WORD ...]; run.py --renew writes the table of costs again. The last line
is "N passed, N failed, N skipped".
"""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "live"), os.path.join(os.path.dirname(TESTS), "bench")]

import costs  # noqa: E402
import suite  # noqa: E402

if __name__ == "__main__":
    sys.exit(costs.renew() if sys.argv[1:] == ["--renew"] else suite.run(HERE, sys.argv[1:]))
