#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What ordinary users ask for at run time: their own processes, down only; and those who want more, or want it often."""

import os
import random
import socket
import struct
import subprocess

from attributes import classes, get_attr
from daemon import SCHEDQOS, environment, schedqos
from harness import LiveTest, main
from programs import sleep_program
from tasks import comm, start_time
from waiting import wait_for

UI, INITIATED, UTILITY, BACKGROUND = "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_UTILITY", "QOS_BACKGROUND"
ALICE, BOB = 65534, 65533
APP = {"app": {"qos": INITIATED}}
PORT_FILE = "/run/schedqos/user"
NETLINK_USERSOCK = 2
SET, RESET = 1, 2


def request(verb, pid, qos="", version=1, start=None):
    if start is None:
        start = start_time(pid) if pid > 0 else 1
    return struct.pack("=IIIiQ104s", version, verb, 0, pid, start, qos.encode())


class Ordinary(LiveTest):
    def setUp(self):
        super().setUp()
        # Others may not be able to read where it was built.
        self.program = self.copy("schedqos", SCHEDQOS)

    def call(self, *args, user=ALICE, **options):
        return subprocess.run([self.program, *map(str, args)], user=user, group=user, extra_groups=[],
                              env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", check=False, **options)

    def ask(self, *args, status=0, user=ALICE):
        result = self.call(*args, user=user)
        self.assertEqual(result.returncode, status, "%s: %s" % (args, result.stderr))
        return result.stderr

    def theirs(self, name="app", user=ALICE, **options):
        return self.sleeper(name, user=user, group=user, extra_groups=[], **options)

    def overrides(self):
        return self.current.status()["overrides"]


class Allowed(Ordinary):
    def test_down_and_back(self):
        self.daemon(APP)
        app = self.theirs()
        self.assert_carries(app, INITIATED)
        for qos in (UTILITY, BACKGROUND):
            self.assertEqual(self.ask("set", app.pid, qos), "")
            self.assertEqual(get_attr(app.pid), classes()[qos])
        self.assertIn("by uid %d" % ALICE, schedqos("explain", str(app.pid)).stdout)
        self.assertEqual(self.ask("reset", app.pid), "")
        self.assertEqual(get_attr(app.pid), classes()[INITIATED])
        self.assertIn("you have set no class", self.ask("reset", app.pid, status=1))
        self.ask("set", app.pid, UTILITY)
        app.end()
        wait_for(lambda: self.overrides() == 0, "the end of the override")

    def test_run(self):
        self.daemon({"sh": {"qos": INITIATED}})
        result = self.call("run", "-q", BACKGROUND, "cat", "/proc/self/stat")
        self.assertEqual(result.stdout.split()[18], "4", result.stderr)
        for option in ([], ["--inherit"]):
            program = self.run_program([self.program, "run", "-q", BACKGROUND, *option, "sh", "-c", '"$0" 1000 & wait',
                                        sleep_program()], env=environment(), user=ALICE, group=ALICE, extra_groups=[])
            wait_for(program.descendants, "a child")
            self.assert_carries(program, BACKGROUND)
            self.assert_carries(program.descendants()[0], BACKGROUND if option else "QOS_DEFAULT")
        self.ask("run", "-q", BACKGROUND, "sh", "-c", "exit 7", status=7)
        self.assertIn("no class", self.ask("run", "-q", "QOS_X", "true", status=125))

    def test_stopped_there_is_none(self):
        self.daemon(APP)
        app = self.theirs()
        self.ask("set", app.pid, BACKGROUND)
        self.assertEqual(os.stat(PORT_FILE).st_mode & 0o777, 0o644)
        self.current.stop()
        self.assertFalse(os.path.exists(PORT_FILE))
        self.assertIn("not running", self.ask("set", app.pid, BACKGROUND, status=1))


class Refused(Ordinary):
    def test_more_than_it_had(self):
        daemon = self.daemon({**APP, "QOS_FIFO": {"sched_policy": "SCHED_FIFO", "sched_priority": 5},
                              "QOS_DISK": {"sched_nice": 5, "io_class": "realtime", "io_priority": 4}})
        app = self.theirs()
        self.assert_carries(app, INITIATED)
        error = self.ask("set", app.pid, UI, status=1)
        self.assertIn("%s would give process %d a higher priority" % (UI, app.pid), error)
        self.assertIn("you may use %s, %s" % (UTILITY, BACKGROUND), error)
        self.assertIn("a higher policy", self.ask("set", app.pid, "QOS_FIFO", status=1))
        self.assertIn("a higher I/O priority", self.ask("set", app.pid, "QOS_DISK", status=1))
        self.assertIn("a higher priority", self.ask("run", "-q", UI, "true", status=125))
        # What he has lowered himself, also where the daemon has not seen it yet.
        os.setpriority(os.PRIO_PROCESS, app.pid, 3)
        daemon.changed.add(app.pid)
        self.assertIn("a higher priority", self.ask("set", app.pid, UTILITY, status=1))
        self.assertEqual(get_attr(app.pid).nice, 3)
        self.ask("set", app.pid, BACKGROUND)
        os.setpriority(os.PRIO_PROCESS, app.pid, 9)
        self.ask("reset", app.pid)
        self.assertEqual(get_attr(app.pid).nice, 9)

    def test_not_his(self):
        self.daemon(APP)
        program = self.copy("app")
        os.chown(program, BOB, BOB)
        os.chmod(program, 0o4755)
        others = [self.sleeper("app"), self.theirs(user=BOB), self.theirs(executable=program)]
        if os.stat("/proc/%d" % others[2].pid).st_uid == ALICE:
            others.pop()  # nosuid
        for other in others:
            self.assert_carries(other, INITIATED)
            self.assertIn("not yours", self.ask("set", other.pid, BACKGROUND, status=1))
        for pid, word in ((1, "not yours"), (2, "not yours"), (self.current.pid, "not yours"), (1 << 22, "no process")):
            self.assertIn(word, self.ask("set", pid, BACKGROUND, status=1))
        for other in others:
            self.assert_keeps(other, INITIATED)

    def test_roots_and_others_overrides(self):
        self.daemon({**APP, "kept": {"qos": UTILITY, "enforce": True}})
        app, kept = self.theirs(), self.theirs("kept")
        self.assertEqual(schedqos("set", str(app.pid), UI).returncode, 0)
        self.assertIn("root has set", self.ask("set", app.pid, BACKGROUND, status=1))
        self.assertIn("you have set no", self.ask("reset", app.pid, status=1))
        self.assert_keeps(app, UI)
        self.assertEqual(schedqos("reset", str(app.pid)).returncode, 0)
        self.assertIn("enforces", self.ask("set", kept.pid, BACKGROUND, status=1))
        self.ask("set", app.pid, BACKGROUND)
        self.assertEqual(schedqos("set", str(app.pid), UI).returncode, 0)
        self.assertEqual(get_attr(app.pid), classes()[UI])
        # He may take back what is his, and it changes nothing.
        self.ask("reset", app.pid)
        self.assert_keeps(app, UI)
        self.assertIn("you have set no", self.ask("reset", app.pid, user=BOB, status=1))

    def test_a_limit_goes_first(self):
        self.daemon(APP)
        app = self.theirs()
        self.assertEqual(schedqos("limit", "--keep", str(app.pid), BACKGROUND).returncode, 0)
        self.assertIn("limited to " + BACKGROUND, self.ask("set", app.pid, UTILITY))
        self.assertEqual(get_attr(app.pid), classes()[BACKGROUND])


class Hostile(Ordinary):
    """Datagrams of his own making."""

    def port(self):
        with open(PORT_FILE, encoding="ascii") as file:
            return int(file.read())

    def in_his_name(self, work, user=ALICE):
        """Runs it in a process of that user's, which ends with 0 if it returns true."""
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_USERSOCK) as sender:
                    status = not work(sender)
            finally:
                os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_garbage(self):
        daemon = self.daemon(APP)
        app, port = self.theirs(), self.port()
        self.assert_carries(app, INITIATED)
        rng = random.Random(1)
        good = request(SET, app.pid, BACKGROUND)
        bad = [rng.randbytes(rng.choice((1, 4, 127, 128, 129, 5000))) for _ in range(200)]
        bad += [request(3, app.pid), request(SET, -1, BACKGROUND), request(SET, app.pid, "\x1b[31m"),
                request(SET, app.pid, "Q" * 104), request(SET, app.pid, BACKGROUND, version=7),
                request(SET, app.pid, BACKGROUND, start=start_time(app.pid) + 1),
                request(SET, app.pid, BACKGROUND, start=0), good[:-1], good + b"x"]
        for data in bad:
            self.assertEqual(self.in_his_name(lambda sender, data=data: sender.sendto(data, (port, 0)) == len(data)), 0)
        self.ask("run", "-q", BACKGROUND, "true")
        self.assert_keeps(app, INITIATED)
        # No descriptor can be sent along.
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", 0))]

        def sends_a_descriptor(sender):
            try:
                sender.sendmsg([good], rights, 0, (port, 0))
            except OSError:
                return False
            return True
        self.assertEqual(self.in_his_name(sends_a_descriptor), 1)
        self.assert_keeps(app, INITIATED)
        self.assertNotIn("\x1b", daemon.log())

    def test_a_user_namespace_that_does_not_know_root(self):
        """There an answer of root's shows as nobody's: that is told at once."""
        self.daemon(APP)
        app = self.theirs()
        self.assert_carries(app, INITIATED)
        options = {"user": ALICE, "group": ALICE, "extra_groups": [], "env": environment(), "capture_output": True,
                   "text": True, "check": False}
        if subprocess.run(["unshare", "-U", "true"], **options).returncode:
            self.skipTest("no user namespaces here")
        result = subprocess.run(["unshare", "-U", self.program, "set", str(app.pid), BACKGROUND], **options)
        self.assertEqual(result.returncode, 1)
        self.assertIn("not allowed to talk to the daemon", result.stderr)

    def flooder(self, port, data):
        """Sends without end, and reads no answer."""
        pid = os.fork()
        if pid == 0:
            try:
                os.setresuid(ALICE, ALICE, ALICE)
                with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_USERSOCK) as sender:
                    while True:
                        sender.sendto(data, (port, 0))
            finally:
                os._exit(1)
        return pid

    def test_a_flood(self):
        """Others, root above all, are served all the same; also he himself."""
        self.daemon(APP)
        app, hers = self.theirs(), self.theirs(user=BOB)
        self.assert_carries(app, INITIATED)
        self.assert_carries(hers, INITIATED)
        flooders = [self.flooder(self.port(), data) for data in
                    (request(SET, app.pid, BACKGROUND), request(RESET, app.pid), b"x")]
        try:
            for _ in range(3):
                for qos in (BACKGROUND, UTILITY):
                    self.ask("set", hers.pid, qos, user=BOB)
                    self.assertEqual(get_attr(hers.pid), classes()[qos])
            self.assert_carries(self.sleeper("app"), INITIATED)
            self.assertEqual(schedqos("set", str(app.pid), UTILITY).returncode, 0)
            self.assertEqual(get_attr(app.pid), classes()[UTILITY])
        finally:
            for pid in flooders:
                os.kill(pid, 9)
                os.waitpid(pid, 0)
        self.ask("run", "-q", BACKGROUND, "true")
        self.assertEqual(schedqos("reset", str(app.pid)).returncode, 0)

    def test_too_many(self):
        """He uses up what is his alone."""
        self.daemon(APP)
        crowd = [self.theirs() for _ in range(65)]
        for app in crowd[:64]:
            self.ask("set", app.pid, BACKGROUND)
        self.assertIn("too many", self.ask("set", crowd[64].pid, BACKGROUND, status=1))
        hers = self.theirs(user=BOB)
        self.ask("set", hers.pid, BACKGROUND, user=BOB)
        self.assertEqual(schedqos("set", str(crowd[64].pid), UI).returncode, 0)
        self.ask("reset", crowd[0].pid)
        self.ask("set", crowd[1].pid, UTILITY)

    def shell(self, name):
        """A shell of that name, which starts what it is told to."""
        shell = self.run_program([name], "/bin/sh", env=environment(), user=ALICE, group=ALICE, extra_groups=[],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(self.tells(shell, "echo 7"), 7)
        return shell

    @staticmethod
    def tells(shell, line):
        shell.popen.stdin.write(line.encode() + b"\n")
        shell.popen.stdin.flush()
        return int(shell.popen.stdout.readline())

    def test_no_sequence_raises(self):
        """Whatever he does in whichever order: no more than the rule gives, and no more than he has left himself."""
        daemon = self.daemon({"up": {"qos": INITIATED}, "down": {"qos": BACKGROUND, "inherit": True},
                              "QOS_SPARE": {"sched_policy": "SCHED_IDLE"}})
        rng = random.Random(7)
        programs = {name: self.alias(name) for name in ("up", "down", "plain")}
        lowest = {"up": -2, "down": 0, "plain": 0}
        shells = {name: self.shell(name) for name in ("up", "down")}
        chosen = dict.fromkeys(shells, -20)
        for step in range(60):
            name = rng.choice(sorted(shells))
            shell, what = shells[name], rng.randrange(5)
            if what < 2:
                self.call("set", *rng.choice(([], ["--inherit"])), shell.pid,
                          rng.choice((UI, INITIATED, UTILITY, BACKGROUND, "QOS_SPARE", "QOS_DEFAULT")))
            elif what == 2:
                self.call("reset", shell.pid)
            elif what == 3:
                chosen[name] = min(max(get_attr(shell.pid).nice, 0) + 1, 19)
                os.setpriority(os.PRIO_PROCESS, shell.pid, chosen[name])
                daemon.changed.add(shell.pid)
            else:
                target = rng.choice(sorted(programs))
                child = self.tells(shell, "'%s' 1000 >/dev/null & echo $!" % programs[target])
                # Until it calls exec it is a copy of the shell.
                wait_for(lambda child=child, target=target: comm(child) == target.encode(), "its exec")
                daemon.sync()
                self.assertGreaterEqual(get_attr(child).nice, lowest[target], "step %d" % step)
                os.kill(child, 9)
            self.assertGreaterEqual(get_attr(shell.pid).nice, max(lowest[name], chosen[name]), "step %d" % step)
        daemon.stop()
        for name, shell in shells.items():
            self.assertGreaterEqual(get_attr(shell.pid).nice, max(0, chosen[name]))


del Ordinary

if __name__ == "__main__":
    main()
