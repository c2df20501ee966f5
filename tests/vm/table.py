#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What works where, as a table for the README: table.py [RESULT.json ...], by default of each kernel's last full run."""

import glob
import json
import os
import re
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.cache/vm/results/*.json")
ROWS = (
    ("Events of every fork, exec and rename", "proc_connector"),
    ("Only events that are needed", "event_filter"),
    ("Slice of a class", "custom_slice"),
    ("Clamp of a class", "util_clamp"),
    ("Autogroup, turned off by the daemon", "autogroup"),
    ("Scheduler's knobs in debugfs", "debugfs"),
    ("Base slice among them", "base_slice"),
    ("`HRTICK` on by default", "hrtick"),
    ("sched_ext schedulers can be loaded", "sched_ext"),
)


def title(answer):
    """Debian's 6.12.107 counts as 6.12, with what it was built with."""
    version = re.match(r"\d+\.\d+", answer["features"]["release"]).group()
    variant = answer["name"].partition("-")[2]
    return "%s, %s" % (version, variant) if variant else version


def count(answer):
    passed, failed, skipped = (sum(result[key] for result in answer["results"])
                               for key in ("passed", "failed", "skipped"))
    return "%d passed" % passed + (", %d failed" % failed if failed else "") + \
        (", %d not for this kernel" % skipped if skipped else "")


def classes(answer):
    """Whether tasks of all classes were seen to carry what the class says, as far as the kernel has it."""
    failed = [result for result in answer["results"] if result["name"] == "classes" and result["failed"]]
    return bool(answer["classes"]) and not failed


def markdown(answers):
    lines = [["Linux", *map(title, answers)], ["---"] * (len(answers) + 1)]
    lines.append(["Policy and nice of a class", *("yes" if classes(answer) else "no" for answer in answers)])
    for text, key in ROWS:
        lines.append([text, *("yes" if answer["features"].get(key) else "no" for answer in answers)])
    lines.append(["Tests", *map(count, answers)])
    return "\n".join("| %s |" % " | ".join(line) for line in lines)


def main():
    answers = []
    for path in sys.argv[1:] or glob.glob(RESULTS):
        with open(path, encoding="utf-8") as file:
            answers.append(json.load(file))
    answers = [answer for answer in answers if answer["classes"]]
    answers.sort(key=lambda answer: [int(number) for number in re.findall(r"\d+", answer["features"]["release"])])
    print(markdown(answers))


if __name__ == "__main__":
    main()
