# SPDX-License-Identifier: GPL-2.0-only
"""Classes, limits and visibility that ordinary users ask for: exactly for their own tasks, and ended when they leave."""

import os
import signal
import subprocess

from attributes import BACKGROUND, DEFAULT, INITIATED, UI, UTILITY
from bridging import ALICE, BOB, CAROL, DENIED, INVALID, NAME, NOT_YOURS, PASSWORD, RULES, Bridge
from daemon import SCHEDQOS, environment
from waiting import PATIENCE, wait_for


class Own(Bridge):
    """Classes and limits for a user's own processes."""

    def test_a_class_is_in_force_until_it_ends(self):
        self.start_all()
        app = self.sleeper("app", user=ALICE)
        self.assert_carries(app, INITIATED)
        self.verb(ALICE, "set", app.pid, BACKGROUND)
        self.assert_carries(app, BACKGROUND)
        self.assertIn("at run time", self.verb(ALICE, "explain", app.pid))
        # A class with keep outlasts the bridge.
        self.end_bridge()
        self.assert_keeps(app, BACKGROUND)
        self.start_bridge()
        self.verb(ALICE, "reset", app.pid)
        self.assert_carries(app, INITIATED)
        self.assertIn("you have set no class", self.verb(ALICE, "reset", app.pid, status=1))
        self.assertIn("did you mean", self.verb(ALICE, "set", app.pid, "QOS_BACKGRUND", status=2))
        self.end_bridge()

    def test_a_class_above_the_rules_takes_a_password(self):
        self.start_all()
        for user, status, becomes in ((ALICE, 1, BACKGROUND), (CAROL, 0, UI)):
            slow = self.sleeper("slow", user=user)
            self.assert_carries(slow, BACKGROUND)
            self.verb(user, "set", slow.pid, UI, status=status)
            self.assert_keeps(slow, becomes)

    def test_polkit_s_dialog_names_program_and_class(self):
        """polkit's dialog shows them, and a program's name cannot pretend to be more than a name."""
        self.start_all()
        app = self.sleeper("app", executable=self.alias("<b>a\033), x"), user=BOB)
        asker = self.asker(BOB)
        for words, said in ((("SetClass", "usbb", app.pid, BACKGROUND, "true", "true"),
                             "SetClass, process %d (?b?a??? x), %s" % (app.pid, BACKGROUND)),
                            (("SetClass", "usbb", 2 ** 32 - 1, "$(x)" * 100, "true", "true"),
                             "SetClass, process 4294967295, " + "??x?" * 16),
                            (("LiftCgroup", "s", "/a/b"), "LiftCgroup, /a/b"),
                            (("Reload",), "Reload")):
            self.assert_refused(self.ask(asker, *words), PASSWORD)
            wait_for(lambda: "dialog: %s\n" % said in self.logs(), lambda: said + "\n" + self.logs())

    def test_overrides_end_with_the_program_that_made_them(self):
        self.start_all()
        app, other = self.sleeper("app", user=ALICE), self.sleeper("app", user=ALICE)
        alice = self.asker(ALICE)
        self.assertEqual(self.ask(alice, "SetClass", "usbb", app.pid, UTILITY, "false", "false")[:2], ["ok", UTILITY])
        self.assertEqual(self.ask(self.asker(ALICE), "LimitProcess", "usb", other.pid, BACKGROUND, "true"), ["ok", "1"])
        self.assert_carries(app, UTILITY)
        self.hang_up(alice)
        self.assert_carries(app, INITIATED)
        self.assert_keeps(other, BACKGROUND)
        self.assertEqual(self.ask(self.asker(ALICE), "LiftProcess", "u", other.pid), ["ok", "1"])
        self.assert_carries(other, INITIATED)

    def test_overrides_end_with_a_killed_bridge(self):
        """The bridge is killed at several moments of a call."""
        self.start_all()
        apps = [self.sleeper("app", user=ALICE) for _ in range(8)]
        for answers in range(len(apps) + 1):
            askers = [self.asker(ALICE) for _ in apps]
            for asker, app in zip(askers, apps):
                asker.stdin.write("%s SetClass usbb %d %s false false\n" % (NAME, app.pid, UTILITY))
                asker.stdin.flush()
            for asker in askers[:answers]:
                # Any answer will do: the test is about overrides that are left.
                asker.stdout.readline()
            self.bridge.end()
            for asker in askers:
                self.hang_up(asker)
            for app in apps:
                self.assert_carries(app, INITIATED)
            self.start_bridge()
        self.assertEqual(self.current.status()["overrides"], 0)

    def limited(self, app):
        """Starts a client that holds a limit of a user's."""
        limit = self.run_program([*self.inside, *self.identity(ALICE), SCHEDQOS, "limit", str(app.pid), BACKGROUND],
                                 stderr=subprocess.PIPE, env=environment())
        self.assertIn(b"limited", limit.popen.stderr.readline())
        self.assert_carries(app, BACKGROUND)
        return limit

    def test_limit_returns_when_the_process_ends(self):
        self.start_all()
        app = self.sleeper("app", user=ALICE)
        limit = self.limited(app)
        app.end()
        self.assertEqual(limit.popen.wait(PATIENCE), 0)

    def test_limit_fails_when_the_bridge_ends(self):
        self.start_all()
        app = self.sleeper("app", user=ALICE)
        limit = self.limited(app)
        self.end_bridge()
        self.assertEqual(limit.popen.wait(PATIENCE), 1)
        self.assert_carries(app, INITIATED)

    def test_classes_of_a_user_s_units_are_set(self):
        groups = self.new_cgroups("user.slice")
        self.start_all()
        alice, own, path = self.asker(ALICE), self.sleeper("own", user=ALICE), "user-%d.slice/own.service" % ALICE
        groups.move(own.pid, path)
        self.assert_carries(own, DEFAULT)
        said = ("SetUnitClasses", "a(sss)", groups.path(path), BACKGROUND)
        self.assert_refused(self.ask(self.asker(BOB), *said, "own:2"), PASSWORD)
        self.assert_refused(self.ask(self.asker(CAROL), *said, "own:2"), NOT_YOURS)
        for place in ("huge", "x" + " / x x" * 4900):
            self.assert_refused(self.ask(alice, *said, place), INVALID)
        self.assert_keeps(own, DEFAULT)
        self.assertEqual(self.ask(alice, *said, "\033[2Jown:2"), ["ok"])
        self.assert_keeps(own, BACKGROUND)
        self.assertIn("its unit own.service says Class=%s (\\x1b[2Jown:2)" % BACKGROUND, self.verb(ALICE, "explain", own.pid))
        self.hang_up(alice)
        self.assert_carries(own, DEFAULT)

    def test_requests_of_root_have_priority(self):
        self.start_all()
        app = self.sleeper("app", user=CAROL)
        self.verb(0, "set", app.pid, BACKGROUND)
        self.assertIn("limited to " + BACKGROUND, self.verb(CAROL, "set", app.pid, UI))
        self.assert_keeps(app, BACKGROUND)
        self.verb(CAROL, "reset", app.pid)
        self.verb(CAROL, "reset", app.pid, status=1)
        self.assert_keeps(app, BACKGROUND)

    # ---- hostile requests ----

    def test_processes_and_cgroups_of_others_are_refused(self):
        self.start_all()
        carol, bobs = self.asker(CAROL), self.sleeper("app", user=BOB)
        self.assert_carries(bobs, INITIATED)
        setuid = self.setuid_program(CAROL)
        for pid in (bobs.pid, setuid.pid, 1, os.getpid(), self.bridge.pid, self.current.pid):
            for call in (("SetClass", "usbb", pid, BACKGROUND, "true", "true"), ("LimitProcess", "usb", pid, BACKGROUND, "true"),
                         ("SetShown", "us", pid, "hidden"), ("SetShown", "us", pid, "focused")):
                self.assert_refused(self.ask(carol, *call), NOT_YOURS)
            for call in (("Reset", "u", pid), ("LiftProcess", "u", pid)):
                self.assertIn(self.ask(carol, *call)[1], (NOT_YOURS, "0"))
        for cgroup in ("/", "/user.slice", "/user.slice/user-%d.slice" % BOB, "/user.slice/user-%d.slice/.." % CAROL, "none"):
            self.assertEqual(self.ask(carol, "LimitCgroup", "ssb", cgroup, BACKGROUND, "true")[0], "error", cgroup)
        self.assert_keeps(bobs, INITIATED)

    def test_an_id_without_a_process_has_no_effect(self):
        """0 names a process only for root's own client."""
        self.start_all()
        carol = self.asker(CAROL)
        for pid in (0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1):
            for call in (("SetClass", "usbb", pid, UTILITY, "true", "true"), ("SetShown", "us", pid, "hidden"),
                         ("LimitProcess", "usb", pid, UTILITY, "true"), ("Reset", "u", pid), ("LiftProcess", "u", pid)):
                self.assertIn(self.ask(carol, *call)[1], (NAME + ".Error.Failed", "0"), call)

    def test_long_texts_are_refused(self):
        """
        Long texts are refused, because they would stay in memory while polkit is asked, and be copied to the daemon.
        """
        self.start_all()
        carol, own = self.asker(CAROL), self.sleeper("app", user=CAROL)
        for call in (("SetClass", "usbb", own.pid, "huge", "true", "true"), ("LimitProcess", "usb", own.pid, "huge", "true"),
                     ("LimitCgroup", "ssb", "huge", UTILITY, "true"), ("LiftCgroup", "s", "huge"), ("SetShown", "us", own.pid, "huge"),
                     ("SetMapping", "s", "huge")):
            self.assert_refused(self.ask(carol, *call), INVALID, "long")
        self.end_bridge()


class Shown(Bridge):
    def test_visibility_raises_and_lowers(self):
        self.start_all(config={"schedqos": {"focus": UI}})
        alice, window = self.asker(ALICE), self.sleeper("window", user=ALICE)
        focus = self.ask(alice, "Get", "ss", NAME, "Focus", interface="org.freedesktop.DBus.Properties")
        self.assertEqual(focus, ["ok", UI])
        for shown, becomes in (("focused", UI), ("hidden", UTILITY), ("visible", DEFAULT), ("played", UI)):
            self.assertEqual(self.ask(alice, "SetShown", "us", window.pid, shown), ["ok"], shown)
            self.assert_carries(window, becomes)
        self.assertEqual(self.ask(alice, "SetShown", "us", window.pid, "nowhere")[0], "error")
        self.hang_up(alice)
        self.assert_carries(window, DEFAULT)

    def test_polkit_is_asked_once_and_when_something_changes(self):
        self.start_all()
        window, alice = self.sleeper("window", user=ALICE), self.asker(ALICE)

        def show():
            return self.ask(alice, "SetShown", "us", window.pid, "focused")
        self.assertEqual(show(), ["ok"])
        os.kill(self.polkit.pid, signal.SIGSTOP)
        self.assertEqual(show(), ["ok"])
        os.kill(self.polkit.pid, signal.SIGCONT)
        self.write("rules/10-test.rules", RULES.replace("show", "nothing"))
        wait_for(lambda: show()[:2] == ["error", DENIED], self.logs)
        self.end_bridge()
