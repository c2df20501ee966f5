# SPDX-License-Identifier: GPL-2.0-only
"""The five JSON blocks of the announcement, pasted as they stand into the configuration file, do what it says."""

from attributes import BATCH, MS, NORMAL, fair
from harness import LiveTest, main

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

    def test_make_gcc_cc1_and_schbench(self):
        self.daemon(MAKE_AND_SCHBENCH)
        for name in ("make", "gcc", "cc1"):
            self.assert_carries(self.run_program([self.alias(name), "1000"]), "QOS_BACKGROUND")
        schbench = self.puppet("schbench")
        self.assert_carries(schbench.tell(0, "thread", "schbench-msg")[1], "QOS_USER_INTERACTIVE")
        # "schbench-worker" is 15 bytes: just as long as a thread's name can be.
        self.assert_carries(schbench.tell(0, "thread", "schbench-worker")[1], "QOS_USER_INITIATED")
        self.assert_carries(schbench, "QOS_DEFAULT")


if __name__ == "__main__":
    main()
