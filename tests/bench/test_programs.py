# SPDX-License-Identifier: GPL-2.0-only
"""Programs beside each other: started again, accounted for, and gone with all that they have started."""

import os
import signal
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from case import Folder
from schedqos_bench import accounting, programs
from schedqos_bench.process import Failure, Program, adopt_orphans, end_group, nothing_left, until
from schedqos_bench.programs import Background, measure


class Interruption(unittest.TestCase):
    def test_what_was_about_to_start_ends_as_well(self):
        def interrupted():
            self.child = subprocess.Popen(["sleep", "1000"])  # pylint: disable=consider-using-with
            raise SystemExit(130)
        with self.assertRaises(SystemExit), nothing_left():
            interrupted()
        with self.assertRaises(ChildProcessError):
            os.waitpid(self.child.pid, os.WNOHANG)
        self.child.returncode = 0


class Programs(Folder):
    def setUp(self):
        adopt_orphans()
        super().setUp()

    def path(self, name):
        return str(self.folder / name)

    def test_a_group_ends_with_its_orphans(self):
        # The shell in between has gone, so that nobody waits for its child but us.
        with Program(["sh", "-c", "sh -c 'sleep 1000 & echo'; exec sleep 1000"], whole_group=True,
                     stdin=subprocess.DEVNULL) as program:
            program.read_line()
            until(lambda: len(accounting.group(program.pid)) == 2, 30, "two sleepers")
            end_group(program)
            self.assertEqual(accounting.group(program.pid), {})

    def test_what_is_measured_is_measured_to_its_end(self):
        with Background(["sleep", "1000"], self.path("beside")) as beside:
            text = measure(["sh", "-c", "echo one; echo two >&2"], self.path("out"), 1, beside=[beside])
            self.assertEqual((text, beside.restarts), ("one\ntwo\n", 0))
        self.assertEqual(accounting.group(beside.pid), {})
        self.assertEqual(Path(self.path("out")).read_text(encoding="utf-8"), "one\ntwo\n")

    def test_what_runs_beside_it_is_started_again(self):
        os.mkfifo(self.path("fifo"))
        # Each run lets the measuring program go on by a line; of three lines, two are of later runs. The last may find that
        # nobody reads any more.
        again = ["sh", "-c", f"trap '' PIPE; echo x > {self.path('fifo')} || :"]
        cleaned = []
        with Background(again, self.path("beside"), before_restart=lambda: cleaned.append(1)) as beside:
            # Opened once, and to be written as well: no line is lost between two openings, and none is an end.
            read = f"exec 3<> {self.path('fifo')}; for i in 1 2 3; do read x <&3; echo $x; done"
            self.assertEqual(measure(["sh", "-c", read], self.path("out"), 1, beside=[beside]), "x\nx\nx\n")
            self.assertGreaterEqual(beside.restarts, 2)
            self.assertEqual(len(cleaned), beside.restarts)
            self.assertEqual(len(beside.lasted), beside.restarts)

    def test_a_load_that_does_not_listen_to_sigterm_is_killed(self):
        script = "trap '' TERM; echo up; while :; do sleep 1000; done"
        with mock.patch.object(programs, "LOAD_STOP_TIMEOUT", 0.1), \
                open(self.path("out"), "w", encoding="utf-8") as file:
            with programs._start(["sh", "-c", script], file) as program:
                until(lambda: os.path.getsize(self.path("out")), 30, "it is up")
                program.end()
                self.assertEqual(program.process.returncode, -signal.SIGKILL)

    def test_who_fails_is_named(self):
        with self.assertRaisesRegex(Failure, r"sh fails \(status 3\):\nbad\n"):
            measure(["sh", "-c", "echo bad; exit 3"], self.path("out"), 1)
        with self.assertRaisesRegex(Failure, r"false fails \(status 1\)"):
            with Background(["false"], self.path("beside")) as beside:
                measure(["sleep", "1000"], self.path("out"), 1, beside=[beside])
