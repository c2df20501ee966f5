#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs the live tests: run.py [FILE or WORD ...]. One line for each file, the failures in full, and at the end the line
"N passed, N failed, N skipped". Exits 77 when none of them can run here, and says why.
"""

import os
import signal
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import suite  # noqa: E402
from attributes import already_tagged, snapshot  # noqa: E402
from daemon import schedqos  # noqa: E402
from requirements import why_not  # noqa: E402


def main():
    # A shell that starts us in the background has us ignore it, and so would what the tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Other users reach what tests make.
    os.umask(0o022)
    reason = why_not()
    if reason:
        print("live tests cannot run here: %s" % reason)
        count = sum(suite.load(path).countTestCases() for path in suite.files(HERE))
        print("0 passed, 0 failed, %d skipped" % count)
        return 77
    tagged = already_tagged(snapshot())
    if tagged:
        # Whatever puts them back in the midst of a test would look as if that test had changed them.
        schedqos("restore")
        print("  note: %d tasks carried a class's attributes, left by a daemon that was killed; after `restore` %d do" %
              (tagged, already_tagged(snapshot())), flush=True)
    return suite.run(HERE, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
