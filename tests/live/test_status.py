# SPDX-License-Identifier: GPL-2.0-only
"""What status, reload and the start say of what was done."""

import os
import re
import shutil
import signal
import subprocess

import openmetrics
from daemon import SCHEDQOS, environment, schedqos
from harness import LiveTest, main
from waiting import PATIENCE, wait_for

UTILITY, BACKGROUND = "QOS_UTILITY", "QOS_BACKGROUND"
WELL = r"well: \d+ tasks? in \d+ class(es)?, nothing lost, nothing refused"


def first_line():
    return schedqos("status").stdout.split("\n")[0]


class FirstLine(LiveTest):
    def test_all_is_well_until_it_is_not(self):
        daemon = self.daemon({"app": {"qos": UTILITY}})
        self.assert_carries(self.sleeper("app"), UTILITY)
        self.assertRegex(first_line(), "^%s$" % WELL)
        daemon.configure('{"app": {"qos": "QOS_NONE"}}')
        self.assertEqual(daemon.reload().returncode, 78)
        self.assertRegex(first_line(), r"^not well: the last reload was refused; \d+ tasks? in \d+ class(es)?$")
        daemon.reload({"schedqos": {"mapping": "announcement"}, "app": {"qos": UTILITY}})
        self.assertRegex(first_line(), "^%s$" % WELL)
        self.assertRegex(schedqos("status").stdout, r"(?m)^mapping +announcement$")

    def test_the_mapping_in_force(self):
        self.daemon({"schedqos": {"mapping": "mine"}}, layers={"mappings/mine.json": {"QOS_UTILITY": {"sched_nice": 3}}})
        self.assertRegex(schedqos("status").stdout, r"(?m)^mapping +mine$")


class WhatWasDone(LiveTest):
    def test_reload_says_what_it_changed(self):
        daemon = self.daemon({"app": {"qos": UTILITY}, "other": {}})
        app = self.sleeper("app")
        self.assert_carries(app, UTILITY)
        done = daemon.reload({"app": {"qos": BACKGROUND}, "new": {}, "QOS_MINE": {"sched_nice": 1}})
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"^schedqos: 3 rules in force \(1 new, 1 changed, 1 removed, "
                                      r"1 setting or class changed\), [1-9]\d* tasks? changed\n$")
        self.assert_carries(app, BACKGROUND)
        self.assertIn("reloaded: " + done.stderr[len("schedqos: "):], daemon.log())
        # Nothing is new, and no task of ours is changed; of others nobody knows.
        self.assertRegex(daemon.reload().stderr, r"^schedqos: 3 rules in force, \d+ tasks? changed\n$")

    def test_start_says_it_in_the_background(self):
        daemon = self.prepare({"app": {}})
        self.addCleanup(lambda: schedqos("stop"))
        result = schedqos("start", "-d", *daemon.options())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"(?m)^schedqos: 2 rules in force, \d+ tasks known, \d+ changed$")
        self.current = None


class Metrics(LiveTest):
    def read(self):
        result = schedqos("status", "--metrics")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout, openmetrics.parse(result.stdout)[0]

    def test_it_is_openmetrics(self):
        self.daemon({"app": {"qos": UTILITY}})
        self.assert_carries(self.sleeper("app"), UTILITY)
        text, samples = self.read()
        self.assertEqual(samples["schedqos_up", ()], 1)
        self.assertEqual(samples["schedqos_rules", ()], 2)
        self.assertGreaterEqual(samples["schedqos_tasks", (("class", UTILITY),)], 1)
        self.assertGreaterEqual(samples["schedqos_execs_total", ()], 1)
        self.assertGreater(samples["schedqos_start_time_seconds", ()], 1e9)
        self.assertIn("# UNIT schedqos_cpu_seconds seconds\n", text)
        names = {name for name, _ in samples}
        self.assertEqual([name for name in names if not name.startswith("schedqos_")], [])

    def test_others_take_it(self):
        """The reference parser, and that of Prometheus, where they are installed."""
        self.daemon({"app": {"qos": UTILITY}})
        text, samples = self.read()
        try:
            from prometheus_client.openmetrics import parser  # pylint: disable=import-outside-toplevel
        except ImportError:
            parser = None
        if parser:
            theirs = {(sample.name, tuple(sorted(sample.labels.items()))) for family in
                      parser.text_string_to_metric_families(text) for sample in family.samples}
            self.assertEqual(theirs, set(samples))
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True,
                                     check=False)
            # It takes the older format, and has opinions about names: what it cannot parse is said so.
            self.assertNotIn("parsing", checked.stderr)
        if not parser and not shutil.which("promtool"):
            self.skipTest("neither python3-prometheus-client nor promtool is installed")

    def test_without_a_daemon(self):
        result = schedqos("status", "--metrics")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(openmetrics.parse(result.stdout)[0], {("schedqos_up", ()): 0})

    def test_what_is_wrong_is_found(self):
        """The reader is strict: each of these is a mistake."""
        for text in ("schedqos_up 1\n# EOF\n", "# TYPE a gauge\n# HELP a x.\na 1\n", "# TYPE a gauge\na 1\n# EOF\n",
                     "# TYPE a counter\n# HELP a x.\na 1\n# EOF\n", '# TYPE a gauge\n# HELP a x.\na{b="\\x"} 1\n# EOF\n',
                     "# TYPE a gauge\n# HELP a x.\na 1\na 2\n# EOF\n", "# TYPE a gauge\n# HELP a x.\n\na 1\n# EOF\n",
                     "# TYPE a gauge\n# UNIT a bytes\n# HELP a x.\na 1\n# EOF\n"):
            with self.assertRaises(ValueError, msg=text):
                openmetrics.parse(text)


class Watch(LiveTest):
    def test_a_pipe_gets_frames(self):
        self.daemon()
        # In a file, which can be read while it is written.
        path = os.path.join(self.folder, "frames")
        with open(path, "w", encoding="utf-8") as out:
            watching = subprocess.Popen([SCHEDQOS, "status", "--watch"], stdout=out, stderr=subprocess.PIPE,
                                        env=environment())
        self.addCleanup(lambda: watching.poll() is None and watching.kill())

        def frames():
            with open(path, encoding="utf-8") as file:
                return re.split(r"\n\n", file.read())

        wait_for(lambda: len(frames()) > 1 and frames()[1], "a second frame")
        watching.send_signal(signal.SIGINT)
        self.assertEqual(watching.communicate(timeout=PATIENCE)[1], b"")
        for frame in frames()[:2]:
            self.assertRegex(frame, "^%s\n" % WELL)
            self.assertNotIn("\x1b", frame)

    def test_it_outlives_the_daemon(self):
        with subprocess.Popen([SCHEDQOS, "status", "--watch"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=environment(), text=True) as watching:
            try:
                self.assertIn("not running", watching.stdout.readline())
                self.daemon()
                while not re.match(WELL, line := watching.stdout.readline()):
                    self.assertTrue(line == "\n" or "not running" in line, line)
            finally:
                watching.kill()

    def test_forms_exclude_each_other(self):
        for args in (("--json", "--metrics"), ("--watch", "--json"), ("--metrics", "--watch")):
            self.assertEqual(schedqos("status", *args).returncode, 2, args)


if __name__ == "__main__":
    main()
