# SPDX-License-Identifier: GPL-2.0-only
"""After the stop a task carries what its owner chose for it, whatever state it was in at that moment."""

import os

from attributes import BATCH, IDLE, MS, NORMAL, UI, base_slices, fair, get_attr, pristine, set_attr
from test_io_priority import BEST_EFFORT, NONE, IoTest, get_io, set_io
from test_io_priority import IDLE as IO_IDLE

CLASSES = {UI: {"io_class": "best-effort", "io_priority": 0}}
SLICE = 5 * MS


def renice(tid):
    os.setpriority(os.PRIO_PROCESS, tid, 7)


def chrt(policy):
    return lambda tid: os.sched_setscheduler(tid, policy, os.sched_param(0))


def shorten(tid):
    attr = get_attr(tid)
    set_attr(tid, attr.policy, attr.nice, SLICE)


# For each name: a choice made for a task, and the attributes that the task then carries.
CHOICES = {
    "renice": (renice, {"nice": 7}),
    "chrt -b": (chrt(BATCH), {"policy": BATCH}),
    "chrt -o": (chrt(NORMAL), {"policy": NORMAL}),
    "chrt -i": (chrt(IDLE), {"policy": IDLE}),
    "a slice": (shorten, {"slice": fair(slice=SLICE).slice}),
    "ionice -c 3": (lambda tid: set_io(tid, IO_IDLE), {"io": (IO_IDLE, 0)}),
    "ionice -n 5": (lambda tid: set_io(tid, BEST_EFFORT, 5), {"io": (BEST_EFFORT, 5)}),
}


def seen(tid):
    """
    Returns what can be compared: the base slice counts as none, and so does a slice under SCHED_IDLE, where none can be
    changed (schedqos(8)).
    """
    attr = get_attr(tid)
    is_none = attr.policy == IDLE or attr.slice in base_slices()
    return {"policy": attr.policy, "nice": attr.nice, "io": get_io(tid),
            "slice": pristine().slice if is_none else attr.slice}


class Choices(IoTest):
    """Each choice is made for a process, and for a thread of another process."""

    def start(self, **rule):
        return self.daemon({**CLASSES, "app": {"qos": UI, **rule}})

    def start_apps(self):
        """Starts processes that have chosen nothing, even if a daemon gives them a class."""
        self.apps = [self.puppet("app"), *(self.sleeper("app") for _ in CHOICES)]
        tids = [self.apps[0].tell(0, "thread")[1] for _ in CHOICES] + [app.pid for app in self.apps[1:]]
        self.tasks = list(zip([*CHOICES] * 2, tids))
        plain = {"policy": NORMAL, "nice": 0, "slice": pristine().slice, "io": (NONE, 0)}
        self.expected = {tid: dict(plain) for tid in tids}

    def choose(self):
        for name, tid in self.tasks:
            CHOICES[name][0](tid)
            self.expected[tid].update(CHOICES[name][1])
            if self.current:
                self.current.changed.add(tid)

    def carry(self, qos):
        for name, tid in self.tasks:
            self.assert_carries(tid, qos, name)

    def check_after_stop(self):
        self.current.sync()
        self.current.stop()
        for name, tid in self.tasks:
            self.assertEqual(seen(tid), self.expected[tid], "%d, %s" % (tid, name))

    def test_choices_before_the_start_stay(self):
        self.start_apps()
        self.choose()
        self.start(**{"yield": False})
        self.carry(UI)
        self.check_after_stop()

    def test_choices_under_a_class_stay(self):
        self.start()
        self.start_apps()
        self.carry(UI)
        self.choose()
        self.check_after_stop()


del IoTest
