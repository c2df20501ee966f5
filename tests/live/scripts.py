# SPDX-License-Identifier: GPL-2.0-only
"""Random scripts for groups of tasks (see actor.c), and the effects of the steps on tasks when no daemon runs."""

import dataclasses

from attributes import BACKGROUND, BATCH, FIFO, IDLE, INITIATED, MS, NORMAL, RR, UI, UTILITY

SLOTS_MAX = 60
LIVING_MAX = 10

# In the order of actor.c.
BIRTHS = ("fork", "sibling", "double", "spawn", "thread")
CHOICES = {"nice": ("nice",), "policy": ("policy",), "slice": ("slice",), "reset": ()}

# Values that the classes below give.
CLASS_NICES = (-4, -2, 2, 4, 6)
CLASS_SLICES = tuple(slice * MS for slice in (6, 8, 12, 16, 20))
LOWEST, HIGHEST = min(CLASS_NICES), max(CLASS_NICES)
# Attributes that only programs choose.
SLICES = tuple(slice * MS for slice in (3, 5, 7, 9, 11, 30))
PROGRAMS = ("o-ui", "o-low", "o-mid", "o-heir", "o-yield", "o-hard", "o-keep", "o-spare", "o-part", "o-threads",
            "plain", "other")
NAMES = ("t-ui", "t-low", "t-mid", "t-spare", "t-none", "any")

THREADS = {"t-ui": UI, "t-low": BACKGROUND, "t-mid": UTILITY, "t-spare": "QOS_SPARE"}
CONFIG = {
    "QOS_SPARE": {"sched_policy": "SCHED_IDLE"},
    "QOS_PART": {"sched_policy": "SCHED_NORMAL", "sched_runtime": 6 * MS},
    "o-ui": {"qos": UI, "thread_qos": THREADS},
    "o-low": {"qos": BACKGROUND},
    "o-mid": {"qos": UTILITY, "thread_qos": THREADS},
    "o-heir": {"qos": BACKGROUND, "inherit": True},
    "o-yield": {"qos": UI, "yield": True},
    "o-hard": {"qos": UTILITY, "yield": False},
    "o-keep": {"qos": INITIATED},
    "o-spare": {"qos": "QOS_SPARE"},
    "o-part": {"qos": "QOS_PART", "thread_qos": THREADS},
    "o-threads": {"thread_qos": THREADS},
}


@dataclasses.dataclass(frozen=True)
class Step:
    slot: int
    word: str
    args: tuple = ()
    outside: bool = False

    def __str__(self):
        return " ".join(["%s%d %s" % ("!" if self.outside else "", self.slot, self.word), *map(str, self.args)])


class Process:
    def __init__(self, parent, program):
        self.parent = parent  # the parent as /proc shows it; None: the conductor
        self.program = program
        self.slots = []
        self.leader = None

    def living_parent(self):
        process = self.parent
        return process if process and process.slots else None


class Task:
    """A task as it would be without a daemon: its state decides which choices it may make."""

    def __init__(self, process, like=None):
        self.process = process
        self.policy, self.nice, self.reset = (like.policy, like.nice, like.reset) if like else (NORMAL, 0, False)
        if self.reset:
            if self.policy in (FIFO, RR):
                self.policy, self.nice = NORMAL, 0
            self.nice, self.reset = max(self.nice, 0), False


class Group:
    """The tasks of a group after each step."""

    def __init__(self, user, program="plain"):
        self.user = user
        self.tasks = {}
        self.born = set()
        first = Process(None, program)
        self.add(0, first, Task(first))

    def add(self, slot, process, task):
        self.tasks[slot] = task
        self.born.add(slot)
        if not process.slots and process.leader is None:
            process.leader = slot
        process.slots.append(slot)

    def remove(self, slot):
        task = self.tasks.pop(slot)
        task.process.slots.remove(slot)

    def allows(self, step):
        """
        Returns whether the step is possible, and chooses nothing that a daemon is free to refuse: see may_choose().
        """
        task = self.tasks.get(step.slot)
        if not task or (step.word in BIRTHS and step.args[0] in self.born):
            return False
        if step.word in ("exit", "leave"):
            gone = task.process.slots if step.word == "exit" else [step.slot]
            return len(self.tasks) > len(gone)
        if step.word == "nice":
            return self.may_choose(task, step.args[0], step.outside)
        return True

    def is_root(self, outside):
        return outside or not self.user

    def may_choose(self, task, nice, outside):
        """
        Returns whether a user may choose the nice value. While a class gives a higher one, the kernel refuses some
        values that it would allow without the daemon.
        """
        return self.is_root(outside) or nice >= HIGHEST or nice == task.nice == 0

    def apply(self, step):
        task = self.tasks.get(step.slot)
        if step.word in BIRTHS:
            self.bear(step, task)
        elif step.word == "exec":
            for slot in [slot for slot in task.process.slots if slot != step.slot]:
                self.remove(slot)
            task.process.leader = step.slot
            task.process.program = step.args[0]
        elif step.word == "exit":
            for slot in list(task.process.slots):
                self.remove(slot)
        elif step.word == "leave":
            self.remove(step.slot)
        elif step.word in CHOICES:
            self.choose(step, task)

    def bear(self, step, task):
        slot = step.args[0]
        if step.word == "thread":
            process = task.process
        else:
            parent = {"sibling": task.process.living_parent(), "double": None}.get(step.word, task.process)
            process = Process(parent, step.args[1] if step.word == "spawn" else task.process.program)
        # With reset-on-fork, the process in between has lost that flag already.
        self.add(slot, process, Task(process, task))

    def choose(self, step, task):
        root = self.is_root(step.outside)
        policy = step.args[0] if "policy" in CHOICES[step.word] else task.policy
        nice = step.args[0] if "nice" in CHOICES[step.word] else task.nice
        leaves_idle = task.policy == IDLE and policy != IDLE
        if not root and (nice < task.nice or leaves_idle or policy in (FIFO, RR) and task.policy not in (FIFO, RR)):
            return
        if step.word == "reset":
            task.reset = bool(step.args[0]) or (task.reset and not root)
            return
        task.policy, task.nice = policy, nice


class Writer:
    """
    Writes one script, of steps that people take and whose effects can be observed. Leaves out values that a class
    gives; reset-on-fork, which no event reports; CLONE_PARENT, whose caller is unknown; and steps that raise a task to
    a state from which it may have been lowered.
    """

    choices = {"nice": 5, "policy": 3, "slice": 3}
    kinds = {"own": 30, "outside": 10, "birth": 24, "exec": 16, "rename": 12, "end": 6}
    births = {"fork": 6, "double": 3, "spawn": 5, "thread": 7}

    def __init__(self, random, group):
        self.random = random
        self.group = group
        self.next = 1

    def choose(self, weights):
        return self.random.choices(list(weights), list(weights.values()))[0]

    def slot(self):
        self.next += 1
        return self.next - 1

    def nice(self, task, outside):
        every = [nice for nice in range(task.nice, 20)
                 if nice not in CLASS_NICES and self.group.may_choose(task, nice, outside)]
        return self.random.choice(every) if every else task.nice

    def policy(self, task, outside):
        if task.policy == IDLE:
            return IDLE, 0
        if self.group.is_root(outside) and self.random.random() < 0.25:
            return self.random.choice((FIFO, RR)), self.random.randint(1, 9)
        return self.random.choice((NORMAL, NORMAL, BATCH, BATCH, IDLE)), 0

    def choice(self, slot, outside):
        task = self.group.tasks[slot]
        word = self.choose(self.choices)
        if word == "nice":
            args = (self.nice(task, outside),)
        elif word == "policy":
            args = self.policy(task, outside)
        else:
            args = (self.random.choice(SLICES),)
        return Step(slot, word, args, outside)

    def birth(self, slot):
        word = self.choose(self.births)
        # If threads differ, it is not known which of them created another one.
        if word == "thread" and len(self.group.tasks[slot].process.slots) > 1:
            word = "fork"
        args = (self.slot(),) if word != "spawn" else (self.slot(), self.random.choice(PROGRAMS))
        return Step(slot, word, args)

    def step(self):
        slot = self.random.choice(sorted(self.group.tasks))
        kind = self.choose(self.kinds)
        if kind == "birth" and (len(self.group.tasks) >= LIVING_MAX or self.next >= SLOTS_MAX):
            kind = "end"
        if kind in ("own", "outside"):
            return self.choice(slot, kind == "outside")
        if kind == "birth":
            return self.birth(slot)
        if kind == "exec":
            return Step(slot, "exec", (self.random.choice(PROGRAMS),))
        if kind == "rename":
            return Step(slot, "rename", (self.random.choice(NAMES),))
        return Step(slot, self.random.choice(("exit", "exit", "leave")))

    def write(self, length):
        script = []
        while len(script) < length:
            step = self.step()
            if self.group.allows(step):
                self.group.apply(step)
                script.append(step)
        return script


def write(random, user, length):
    return Writer(random, Group(user)).write(length)
