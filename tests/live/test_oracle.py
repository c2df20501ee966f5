# SPDX-License-Identifier: GPL-2.0-only
"""
The machine as it would be without the daemon. Groups of tasks run random scripts with a daemon and without; after its
stop every task must carry what it would have had, but what EXEMPTIONS lists.

A daemon that is killed, started late or reloaded meanwhile does not hear of everything: what differs then is counted, and a
failure only with ORACLE_STRICT=1.

ORACLE_SEED=N chooses the scripts, ORACLE_SECONDS=600 goes on from there for so long; ORACLE_GROUPS and ORACLE_STEPS
give the size of a round, ORACLE_PAUSE_MS the time between two steps, ORACLE_NOTES=1 tells of every round what differed.
A failure names the seed and the smallest scripts that were found.
"""

import collections
import itertools
import os
import random
import time
import unittest
from typing import NamedTuple

import scripts
from attributes import BATCH, FIFO, IDLE, MS, NORMAL, RR, base_slices
from daemon import schedqos
from groups import RunningGroup, Seen, lay_out, seen
from harness import LiveTest, main
from scripts import CONFIG, OTHER_CONFIG
from waiting import STORM

SEED = int(os.environ.get("ORACLE_SEED", "1"))
SECONDS = float(os.environ.get("ORACLE_SECONDS", "0"))
GROUPS = int(os.environ.get("ORACLE_GROUPS", "40"))
STEPS = int(os.environ.get("ORACLE_STEPS", "40"))
# On a slow machine the daemon needs more of it, and that is no fault: the promise is for people, who are slower yet.
PAUSE = float(os.environ.get("ORACLE_PAUSE_MS", 30 / STORM)) / 1000
NOTES = bool(os.environ.get("ORACLE_NOTES"))
# Without it, only a daemon that receives every event has to leave no difference; for others they are counted.
STRICT = bool(os.environ.get("ORACLE_STRICT"))
UNDISTURBED = ("never", "doing_nothing", "throughout")
# How hard it is tried to find small scripts of how many failures.
SHRINKS, SHRUNK_MAX = int(os.environ.get("ORACLE_SHRINKS", "8")), int(os.environ.get("ORACLE_SHRUNK", "5"))
# Without the daemon nobody has to follow.
PAUSE_ALONE = 0.0005
NOBODY = 65534

# What happens to the daemon meanwhile: when, as a share of the time that the scripts take, and what. It is stopped at
# the end in any case.
LIVES = {
    # These two check the test itself: nothing at all may differ.
    "never": (),
    "doing_nothing": ((-1, "idle"),),
    "throughout": ((-1, "start"),),
    "late": ((0.3, "start"),),
    "stopped_between": ((-1, "start"), (0.4, "stop"), (0.6, "start")),
    "reloaded": ((-1, "start"), (0.3, "other"), (0.7, "first")),
    "killed": ((-1, "start"), (0.4, "kill"), (0.5, "start")),
    "killed_often": ((-1, "start"), (0.2, "kill"), (0.3, "start"), (0.5, "kill"), (0.55, "other"), (0.8, "kill"),
                     (0.85, "first")),
    "killed_and_restored": ((-1, "start"), (0.8, "kill"), (1, "restore")),
}

# What may differ, each with its reason. See Judge.
EXEMPTIONS = {
    "unseen": "a choice of what the class gives already changes nothing that could be seen, nor does going back to it "
              "before anybody looked; nor, before a crash, to what the class before gave",
    "between": "for safety: a nice value between the lowest of any class and what the task had when it was last looked "
               "at is nobody's to choose",
    "no effect": "what the class gives kept the kernel from doing anything: a slice under SCHED_IDLE",
    "refused": "under a class of SCHED_IDLE leaving that policy takes a privilege",
    "hearsay": "for safety: of a task of which nobody knows what it copied, values that classes give count as the "
               "daemon's",
    "slow fork": "so do a policy and a slice on a child that nobody has looked at, for its fork may be older than what was "
                 "set on its origin",
    "unheard": "for safety: of a task born while there was no daemon, whose parent is gone, not the one that made "
               "it, or has chosen for itself since, nobody knows what it had",
    "meanwhile": "chosen while a daemon that starts or reloads looks at every task: it may have looked before or after",
    "hidden": "a task that is real-time at the stop is left alone; what is below is only seen when it no longer is; nor "
              "does the kernel change a slice below SCHED_IDLE",
}


class Difference(NamedTuple):
    """A task that is not what it would have been."""

    group: int
    user: int
    script: list
    slot: int
    attribute: str
    alone: Seen
    found: Seen
    why: str  # of EXEMPTIONS, or none

    def __str__(self):
        return "%s of slot %d, %s: after the stop %s, without the daemon %s%s" % (
            self.attribute, self.slot, "a user's" if self.user else "root's", show(self.found), show(self.alone),
            self.why and " (exempt: %s)" % self.why)


def show(attr):
    names = {NORMAL: "NORMAL", BATCH: "BATCH", IDLE: "IDLE", FIFO: "FIFO", RR: "RR"}
    if attr is None:
        return "nothing"
    return "%s %d%s%s" % (names.get(attr.policy, attr.policy), attr.priority or attr.nice,
                          "" if is_base(attr.slice) else " %g ms" % (attr.slice / MS),
                          " reset-on-fork" if attr.flags else "")


def is_base(slice):
    return slice in base_slices() or slice == 0


class Judge:
    """
    Goes through a script with the results of each step in both runs, and notes for each task which attribute may
    differ, and why: from the moment it was chosen in a way that cannot be seen, until it is chosen anew.
    """

    def __init__(self, script, user, alone, watched, gaps, stops, scans, kills, pause):
        self.group = scripts.Group(user)
        # Without pause an exec may be old when the daemon looks, which then finds what was chosen after it.
        self.is_prompt = pause > 0
        self.why = collections.defaultdict(dict)  # by slot, by attribute
        # Since the daemon had to look last: what was chosen, and what there was before.
        self.fresh = collections.defaultdict(dict)
        self.looked = collections.defaultdict(dict)
        self.had = collections.defaultdict(dict)
        self.last = collections.defaultdict(dict)  # by slot, by attribute: what was chosen by others than the daemon
        self.newborn = set()  # which the daemon need not have looked at since their birth
        self.previous = {}  # by slot: what was there before its last exec
        self.gaps, self.kills = gaps, kills
        self.every_look = list(scans)
        self.meanwhile = collections.defaultdict(set)  # by slot: what was chosen during one of those
        self.unheard = {}
        for index, step in enumerate(script):
            if step.word == "nothing":
                continue
            while stops and stops[0] < watched[index].ended:
                self.hide()
                stops = stops[1:]
            while scans and scans[0][1] < watched[index].ended:
                self.exempt_leaders(scans[0][0])
                self.forget()
                scans = scans[1:]
            self.follow(step, alone[index], watched[index])
        self.exempt_leaders(float("inf"))
        self.close_gaps(float("inf"))

    def forget(self):
        """The daemon has looked at every task: perhaps before what was chosen meanwhile."""
        for values in (self.fresh, self.looked, self.had):
            for slot, by_attribute in values.items():
                values[slot] = {attribute: value for attribute, value in by_attribute.items()
                                if attribute in self.meanwhile[slot]}
        self.meanwhile.clear()
        self.newborn.clear()

    def follow(self, step, alone, watched):
        self.close_gaps(watched.began)
        task = self.group.tasks[step.slot]
        if step.word in scripts.CHOICES:
            self.choose(step, alone, watched)
        elif step.word in scripts.BIRTHS:
            self.bear(step, task, watched)
        elif step.word == "exec" and task.process.slots != [task.process.leader]:
            self.exempt_process(step.slot, task.process)
        self.group.apply(step)
        if step.word == "exec" and self.is_prompt:
            self.previous[step.slot] = watched.before
            # One just before the daemon was killed may still have been queued.
            if not self.is_unheard(watched):
                self.fresh[step.slot], self.looked[step.slot], self.had[step.slot] = {}, {}, {}
                self.newborn.discard(step.slot)

    def bear(self, step, task, watched):
        slot = step.args[0]
        self.newborn.add(slot)
        self.why[slot] = dict(self.why[step.slot])
        self.fresh[slot], self.looked[slot] = dict(self.fresh[step.slot]), dict(self.looked[step.slot])
        self.had[slot], self.last[slot] = dict(self.had[step.slot]), dict(self.last[step.slot])
        self.meanwhile[slot] = set(self.meanwhile[step.slot])
        self.previous[slot] = watched.before if step.word == "spawn" else self.previous.get(step.slot)
        if step.word == "thread" and task.process.leader not in task.process.slots:
            # It may as well have copied the leader, which is there until the last thread ends.
            self.why[slot] = dict.fromkeys(("policy", "nice", "slice"), "hearsay")
        elif step.word == "thread" and len(task.process.slots) > 1:
            self.exempt_ambiguous(slot, "hearsay")
            self.exempt_unknown(slot)
        else:
            self.exempt_ambiguous(slot, "slow fork")
        if self.is_unheard(watched):
            # A leader that has left is there until the last thread ends.
            is_one_of_many = len(task.process.slots) > 1 or task.process.leader not in task.process.slots
            self.unheard[slot] = (step.slot, step.word, is_one_of_many)

    def close_gaps(self, now):
        """
        When there is a daemon again, the parent of a task born without one may or may not be the task that it copied,
        and it is not known which of the parent's threads that was.
        """
        if not self.unheard or any(began <= now <= ended for began, ended in self.gaps):
            return
        unknown = dict.fromkeys(("policy", "nice", "slice"), "unheard")
        for slot, (maker, word, is_one_of_many) in self.unheard.items():
            task = self.group.tasks.get(slot)
            is_orphan = task and word != "thread" and not task.process.living_parent()
            if is_one_of_many or is_orphan or word == "double" or \
                    (maker in self.unheard and self.why[maker] == unknown):
                self.why[slot] = dict(unknown)
            else:
                # What it chose itself since.
                self.exempt_ambiguous(slot, "hearsay")
        self.unheard = {}

    def exempt_ambiguous(self, slot, why):
        for attribute, value in self.fresh[slot].items():
            if attribute == "policy" and value in (NORMAL, BATCH, IDLE) or \
                    attribute == "slice" and (value in scripts.CLASS_SLICES or is_base(value)):
                self.why[slot][attribute] = why

    def exempt_process(self, slot, process):
        """
        One of many threads calls exec, perhaps the leader, which is there until then even if it has left: it is not known
        which, so its attributes are taken to be the leader's.
        """
        self.exempt_ambiguous(slot, "hearsay")
        self.exempt_unknown(slot)
        if slot != process.leader:
            self.why[slot] = dict.fromkeys(("policy", "nice", "slice"), "hearsay")

    def exempt_unknown(self, slot):
        """One of several threads: where nobody has seen what it carries, it had the least of all."""
        if self.fresh[slot].keys() & {"policy", "nice"}:
            self.why[slot].update(dict.fromkeys(("policy", "nice"), "hearsay"))

    def exempt_leaders(self, scanned):
        """After a crash, a leader may be a thread that has called exec meanwhile."""
        if not any(kill < scanned for kill in self.kills):
            return
        for slot, task in self.group.tasks.items():
            if slot == task.process.leader and len(task.process.slots) > 1:
                self.exempt_ambiguous(slot, "hearsay")

    def is_unheard(self, watched):
        return self.is_within(self.gaps, watched)

    @staticmethod
    def is_within(spans, watched):
        return any(began <= watched.ended and watched.began <= ended for began, ended in spans)

    def hide(self):
        """A stop leaves a slice of ours below real time and SCHED_IDLE."""
        for slot, task in self.group.tasks.items():
            if task.policy in (FIFO, RR, IDLE):
                self.why[slot]["slice"] = "hidden"

    def is_back(self, slot, attribute, watched):
        """A daemon that is killed leaves open whether it had set what it was about to set."""
        previous = self.previous.get(slot)
        return previous and getattr(previous, attribute) == getattr(watched.after, attribute) and \
            any(kill > watched.began for kill in self.kills)

    def choose(self, step, alone, watched):
        why = self.why[step.slot]
        for attribute in scripts.CHOICES[step.word]:
            before, after = getattr(watched.before, attribute), getattr(watched.after, attribute)
            target, was = getattr(alone.after, attribute), getattr(alone.before, attribute)
            if before != self.last[step.slot].get(attribute, before):
                # A daemon has set it since: it has looked.
                self.looked[step.slot].pop(attribute, None), self.had[step.slot].pop(attribute, None)
                self.fresh[step.slot].pop(attribute, None)
            self.last[step.slot][attribute] = after
            looked = self.looked[step.slot].setdefault(attribute, before)
            had = self.had[step.slot].setdefault(attribute, was)
            if self.is_within(self.every_look, watched):
                self.meanwhile[step.slot].add(attribute)
            for slot, (maker, *_) in self.unheard.items():
                if maker == step.slot:
                    self.why[slot][attribute] = "unheard"
            if watched.error and not alone.error:
                if watched.before.policy == IDLE != alone.before.policy:
                    why[attribute] = "refused"
            elif alone.error:
                pass
            elif after != target:
                why[attribute] = "no effect"
            elif before == after:
                if was != target:
                    why[attribute] = "unseen"
            elif looked == after or self.is_back(step.slot, attribute, watched):
                why[attribute] = "unseen"
            elif attribute == "nice" and scripts.LOWEST <= target < (max(had, before) if "nice" in why else had):
                why[attribute] = "between"
            elif attribute == "nice" and why.get(attribute) in ("unheard", "hearsay") and \
                    scripts.LOWEST <= target < 19:
                # It may be thought to have had a higher one.
                pass
            elif self.is_within(self.every_look, watched):
                why[attribute] = "meanwhile"
            elif attribute == "policy" and why.get(attribute) in ("unheard", "hearsay", "slow fork") and \
                    IDLE not in (target, watched.before.policy):
                # It may be thought to have had SCHED_IDLE, which it does not leave while another class is put over it.
                pass
            elif attribute == "policy" and step.slot in self.newborn and watched.after.slice in scripts.CLASS_SLICES:
                # Of a task that nobody has looked at, a policy beside the slice of its class counts as the daemon's.
                why[attribute] = "hearsay"
            elif attribute != "slice" or watched.before.policy not in (FIFO, RR):
                # A slice that real time hides is not seen to be chosen anew.
                why.pop(attribute, None)
                self.fresh[step.slot][attribute] = after


def write_scripts(seed, life):
    """Of so many groups: (user, script)."""
    rng = random.Random("%d %s" % (seed, life))
    users = [rng.choice((0, NOBODY)) for _ in range(GROUPS)]
    return [(user, scripts.write(rng, user, STEPS)) for user in users]


class Round:
    """Many groups at once, with a daemon and without."""

    def __init__(self, test, life, written, pause=PAUSE):
        self.test, self.life, self.scripts, self.pause = test, life, written, pause
        self.gaps, self.stops, self.scans, self.kills = [], [], [], []
        self.tasks = 0

    def begin(self, pause):
        groups = [RunningGroup(script, self.test.programs, "plain", user, pause) for user, script in self.scripts]
        for group in groups:
            self.test.addCleanup(group.end)
        for group in groups:
            group.begin()
        return groups

    @staticmethod
    def end(groups):
        """What every task shows at last, by group and slot; and what real time hid."""
        shown = [{slot: seen(tid) for slot, tid in group.tids.items()} for group in groups]
        for group in groups:
            for tid in group.tids.values():
                reveal(tid)
        hidden = [{slot: seen(tid) for slot, tid in group.tids.items()} for group in groups]
        for group in groups:
            group.end()
        return shown, hidden

    def run_alone(self):
        groups = self.begin(PAUSE_ALONE)
        for group in groups:
            group.finish()
        return groups, self.end(groups)

    def run_watched(self):
        length = max(len(script) for _, script in self.scripts) * self.pause
        events = sorted(LIVES[self.life])
        while events and events[0][0] < 0:
            self.do(events.pop(0)[1])
        groups, began = self.begin(self.pause), time.monotonic()
        for share, what in events:
            # Real time: the scripts go on meanwhile.
            if share < 1:
                time.sleep(max(0, began + share * length - time.monotonic()))
            else:
                for group in groups:
                    group.finish()
            self.do(what)
        for group in groups:
            if not group.outcomes:
                group.finish()
        if self.test.current:
            # What they chose looks like a daemon's to the look at the whole machine, and is compared here.
            self.test.current.changed.update(tid for group in groups for tid in group.tids.values())
            self.test.current.stop()
        return groups, self.end(groups)

    def do(self, what):
        began, was_running = time.monotonic(), self.test.current and self.test.current.running()
        self.do_it(what)
        if what in ("start", "first", "other"):
            self.scans.append((began, time.monotonic()))
            if not was_running:
                # It may have begun to listen at any time since.
                self.gaps.append([began, time.monotonic()])

    def do_it(self, what):
        test = self.test
        if what == "idle":
            test.daemon({"schedqos": {"default": "none"}})
        elif what == "start" or (what in ("first", "other") and not test.current.running()):
            before = test.current and test.current.before
            test.daemon(OTHER_CONFIG if what == "other" else CONFIG)
            test.current.before = before or test.current.before
            if self.gaps and self.gaps[-1][1] is None:
                self.gaps[-1][1] = time.monotonic()
        elif what in ("first", "other"):
            test.assertEqual(test.current.reload(OTHER_CONFIG if what == "other" else CONFIG).returncode, 0)
        elif what == "stop":
            self.stops.append(time.monotonic())
            test.current.popen.terminate()
            test.current.wait()
            self.stops.append(time.monotonic())
        elif what == "kill":
            # However the test ends.
            test.addCleanup(schedqos, "restore")
            test.current.kill()
            self.kills.append(time.monotonic())
            # The events of tasks born just before were still queued.
            self.gaps.append([time.monotonic() - 0.05, None])
        elif what == "restore":
            test.assertEqual(schedqos("restore").returncode, 0)
            self.gaps[-1][1] = time.monotonic()

    def differences(self):
        alone, (shown_alone, hidden_alone) = self.run_alone()
        watched, (shown, hidden) = self.run_watched()
        for number, (user, script) in enumerate(self.scripts):
            judge = Judge(script, user, alone[number].outcomes, watched[number].outcomes, self.gaps,
                          self.stops, self.scans, self.kills, self.pause)
            self.tasks += len(judge.group.tasks)
            for slot in judge.group.tasks:
                for attribute, was, found, why in self.compare(
                        judge.why[slot], shown_alone[number][slot], shown[number][slot],
                        hidden_alone[number][slot], hidden[number][slot]):
                    yield Difference(number, user, script, slot, attribute, was, found, why)

    @staticmethod
    def compare(why, shown_alone, shown, hidden_alone, hidden):
        """Attribute by attribute: (attribute, without the daemon, with it, what exempts it)."""
        if shown is None or shown_alone is None:
            if shown != shown_alone:
                yield "life", shown_alone, shown, ""
            return
        policy_exempt = why.get("policy", "") if shown.policy != shown_alone.policy else ""
        for attribute in Seen._fields:
            is_policys = attribute in ("policy", "priority")
            if not same(attribute, shown, shown_alone):
                exempt = why.get("policy" if is_policys else attribute, "")
                if attribute != "nice":
                    exempt = exempt or policy_exempt
                if attribute == "slice" and shown.policy == IDLE:
                    exempt = exempt or "hidden"
                yield attribute, shown_alone, shown, exempt
            elif attribute == "slice" and not same(attribute, hidden, hidden_alone):
                yield attribute, hidden_alone, hidden, "hidden"


def same(attribute, one, other):
    one, other = getattr(one, attribute), getattr(other, attribute)
    return one == other or (attribute == "slice" and is_base(one) and is_base(other))


def reveal(tid):
    """Takes it out of real time, so that it shows its nice value and its slice again."""
    now = seen(tid)
    if now and now.policy in (FIFO, RR):
        os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))


class Oracle(LiveTest):
    def setUp(self):
        super().setUp()
        self.programs = lay_out(self.copy, scripts.PROGRAMS)

    def run_round(self, life, written, pause=PAUSE):
        """What differed."""
        turn = Round(self, life, written, pause)
        differences = list(turn.differences())
        counts = collections.Counter(difference.why or "NOT EXEMPT" for difference in differences)
        checks = turn.tasks * len(Seen._fields)
        self.summary = "%d tasks of %d groups, differences of %d: %s" % (turn.tasks, len(written), checks, ", ".join(
            "%d %s (%.1f %%)" % (n, why, 100 * n / checks) for why, n in counts.most_common()) or "none")
        return differences

    def check(self, life, seed=SEED):
        differences = self.run_round(life, write_scripts(seed, life))
        if NOTES:
            print("  note: %s, seed %d: %s" % (life, seed, self.summary), flush=True)
        wrong = [found for found in differences if not found.why or life == "never"]
        summary = self.summary
        if wrong and not STRICT and life not in UNDISTURBED:
            print("  note: %s, seed %d: %s" % (life, seed, summary), flush=True)
        elif wrong:
            smallest = self.shrink(life, {difference.group: difference for difference in wrong}.values())
            self.fail("ORACLE_SEED=%d, %s: %s, a step each %g ms\n%s\n%s\n\nSmallest scripts:\n%s" % (
                seed, life, LIVES[life], PAUSE * 1000, summary, "\n".join(map(str, wrong[:30])),
                "\n".join(map(describe, smallest))))

    def shrink(self, life, wrong):
        """
        Leaves out steps at random as long as anything is still wrong. What is left out takes its time all the same, so
        that the others stay where they are in the daemon's life. Returns the difference of each script.
        """
        rng = random.Random(SEED)
        smallest = sorted(wrong, key=size)[:SHRUNK_MAX]
        for _ in range(SHRINKS):
            tried = [smallest[number % len(smallest)] for number in range(GROUPS)]
            shares = [rng.choice((0.2, 0.5, 0.7, 0.8, 0.9, 0.95)) for _ in tried]
            written = [(old.user, scripts.prune(
                [step if rng.random() < share else scripts.NOTHING for step in old.script], old.user))
                for old, share in zip(tried, shares)]
            for found in self.run_round(life, written):
                index = found.group % len(smallest)
                if not found.why and size(found) < size(smallest[index]):
                    smallest[index] = found
        return sorted(smallest, key=size)

    def test_without_pause(self):
        """Differences are printed, but are no failure: this is a race that cannot be won."""
        differences = self.run_round("throughout", write_scripts(SEED, "without pause"), 0)
        print("  note: without pause between the steps: %s" % self.summary)
        if NOTES:
            print("\n".join("    " + str(difference) for difference in differences if not difference.why))

    @unittest.skipUnless(SECONDS, "ORACLE_SECONDS is not set")
    def test_for_long(self):
        end = time.monotonic() + SECONDS
        for seed, life in ((seed, life) for seed in itertools.count(SEED) for life in LIVES):
            self.check(life, seed)
            self.begin_anew()
            if time.monotonic() > end:
                return


def size(difference):
    return len(difference.script) - difference.script.count(scripts.NOTHING)


def describe(difference):
    return "\n".join([str(difference), *("  %2d  %s" % (number, step) for number, step in enumerate(difference.script)
                                         if step != scripts.NOTHING)])


for _life in LIVES:
    setattr(Oracle, "test_" + _life, lambda self, life=_life: self.check(life))


if __name__ == "__main__":
    main()
