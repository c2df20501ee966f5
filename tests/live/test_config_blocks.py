# SPDX-License-Identifier: GPL-2.0-only
"""The five JSON blocks of the announcement, pasted as they stand into the configuration file, do what it says."""

import shutil
import subprocess
import unittest

from attributes import BATCH, MS, NORMAL, fair
from harness import LiveTest, main
from tasks import comm
from waiting import wait_for

CHROME_AND_GCC = """\
{
"chrome": {
"qos": "QOS_USER_INTERACTIVE"
},
"gcc": {
"qos": "QOS_BACKGROUND"
}
}
"""

CHROME_THREADS = """\
{
"chrome": {
"thread_qos": {
"chrome": "QOS_USER_INTERACTIVE",
"some_bg_task": "QOS_BACKGROUND"
}
}
}
"""

MAPPING = """\
{
"QOS_USER_INTERACTIVE": {
"sched_policy": "SCHED_NORMAL",
"sched_nice": -4,
"sched_runtime": 8000000,
"sched_util_max": 1024
},
"QOS_USER_INITIATED": {
"sched_policy": "SCHED_NORMAL",
"sched_nice": -2,
"sched_runtime": 12000000,
"sched_util_max": 768
},
"QOS_UTILITY": {
"sched_policy": "SCHED_BATCH",
"sched_nice": 2,
"sched_runtime": 16000000,
"sched_util_max": 512
},
"QOS_BACKGROUND": {
"sched_policy": "SCHED_BATCH",
"sched_nice": 4,
"sched_runtime": 20000000,
"sched_util_max": 256
},
"QOS_DEFAULT": {
"sched_policy": "SCHED_BATCH",
"sched_nice": 2,
"sched_runtime": 16000000,
"sched_util_max": 512
}
}
"""

HACKBENCH_AND_CYCLICTEST = """\
{
"hackbench": {
"qos": "QOS_BACKGROUND"
},
"cyclictest": {
"qos": "QOS_USER_INTERACTIVE"
}
}
"""

MAKE_AND_SCHBENCH = """\
{
"make": {
"qos": "QOS_BACKGROUND"
},
"gcc": {
"qos": "QOS_BACKGROUND"
},
"cc1": {
"qos": "QOS_BACKGROUND"
},
"schbench": {
"thread_qos": {
"schbench-msg": "QOS_USER_INTERACTIVE",
"schbench-worker": "QOS_USER_INITIATED"
}
}
}
"""


class Blocks(LiveTest):
    def test_names(self):
        for block, classes in ((CHROME_AND_GCC, {"chrome": "QOS_USER_INTERACTIVE", "gcc": "QOS_BACKGROUND"}),
                               (HACKBENCH_AND_CYCLICTEST, {"hackbench": "QOS_BACKGROUND",
                                                           "cyclictest": "QOS_USER_INTERACTIVE"})):
            self.daemon(block)
            for name, qos in {**classes, "firefox": "QOS_DEFAULT"}.items():
                self.assert_carries(self.sleeper(name), qos)
            self.current.stop()

    def test_the_threads_of_chrome(self):
        self.daemon(CHROME_THREADS)
        chrome = self.puppet("chrome")
        self.assert_carries(chrome, "QOS_USER_INTERACTIVE")
        self.assert_carries(chrome.tell(0, "thread", "some_bg_task")[1], "QOS_BACKGROUND")
        self.assert_carries(chrome.tell(0, "thread", "another")[1], "QOS_DEFAULT")

    def test_the_mapping(self):
        self.daemon(MAPPING, layers={"app_configs/10.json": {
            "ui": {"qos": "QOS_USER_INTERACTIVE"}, "initiated": {"qos": "QOS_USER_INITIATED"},
            "utility": {"qos": "QOS_UTILITY"}, "background": {"qos": "QOS_BACKGROUND"}}})
        for name, attr in (("ui", fair(NORMAL, -4, 8 * MS, 1024)), ("initiated", fair(NORMAL, -2, 12 * MS, 768)),
                           ("utility", fair(BATCH, 2, 16 * MS, 512)), ("background", fair(BATCH, 4, 20 * MS, 256)),
                           ("default", fair(BATCH, 2, 16 * MS, 512))):
            self.assert_carries(self.sleeper(name), attr, name)

    @unittest.skipUnless(shutil.which("make") and shutil.which("gcc"), "no make or no gcc")
    def test_a_real_make_gcc_and_cc1(self):
        self.daemon(MAKE_AND_SCHBENCH)
        with open(self.path("Makefile"), "w", encoding="ascii") as file:
            file.write("all:\n\t: a shell; gcc -x c -c -o /dev/null -\n")
        make = self.run_program(["make", "-s", "-C", self.folder], stdin=subprocess.PIPE)

        def tree():
            found = {comm(pid).decode(): pid for pid in (make.pid, *make.descendants())}
            return found if "cc1" in found else None

        by_name = wait_for(tree, "the compiler")
        for name in ("make", "gcc", "cc1"):
            found = [pid for of, pid in by_name.items() if of.split("-")[-1] == name or of.startswith(name)]
            self.assert_carries(found[0], "QOS_BACKGROUND")
        self.assert_carries(by_name["sh"], "QOS_DEFAULT")


if __name__ == "__main__":
    main()
