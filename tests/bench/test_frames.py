# SPDX-License-Identifier: GPL-2.0-only
"""The scenario frames: what its loops measure, and the groups that its layouts make."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import case
from case import Folder
from schedqos_bench import folders, layouts
from schedqos_bench.process import Failure
from schedqos_bench.scenarios import frames

NUMBERS = '"samples": 3, "p50": 1, "p99": 2.5, "p99.9": 3, "max": 3, "bins": [[1, 2], [3, 1]]'
PRINTED = f'{{"left_out": 4, "wakeup": {{{NUMBERS}}}, "done": {{{NUMBERS}}}}}\n'


def options(*arguments):
    return case.options((frames, frames.kernel_build), *arguments)


class Tool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="schedqos-test-")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.tool = os.path.join(folder, "periodic")
        case.compile_tool(cls.tool, ("periodic.c", "bench.c", "histogram.c"), (*case.SANITIZED, "-lutil"))

    def measure(self, *arguments):
        run = subprocess.run([self.tool, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return frames.parse(run.stdout)

    def test_it_is_done_after_its_work(self):
        found = self.measure(20000, 3000, 1)
        self.assertGreaterEqual(found["done"]["min"], 3000)

    def test_only_its_seconds_count(self):
        self.assertLessEqual(self.measure(20000, 100, 1)["done"]["samples"], 50)

    def test_what_is_due_meanwhile_is_left_out(self):
        found = self.measure(10000, 35000, 1)
        self.assertGreaterEqual(found["left_out"], 3 * found["done"]["samples"])

    def test_work_may_be_iterations(self):
        rate = int(subprocess.run([self.tool, "calibrate"], capture_output=True, text=True, timeout=60, check=True).stdout)
        self.assertGreater(rate, 0)
        # Five times as much as would do: the rate is too low if other programs disturbed the calibration.
        found = self.measure("-i", 200 * rate, 10000, 1, 4)
        self.assertGreaterEqual(found["left_out"], 3 * found["done"]["samples"])
        argv = frames.commands(options("--frames-rate", "7000"), 8)["frames"]
        self.assertEqual(argv[:5], ["bench-frames", "-i", "28000", "16667", "4000"])

    def test_a_shell_answers(self):
        found = self.measure(50000, 2000, 1, "pty")
        self.assertGreaterEqual(found["done"]["min"], 2000)


class Scenario(unittest.TestCase):
    def test_each_layout_has_all_metrics(self):
        given = options("--frames-layouts", "flat,session")
        found = frames._values({name: json.loads(PRINTED) for name in frames.LOOPS},
                               {"build_cpu": 1.5, "build_objects": 9}, 2)
        self.assertEqual(frames.metrics(given).keys(),
                         {f"{key}_{layout}" for key in found for layout in ("flat", "session")})
        self.assertEqual((found["frames_wakeup_p99"], found["sound_late"], found["build_cpu"]), (2.5, 2, 1.5))

    def test_layouts_share_the_time(self):
        self.assertEqual(frames.commands(options(), 32)["frames"], ["bench-frames", "16667", "4000", "8"])
        self.assertEqual(frames.commands(options(), 32)["shell"], ["bench-shell", "150000", "500", "8", "pty"])
        with self.assertRaises(SystemExit), open(os.devnull, "w") as null, contextlib.redirect_stderr(null):
            options("--frames-layouts", "flat,round")

    def test_autogroup_stays_as_it_is(self):
        self.assertEqual(frames.config(None)["schedqos"], {"autogroup": "keep"})

    def test_no_result(self):
        for text in ("", "x", "{}", PRINTED.replace('"samples": 3', '"samples": 0')):
            with self.assertRaises(Failure):
                frames.parse(text)


class Layouts(Folder):
    def made(self, layout, unified, systemd="/nonexistent", daemon=(), weight=None):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        stack.enter_context(mock.patch.object(layouts, "hierarchy", return_value=(self.folder, unified)))
        stack.enter_context(mock.patch.object(layouts, "_SYSTEMD", Path(systemd)))
        return stack, stack.enter_context(layouts.made(layout, daemon, weight))

    def test_v2_gets_its_controller_where_it_lacks_it_and_loses_it_again(self):
        knob = self.folder / "cgroup.subtree_control"
        knob.write_text("memory\n", encoding="ascii")
        made = Path.mkdir

        def mkdir(path, **arguments):
            made(path, **arguments)
            (path / "cgroup.subtree_control").write_text("cpu\n", encoding="ascii")
            self.addCleanup((path / "cgroup.subtree_control").unlink, missing_ok=True)
        with mock.patch.object(Path, "mkdir", mkdir):
            stack, _ = self.made("session", True)
        self.assertEqual(knob.read_text(encoding="ascii"), "+cpu")
        for path in self.folder.rglob("schedqosbench/**/cgroup.subtree_control"):
            path.unlink()
        stack.close()
        self.assertEqual(knob.read_text(encoding="ascii"), "-cpu")

    def test_weights(self):
        for unified, given in ((True, {"user/cpu.weight": "244", "user/session/cpu.weight": "300"}),
                               (False, {"user/cpu.shares": "2498", "user/session/cpu.shares": "3072"})):
            written = {}
            with mock.patch.object(layouts, "write", lambda path, text, to=written: to.update({path: text})), \
                    mock.patch.object(layouts, "_control"):
                stack, _ = self.made("session", unified, weight=300)
                stack.close()
            self.assertEqual(written, {self.folder / "schedqosbench" / name: text for name, text in given.items()})
        called = []
        with mock.patch.object(layouts, "_systemctl", lambda *arguments: called.append(arguments)):
            stack, _ = self.made("session", False, systemd="/", weight=300)
            stack.close()
        weights = {arguments[2]: arguments[3] for arguments in called if arguments[0] == "set-property"}
        self.assertEqual(weights["schedqosbench-user.slice"], "CPUWeight=244")
        self.assertEqual(weights["schedqosbench-user-session.slice"], "CPUWeight=300")
        self.assertEqual(weights["schedqosbench-user-app.slice"], "CPUWeight=100")

    def test_the_session_weighs_as_in_the_shipped_configuration(self):
        shipped = (folders.CONFIGS / "schedqos.json").read_text(encoding="utf-8")
        self.assertIn(f'"session.slice": {layouts.SESSION_WEIGHT}\n', shipped)

    def test_a_program_is_in_its_group(self):
        """And so are the daemon and what it forks there, until the end. Systemd's slices: tests/vm/guest/boot.py."""
        if os.geteuid() or not layouts.can_be_made():
            self.skipTest("needs root and the cgroup cpu controller")
        daemon = subprocess.Popen(["sh", "-c", "echo; read -r _; sleep 1000 & echo $!; wait"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(daemon.communicate)
        self.addCleanup(daemon.kill)
        daemon.stdout.readline()

        def group(pid):
            return Path(f"/proc/{pid}/cgroup").read_text(encoding="ascii")
        before = group(daemon.pid)
        with layouts.made("apps", [daemon.pid]) as prefix:
            with subprocess.Popen([*prefix("build"), "sh", "-c", "echo $$; cat /proc/self/cgroup"], stdout=subprocess.PIPE,
                                  text=True) as program:
                # The same process: it is what is started, and ended, as before.
                self.assertEqual(program.stdout.readline(), f"{program.pid}\n")
                self.assertRegex(program.stdout.read(), "(?m):/.*schedqosbench(-user-app-|/user/app/)build")
            print("\n", file=daemon.stdin, flush=True)
            child = int(daemon.stdout.readline())
            self.addCleanup(os.kill, child, signal.SIGKILL)
            if not layouts._SYSTEMD.is_dir():
                for pid in daemon.pid, child:
                    self.assertIn("/schedqosbench/daemon", group(pid))
        self.assertEqual([group(pid) for pid in (daemon.pid, child)], [before] * 2)
        if not layouts._SYSTEMD.is_dir():
            self.assertFalse((layouts.hierarchy()[0] / "schedqosbench").exists())
