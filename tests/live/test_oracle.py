# SPDX-License-Identifier: GPL-2.0-only
"""
After the daemon's stop the machine is as it would be without the daemon. Groups of tasks run random scripts with a
daemon and without one; after its stop every task must carry what it would have had, except for EXEMPTIONS. tests/fuzz
covers daemons that are killed or started meanwhile, without a kernel.

Between two steps the test waits until the daemon has done its work, because people, who choose attributes, are slower
than the daemon.

ORACLE_SEED=N chooses the scripts; ORACLE_GROUPS and ORACLE_STEPS set their number and length. A failure names the seed
and one of the scripts.
"""

import collections
import os
import random
from typing import NamedTuple

import scripts
from attributes import BATCH, FIFO, IDLE, MS, NORMAL, RR, base_slices
from groups import RunningGroup, Seen, run_all, seen, tool
from harness import LiveTest

SEED = int(os.environ.get("ORACLE_SEED", "1"))
GROUPS = int(os.environ.get("ORACLE_GROUPS", "40"))
STEPS = int(os.environ.get("ORACLE_STEPS", "40"))
NOBODY = 65534

# Reasons why an attribute may differ. See Judge.
EXEMPTIONS = {
    "unseen": "a choice of what the class gives already changes nothing that could be seen, nor does going back to it "
              "before anybody looked",
    "between": "for safety: a nice value between the lowest of any class and what the task had when it was last looked "
               "at is nobody's to choose",
    "no effect": "what the class gives kept the kernel from doing anything: a slice under SCHED_IDLE",
    "refused": "under a class of SCHED_IDLE leaving that policy takes a privilege",
    "hearsay": "for safety: of a task of which nobody knows what it copied, values that classes give count as the "
               "daemon's",
    "slow fork": "so do a policy and a slice on a child that nobody has looked at, for its fork may be older than what was "
                 "set on its origin",
    "hidden": "a task that is real-time at the stop is left alone; what is below is only seen when it no longer is; nor "
              "does the kernel change a slice below SCHED_IDLE",
}


class Difference(NamedTuple):
    """A difference between a task and what it would be without the daemon."""

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
    Follows a script with the results of each step in both runs, and notes for each task which attribute may differ, and
    why. An exemption lasts from a choice that the daemon cannot see until the next choice that it can.
    """

    def __init__(self, script, user, alone, watched):
        self.group = scripts.Group(user)
        self.why = collections.defaultdict(dict)  # by slot, by attribute
        # Choices since the last step at which the daemon had to look, and the attributes before them.
        self.fresh = collections.defaultdict(dict)
        self.looked = collections.defaultdict(dict)
        self.had = collections.defaultdict(dict)
        self.last = collections.defaultdict(dict)  # by slot, by attribute: the last choice that was not the daemon's
        self.newborn = set()  # slots at which the daemon need not have looked since their birth
        for index, step in enumerate(script):
            self.follow(step, alone[index], watched[index])

    def follow(self, step, alone, watched):
        task = self.group.tasks[step.slot]
        if step.word in scripts.CHOICES:
            self.choose(step, alone, watched)
        elif step.word in scripts.BIRTHS:
            self.bear(step, task)
        elif step.word == "exec" and task.process.slots != [task.process.leader]:
            # One of many threads calls exec, perhaps the leader, which stays a zombie until then if it has ended.
            self.why[step.slot] = dict.fromkeys(("policy", "nice", "slice"), "hearsay")
        self.group.apply(step)
        if step.word == "exec":
            self.fresh[step.slot], self.looked[step.slot], self.had[step.slot] = {}, {}, {}
            self.newborn.discard(step.slot)

    def bear(self, step, task):
        slot = step.args[0]
        self.newborn.add(slot)
        for by_slot in (self.why, self.fresh, self.looked, self.had, self.last):
            by_slot[slot] = dict(by_slot[step.slot])
        if step.word == "thread" and task.process.leader not in task.process.slots:
            # It may just as well be a copy of the leader, which stays a zombie until the last thread ends.
            self.why[slot] = dict.fromkeys(("policy", "nice", "slice"), "hearsay")
        elif step.word == "thread" and len(task.process.slots) > 1:
            self.exempt_ambiguous(slot, "hearsay")
            self.exempt_unknown(slot)
        else:
            self.exempt_ambiguous(slot, "slow fork")

    def exempt_ambiguous(self, slot, why):
        for attribute, value in self.fresh[slot].items():
            if attribute == "policy" and value in (NORMAL, BATCH, IDLE) or \
                    attribute == "slice" and (value in scripts.CLASS_SLICES or is_base(value)):
                self.why[slot][attribute] = why

    def exempt_unknown(self, slot):
        """
        Exempts a new thread if the process has several, whose attributes the daemon may never have seen: the thread is
        put back to the least of them.
        """
        if self.fresh[slot].keys() & {"policy", "nice"}:
            self.why[slot].update(dict.fromkeys(("policy", "nice"), "hearsay"))

    def choose(self, step, alone, watched):
        why = self.why[step.slot]
        for attribute in scripts.CHOICES[step.word]:
            before, after = getattr(watched.before, attribute), getattr(watched.after, attribute)
            target, was = getattr(alone.after, attribute), getattr(alone.before, attribute)
            if before != self.last[step.slot].get(attribute, before):
                # The daemon has set it since, so it has looked.
                for values in (self.looked, self.had, self.fresh):
                    values[step.slot].pop(attribute, None)
            self.last[step.slot][attribute] = after
            looked = self.looked[step.slot].setdefault(attribute, before)
            had = self.had[step.slot].setdefault(attribute, was)
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
            elif looked == after:
                why[attribute] = "unseen"
            elif attribute == "nice" and scripts.LOWEST <= target < (max(had, before) if "nice" in why else had):
                why[attribute] = "between"
            elif attribute == "nice" and why.get(attribute) == "hearsay" and scripts.LOWEST <= target < 19:
                # The daemon may believe that the task had a higher one.
                pass
            elif attribute == "policy" and why.get(attribute) in ("hearsay", "slow fork") and \
                    IDLE not in (target, watched.before.policy):
                # The daemon may believe that the task had SCHED_IDLE, which it keeps while another class is put over
                # it.
                pass
            elif attribute == "policy" and step.slot in self.newborn and watched.after.slice in scripts.CLASS_SLICES:
                # If the daemon has not looked at a task yet, a policy together with the slice of its class counts as
                # the daemon's.
                why[attribute] = "hearsay"
            elif attribute != "slice" or watched.before.policy not in (FIFO, RR):
                # The daemon cannot see a new choice of a slice that real time hides.
                why.pop(attribute, None)
                self.fresh[step.slot][attribute] = after


def write_scripts():
    """Returns GROUPS pairs of a user and a script."""
    rng = random.Random(SEED)
    users = [rng.choice((0, NOBODY)) for _ in range(GROUPS)]
    return [(user, scripts.write(rng, user, STEPS)) for user in users]


def compare(why, shown_alone, shown, hidden_alone, hidden):
    """
    Compares attribute by attribute. Returns for each its name, its values without and with the daemon, and the
    exemption.
    """
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
    """Takes a task out of real time, so that its nice value and slice can be read again."""
    now = seen(tid)
    if now and now.policy in (FIFO, RR):
        os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))


class Oracle(LiveTest):
    """Many groups run at once, first without a daemon and then with one."""

    def setUp(self):
        super().setUp()
        program = self.copy("programs/actor", tool("actor"))
        for name in scripts.PROGRAMS:
            self.alias("programs/" + name, program)

    def run_all(self, written, between):
        groups = [RunningGroup(script, self.path("programs"), "plain", user) for user, script in written]
        for group in groups:
            self.addCleanup(group.end)
        run_all(groups, between)
        return groups

    @staticmethod
    def end(groups):
        """Returns the final attributes of every task, by group and slot, including those that real time hid."""
        shown = [{slot: seen(tid) for slot, tid in group.tids.items()} for group in groups]
        for group in groups:
            for tid in group.tids.values():
                reveal(tid)
        hidden = [{slot: seen(tid) for slot, tid in group.tids.items()} for group in groups]
        for group in groups:
            group.end()
        return shown, hidden

    def test_after_the_stop_tasks_are_as_without_the_daemon(self):
        written = write_scripts()
        alone = self.run_all(written, lambda: None)
        shown_alone, hidden_alone = self.end(alone)
        daemon = self.daemon(scripts.CONFIG)
        watched = self.run_all(written, daemon.sync)
        # Exclude them from the comparison of the whole machine, to which their choices look like a daemon's. They are
        # compared here.
        daemon.changed.update(tid for group in watched for tid in group.tids.values())
        daemon.stop()
        shown, hidden = self.end(watched)
        wrong = []
        for number, (user, script) in enumerate(written):
            judge = Judge(script, user, alone[number].outcomes, watched[number].outcomes)
            for slot in judge.group.tasks:
                for found in compare(judge.why[slot], shown_alone[number][slot], shown[number][slot],
                                     hidden_alone[number][slot], hidden[number][slot]):
                    wrong.append(Difference(user, script, slot, *found))
        wrong = [difference for difference in wrong if not difference.why]
        if wrong:
            self.fail("ORACLE_SEED=%d\n%s\n\nThe first one's script:\n%s" % (
                SEED, "\n".join(map(str, wrong[:30])), "\n".join(map(str, wrong[0].script))))
