# SPDX-License-Identifier: GPL-2.0-only
"""What the scenarios read out of recorded outputs, the announcement's own among them, and what they run."""

import argparse
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import synthetic
from case import Folder, options, recorded
from schedqos_bench import environment, scenarios
from schedqos_bench.process import Failure
from schedqos_bench.report import conclusion
from schedqos_bench.report import figures as report_figures


def defaults(name, *arguments):
    module = scenarios.load(name)
    return module, options((module,), *arguments)


class Interface(unittest.TestCase):
    def test_each_scenario_offers_what_the_runner_asks_for(self):
        parser = argparse.ArgumentParser()
        for module in scenarios.available():
            module.add_options(parser.add_argument_group(module.NAME))
            for name in ("TITLE", "needs", "config", "commands", "metrics", "prepare", "run_round"):
                self.assertTrue(hasattr(module, name), f"{module.NAME}.{name}")
        names = [module.NAME for module in scenarios.available()]
        self.assertEqual(names, list(scenarios.NAMES))


class Here(Folder):
    def task(self, name, tid, wait, start=5, pid=None):
        folder = self.folder / str(pid or tid) / "task" / str(tid)
        folder.mkdir(parents=True, exist_ok=True)
        (self.folder / str(pid or tid) / "comm").write_text(f"{name}\n", encoding="ascii")
        (folder / "schedstat").write_text(" ".join(map(str, wait)), encoding="ascii")
        (folder / "stat").write_text(f"{tid} (a) b) S" + " 0" * 18 + f" {start} 0", encoding="ascii")

    def test_what_was_waited_in_between_counts(self):
        here = scenarios.load("here")
        self.task("make", 10, (1000, 5000, 2))
        self.task("make", 11, (0, 0, 0), pid=10)
        self.task("chrome", 20, (7, 7000, 7))
        self.task("again", 30, (900, 900, 900))
        self.task("schedqos", 40, (0, 0, 0))
        before = here.snapshot(self.folder)
        self.task("make", 10, (3000, 9000, 4))
        self.task("make", 11, (10, 4000, 2), pid=10)
        self.task("again", 30, (10, 900000, 1), start=6)
        self.task("schedqos", 40, (9, 9000000, 9))
        found, notes = here.figures(before, here.snapshot(self.folder), ["make", "chrome"])
        self.assertEqual(found, {"wait": 2.0, "wait_make": 2.0, "wait_chrome": None})
        self.assertEqual(notes, ["chrome: did not run in this round"])

    def test_the_programs_that_are_named_are_told_apart(self):
        module, options = defaults("here", "--here-programs", "make,chrome")
        self.assertLessEqual({"wait", "wait_make", "wait_chrome"}, module.metrics(options).keys())


    def test_the_probe_leaves_idle_states_alone_unless_asked(self):
        module, options = defaults("here")
        self.assertIn("--default-system", module.commands(options, 5)["probe"])
        module, options = defaults("here", "--here-hold-idle-latency")
        self.assertNotIn("--default-system", module.commands(options, 5)["probe"])

    def test_it_ends_with_a_sentence_for_everybody(self):
        for factor, rounds, want in ((0.6, 6, "waited for the processor about 40 % less than without it."),
                                     (1.5, 6, "about 50 % longer than without it, so it does not help here."),
                                     (1, 6, "about as long as without it"), (0.6, 3, "cannot be said yet")):
            made = synthetic.result(("cyclictest",), 2, 0)
            made["scenarios"] = {"here": {**made["scenarios"]["cyclictest"], "metrics": {
                "wait": {"title": "wait", "unit": "us", "better": "lower"}}}}
            made["rounds"] = [{"scenario": "here", "variant": name, "round": number, "metrics": {
                "wait": (100 + number) * (factor if name == "schedqos" else 1)}} for number in range(rounds)
                for name in ("default", "schedqos")]
            self.assertIn(want, conclusion.of(made, report_figures.all_lines(made)))
        for each in made["rounds"]:
            each["notes"] = ["the machine was nearly idle: where nobody waits, the service changes nothing"]
        self.assertIn("so little to do", conclusion.of(made, report_figures.all_lines(made)))


class Cyclictest(unittest.TestCase):
    def test_hackbench_grows_with_the_machine(self):
        self.assertEqual(defaults("cyclictest")[1].hackbench_groups, max(2, len(os.sched_getaffinity(0))))

    def test_the_announced_commands(self):
        module, options = defaults("cyclictest", "--hackbench-groups", "2")
        commands = module.commands(options, 30)
        self.assertEqual(" ".join(commands["hackbench"]), "hackbench -T -p -l 60000 -g 2")
        self.assertEqual(" ".join(commands["cyclictest"]), "nice -n 0 cyclictest -t 1 -i 1777 -D 30 -h 20000 -q")
        self.assertEqual(module.config(options), {"hackbench": {"qos": "QOS_BACKGROUND"},
                                                  "cyclictest": {"qos": "QOS_USER_INTERACTIVE"}})

    def test_announced_summary(self):
        found = scenarios.load("cyclictest").parse(
            "# Histogram\n000003 000001\n000062 000002\n# Total: 000000003\n# Min Latencies: 00004\n"
            "# Avg Latencies: 00062\n# Max Latencies: 04426\n# Histogram Overflows: 00000\n")
        self.assertEqual(found["printed"], {"min": 4, "avg": 62, "max": 4426})
        self.assertEqual(found["notes"], [])
        self.assertEqual(found["distribution"]["points"], [[3, 1], [62, 2]])

    def test_threads_are_taken_together_and_what_lies_beyond_the_histogram_counts(self):
        found = scenarios.load("cyclictest").parse(recorded("cyclictest-two-threads.txt"))
        points = found["distribution"]["points"]
        self.assertEqual(found["printed"], {"min": 25, "avg": (3425 + 725) / 2, "max": 342160})
        self.assertEqual(points[-1], [342160, 227 + 439])
        self.assertIn("666 latencies beyond", found["notes"][0])
        self.assertEqual(points, sorted(points))
        self.assertEqual(found["metrics"]["p99.9"], 342160)

    def test_percentiles_are_those_of_the_histogram(self):
        rows = "".join(f"{value:06} {1 if value else 0:06}\n" for value in range(1001))
        found = scenarios.load("cyclictest").parse(
            "# Histogram\n" + rows + "# Min Latencies: 00001\n# Avg Latencies: 00500\n# Max Latencies: 01000\n"
            "# Histogram Overflows: 00000\n")
        self.assertEqual([found["metrics"][name] for name in ("p50", "p99", "p99.9")], [500, 990, 999])

    def test_an_output_that_is_cut_off_is_a_failure(self):
        text = recorded("cyclictest-two-threads.txt")
        with self.assertRaises(Failure):
            scenarios.load("cyclictest").parse(text[:text.index("# Max")])


class Schbench(unittest.TestCase):
    def test_the_announced_block(self):
        found = scenarios.load("schbench").parse(recorded("schbench-announced-default.txt"))
        metrics = found["metrics"]
        # What the announcement says in its own words.
        self.assertEqual([metrics[key] for key in ("wakeup_p50", "wakeup_p99", "wakeup_max", "request_p50", "request_p99",
                                                   "rps")], [1618, 4952, 11092, 12464, 36032, 1501.40])
        self.assertEqual(found["distributions"]["wakeup"], {
            "unit": "us", "kind": "percentiles", "min": 1, "max": 11092, "samples": 45018,
            "points": [[50.0, 1618], [90.0, 3580], [99.0, 4952], [99.9, 6760]]})

    def test_of_what_is_printed_in_between_the_last_counts(self):
        found = scenarios.load("schbench").parse(recorded("schbench-intervals.txt"))
        self.assertEqual(found["printed"]["wakeup"]["samples"], 66)
        self.assertEqual((found["metrics"]["wakeup_p90"], found["metrics"]["rps"]), (10352, 33.0))

    def test_an_output_that_is_cut_off_is_a_failure(self):
        text = recorded("schbench-intervals.txt")
        for end in ("average rps", "RPS percentiles"):
            with self.assertRaises(Failure):
                scenarios.load("schbench").parse(text[:text.index(end)])

    def test_it_is_got_and_built_and_its_commit_is_known(self):
        module = scenarios.load("schbench")
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(module, "FETCHED", Path(folder, "work", "schbench")):
            source = Path(folder, "source")
            source.mkdir()
            (source / "Makefile").write_text("schbench:\n\tcp /bin/true schbench\n", encoding="ascii")
            git = ["git", "-C", source, "-c", "user.name=x", "-c", "user.email=x@y", "-c", "maintenance.auto=false"]
            for argv in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
                subprocess.run([*git, *argv], check=True)
            commit = module.fetch(source)
            self.assertEqual(subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True,
                                            text=True).stdout.strip(), commit)
            with mock.patch.dict(os.environ):
                os.environ.pop("SCHBENCH", None)
                self.assertEqual(module.program(), str(module.FETCHED / "schbench"))
                self.assertEqual(environment.versions("true", [module.program()])["schbench"], f"git {commit}")
            with self.assertRaisesRegex(Failure, "git clone"):
                module.fetch(Path(folder, "nowhere"))

    def test_its_own_options_are_passed_on(self):
        module, options = defaults("schbench", "--schbench-args", "-m 2 -t '8'")
        self.assertEqual(module.commands(options, 9)["schbench"][1:], ["-r", "9", "-m", "2", "-t", "8"])

    def test_the_announced_rules(self):
        module, options = defaults("schbench")
        self.assertEqual(module.config(options), {
            "make": {"qos": "QOS_BACKGROUND"}, "gcc": {"qos": "QOS_BACKGROUND"}, "cc1": {"qos": "QOS_BACKGROUND"},
            "schbench": {"thread_qos": {"schbench-msg": "QOS_USER_INTERACTIVE",
                                        "schbench-worker": "QOS_USER_INITIATED"}}})
