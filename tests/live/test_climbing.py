# SPDX-License-Identifier: GPL-2.0-only
"""
An ordinary user gains nothing from the daemon, with names of every rule, own slices, nice values and policies, threads,
forks and execs. No task of the user may ever carry a nice value below the lowest that the rule for its name gives.
After the daemon's end, of any kind, no task may have more than it would have without a daemon, nor anything of a class.
"""

import json
import os
import resource

import scripts
from attributes import FIFO, IDLE, MS, NORMAL, RR, base_slices
from daemon import schedqos, shipped
from groups import RunningGroup, run_all, seen, tool
from harness import LiveTest
from scripts import Step

NOBODY = 65534

# Names with rules in the shipped configurations, which a user can read.
INTERACTIVE, IMPOSED = "gnome-shell", "restic"
SHIPPED_SLICES = (8 * MS, 12 * MS, 16 * MS, 20 * MS)

# Classes below and above what a user may take, with rules of every kind.
WIDE = {
    "QOS_TOP": {"sched_policy": "SCHED_NORMAL", "sched_nice": -12, "sched_runtime": 4 * MS},
    "QOS_UPPER": {"sched_policy": "SCHED_BATCH", "sched_nice": -6, "sched_runtime": 6 * MS},
    "QOS_BOTTOM": {"sched_policy": "SCHED_BATCH", "sched_nice": 14, "sched_runtime": 50 * MS},
    "QOS_SPARE": {"sched_policy": "SCHED_IDLE"},
    "c-top": {"qos": "QOS_TOP", "thread_qos": {"bottom": "QOS_BOTTOM", "upper": "QOS_UPPER"}},
    "c-upper": {"qos": "QOS_UPPER", "yield": True},
    "c-bottom": {"qos": "QOS_BOTTOM", "inherit": True, "thread_qos": {"spare": "QOS_SPARE"}},
    "c-hard": {"qos": "QOS_UPPER", "yield": False},
    "c-keep": {"qos": "QOS_TOP", "enforce": True},
    "c-spare": {"qos": "QOS_SPARE"},
    "nice": {"qos": "QOS_BOTTOM"},
}
REAL_TIME = {"QOS_RT": {"sched_policy": "SCHED_FIFO", "sched_priority": 5}, "c-rt": {"qos": "QOS_RT"}}
WIDE_SLICES = tuple(slice * MS for slice in (4, 6, 50))


def chain(*texts):
    """Makes a script from lines such as "0 exec nice"."""
    script = []
    for line in texts:
        slot, word, *args = line.split()
        script.append(Step(int(slot), word, tuple(int(arg) if arg.lstrip("-").isdigit() else arg for arg in args)))
    return script


def attacks(interactive, imposed, slices):
    """Returns attempts that come to mind: name, script."""
    own = "0 slice %d" % slices[1]
    climb = ["0 exec " + interactive, own, "0 exec nice"]
    again = ["0 exec " + imposed, own, "0 exec nice", "0 exec plain", "0 slice %d" % slices[0]]
    return {
        "the slice of another class, then the name of nice": chain(*climb),
        "and again and again": chain(*climb, *again * 4),
        "where nobody yields": chain(*again * 5),
        "on a thread": chain("0 exec " + interactive, "0 thread 1", "1 slice %d" % slices[1], "1 exec nice",
                             "1 exec " + imposed, "1 slice %d" % slices[0], "1 exec nice"),
        "by children": chain(*climb, "0 fork 1", "1 slice %d" % slices[0], "1 exec " + imposed, "1 double 2",
                             "2 spawn 3 nice", "3 sibling 4", "4 exec plain"),
        "for one's parent": chain("0 fork 1", "1 exec " + interactive, "1 sibling 2", "2 slice %d" % slices[1],
                                  "2 sibling 3", "3 exec nice", "3 sibling 4"),
        "with reset-on-fork": chain("0 reset 1", *climb, "0 fork 1", "1 exec " + imposed, "1 slice %d" % slices[0],
                                    "1 fork 2", "2 exec nice", "2 reset 1", "2 thread 3", "3 exec nice"),
        "out of SCHED_IDLE": chain("0 policy 5 0", "0 exec " + imposed, "0 policy 0 0", "0 exec " + interactive,
                                   "0 policy 3 0", "0 exec plain", "0 policy 0 0"),
        "up from 19": chain("0 nice 19", "0 exec " + imposed, "0 nice 5", "0 exec plain", "0 nice 0", "0 exec nice",
                            "0 exec " + interactive, "0 nice 10", "0 exec nice"),
        "up from 1": chain("0 exec " + imposed, "0 nice 1", "0 nice -1", "0 exec nice", "0 nice -3", "0 exec plain",
                           "0 nice 0", "0 slice %d" % slices[1], "0 exec nice"),
        "real time": chain("0 policy 1 1", "0 exec c-rt", "0 policy 1 3", "0 exec plain", "0 policy 2 1",
                           "0 exec c-rt", "0 policy 2 5", "0 fork 1", "1 policy 0 0", "1 exec nice", "1 nice 3"),
    }


class Hostility(LiveTest):
    """Groups of tasks of the user nobody, and what they may carry."""

    def setUp(self):
        super().setUp()
        self.program = self.copy("programs/actor", tool("actor"))

    @staticmethod
    def shipped():
        """Makes the shipped rules hold for nobody as for a user at a seat, who has more to begin with."""
        return {name: text.replace(b'"raise": "seat"', b'"raise": "all"') for name, text in shipped().items()}

    def begin(self, config=None, layers=None):
        """Starts a daemon. Returns the lowest nice value that its rules give, by program."""
        daemon = self.prepare(config, layers=layers)
        result = schedqos("check", "--print", *daemon.options())
        self.assertEqual(result.returncode, 0, result.stderr)
        merged = json.loads(result.stdout)
        nice = {name: value.get("sched_nice", 0) for name, value in merged.items() if name.startswith("QOS_")}
        self.lowest, self.heirs = {"plain": 0}, set()
        for name, value in merged.items():
            if name.startswith("QOS_") or name == "schedqos" or any(char in name for char in "/*?["):
                continue
            rules = value if isinstance(value, list) else [value]
            if any(rule.get("inherit") for rule in rules):
                self.heirs.add(name)
            given = [qos for rule in rules for qos in (rule.get("qos"), *rule.get("thread_qos", {}).values()) if qos]
            self.lowest[name] = min([0, *(nice[qos] for qos in given)])
        return daemon.start()

    def run_all(self, written, limit=None, user=NOBODY):
        """Runs one group for each script to its end. Waits for the daemon between two steps."""
        groups = []
        for script in written:
            for name in ["plain", *(step.args[-1] for step in script if step.word in ("exec", "spawn"))]:
                self.alias("programs/" + name, self.program)
            groups.append(RunningGroup(script, self.path("programs"), "plain", user, limit))
            self.addCleanup(groups[-1].end)
        run_all(groups, self.current.sync)
        self.current.changed.update(tid for group in groups for tid in group.tids.values())
        return groups

    @staticmethod
    def follow(group):
        """
        Returns the tasks after the script as they would be without a daemon, and those with an origin that no daemon
        can know.
        """
        model, unsure = scripts.Group(NOBODY), set()
        for step, outcome in zip(group.script, group.outcomes):
            task = model.tasks[step.slot]
            is_one_of_many = len(task.process.slots) > 1
            # A choice may be refused because the class already gives less. It has then lowered nothing.
            if not outcome.error or step.word not in scripts.CHOICES:
                model.apply(step)
            if step.word == "exec" and is_one_of_many:
                # The kernel does not report which thread called exec.
                unsure.add(step.slot)
            if step.word in scripts.BIRTHS:
                # The kernel does not report which thread made a thread, or made a child of its own parent. A real-time
                # task with reset-on-fork hands down no nice value.
                is_reset = outcome.before.flags and outcome.before.policy in (FIFO, RR)
                if step.slot in unsure or is_reset or step.word == "sibling" or step.word == "thread" and is_one_of_many:
                    unsure.add(step.args[0])
        return model, unsure

    def check_now(self, groups, what):
        """Checks all groups while the daemon runs."""
        self.current.sync()
        for group in groups:
            model, unsure = self.follow(group)
            programs = {step.args[-1] for step in group.script if step.word in ("exec", "spawn")}
            # A program without a rule may have a class inherited from an ancestor, or from its program before an exec.
            inherited = min([0] + [self.lowest[name] for name in programs & self.heirs])
            any_class = min([0] + [self.lowest.get(name, 0) for name in programs])
            for slot, task in model.tasks.items():
                now = seen(group.tids[slot])
                told = self.describe(what, group, slot, now)
                # A child made with CLONE_PARENT counts as its parent's program until it calls exec.
                given = any_class if slot in unsure else self.lowest.get(task.process.program, inherited)
                self.assertGreaterEqual(now.nice, min(given, task.nice), told)
                if task.process.program != "c-rt" and not (slot in unsure and "c-rt" in programs):
                    self.assertNotIn(now.policy, (FIFO, RR), told)

    def check_after(self, groups, what):
        """Checks all groups after the daemon has ended."""
        for group in groups:
            model, unsure = self.follow(group)
            chosen = self.chosen(group.script)
            for slot, task in model.tasks.items():
                now = seen(group.tids[slot])
                told = self.describe(what, group, slot, now)
                self.assertGreaterEqual(now.nice, 0 if slot in unsure else task.nice, told)
                self.assertNotIn(now.policy, (FIFO, RR), told)
                if task.policy == IDLE and slot not in unsure:
                    self.assertEqual(now.policy, IDLE, told)
                # A task that is compared with a process that did not make it may keep parts of a class.
                if slot not in unsure:
                    self.assertIn(now.nice, chosen["nice"] | {0}, told)
                    self.assertIn(now.policy, chosen["policy"] | {NORMAL}, told)
                if now.policy != IDLE and slot not in unsure:
                    self.assertIn(now.slice, chosen["slice"] | base_slices(), told)

    @staticmethod
    def chosen(script):
        """Returns, by attribute, everything that any task of the group ever chose."""
        found = {"nice": set(), "policy": set(), "slice": set()}
        for step in script:
            for attribute, value in zip(scripts.CHOICES.get(step.word, ()), step.args):
                found[attribute].add(value)
        return found

    @staticmethod
    def describe(what, group, slot, now):
        return "%s: slot %d carries %s\n%s" % (what, slot, now, "\n".join(
            "%s%s" % (step, "" if not outcome.error else " -> " + os.strerror(outcome.error))
            for step, outcome in zip(group.script, group.outcomes)))


class Climbing(Hostility):
    def attack(self, written, config=None, layers=None, other=None):
        """Runs everything: the daemon, the scripts, a reload. Returns the groups."""
        daemon = self.begin(config, layers)
        groups = self.run_all(written.values())
        self.check_now(groups, "before a reload")
        self.assertEqual(daemon.reload(other or {"nice": {"qos": "QOS_BACKGROUND"}}).returncode, 0)
        self.current.sync()
        self.assertEqual(daemon.reload(config or {}).returncode, 0)
        self.check_now(groups, "after a reload")
        return groups

    def test_nobody_climbs_with_the_shipped_rules(self):
        groups = self.attack(attacks(INTERACTIVE, IMPOSED, SHIPPED_SLICES), layers=self.shipped())
        self.current.stop()
        self.check_after(groups, "after the stop")

    def test_nobody_climbs_with_wide_classes_crash_and_restore(self):
        found = attacks("c-upper", "c-hard", WIDE_SLICES)
        found.update(("again: " + name, script) for name, script in attacks("c-top", "c-keep", WIDE_SLICES).items())
        groups = self.attack(found, {**WIDE, **REAL_TIME}, other={**WIDE, "plain": {"qos": "QOS_BOTTOM"}})
        # Restore however the test ends.
        self.addCleanup(schedqos, "restore")
        self.current.kill()
        self.assertEqual(schedqos("restore").returncode, 0)
        self.current.check_undone()
        self.check_after(groups, "after a crash and a restore")


class Privilege(Hostility):
    """A task with a resource limit or a capability may rightly take more."""

    user = "%d+" % NOBODY
    nice_limit = rt_limit = None

    def test_a_task_keeps_what_it_may_take_itself(self):
        nice, real_time = {"nice": -11}, {"policy": FIFO, "priority": 7}
        cases = [(["0 exec " + name, "0 nice -11"], self.nice_limit, nice, {**nice, "policy": NORMAL})
                 for name in ("plain", INTERACTIVE, IMPOSED, "make")]
        cases += [(["0 exec " + name, "0 policy %d 7" % FIFO], self.rt_limit, real_time, real_time)
                  for name in ("plain", INTERACTIVE, "make")]
        cases += [(["0 nice -11", "0 exec plain"], self.nice_limit, nice, nice),
                  (["0 exec " + INTERACTIVE, "0 policy %d 7" % FIFO, "0 exec plain", "0 policy 0 0", "0 exec nice"],
                   self.rt_limit, {}, {"policy": NORMAL, "nice": 0})]
        self.begin(layers=self.shipped())
        groups = [self.run_all([chain(*script)], limit, self.user)[0] for script, limit, _, _ in cases]
        self.current.sync()
        for group, (script, _, running, _) in zip(groups, cases):
            now = seen(group.tids[0])
            told = self.describe("now", group, 0, now)
            self.assertEqual([outcome.error for outcome in group.outcomes], [0] * len(script), told)
            self.assertEqual(now, now._replace(**running), told)
        self.current.stop()
        for group, (_, _, _, after) in zip(groups, cases):
            now = seen(group.tids[0])
            told = self.describe("after the stop", group, 0, now)
            self.assertEqual(now, now._replace(**after), told)
            self.assertTrue(now.policy in (FIFO, RR) or now.slice in base_slices(), told)
            group.end()


class Limits(Privilege):
    user = NOBODY
    nice_limit, rt_limit = (resource.RLIMIT_NICE, 40), (resource.RLIMIT_RTPRIO, 10)

    def setUp(self):
        super().setUp()
        idler = self.sleeper("idler")
        try:
            resource.prlimit(idler.pid, resource.RLIMIT_NICE, (40, 40))
        except PermissionError:
            self.skipTest("no limit can be raised here: CAP_SYS_RESOURCE is missing")

    def test_a_task_does_not_get_below_its_resource_limit(self):
        """A user who may go down to nice -2 has no right to a class's -4, nor to keep anything of it."""
        self.begin(layers=self.shipped())
        group, = self.run_all([chain("0 exec " + INTERACTIVE, "0 nice -3", "0 exec nice", "0 slice %d" % (12 * MS),
                                     "0 exec nice")], (resource.RLIMIT_NICE, 22))
        self.current.stop()
        self.assertEqual(seen(group.tids[0]).nice, 0)
