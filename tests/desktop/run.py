#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs the tests of schedqos-focus with those compositors that are installed: run.py [FILE or WORD ...]. The last line is
"N passed, N failed, N skipped". Exits 77 if schedqos-focus is not built.
"""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "live")]

import suite  # noqa: E402
from desktop import FOCUS  # noqa: E402


def main():
    if not os.access(FOCUS, os.X_OK):
        print("desktop tests cannot run here: schedqos-focus is not built, for want of libxcb or libpipewire")
        print("0 passed, 0 failed, %d skipped" % sum(suite.load(path).countTestCases() for path in suite.files(HERE)))
        return 77
    return suite.run(HERE, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
