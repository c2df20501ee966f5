# SPDX-License-Identifier: GPL-2.0-only
"""Processes that move between cgroups get the limits of their groups, and rules that match a cgroup follow."""

import os
import signal
import subprocess
import time

from attributes import BACKGROUND, DEFAULT, INITIATED, UI
from cgroups import HEARD, MOUNTS, TRACING
from harness import LiveTest
from programs import end_all, sleep_program
from waiting import wait_for

GROUPS = {"groups": {"background": {"max": BACKGROUND}}}
# A prefix for a daemon without tracefs, which it cannot mount either.
POLLED = [*MOUNTS, 'mount -t tmpfs none %s; mount -t tmpfs none /sys/kernel/debug 2>/dev/null || :\n'
          'exec setpriv --bounding-set -sys_admin "$@"' % TRACING, "sh"]


class Moves(LiveTest):
    """The kernel reports moves, or the daemon polls."""
    prefix, how = HEARD, "heard"

    def setUp(self):
        super().setUp()
        if subprocess.run([*self.prefix, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no mount namespaces, or no tracefs")
        self.cgroups = self.new_cgroups("schedqos-live")

    def moving(self, config):
        """Starts a daemon that learns of moves in this class's way."""
        daemon = self.daemon({"schedqos": GROUPS, **config}, prefix=self.prefix)
        how = daemon.status()["cgroup_moves"]
        if how == "polled" != self.how:
            self.skipTest("moves cannot be heard here: " + daemon.log())
        self.assertEqual(how, self.how)
        return daemon

    def test_a_move_after_the_exec_limits_a_program(self):
        """Desktops move a program after its exec."""
        self.moving({"game": [{"qos": UI, "match": {"cgroup": self.cgroups.path("app.slice") + "/*"}},
                              {"qos": BACKGROUND}],
                     "browser": {"qos": UI}})
        for _ in range(10):
            began = time.monotonic()
            game, browser, other = self.sleeper("game"), self.sleeper("browser"), self.sleeper("other")
            self.assert_carries(game, BACKGROUND)
            self.assert_carries(browser, UI)
            self.assert_carries(other, DEFAULT)
            self.cgroups.move(game.pid, "app.slice/game.scope")
            self.cgroups.move(browser.pid, "background/browser.scope")
            self.cgroups.move(other.pid, "background")
            # The cgroup of a process is polled in its first 5 s; on a busy machine the process may be older by now.
            if self.how == "heard" or time.monotonic() < began + 3:
                break
        else:
            self.skipTest("a machine too busy to move processes in time")
        self.assert_carries(game, UI)
        self.assert_carries(browser, BACKGROUND)
        self.assert_carries(other, BACKGROUND)
        status = self.current.status()
        self.assertGreaterEqual(status["tasks_limited"], 2)
        if self.how == "heard":
            self.assertGreaterEqual(status["moves"], 3)


class Heard(Moves):
    """Tests that need moves to be reported."""

    def test_a_cgroup_with_a_path_too_long_to_read_lifts_no_limit(self):
        """A user who may create cgroups below a limited one can make such a path."""
        self.moving({"browser": {"qos": UI}})
        browser = self.puppet("browser")
        self.cgroups.move(browser.pid, "background")
        self.assert_carries(browser, BACKGROUND)
        folder = os.open(self.cgroups.make("background"), os.O_RDONLY)
        for _ in range(17):
            self.addCleanup(os.close, folder)
            os.mkdir("x" * 250, dir_fd=folder)
            self.addCleanup(os.rmdir, "x" * 250, dir_fd=folder)
            folder = os.open("x" * 250, os.O_RDONLY, dir_fd=folder)
        self.addCleanup(os.close, folder)
        self.addCleanup(end_all)
        with open(os.open("cgroup.procs", os.O_WRONLY, dir_fd=folder), "w", encoding="ascii") as file:
            file.write(str(browser.pid))
        child = browser.tell(0, "spawn", ["browser", "1000"], sleep_program())
        self.assert_keeps(browser, BACKGROUND)
        self.assert_keeps(child, BACKGROUND)
        # A reload forgets what was read before.
        self.assertEqual(self.current.reload({"schedqos": GROUPS, "browser": {"qos": INITIATED}}).returncode, 0)
        self.assert_keeps(browser, BACKGROUND)
        self.assert_keeps(child, BACKGROUND)
        self.assertIn("4,095 bytes", self.current.log())

    def test_moves_on_a_processor_that_comes_online_are_received(self):
        cpus = os.sched_getaffinity(0)
        file = "/sys/devices/system/cpu/cpu%d/online" % max(cpus)

        def switch(online):
            with open(file, "w", encoding="ascii") as switch:
                switch.write("01"[online])

        if not os.path.exists(file):
            self.skipTest("no processor that can be taken offline")
        daemon = self.moving({"browser": {"qos": UI}})
        scans = daemon.status()["scans"]
        self.addCleanup(os.sched_setaffinity, 0, cpus)
        self.addCleanup(switch, True)
        switch(False)
        switch(True)
        wait_for(lambda: daemon.status()["scans"] > scans, "it heard of")
        daemon.sync()
        browser = self.sleeper("browser")
        self.assert_carries(browser, UI)
        os.sched_setaffinity(0, {max(cpus)})
        self.cgroups.move(browser.pid, "background")
        self.assert_carries(browser, BACKGROUND)

    def test_moves_beyond_the_buffer_are_found_later(self):
        """Records of moves contain the cgroup's path. After a loss only processes that have moved are matched again."""
        daemon = self.moving({"browser": {"qos": UI}})
        browser, other = self.sleeper("browser"), self.sleeper("other")
        self.assert_carries(browser, UI)
        deep = ["/".join(name + "x" * 200 for _ in range(16)) for name in "ab"]
        daemon.sync()
        before = daemon.status()
        daemon.freeze()
        try:
            for i in range(200):
                self.cgroups.move(other.pid, deep[i % 2])
            self.cgroups.move(browser.pid, "background")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        self.assert_carries(browser, BACKGROUND)
        # Some kernels put no long paths into the records. There none is lost, and the user's moves are too frequent
        # instead.
        self.assertRegex(daemon.log(), "too many moves between cgroups|move between cgroups too often")
        status = daemon.status()
        self.assertEqual((status["scans"], status["lost"]), (before["scans"], before["lost"]))
        # Moves are received again.
        self.cgroups.back(browser.pid)
        self.assert_carries(browser, UI)

    def test_a_reload_begins_and_ends_to_follow_moves(self):
        daemon = self.moving({"browser": {"qos": UI}})
        browser = self.sleeper("browser")
        self.cgroups.move(browser.pid, "background")
        self.assert_carries(browser, BACKGROUND)
        self.assertEqual(daemon.reload({"browser": {"qos": UI}}).returncode, 0)
        self.assert_carries(browser, UI)
        self.assertEqual(daemon.status()["cgroup_moves"], "unused")
        self.assertEqual(daemon.reload({"schedqos": GROUPS, "browser": {"qos": UI}}).returncode, 0)
        self.assert_carries(browser, BACKGROUND)
        self.assertEqual(daemon.status()["cgroup_moves"], "heard")
        self.cgroups.back(browser.pid)
        self.assert_carries(browser, UI)


class Polled(Moves):
    prefix, how = POLLED, "polled"

    def test_missing_moves_are_logged(self):
        daemon = self.moving({"app": {"qos": UI}})
        self.assertRegex(daemon.log(), "moves between cgroups are not reported .*tracefs is not mounted")


del Moves
