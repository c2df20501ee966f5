# SPDX-License-Identifier: GPL-2.0-only
"""The five JSON blocks of the announcement, pasted as they stand into the configuration file, do what it says."""

from attributes import BACKGROUND, BATCH, DEFAULT, INITIATED, MS, NORMAL, UI, UTILITY, fair
from harness import LiveTest


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


# Of each block, what programs get, and what their threads do.
WANTED = (
    (CHROME_AND_GCC, {"chrome": UI, "gcc": BACKGROUND, "firefox": DEFAULT}, {}),
    (CHROME_THREADS, {"chrome": UI}, {"some_bg_task": BACKGROUND, "another": DEFAULT}),
    (HACKBENCH_AND_CYCLICTEST, {"hackbench": BACKGROUND, "cyclictest": UI}, {}),
    # "schbench-worker" is 15 bytes: just as long as a thread's name can be.
    (MAKE_AND_SCHBENCH, {"make": BACKGROUND, "gcc": BACKGROUND, "cc1": BACKGROUND, "schbench": DEFAULT},
     {"schbench-msg": UI, "schbench-worker": INITIATED}),
)


class Blocks(LiveTest):
    def test_programs_and_threads(self):
        for block, programs, threads in WANTED:
            self.daemon(block)
            for name, qos in programs.items():
                program = self.puppet(name)
                self.assert_carries(program, qos)
            for name, qos in threads.items():
                self.assert_carries(program.tell(0, "thread", name)[1], qos, name)
            self.current.stop()

    def test_the_mapping(self):
        self.daemon(MAPPING, layers={"app_configs/10.json": {
            "ui": {"qos": UI}, "initiated": {"qos": INITIATED}, "utility": {"qos": UTILITY},
            "background": {"qos": BACKGROUND}}})
        for name, attr in (("ui", fair(NORMAL, -4, 8 * MS, 1024)), ("initiated", fair(NORMAL, -2, 12 * MS, 768)),
                           ("utility", fair(BATCH, 2, 16 * MS, 512)), ("background", fair(BATCH, 4, 20 * MS, 256)),
                           ("default", fair(BATCH, 2, 16 * MS, 512))):
            self.assert_carries(self.sleeper(name), attr, name)
