#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The soak test: for SOAK_SECONDS a daemon is left to itself, killed, stopped, suspended, reloaded and starved of memory,
beside random load and storms by a user. What each round does follows from SOAK_SEED. Afterwards a table; the exit
status is 1 when a task was ever wrong, a stop left a trace, or memory or descriptors have grown. Ctrl-C ends it early.
"""

import contextlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import soak_report  # noqa: E402
from attributes import already_tagged, get_attr, make_us_pristine, snapshot  # noqa: E402
from cgroups import MemoryCgroup  # noqa: E402
from daemon import Daemon, schedqos  # noqa: E402
from programs import end_all  # noqa: E402
from requirements import why_not  # noqa: E402
from soak_loads import Crowd, Loads, prepare  # noqa: E402
from soak_plan import CONFIGS, HUGE, WRONG, plan_lives  # noqa: E402
from tasks import comm, open_files  # noqa: E402
from waiting import wait_for  # noqa: E402

SECONDS = float(os.environ.get("SOAK_SECONDS") or 3600)
SEED = int(os.environ.get("SOAK_SEED") or random.SystemRandom().randrange(1 << 16))
# How many sockets at the proc connector a daemon has with these configurations, unless it has turned one off during a flood.
CONNECTORS = 3
FAULTS_MAX = 10
# What the daemon counts since its start, as its status has it.
COUNTED = ("lost", "scans", "rename_floods", "not_kept", "reloads", "reloads_failed", "forks", "execs", "renames")


def say(text):
    print("soak: " + text, file=sys.stderr, flush=True)


class Soak:
    def __init__(self, folder, stack):
        self.folder = folder
        self.loads = Loads(folder, stack)  # what is there in all rounds
        self.crowd = Crowd(self.loads)
        self.config = 0
        # In a session of its own: Ctrl-C is for us.
        self.daemon = Daemon(folder, CONFIGS[0], prefix=["setsid"])
        self.samples, self.faults, self.lives = [], [], 0
        self.seen = {}  # of the daemon that runs: what its counts were when last asked
        self.problems = set()  # reported already
        self.pid = 0  # of the process that does the work: the one that was started, unless that one hung
        self.cgroup = None

    # The daemon's life.

    def start(self):
        self.daemon.run()
        self.daemon.await_ready()
        self.seen, self.pid = {}, self.daemon.pid

    def begin(self):
        make_us_pristine()
        self.daemon.before = snapshot()
        tagged = already_tagged(self.daemon.before)
        if tagged:
            say("%d tasks carry a class's attributes already" % tagged)
        self.crowd.begin()

    def tally(self):
        """Adds to the round what the daemon has counted since it was last asked; returns its status."""
        status, sample = self.daemon.status(), self.samples[-1]
        if status["pid"] != self.pid:
            sample.counts["takeovers"] += 1
            self.seen, self.pid = {}, status["pid"]
        status["refused"] = sum(status["refused"].values())
        self.tell(status["problems"])
        status["problems"] = sum(status["problems"].values())
        for key in (*COUNTED, "refused", "problems"):
            sample.counts[key] += status[key] - self.seen.get(key, 0)
        sample.cpu += (status["cpu_usec"] - self.seen.get("cpu_usec", 0)) / 1e6
        self.seen = status
        return status

    def tell(self, problems):
        """Each once, whatever numbers are in it."""
        for text in problems:
            kind = re.sub(r"\d+ \(.*?\)|\d+", "N", text)
            if kind not in self.problems:
                say("problem: %s" % ascii(text))
                self.problems.add(kind)

    def kill(self, restore, gap):
        self.tally()
        for pid in {self.pid, self.daemon.pid}:
            os.kill(pid, signal.SIGKILL)
        self.daemon.popen.wait()
        self.crowd.add(gap)
        time.sleep(gap / 2)
        if restore:
            self.restore()
        self.crowd.add(gap + 1)
        self.start()
        self.samples[-1].counts["kills"] += 1

    def restore(self):
        result = schedqos("restore")
        if result.returncode:
            raise AssertionError("restore: " + result.stderr)
        self.samples[-1].counts["restores"] += 1

    def suspend(self, seconds):
        self.daemon.freeze()
        try:
            time.sleep(seconds / 2)
            self.crowd.add(seconds)
            time.sleep(seconds / 2)
        finally:
            os.kill(self.daemon.pid, signal.SIGCONT)
        self.samples[-1].counts["suspended"] += 1

    def reload(self, config, status=0):
        result = self.daemon.reload(config)
        if result.returncode != status:
            raise AssertionError("reload: exit status %d, not %d: %s" % (result.returncode, status, result.stderr))

    def do(self, what, number):
        if what == "sleepers":
            self.crowd.add(number)
        elif what == "suspend":
            self.suspend(0.5 + 2.5 * number)
        elif what == "reload":
            self.config = 1 - self.config
            self.reload(CONFIGS[self.config])
        elif what == "huge reload":
            # Whether there is memory enough is the kernel's affair.
            self.daemon.reload({**CONFIGS[self.config], **HUGE})
        elif what == "wrong reload":
            try:
                self.reload(WRONG[int(number * len(WRONG))], 78)
            finally:
                self.daemon.configure(CONFIGS[self.config])
        else:
            self.kill(what == "kill and restore", number)

    # A round.

    def go_through(self, plan, loads):
        began = time.monotonic()
        for group in plan.groups:
            loads.begin_group(*group)
        for program in plan.programs:
            loads.begin_program(*program)
        with contextlib.ExitStack() as stack:
            storms = Loads(self.folder, stack)
            for storm in plan.storms:
                storms.begin_storm(storm)
            for moment, what, number in plan.disturbances:
                # Real time: the others go on meanwhile.
                time.sleep(max(0, began + moment - time.monotonic()))
                self.do(what, number)
            time.sleep(max(0, began + plan.seconds - time.monotonic()))

    def confine(self, plan):
        if not plan.little_memory:
            return
        try:
            self.cgroup = MemoryCgroup("schedqos-soak")
        except unittest.SkipTest as reason:
            say(str(reason))
            return
        self.cgroup.confine(self.pid, plan.little_memory)

    def has_starved(self):
        """Whether the daemon is no more, and for want of memory; then there is another one."""
        if self.daemon.running() or not self.cgroup or not self.cgroup.kills():
            return False
        self.daemon.popen.wait()
        self.daemon.configure(CONFIGS[self.config])
        self.start()
        self.samples[-1].counts["starved"] += 1
        return True

    def look(self):
        """When the daemon has caught up: what its tasks carry, and what it costs."""
        sample = self.samples[-1]
        self.daemon.sync()
        wanted = self.crowd.wanted(self.config)
        sample.counts["checked"] += len(wanted)
        others = [tid for tid, attr in wanted.items() if get_attr(tid) != attr]
        if others:
            self.wait_for_others(others, wanted)
        for tid in others:
            if get_attr(tid) == wanted[tid]:
                sample.counts["late"] += 1
            else:
                sample.counts["wrong"] += 1
                say("wrong: %d %r carries %s, not %s" % (tid, comm(tid), get_attr(tid), wanted[tid]))
        status = self.tally()
        sample.descriptors = self.descriptors()
        sample.resident = status["resident_bytes"] // 1024

    def wait_for_others(self, others, wanted):
        """Those that are not right yet, as in a flood of renames, in which names are only read from time to time."""
        began = time.monotonic()
        with contextlib.suppress(AssertionError):
            wait_for(lambda: all(get_attr(tid) == wanted[tid] for tid in others), "")
        self.samples[-1].latest = time.monotonic() - began

    def descriptors(self):
        """Those that it keeps: not a client's, nor of a file in /proc that it just reads."""
        files = open_files(self.pid).items()
        self.daemon.sync()
        missed = max(0, CONNECTORS - len(self.daemon.sockets()))
        return len(files & open_files(self.pid).items()) + missed

    def round(self, plan, is_last):
        began = time.monotonic()
        sample = soak_report.Sample(plan.number, self.lives, plan.words(), bool(plan.little_memory))
        self.samples.append(sample)
        with contextlib.ExitStack() as stack:
            loads = Loads(self.folder, stack)
            self.confine(plan)
            try:
                self.go_through(plan, loads)
                tids = loads.tids()
                self.look()
            except AssertionError:
                if not self.has_starved():
                    raise
                tids = loads.tids()
                self.look()
            sample.seconds = time.monotonic() - began
            if is_last:
                self.stop(plan, loads, tids)
        say("round %d, daemon %d: %.1f s, %s: %d KiB, %d descriptors, %d lost, %d wrong, %d late (%.1f s)" % (
            plan.number, self.lives, sample.seconds, ", ".join(sample.words) or "nothing special", sample.resident,
            sample.descriptors, sample.counts["lost"], sample.counts["wrong"], sample.counts["late"],
            sample.latest))

    def stop(self, plan, loads, tids):
        """In the midst of storms, too. Then all tasks of the machine have to be what they were before the soak."""
        if plan.stops_in_storm:
            for storm in plan.storms:
                loads.begin_storm(storm)
        self.daemon.popen.terminate()
        self.daemon.wait()
        self.compare(tids)
        self.remove_cgroup()

    def compare(self, tids=frozenset()):
        # What these chose looks like a daemon's.
        self.daemon.changed = tids
        traces = self.daemon.traces()
        self.samples[-1].counts["traces"] += len(traces)
        for trace in traces:
            say("after the stop: " + trace)

    def remove_cgroup(self):
        if self.cgroup:
            self.cgroup.remove()
            self.cgroup = None

    def live(self, plans, end):
        self.lives += 1
        self.start()
        for plan in plans:
            is_last = plan is plans[-1] or time.monotonic() > end
            self.round(plan, is_last)
            if is_last:
                return

    def run(self, seconds):
        end = time.monotonic() + seconds
        self.begin()
        for plans in plan_lives(SEED):
            try:
                self.live(plans, end)
            except AssertionError as error:
                self.fault(error)
            if time.monotonic() > end or len(self.faults) > FAULTS_MAX:
                return

    def fault(self, error):
        """Something that should not have happened: reports it and starts a new daemon."""
        self.faults.append(error)
        say("fault: %s" % error)
        if self.samples:
            self.samples[-1].counts["faults"] += 1
        self.end()

    def end(self):
        """However it was ended: all is put back."""
        was_running = self.daemon.running()
        self.daemon.discard()
        result = schedqos("restore")
        if result.returncode:
            say("restore: " + result.stderr)
        self.daemon.configure(CONFIGS[self.config])
        self.remove_cgroup()
        if was_running and self.samples:
            self.compare()


def once(*_):
    """The first signal ends the soak; those after it do not disturb that."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main():
    reason = why_not()
    if reason:
        print("the soak test cannot run here: %s" % reason)
        return 77
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, once)
    end_all()
    restored = schedqos("restore")
    if restored.stderr:
        say("before the soak: " + restored.stderr.strip())
    folder = tempfile.mkdtemp(prefix="schedqos-soak-")
    os.chmod(folder, 0o755)
    say("%.0f s, seed %d" % (SECONDS, SEED))
    prepare(folder)
    stack = contextlib.ExitStack()
    soak = Soak(folder, stack)
    try:
        with stack:
            soak.run(SECONDS)
    except KeyboardInterrupt:
        say("ended early")
    finally:
        soak.end()
        end_all()
        shutil.rmtree(folder)
        print(soak_report.report(soak.samples, SEED))
    wrong = soak_report.verdict(soak.samples)
    print("\n" + ("\n".join("FAILED: " + line for line in wrong) or "passed"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
