#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the daemon lets in beside root: the bridge's user, and what he may ask for."""

import os
import subprocess

from daemon import SCHEDQOS, environment
from harness import LiveTest, main

ASKER = os.path.join(os.path.dirname(SCHEDQOS), "tests/live/asker")
SOCKET = "/run/schedqos/bus"
MANAGER, OVERRIDES = "org.schedqos1.Manager", "org.schedqos1.Overrides"
BRIDGE, OTHER = 54321, 54322
DENIED = "org.freedesktop.DBus.Error.AccessDenied"
UI, UTILITY, BACKGROUND, DEFAULT = "QOS_USER_INTERACTIVE", "QOS_UTILITY", "QOS_BACKGROUND", "QOS_DEFAULT"


class BridgeSide(LiveTest):
    def daemon_with_bridge(self, config=None, prefix=(), **options):
        """On a machine that has the user schedqos, which only the daemon sees."""
        with open("/etc/passwd", encoding="utf-8") as users:
            text = users.read()
        with open(self.path("passwd"), "w", encoding="utf-8") as file:
            file.write(text + "schedqos:x:%d:%d::/:/bin/false\n" % (BRIDGE, BRIDGE))
        os.chmod(self.path("passwd"), 0o644)
        own = ["unshare", "-m", "--propagation", "private", "sh", "-ec",
               'mount --bind %s /etc/passwd; exec "$@"' % self.path("passwd"), "sh"]
        return self.daemon(config, prefix=[*prefix, *own], **options)

    def asker(self, uid=0, gid=None):
        gid = uid if gid is None else gid
        asker = subprocess.Popen(["setpriv", "--reuid=%d" % uid, "--regid=%d" % gid, "--clear-groups", "--", ASKER, SOCKET],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), encoding="utf-8")
        self.addCleanup(self.end, asker)
        asker.state = asker.stdout.readline().rstrip("\n")
        return asker

    @staticmethod
    def end(asker):
        asker.stdin.close()
        asker.wait()
        asker.stdout.close()

    @staticmethod
    def ask(asker, *words):
        asker.stdin.write(" ".join(map(str, words)) + "\n")
        asker.stdin.flush()
        return asker.stdout.readline().rstrip("\n").split("\t")

    def assert_refused(self, answer, error, text=""):
        self.assertEqual(answer[:2], ["error", error], answer)
        self.assertIn(text, answer[2])


class Socket(BridgeSide):
    def test_who_gets_in(self):
        self.daemon_with_bridge()
        self.assertEqual(self.asker().state, "ready")
        self.assertEqual(self.asker(BRIDGE).state, "ready")
        self.assertEqual(self.asker(OTHER).state, "Permission denied")
        # Whoever is in the group can knock, no more.
        self.assertNotEqual(self.asker(OTHER, gid=BRIDGE).state, "ready")

    def test_without_that_user_only_root_does(self):
        self.daemon()
        self.assertEqual(self.asker().state, "ready")
        self.assertEqual(self.asker(BRIDGE).state, "Permission denied")

    def test_what_the_bridge_may_call(self):
        self.daemon_with_bridge()
        bridge, root, app = self.asker(BRIDGE), self.asker(), self.sleeper("app")
        for call in (("Status",), ("Explain", "u", app.pid), ("ListTasks",), ("Reload",), ("GetConfig",),
                     ("SetSchedProfile", "s", "-")):
            self.assertEqual(self.ask(bridge, MANAGER, *call)[0], "ok", call)
        for interface, *call in ((MANAGER, "GetWeights"), (OVERRIDES, "Set", "usbb", app.pid, UTILITY, "false", "false"),
                                 (OVERRIDES, "Reset", "u", app.pid), (OVERRIDES, "Lift", "su", "-", app.pid),
                                 (OVERRIDES, "Limit", "susb", "-", app.pid, UTILITY, "false")):
            self.assert_refused(self.ask(bridge, interface, *call), DENIED)
            self.assertNotEqual(self.ask(root, interface, *call)[1:2], [DENIED])

    def test_the_mapping_at_run_time(self):
        layers = {"mappings/calm.json": {"QOS_USER_INTERACTIVE": {"sched_nice": 1}}}
        daemon = self.daemon_with_bridge({"app": {"qos": UI}}, layers=layers)
        bridge, app = self.asker(BRIDGE), self.sleeper("app")
        self.assert_carries(app, UI)
        answer = self.ask(bridge, MANAGER, "SetMapping", "s", "clam")
        self.assert_refused(answer, "org.schedqos1.Error.Config", 'did you mean "calm"')
        self.assertEqual(daemon.status()["reload_error"], "")
        self.assertEqual(self.ask(bridge, MANAGER, "SetMapping", "s", "calm")[0], "ok")
        self.assertEqual(app.attr().nice, 1)
        self.assertEqual(self.ask(bridge, "wait", "PropertiesChanged"), ["ok"])
        properties = ("org.freedesktop.DBus.Properties", "Get", "ss", MANAGER)
        self.assertEqual(self.ask(bridge, *properties, "Mapping"), ["ok", "calm"])
        # A reload does not end it.
        self.assertEqual(daemon.reload().returncode, 0)
        self.assertEqual(daemon.status()["mapping"], "calm")
        self.assertEqual(self.ask(bridge, MANAGER, "SetMapping", "s", "announcement")[0], "ok")
        self.assert_carries(app, UI)


if __name__ == "__main__":
    main()
