# SPDX-License-Identifier: GPL-2.0-only
"""Runs rounds, and keeps what they find."""

import argparse
import contextlib
import datetime
import resource
import shutil
import time
from pathlib import Path
from typing import Any, NamedTuple

from . import accounting, attr, daemon, environment, order, progress, result, scenarios, tasks, variants
from .counters import Counters
from .process import Failure
from .report import excluding, words
from .running import NoListener
from .settings import applied


class Settings(NamedTuple):
    command: list  # our own command line
    build: Path
    work: Path
    out: Path
    seed: int
    seconds: int
    options: Any  # of all scenarios
    reference: str = None  # the variant that ratios are to, whatever a metric says
    planned: Any = None  # {"rounds", "warmup", "within"}
    exclude_above: float = excluding.SHARE  # as report/excluding.py has it


def copy_build(build, folder):
    """A copy, so that a build in the meantime does not change what is measured. Returns its path."""
    build, copy = Path(build), Path(folder) / "build"
    if not (build / "schedqos").exists():
        raise Failure(f"{build}/schedqos is missing: make")
    (copy / "bench").mkdir(parents=True)
    shutil.copy(build / "schedqos", copy)
    for tool in (build / "bench").glob("bench-*"):
        shutil.copy(tool, copy / "bench")
    return copy


def _own_cpu():
    """Our own CPU time and that of all children that we have waited for."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def _own_options(scenario, options):
    parser = argparse.ArgumentParser(add_help=False)
    scenario.add_options(parser)
    return {name: getattr(options, name) for name in sorted(vars(parser.parse_args([])))}


def _tagged_already(state=Path("/run/schedqos/state")):
    tagged = tasks.of_classes(tasks.snapshot(), attr.CLASSES.values())
    if not tagged:
        return []
    # Without the record of a daemon that was killed there is nothing that restore could put back.
    left = state.exists()
    return [environment.finding(f"{len(tagged)} tasks have the attributes of a class, though no daemon runs",
                                "they keep them in every variant: " +
                                ("a daemon that was killed has left them" if left else
                                 "somebody has started them so, or has chosen these attributes for them"),
                                "schedqos restore" if left else
                                "chrt --other --pid 0 and renice 0, or end them")]


def _program(argv):
    """Of a command line: "nice -n 0 cyclictest ..." is about cyclictest."""
    return argv[3] if argv[0] == "nice" else argv[0]


def _text(value):
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


class Runner:
    """Its result is what result.json holds."""

    def __init__(self, settings, chosen, compared):
        self.settings, self.folder = settings, result.Folder(settings.out)
        self.executable = settings.build / "schedqos"
        self.scenarios = {each.NAME: each for each in chosen}
        self.variants = {}
        self.estimate = progress.Estimate()
        self.clock = time.monotonic()
        self.result = {
            "format": result.FORMAT, "began": _now(), "seconds": 0.0, "seed": settings.seed, "finished": False,
            "reference": settings.reference, "planned": settings.planned, "exclude_above": settings.exclude_above,
            "command": settings.command, "environment": {}, "findings": [],
            "scenarios": {each.NAME: self._described(each) for each in chosen}, "variants": {}, "rounds": [],
            "skipped": [],
        }
        for variant in compared:
            self.add(variant)

    def add(self, variant):
        self.variants[variant.name] = variant
        self.result["variants"][variant.name] = variant.described()

    def _described(self, scenario):
        options, seconds = self.settings.options, self.settings.seconds
        return {"title": scenario.TITLE, "commands": scenario.commands(options, seconds), "tree": scenario.tree(options),
                "options": {name: _text(value) for name, value in _own_options(scenario, options).items()},
                "seconds": seconds, "counted_seconds": scenario.counted_seconds(options, seconds), "metrics": scenario.metrics(options),
                "rules": scenario.config(options)}

    def look(self):
        """Collects facts about the machine, and what would spoil the result, before anything of ours runs."""
        if daemon.is_running(self.executable):
            raise Failure("a schedqos is running: stop it first (what set, run and limit have asked it for ends with it)")
        programs = {_program(argv) for each in self.result["scenarios"].values() for argv in each["commands"].values()}
        self.result["environment"] = environment.facts(self.executable, sorted(filter(shutil.which, programs)))
        with variants.configuration({}) as options:
            self.result["findings"] = environment.findings(self.executable, options, self.result["environment"])
        self.result["findings"] += _tagged_already()
        for finding in self.result["findings"]:
            progress.log(f"note: {finding['what']}: {finding['consequence']} ({finding['remedy']})")

    def prepare(self):
        """Once, before the first round."""
        if not attr.has_slices():
            attr.without_slices()
        self.save()
        for scenario in self.scenarios.values():
            scenario.prepare(scenarios.Context(self.settings.options, self.settings.seconds, 0,
                                               self.folder.raw(scenario.NAME, "prepare", 0), self.settings.work,
                                               self.settings.build / "bench"))
            # It may have chosen values that were left open: a rate, a port.
            self.result["scenarios"][scenario.NAME] = self._described(scenario)

    def save(self, finished=False):
        self.result.update(seconds=round(time.monotonic() - self.clock, 1), finished=finished)
        self.folder.write(self.result)

    def context(self, step, seconds):
        tag = f"{'w' if step.warmup else ''}{step.round}"
        return scenarios.Context(self.settings.options, seconds, order.round_seed(self.settings.seed, step),
                                 self.folder.raw(step.scenario, step.variant, tag), self.settings.work,
                                 self.settings.build / "bench")

    def measure(self, step, seconds):
        """One round of one variant. Returns what was found, which is in the result file by then."""
        began, clock = _now(), time.monotonic()
        attr.put(0, attr.PRISTINE)
        tasks_before, throttled = tasks.snapshot(), environment.throttled()
        machine, own = accounting.machine(), _own_cpu()
        found, used, measured, counters = self._run(step, seconds)
        notes = list(found.notes) + self._leftovers(step.variant, tasks_before)
        elapsed, own = accounting.machine().since(machine), _own_cpu() - own
        hot = throttled is not None and environment.throttled() > throttled
        if hot:
            notes.append("the CPUs were slowed down because of heat")
        record = {
            "scenario": step.scenario, "variant": step.variant, "round": step.round, "warmup": step.warmup,
            "began": began, "seconds": round(measured, 3), "metrics": found.metrics,
            "distributions": found.distributions, "printed": found.printed,
            "daemon": None if used is None else {"cpu_seconds": round(used, 6), "share": used / measured},
            "steal_share": elapsed.steal / elapsed.total, "other_load": max(0.0, elapsed.busy - own) / elapsed.total,
            "throttled": hot, "counters": counters, "notes": notes,
        }
        self.result["rounds"].append(record)
        self.save()
        self.estimate.learn(step.scenario, seconds, time.monotonic() - clock)
        return record

    def _run(self, step, seconds):
        """What the scenario found, the daemon's CPU seconds, how long it took, and what the kernel counted."""
        scenario, variant = self.scenarios[step.scenario], self.variants[step.variant]
        rules = scenario.config(self.settings.options)
        context = self.context(step, seconds)._replace(start=variant.running, weights=variant.weights)
        with contextlib.ExitStack() as stack:
            stack.enter_context(applied(variant.settings))
            running = NoListener()
            if rules is not None:
                running = stack.enter_context(variant.running(rules))
                context = context._replace(running=running)
            before, clock = running.cpu_seconds(), time.monotonic()
            with Counters(context.raw) as counters:
                found = scenario.run_round(context)
            measured = time.monotonic() - clock
            used = None if before is None else running.cpu_seconds() - before
            return found, used, measured, counters.per_second(measured)

    def _left_changed(self, name, before, now):
        """
        {tid: Task as it was before} of what the variant has left changed. Only tasks that carry a class were left by
        our daemon; others were changed by someone else and stay so.
        """
        changed = tasks.changed(before, now)
        if self.variants[name].kind != variants.Schedqos.kind:
            return changed
        mine = tasks.of_classes({tid: now[tid] for tid in changed}, self.variants[name].attrs().values())
        return {tid: changed[tid] for tid in mine}

    def _leftovers(self, name, before):
        """Checks that the variant has put all tasks back; otherwise does so, and notes it."""
        if self.variants[name].kind == "none":
            return []
        now = tasks.snapshot()
        changed = self._left_changed(name, before, now)
        tasks.put_back(changed)
        # A task that looked like that before may have children that do.
        usual = {task.attr for task in before.values()}
        new = {tid: task for tid, task in now.items() if tid not in before and task.attr not in usual}
        born = tasks.of_classes(new, self.variants[name].attrs().values())
        notes = []
        if changed:
            notes.append(f"{name} left {len(changed)} tasks changed when it ended: the bench has put them back")
        if born:
            notes.append(f"{len(born)} tasks that began under {name} carry a class's attributes after its end")
        return notes


def _now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def print_round(record, meanings, left):
    """One line for a round that is over."""
    kind = "warm-up" if record["warmup"] else "round"
    shown = filter(None, (progress.headline(record["metrics"], meanings), progress.end_text(left)))
    progress.log(f"{record['scenario']}, {record['variant']}, {kind} {record['round']}: {'; '.join(shown)}")
    print_notes(record)


def print_notes(record):
    for note in record["notes"]:
        progress.log(f"  {note}")
    for name, what in (("other_load", "other programs used"), ("steal_share", "the host took away")):
        if record[name] > words.WORTH_TELLING:
            progress.log(f"  {what} {record[name]:.0%} of the CPUs meanwhile")
