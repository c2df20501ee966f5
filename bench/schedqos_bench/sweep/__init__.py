# SPDX-License-Identifier: GPL-2.0-only
"""Searches mappings for the front between latency, throughput and what the background gets."""

import json
import random
import time

from .. import order, progress, variants
from ..process import Failure
from ..runner import print_notes
from . import search, space

REFERENCE = variants.REFERENCE


def add_options(parser):
    parser.add_argument("--minutes", type=float, default=30, metavar="M", help="time for all of it (%(default)s)")
    parser.add_argument("--search", choices=sorted(search.KINDS), default="halving", help="(%(default)s)")
    parser.add_argument("--try", action="append", default=[], type=space.parse, dest="tries",
                        metavar="CLASS.ATTRIBUTE=VALUES",
                        help="what to try instead of the default: interactive.nice=-4,-6 or "
                             "background.policy=BATCH,IDLE or initiated.slice=1,2.5 (ms); can be repeated")


class Sweep:
    """A runner whose variants are the reference and the candidates."""

    def __init__(self, runner, scenario):
        self.runner, self.scenario = runner, scenario
        self.folder = runner.settings.out / "candidates"
        self.folder.mkdir()
        described = runner.result["scenarios"][scenario.NAME]
        self.axes = {axis: metric for axis, metric in scenario.AXES.items() if metric}
        self.better = {axis: described["metrics"][metric]["better"] for axis, metric in self.axes.items()}
        self.base = runner.result["variants"][REFERENCE]["classes"]
        self.classes = space.used(described["rules"])
        self.rounds = {}
        self.candidates = {}
        self.deadline = None

    def add(self, mappings):
        """Makes candidates of mappings, which are written to files for the daemon."""
        width = len(str(len(mappings)))
        for number, mapping in enumerate(mappings, 1):
            name = f"m{number:0{width}}"
            path = self.folder / f"{name}.json"
            classes = space.full(self.base, self.classes, mapping)
            path.write_text(json.dumps(classes, indent="\t") + "\n", encoding="utf-8")
            self.candidates[name] = mapping
            self.runner.add(variants.Schedqos(name, self.runner.executable, path))
        return list(self.candidates)

    def measure(self, candidate, warmup=False):
        """The axes' values; None when a candidate makes the scenario fail, which is no reason to end the search."""
        variant = candidate or REFERENCE
        number = self.rounds[variant] = self.rounds.get(variant, 0) + (not warmup)
        try:
            record = self.runner.measure(order.Step(self.scenario.NAME, variant, number or 1, warmup),
                                         self.runner.settings.seconds)
        except Failure as failure:
            if not candidate:
                raise
            progress.log(f"{candidate}: {failure}")
            return None
        self._tell(record)
        return {axis: record["metrics"][metric] for axis, metric in self.axes.items()}

    def _tell(self, record):
        metrics = self.runner.result["scenarios"][self.scenario.NAME]["metrics"]
        figures = ", ".join(metrics[metric]["title"] + " "
                            + progress.figure(record["metrics"][metric], metrics[metric]["unit"])
                            for metric in self.axes.values())
        left = self.deadline and f"; {progress.end_text(max(0, self.deadline - time.monotonic()))}"
        progress.log(f"{record['variant']}: {figures}{left or ''}")
        print_notes(record)

    def keep(self, samples, finalists=()):
        self.runner.result["sweep"] = {
            "scenario": self.scenario.NAME, "axes": self.axes, "reference": REFERENCE, "finalists": list(finalists),
            "candidates": {name: {each: str(choice) for each, choice in zip(self.classes, mapping)}
                           for name, mapping in self.candidates.items()},
            "samples": samples,
        }
        self.runner.save()

    def run(self, args, chance):
        began = time.monotonic()
        mappings = space.mappings(self.classes, space.narrowed(args.tries))
        progress.log(f"{len(mappings)} mappings of {', '.join(self.classes)}")
        self.measure(None, warmup=True)
        clock = time.monotonic()
        self.measure(None)
        cost, end = time.monotonic() - clock, began + args.minutes * 60
        names = self.add(search.chosen(args.search, mappings, end - time.monotonic(), cost, chance))
        progress.log(f"{args.search} search of {len(names)} mappings, {cost:.0f} s a round")
        self.deadline = end
        looking = search.Search(self.measure, self.better, chance, end, {}, self.keep)
        finalists = search.KINDS[args.search](looking, names)
        self.keep(looking.samples, finalists)


def run(runner, scenario, args):
    """Leaves what it finds in the runner's result, from where output.write() makes the front of it."""
    Sweep(runner, scenario).run(args, random.Random(runner.settings.seed))
