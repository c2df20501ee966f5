# SPDX-License-Identifier: GPL-2.0-only
"""Real runs: two short rounds to the end, and one that is interrupted. Root, rt-tests and the daemon are needed."""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

import requirements
from daemon import SCHEDQOS, TOP, schedqos
from schedqos_bench import attr, preparing, scenarios, tasks
from schedqos_bench.process import until
from waiting import PATIENCE

BENCH = os.path.join(TOP, "bench", "schedqos-bench")
MARK = "SCHEDQOS_BENCH_TEST"

# Longer than any test, which interrupts it.
LONG = ("run", "cyclictest", "--rounds", "1", "--duration", "3600", "--warmup", "0", "--variants", "schedqos",
        "--hackbench-groups", "1")


def why_not():
    reason = requirements.why_not()
    if reason:
        return reason
    missing = [name for name in ("cyclictest", "hackbench") if not shutil.which(name)]
    return f"needs {' and '.join(missing)} (package rt-tests)" if missing else None


def marked(mark):
    """The processes with the mark in their environment."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in Path(path).read_bytes().split(b"\0"):
                found.append(path)
        except OSError:
            pass
    return found


def comm(path):
    """Beside that path; None when the process is gone."""
    try:
        return Path(os.path.dirname(path), "comm").read_text(encoding="utf-8").strip()
    except OSError:
        return None


class Runs(unittest.TestCase):
    def setUp(self):
        reason = why_not()
        if reason:
            self.skipTest(reason)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out, self.mark = Path(folder.name) / "out", uuid.uuid4().hex
        self.before = tasks.snapshot()

    def start(self, *arguments, **environment):
        argv = [sys.executable, BENCH, *arguments, "--out", str(self.out), "--build", os.path.dirname(SCHEDQOS)]
        run = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env={**os.environ, MARK: self.mark, "TMPDIR": str(self.out.parent), **environment})
        self.addCleanup(self.end, run)
        return run

    def end(self, run):
        if run.poll() is None:
            run.terminate()
            run.communicate()

    def result(self):
        return json.loads((self.out / "result.json").read_text(encoding="utf-8"))

    def check_nothing_is_left(self):
        self.assertEqual(marked(self.mark), [])
        self.assertNotEqual(schedqos("status").returncode, 0)
        now = tasks.snapshot()
        left = {tid: now[tid] for tid in tasks.changed(self.before, now) if now[tid].attr in attr.CLASSES.values()}
        self.assertEqual(left, {})

    def test_two_rounds(self):
        run = self.start("run", "cyclictest", "--rounds", "2", "--duration", "1", "--warmup", "1", "--seed", "5",
                         "--hackbench-groups", "1")
        output, errors = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 0, errors)
        result = self.result()
        self.assertTrue(result["finished"])
        self.assertEqual(result["seed"], 5)
        self.assertIn("seed 5", errors)
        counted = [each for each in result["rounds"] if not each["warmup"]]
        self.assertEqual(sorted((each["variant"], each["round"]) for each in counted),
                         [("default", 1), ("default", 2), ("schedqos", 1), ("schedqos", 2)])
        self.assertEqual(len(result["rounds"]), 6)
        for each in result["rounds"]:
            with self.subTest(variant=each["variant"], round=each["round"]):
                self.assertGreater(sum(count for _, count in each["distributions"]["latency"]["points"]), 0)
                self.assertGreater(each["metrics"]["hackbench_cpu"], 0)
                self.assertEqual(each["daemon"] is None, each["variant"] == "default")
                self.assertFalse([note for note in each["notes"] if "put them back" in note])
        self.assertEqual([os.path.basename(line) for line in output.split()], ["report.md", "report.html"])
        self.check_nothing_is_left()

    @unittest.skipUnless(os.environ.get("BENCH_STORMS"), "BENCH_STORMS is not set: make check-long does")
    def test_the_scenario_of_storms(self):
        if not (Path(SCHEDQOS).parent / "bench" / "bench-listener").exists():
            self.skipTest("needs its tools: make bench-tools")
        run = self.start("run", "events", "--rounds", "1", "--duration", "1", "--warmup", "0")
        _, errors = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 0, errors)
        rounds = {each["variant"]: each for each in self.result()["rounds"]}
        self.assertEqual(sorted(rounds), sorted(scenarios.load("events").VARIANTS.split(",")))
        self.assertEqual([key for key, value in rounds["schedqos"]["metrics"].items() if value is None], [])
        self.check_nothing_is_left()

    def test_the_workload_gets_its_classes(self):
        run = self.start(*LONG)

        def found(name):
            return [attr.get(int(path.split("/")[2])) for path in marked(self.mark) if comm(path) == name]

        def tagged():
            self.assertIsNone(run.poll(), "it has ended")
            return found("cyclictest") == [attr.CLASSES["QOS_USER_INTERACTIVE"]] and \
                found("hackbench") == [attr.CLASSES["QOS_BACKGROUND"]]
        if not attr.has_slices():
            self.skipTest("this kernel keeps no slices")
        until(tagged, PATIENCE * 3, "cyclictest and hackbench are tagged", interval=0.1)
        self.interrupt(run, signal.SIGTERM)
        self.check_nothing_is_left()

    def interrupt(self, run, number):
        run.send_signal(number)
        _, errors = run.communicate(timeout=PATIENCE * 10)
        self.assertEqual(run.returncode, 128 + number, errors)
        self.assertFalse(self.result()["finished"])

    def prepared(self):
        """A run that has turned autogroup off and measures."""
        if not preparing.AUTOGROUP.exists():
            self.skipTest("this kernel has no autogroup")
        was = preparing.AUTOGROUP.read_text(encoding="ascii")
        self.addCleanup(preparing.AUTOGROUP.write_text, was, encoding="ascii")
        preparing.AUTOGROUP.write_text("1", encoding="ascii")
        run = self.start(*LONG, "--prepare")
        until(lambda: run.poll() is not None or glob.glob(str(self.out / "raw" / "*-cyclictest.txt")),
              PATIENCE * 3, "cyclictest runs", interval=0.1)
        self.assertIsNone(run.poll(), "it has ended")
        self.assertEqual(preparing.AUTOGROUP.read_text(encoding="ascii").strip(), "0")
        return run

    def test_ctrl_c_puts_everything_back(self):
        self.interrupt(self.prepared(), signal.SIGINT)
        self.assertEqual(preparing.AUTOGROUP.read_text(encoding="ascii").strip(), "1")
        self.check_nothing_is_left()

    def test_so_does_its_death(self):
        run = self.prepared()
        run.kill()
        run.communicate()
        until(lambda: not marked(self.mark), PATIENCE * 3, "the end of all that it has started", interval=0.1)
        self.assertEqual(preparing.AUTOGROUP.read_text(encoding="ascii").strip(), "1")
        self.check_nothing_is_left()

    def test_a_daemon_that_is_killed_gives_no_result_and_leaves_nothing(self):
        run = self.start("run", "cyclictest", "--rounds", "1", "--duration", "15", "--warmup", "0",
                         "--variants", "schedqos", "--hackbench-groups", "1")
        until(lambda: run.poll() is not None or glob.glob(str(self.out / "raw" / "*-cyclictest.txt")),
              PATIENCE * 3, "cyclictest runs", interval=0.1)
        os.kill(json.loads(schedqos("status", "--json").stdout)["pid"], signal.SIGKILL)
        _, errors = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 1, errors)
        self.assertIn("the daemon has ended during the round", errors)
        self.check_nothing_is_left()
        self.assertIn("nothing to put back", schedqos("restore").stderr)

    def test_what_is_missing_is_named_and_77_is_the_status(self):
        empty = self.out.with_name("empty")
        empty.mkdir()
        run = subprocess.run([sys.executable, BENCH, "run", "cyclictest"], env={"PATH": str(empty)},
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 77)
        self.assertIn("cyclictest is left out: needs cyclictest (package rt-tests), hackbench (package rt-tests)",
                      run.stderr)
