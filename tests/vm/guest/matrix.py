# SPDX-License-Identifier: GPL-2.0-only
"""Runs all tests inside a guest: matrix.py [live test FILE or WORD ...]. The result goes to the machine outside."""

import glob
import json
import os
import re
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(TOP, "tests/live"), HERE]

from features import features  # noqa: E402
from outside import tell  # noqa: E402

# Everything takes long here. A longer patience costs nothing unless a test fails.
os.environ.setdefault("PATIENCE", "300")
os.environ.setdefault("STORM", "0.2")
SUMMARY = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")
CMOCKA = re.compile(r"\[  (PASSED|FAILED|SKIPPED) *\] (\d+) test\(s\)")


def run(*argv, **options):
    """Runs a program. Returns its status and its output, which also goes to the console."""
    lines = []
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace", **options) as process:
        for line in process.stdout:
            lines.append(line)
            sys.stdout.write(line)
            sys.stdout.flush()
    return process.returncode, "".join(lines)


def unit_tests():
    counts, trouble = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}, ""
    for program in sorted(glob.glob(os.path.join(TOP, "build/tests/unit/test_*"))):
        status, output = run(program, cwd=TOP)
        for word, count in CMOCKA.findall(output):
            counts[word] += int(count)
        if status != 0:
            trouble += output
            counts["FAILED"] += not CMOCKA.search(output)
    return result("unit tests", counts.values(), trouble)


def live_tests(words):
    status, output = run("tests/live/run.py", *words, cwd=TOP)
    counts = SUMMARY.findall(output)
    # This machine was made for these tests, so it is a failure if it cannot run them.
    if not counts or status not in (0, 1):
        return result("live tests", (0, 1, 0), output)
    return result("live tests", map(int, counts[-1]), output if status else "", skips(output))


def guest_tests(name):
    """Runs the tests of test_NAME.py in this folder."""
    code = "import sys, unittest; sys.path[:0] = %r; unittest.main('test_%s', argv=['x'])"
    status, output = run(sys.executable, "-B", "-c", code % (sys.path[:2], name))
    count = int(re.search(r"Ran (\d+) test", output + "Ran 0 test").group(1))
    failed = len(re.findall(r"^(?:FAIL|ERROR): ", output, re.MULTILINE)) or int(status != 0)
    return result(name, (max(count - failed, 0), failed, 0), output if status else "")


def skips(output):
    return re.findall(r"skipped: (.*)", output)


def result(name, counts, trouble="", skipped=()):
    passed, failed, left_out = counts
    return {"name": name, "passed": passed, "failed": failed, "skipped": left_out,
            "output": trouble, "skips": list(skipped)}


def timed(test, *args):
    began = time.monotonic()
    return dict(test(*args), seconds=round(time.monotonic() - began))


def main():
    answer = {"features": {}, "results": []}
    try:
        answer["features"] = features()
        print(json.dumps(answer["features"], indent=1), flush=True)
        answer["results"] += [timed(unit_tests), timed(guest_tests, "kernel"), timed(guest_tests, "knobs")]
        answer["results"].append(timed(live_tests, sys.argv[1:]))
    except Exception:
        traceback.print_exc()
        answer["results"].append(result("guest", (0, 1, 0), traceback.format_exc()))
    tell(answer)


if __name__ == "__main__":
    main()
