# SPDX-License-Identifier: GPL-2.0-only
"""A change on a task of a rule that enforces is undone at once; if changes go on, once a second."""

import json
import os
import subprocess
import sys

from attributes import BACKGROUND, BATCH, IDLE, MS, UI, set_attr
from daemon import schedqos, without
from harness import LiveTest
from tasks import open_files
from waiting import wait_for

ALWAYS = {"app": {"qos": UI, "enforce": True, "thread_qos": {"bg": BACKGROUND}}}
NEITHER = {"app": {"qos": UI}}
# A prefix for a daemon without tracefs, which it cannot mount either.
NO_TRACEFS = ["unshare", "-m", "--propagation", "private", "sh", "-ec",
              'for folder in /sys/kernel/tracing /sys/kernel/debug; do\n'
              '    [ ! -d $folder ] || mount -t tmpfs none $folder\n'
              'done\n'
              'exec setpriv --bounding-set -sys_admin "$@"', "sh"]


class EnforceTest(LiveTest):
    def enforcing(self, config):
        """Starts a daemon that is told of changes."""
        daemon = self.daemon(config)
        if daemon.status()["attribute_changes"] == "polled":
            self.skipTest("changes cannot be heard here: " + daemon.log())
        self.assertEqual(daemon.status()["attribute_changes"], "heard")
        return daemon

    def app(self, **options):
        """Starts a process of the class, which the test changes from now on."""
        app = self.sleeper("app", **options)
        self.assert_carries(app, UI)
        self.current.changed.add(app.pid)
        return app

    def own_app(self):
        """Starts a process that can change itself."""
        app = self.puppet("app")
        self.assert_carries(app, UI)
        self.current.changed.add(app.pid)
        return app


class Enforce(EnforceTest):
    def test_a_change_by_another_process_is_put_back(self):
        daemon = self.enforcing(ALWAYS)
        app = self.app()
        for change in (lambda: os.setpriority(os.PRIO_PROCESS, app.pid, 7),
                       lambda: os.sched_setscheduler(app.pid, os.SCHED_BATCH, os.sched_param(0)),
                       lambda: set_attr(app.pid, IDLE),
                       lambda: set_attr(app.pid, BATCH, 3, 5 * MS)):
            change()
            self.assert_carries(app, UI)
        self.assertGreaterEqual(daemon.status()["put_back"], 4)
        self.assertGreaterEqual(daemon.status()["changes"], 4)
        self.assertRegex(daemon.log(), r"task %d of process %d \(.*\): put back a change by .*process %d \(" % (app.pid, app.pid, os.getpid()))
        self.assertEqual(daemon.log().count("put back a change"), 1)
        self.assertIn("put back ", schedqos("status").stdout)

    def test_a_change_of_a_process_group_is_put_back(self):
        self.enforcing(ALWAYS)
        app = self.app(start_new_session=True)
        os.setpriority(os.PRIO_PGRP, app.pid, 7)
        self.assert_carries(app, UI)
        wait_for(lambda: self.current.status()["put_back"], "a change put back")

    def test_a_change_by_the_task_itself_is_put_back(self):
        self.enforcing(ALWAYS)
        app = self.own_app()
        number, tid = app.tell(0, "thread")
        self.assert_carries(tid, UI)
        self.current.changed.add(tid)
        for thread in (0, number):
            app.tell(thread, "nice", 7)
        self.assert_carries(app, UI)
        self.assert_carries(tid, UI)

    def test_a_change_by_a_process_in_a_container_is_put_back(self):
        """A process in a container has other ids for its tasks."""
        unshare = ["unshare", "--pid", "--fork", "--kill-child"]
        self.need(unshare)
        self.enforcing(ALWAYS)
        outside = self.run_program([*unshare, self.alias("app"), "1000"])
        [inside] = wait_for(outside.descendants, "a process in its namespace")
        self.assert_carries(inside, UI)
        self.current.changed.add(inside)
        renice = [sys.executable, "-c", "import os, sys; os.setpriority(os.PRIO_PROCESS, 1, 7); sys.stdin.read()"]
        caller = self.run_program(["nsenter", "--pid", "--target", str(inside), *renice], stdin=subprocess.PIPE)
        wait_for(lambda: self.current.status()["put_back"], "a change put back")
        self.assert_carries(inside, UI)
        caller.end()


class Subscription(EnforceTest):
    def traced(self):
        return sum("perf_event" in file for file in open_files(self.current.pid).values())

    def test_changes_are_received_only_while_a_rule_enforces(self):
        daemon = self.daemon(NEITHER)
        self.assertEqual((daemon.status()["attribute_changes"], self.traced()), ("unused", 0))
        for config in (ALWAYS, {**ALWAYS, "other": {"qos": UI}}):
            self.assertEqual(daemon.reload(config).returncode, 0)
            if daemon.status()["attribute_changes"] != "heard":
                self.skipTest("changes cannot be heard here: " + daemon.log())
            self.assertGreater(self.traced(), 0)
            self.assertEqual(daemon.reload(NEITHER).returncode, 0)
            self.assertEqual((daemon.status()["attribute_changes"], self.traced()), ("unused", 0))

    def test_without_a_tracepoint_changes_are_put_back_once_a_second(self):
        self.need(NO_TRACEFS)
        daemon = self.daemon(ALWAYS, prefix=NO_TRACEFS)
        self.assertEqual(daemon.status()["attribute_changes"], "polled")
        self.assertIn("are not reported (tracefs is not mounted", daemon.log())
        app = self.own_app()
        app.tell(0, "nice", 7)
        self.assert_carries(app, UI)

    def test_doctor_reports_whether_the_daemon_receives_changes(self):
        """The daemon's service has fewer capabilities than the user of doctor."""
        prefix = without("perfmon", "sys_admin")
        self.need(prefix)
        for args in (prefix, []):
            daemon = self.daemon(ALWAYS, prefix=args)
            result = schedqos("doctor", "--json", *daemon.options())
            [state] = [finding["state"] for finding in json.loads(result.stdout)["findings"]
                       if finding["name"] == "hearing"]
            self.assertEqual(state, {"heard": "ok", "polled": "bad"}[daemon.status()["attribute_changes"]])
            daemon.stop()


del EnforceTest
