# SPDX-License-Identifier: GPL-2.0-only
"""
The log on stderr has a line for each thing that matters, none for each task, and no escape sequences from outside.
"""

import json
import os
import re
import signal

from attributes import BACKGROUND, UI, has_clamp, has_slice
from daemon import schedqos
from harness import LiveTest
from programs import sleep_program
from waiting import wait_for


class Lines(LiveTest):
    def test_without_v_no_task_is_logged(self):
        daemon = self.daemon({"app": {"qos": BACKGROUND}})
        for _ in range(20):
            self.assert_carries(self.sleeper("app"), BACKGROUND)
        daemon.reload()
        daemon.stop()
        lines = daemon.log().splitlines()
        self.assertEqual([line for line in lines if "QOS_" in line or BACKGROUND in line], [])
        missing = (not has_slice()) + (not has_clamp())
        self.assertEqual(len(lines), 3 + missing, lines)
        self.assertRegex(lines[missing], r"^schedqos: schedqos \S+ is listening: 2 rules, \d+ tasks, \d+ changed$")
        self.assertRegex(lines[missing + 1], r"^schedqos: reloaded: 2 rules in force, attributes of \d+ tasks? changed, "
                         r"mapping \S+ \(built in\)$")
        self.assertRegex(lines[missing + 2], r"^schedqos: stopped: \d+ tasks? put back$")

    def test_v_logs_each_task_that_is_set(self):
        """Tasks that already run at the start have no line, and the stop logs none."""
        # Known by the name of the program: arguments may be read later, on a slow machine.
        apps = [self.run_program([self.alias("app"), "1000"]) for _ in range(20)]
        daemon = self.daemon({"app": {"qos": BACKGROUND}}, args=["-v"])
        app = self.sleeper("app")
        self.assert_carries(app, BACKGROUND)
        daemon.stop()
        lines = daemon.log()
        self.assertEqual([app.pid for app in apps if "schedqos: %d " % app.pid in lines], [])
        self.assertRegex(lines, r"(?m)^schedqos: %d \S+: QOS_BACKGROUND \(rule\): SCHED_BATCH nice 4" % app.pid)

    def test_lines_for_the_journal_have_their_level(self):
        daemon = self.prepare({"app": {"qos": BACKGROUND}})
        with open(daemon.stderr, "wb") as file:
            status = os.fstat(file.fileno())
        # systemd sets this if stderr is connected to the journal.
        daemon.environ = {"JOURNAL_STREAM": "%d:%d" % (status.st_dev, status.st_ino)}
        daemon.start()
        daemon.reload({"app": {"qos": 1}})
        self.assertRegex(daemon.log(), r"(?m)^<6>schedqos \S+ is listening: ")
        self.assertRegex(daemon.log(), r"(?m)^<3>\S+json:\d+:\d+: app\.qos: ")
        self.assertRegex(daemon.log(), r"(?m)^<3>reload refused: ")

    def test_the_level_error_logs_nothing_else(self):
        daemon = self.daemon({"schedqos": {"log": "error"}})
        daemon.reload()
        daemon.stop()
        self.assertEqual([line for line in daemon.log().splitlines() if "no util clamp" not in line], [])

    def test_a_problem_that_repeats_is_counted(self):
        """Twenty refusals make two lines. The kernel refuses SCHED_DEADLINE for a task that may not run on all CPUs."""
        if os.cpu_count() < 2:
            self.skipTest("a single CPU")
        daemon = self.daemon({"QOS_RT": {"sched_policy": "SCHED_DEADLINE", "sched_runtime": 1000000,
                                         "sched_deadline": 1000000000, "sched_period": 1000000000},
                              "app": {"qos": "QOS_RT"}})
        for _ in range(20):
            self.sleeper("app", preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
        wait_for(lambda: sum(daemon.status()["refused"].values()) >= 20, "twenty refusals")
        daemon.sync()
        status = daemon.status()
        count = sum(status["refused"].values())
        self.assertEqual(list(status["problems"].values()), [count])
        daemon.stop()
        self.assertEqual(len(re.findall(r"refuses SCHED_DEADLINE", daemon.log())), 2, daemon.log())
        self.assertIn("happened %d times: " % count, daemon.log())


class Names(LiveTest):
    EVIL = ["new\nline", "\x1b[31mred", "\xff\xfe", "tab\tcr\r", "back\\slash", "\xe2\x80\xae right",
            "schedqos: fake", "%s%n%x", "\x01", "\x7f", "fifteen-bytes-x", "fourteen-bytes\xc3", "]0;t\x07"]

    def test_names_of_tasks_do_not_break_lines_of_the_log(self):
        # The class of each differs from its parent's, so that it is set, and named in a line.
        daemon = self.daemon({"app": {"qos": BACKGROUND, "thread_qos": {"[!a]*": UI}}, "x*": {"qos": BACKGROUND},
                              "slash": {"qos": BACKGROUND}},
                             args=["-v"])
        app = self.puppet("app")
        for name in self.EVIL:
            self.assert_carries(app.tell(0, "thread", name)[1], UI)
        for name in self.EVIL:
            path = os.path.join(os.fsencode(self.folder), b"x" + name.encode("latin-1").replace(b"/", b""))
            os.symlink(sleep_program(), path)
            self.assert_carries(self.run_program([path, "1000"]), BACKGROUND)
        daemon.stop()
        with open(daemon.stderr, "rb") as file:
            raw = file.read()
        raw.decode("utf-8")
        self.assertEqual(re.findall(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]", raw), [])
        for line in raw.splitlines():
            self.assertTrue(line.startswith(b"schedqos: "), line)
        self.assertNotIn(b"schedqos: fake\n", raw)
        self.assertIn(b"new\\nline", raw)
        self.assertIn(b"\\x1b[31mred", raw)
        self.assertIn(b"\\xff\\xfe", raw)
        self.assertIn(b"back\\\\slash", raw)

    def test_verbs_print_hostile_names_safely(self):
        """With hostile names in tasks and rules, verbs print text, and valid JSON where they promise it."""
        rules = {name: {"qos": BACKGROUND, "thread_qos": {name: UI}} for name in self.EVIL
                 if name.isprintable() or ord(max(name)) < 128}
        daemon = self.daemon(rules)
        for name in rules:
            app = self.puppet()
            app.tell(0, "name", name)
            self.run_program([name, "1000"], sleep_program())
        daemon.sync()
        outputs = [schedqos(*args) for args in (["status"], ["status", "--json"], ["check", "--config", daemon.config],
                                                ["check", "--print", "--config", daemon.config], ["doctor"],
                                                ["doctor", "--json"], ["sched_profile"], ["list"], ["top"])]
        for output in outputs:
            self.assertNotRegex(output.stdout + output.stderr, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]",
                                output.args)
        printed = json.loads(outputs[3].stdout)
        self.assertEqual({name for name in rules if name not in printed}, set())
        json.loads(outputs[1].stdout)
        json.loads(outputs[5].stdout)

    def test_a_path_that_is_not_utf_8_does_not_break_status(self):
        """Bytes that are not UTF-8 do not make status fail."""
        odd = os.path.join(os.fsencode(self.folder), b"odd\xff\n\x1b.json")
        with open(odd, "w", encoding="ascii") as file:
            file.write('{"app": {"qos": "QOS_BACKGROUND"}}')
        daemon = self.daemon(args=["--config", odd])
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        self.assertEqual(daemon.status()["rules"], 2)
        with open(odd, "w", encoding="ascii") as file:
            file.write('{"app": 1}')
        daemon.popen.send_signal(signal.SIGHUP)
        wait_for(lambda: daemon.status()["reloads_failed"] == 1, "the reload")
        self.assertNotIn("\x1b", daemon.log())
