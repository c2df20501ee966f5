# SPDX-License-Identifier: GPL-2.0-only
"""list shows the class, reason and attributes of tasks that the test has made."""

import json
import os
import pwd

from attributes import BACKGROUND, DEFAULT, INITIATED, UTILITY, get_attr
from daemon import schedqos
from harness import LiveTest
from programs import Program, sleep_program
from tasks import comm
from waiting import wait_for

RULES = {"app": {"qos": BACKGROUND}, "threaded": {"qos": UTILITY, "thread_qos": {"fast": INITIATED}}}


def listed(*args):
    result = schedqos("list", "--json", *args)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


class List(LiveTest):
    def rows(self, pid, *args):
        return [row for row in listed(*args) if row["pid"] == pid]

    def row(self, pid, *args):
        row, = self.rows(pid, *args)
        return row

    def test_list_shows_classes_and_reasons_and_filters_them(self):
        self.daemon(RULES)
        app, plain = self.sleeper("app"), self.sleeper("plain")
        self.assert_carries(app, BACKGROUND)
        self.assert_carries(plain, DEFAULT)
        row = self.row(app.pid)
        attr = get_attr(app.pid)
        self.assertEqual([row[key] for key in ("class", "app", "reason", "uid", "user", "threads", "nice", "differs")],
                         [BACKGROUND, "app", "rule", 0, pwd.getpwuid(0).pw_name, 1, attr.nice, False])
        self.assertEqual(row["name"], comm(app.pid).decode())
        if os.path.exists("/proc/self/schedstat"):
            self.assertGreater(row["run_ns"], 0)
        self.assertEqual([self.row(plain.pid)[key] for key in ("class", "reason")], [DEFAULT, "default"])
        for args in (["--class", BACKGROUND], ["--app", "ap?"]):
            self.assertEqual(len(self.rows(app.pid, *args)), 1, args)
            self.assertEqual(self.rows(plain.pid, *args), [], args)
        order = [row.get("class") for row in listed()]
        self.assertLess(order.index(DEFAULT), order.index(BACKGROUND))
        text = schedqos("list", "--class", BACKGROUND).stdout
        self.assertRegex(text, r"(?m)^QOS_BACKGROUND +%d .* rule +app " % app.pid)
        result = schedqos("list", "--class", "QOS_BACKGROND")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("no class 'QOS_BACKGROND' (did you mean 'QOS_BACKGROUND'?): there are QOS_", result.stderr)

    def test_list_shows_attributes_that_somebody_chose(self):
        daemon = self.daemon(RULES)
        app = self.sleeper("app")
        self.assert_carries(app, BACKGROUND)
        os.setpriority(os.PRIO_PROCESS, app.pid, 11)
        daemon.changed.add(app.pid)
        row = self.row(app.pid)
        self.assertEqual((row["class"], row["reason"], row["nice"], row["differs"]),
                         (BACKGROUND, "changed-by-others", 11, True))
        realtime = Program(["chrt", "-f", "1", sleep_program(), "1000"])
        self.addCleanup(realtime.end)
        wait_for(lambda: [row["reason"] for row in self.rows(realtime.pid)] == ["not-fair"], "a real-time task is listed")
        self.assertNotIn("class", self.row(realtime.pid))

    def test_list_has_a_line_for_each_kind_of_thread(self):
        self.daemon(RULES)
        puppet = self.puppet("threaded")
        puppet.tell(0, "thread")
        puppet.tell(0, "thread")
        puppet.tell(1, "name", "fast")
        wanted = [(INITIATED, 1, "fast"), (UTILITY, 2, comm(puppet.pid).decode())]

        def found():
            return sorted((row.get("class", ""), row["threads"], row["name"]) for row in self.rows(puppet.pid))
        wait_for(lambda: found() == wanted, lambda: "%s, not %s" % (wanted, found()))
