# SPDX-License-Identifier: GPL-2.0-only
"""Tasks, clients and timings that want to lead the daemon astray."""

import contextlib
import os
import signal
import socket
import subprocess
import threading
import unittest

import proc_events
from attributes import BATCH, MS, NORMAL, classes, fair, get_attr, has_slice, pristine, set_attr
from daemon import schedqos
from harness import LiveTest, main
from programs import sleep_program
from tasks import comm, descendants, tids
from waiting import wait_for

UI, INITIATED, UTILITY, BACKGROUND, DEFAULT = (
    "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_UTILITY", "QOS_BACKGROUND", "QOS_DEFAULT")
BUS = "/run/schedqos/bus"


class Execs(LiveTest):
    def test_a_thread_with_another_class_execs(self):
        """It takes the leader's id, and its own attributes along."""
        for rule, want in ((None, DEFAULT), ({"qos": UTILITY}, UTILITY)):
            daemon = self.daemon({"app": {"qos": UI, "thread_qos": {"bg": BACKGROUND}}, "other": rule})
            app = self.puppet("app")
            number, tid = app.tell(0, "thread", "bg")
            self.assert_carries(app, UI)
            self.assert_carries(tid, BACKGROUND)
            daemon.sync()
            app.tell(number, "run", [self.alias("other"), "1000"])
            wait_for(lambda: tids(app.pid) == [app.pid], "the exec")
            self.assert_carries(app, want)
            daemon.stop()
            self.assertEqual(app.attr(), pristine())

    def test_a_thread_execs_the_same_program(self):
        daemon = self.daemon({"app": {"qos": UI, "thread_qos": {"bg": BACKGROUND}}})
        app = self.puppet("app")
        number, tid = app.tell(0, "thread", "bg")
        self.assert_carries(tid, BACKGROUND)
        daemon.sync()
        app.tell(number, "run", [self.path("app"), "-c", "input()"])
        wait_for(lambda: tids(app.pid) == [app.pid], "the exec")
        self.assert_carries(app, UI)

    def test_a_thread_execs_right_after_it_was_born(self):
        daemon = self.daemon({"app": {"qos": UI, "thread_qos": {"bg": BACKGROUND}}, "other": {"qos": INITIATED}})
        apps = [self.puppet("app") for _ in range(20)]
        for app in apps:
            number, _ = app.tell(0, "thread", "bg")
            app.tell(number, "run", [self.alias("other" if app in apps[:10] else "third"), "1000"])
        for app in apps:
            self.assert_carries(app, INITIATED if app in apps[:10] else DEFAULT)
        daemon.stop()
        for app in apps:
            self.assertEqual(app.attr(), pristine())

    def test_exec_after_exec_after_exec(self):
        self.daemon({"even": {"qos": UI}, "odd": {"qos": BACKGROUND}, "last": {"qos": INITIATED}})
        script = ('if [ "$1" = 0 ]; then exec %s 1000; fi; n=$(($1-1)); if [ $((n%%2)) = 0 ]; then '
                  'exec "%s" "$0" $n; else exec "%s" "$0" $n; fi')
        path = self.path("script")
        shells = [self.alias(name, "/bin/sh") for name in ("even", "odd")]
        with open(path, "w", encoding="ascii") as file:
            file.write(script % (self.alias("last"), *shells))
        programs = [self.run_program([shells[0], path, "30"]) for _ in range(10)]
        for program in programs:
            self.assert_carries(program, INITIATED)

    def test_a_program_without_arguments(self):
        self.daemon({"box": {"qos": BACKGROUND}})
        box = self.copy("box", "/bin/cat")
        self.assert_carries(self.run_program([""], box, stdin=subprocess.PIPE), BACKGROUND)

    def test_a_program_with_a_megabyte_of_arguments(self):
        self.daemon({"cat": {"qos": BACKGROUND, "match": {"argv": "first"}}})
        for argv, qos in ((["cat", "-", "first"], BACKGROUND), (["cat", "-"], DEFAULT)):
            program = self.run_program(argv + ["x" * 100000] * 10, "/bin/cat", stdin=subprocess.PIPE)
            self.assert_carries(program, qos)

    def test_a_path_of_nearly_4096_bytes(self):
        here = os.open(self.folder, os.O_DIRECTORY)
        path = self.folder
        os.chdir(here)
        self.addCleanup(os.chdir, "/")
        while len(path) + 201 < 4000:
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
            path += "/" + "d" * 200
        with open(sleep_program(), "rb") as source, open("deep", "wb") as target:
            target.write(source.read())
        os.chmod("deep", 0o755)
        self.daemon({path + "/deep": {"qos": BACKGROUND}})
        self.assert_carries(self.run_program(["any", "1000"], "./deep"), BACKGROUND)
        os.close(here)

    def test_names_that_look_like_something_else(self):
        self.daemon({"app": {"qos": BACKGROUND}, ") S 1 2 3": {"qos": UI}, "(deleted)": {"qos": UI}})
        for name, qos in ((") S 1 2 3", UI), ("app", BACKGROUND)):
            self.assert_carries(self.run_program([self.copy(name), "1000"]), qos, name)
        puppet = self.puppet(") Z 1 0 0 (")
        self.current.reload()
        self.assert_keeps(puppet, DEFAULT)


class Births(LiveTest):
    @unittest.skipUnless(has_slice(), "without slices nothing tells where its attributes come from")
    def test_a_child_made_for_its_grandparent(self):
        """CLONE_PARENT: the event names a parent from whom the child has inherited nothing."""
        daemon = self.daemon({"runtime": {"qos": UI}})
        runtime = self.puppet("runtime")
        self.assert_carries(runtime, UI)
        daemon.sync()
        child = runtime.tell(0, "sibling", [self.alias("contained"), "1000"])
        self.assert_carries(child, DEFAULT)
        daemon.stop()
        self.assertEqual(get_attr(child), pristine())

    def test_a_lowered_child_made_for_its_grandparent(self):
        """Its nice value may be its own choice as well: it keeps that, but nothing else."""
        daemon = self.daemon({"runtime": {"qos": BACKGROUND}})
        runtime = self.puppet("runtime")
        self.assert_carries(runtime, BACKGROUND)
        daemon.sync()
        child = runtime.tell(0, "sibling", [self.alias("contained"), "1000"])
        self.assert_carries(child, fair(NORMAL, 4))
        daemon.stop()
        self.assertEqual(get_attr(child), fair(NORMAL, 4))

    def test_a_leader_that_ended_before_its_threads(self):
        zombie, later = self.puppet("app"), self.puppet("app")
        numbers = [zombie.tell(0, "thread")[0] for _ in range(2)]
        threads = [zombie.tell(number, "name", "ui") for number in numbers]
        zombie.popen.stdin.write(b'[0, "leave"]\n')
        zombie.popen.stdin.flush()
        wait_for(lambda: self.state(zombie.pid) == "Z", "a zombie leader")
        daemon = self.daemon({"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}})
        for tid in threads:
            self.assert_carries(tid, UI)
        zombie.tell(numbers[0], "name", "other")
        self.assert_carries(threads[0], BACKGROUND)
        thread = later.tell(0, "thread", "ui")[1]
        self.assert_carries(thread, UI)
        later.popen.stdin.write(b'[0, "leave"]\n')
        later.popen.stdin.flush()
        wait_for(lambda: self.state(later.pid) == "Z", "a zombie leader")
        born = later.tell(1, "thread")[1]
        self.assertEqual(daemon.reload({"app": {"qos": BACKGROUND, "thread_qos": {"ui": INITIATED}}}).returncode, 0)
        self.assert_carries(thread, INITIATED)
        self.assert_carries(born, INITIATED)
        child = later.tell(1, "spawn", [self.alias("child"), "1000"])
        self.assert_carries(child, DEFAULT)
        daemon.stop()
        for tid in (*threads, thread, born, child):
            self.assertEqual(get_attr(tid), pristine())

    @staticmethod
    def state(tid):
        with open("/proc/%d/stat" % tid, "rb") as stat:
            return stat.read().rpartition(b")")[2].split()[0].decode()

    def test_children_born_while_the_parent_changes_its_class(self):
        threads = {"even": BACKGROUND, "odd": UTILITY, "done": INITIATED}
        daemon = self.daemon({"app": {"qos": UI, "thread_qos": threads}})
        app = self.puppet("app")
        numbers = [app.tell(0, "thread")[0] for _ in range(2)]
        born, threads = [], []
        for i in range(60):
            app.tell(0, "name", "odd" if i % 2 else "even")
            born += app.tell(0, "fork", 2)
            threads.append(app.tell(numbers[0], "thread")[1])
        app.tell(0, "name", "done")
        self.assert_carries(app, INITIATED)
        daemon.sync()
        # A child's name is that of its birth, and so is its class.
        for pid in born:
            with open("/proc/%d/comm" % pid, encoding="ascii") as name:
                self.assert_carries(pid, {"odd": UTILITY, "even": BACKGROUND}[name.read().strip()])
        daemon.stop()
        for tid in born + threads:
            self.assertEqual(get_attr(tid), pristine())

    def test_a_child_of_a_program_that_another_has_replaced_since(self):
        daemon = self.daemon({"wrapper": {"qos": BACKGROUND}, "wrapped": {"qos": UI}})
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        daemon.freeze()
        try:
            wrapper = self.run_program(["wrapper", "-c", '(: < "$1") & exec "$0" 1000', self.alias("wrapped"), fifo],
                                       "/bin/sh")
            wait_for(lambda: comm(wrapper.pid) == b"wrapped", "the second exec")
            child, = descendants(wrapper.pid)
            self.addCleanup(os.kill, child, signal.SIGKILL)
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        self.assert_carries(wrapper, UI)
        self.assert_carries(child, BACKGROUND)
        daemon.stop()
        self.assertEqual(get_attr(child), pristine())

    def test_what_a_nice_command_forked_before_any_of_it_was_heard(self):
        """A child, and what daemons leave behind: a grandchild whose parent is gone."""
        daemon = self.daemon({})
        fifo, told = self.path("fifo"), self.path("told")
        os.mkfifo(fifo)
        for script in '(: < "$1") & echo $! > "$2"', '( (: < "$1") & echo $! > "$2" )':
            outer = self.puppet("outer")
            self.assert_carries(outer, DEFAULT)
            daemon.sync()
            daemon.freeze()
            try:
                command = outer.tell(0, "spawn", ["/usr/bin/nice", "-n", "10", "sh", "-c", script + '; exec "$0" 1000',
                                                  self.alias("command"), fifo, told])
                self.addCleanup(os.kill, command, signal.SIGKILL)
                wait_for(lambda: comm(command) == b"command", "the last exec")
                with open(told, encoding="ascii") as file:
                    child = int(file.read())
                self.addCleanup(os.kill, child, signal.SIGKILL)
            finally:
                os.kill(daemon.pid, signal.SIGCONT)
            # nice(1) adds to what it finds, which is the class's 2.
            self.assert_carries(command, fair(NORMAL, 12))
            self.assert_carries(child, fair(NORMAL, 12))

    def test_children_born_while_the_rules_change(self):
        daemon = self.daemon({"app": {"qos": UI}})
        app = self.puppet("app")
        app.tell(0, "allocate", 100)
        storm = threading.Thread(target=app.tell, args=(0, "fork", 100))
        storm.start()
        for i in range(20):
            daemon.configure({"app": {"qos": (UI, BACKGROUND)[i % 2]}})
            daemon.popen.send_signal(signal.SIGHUP)
            self.sleeper("app").end()
        storm.join()
        for pid in app.descendants():
            self.assert_carries(pid, BACKGROUND)
        self.assertEqual(len(app.descendants()), 100)

    def test_slow_forks_of_a_parent_that_is_just_being_tagged(self):
        """The child copied its attributes before its parent was tagged; its event comes after."""
        app = self.puppet("app")
        app.tell(0, "allocate", 500)
        storm = threading.Thread(target=app.tell, args=(0, "fork", 20))
        storm.start()
        wait_for(app.descendants, "the first child")
        daemon = self.daemon({"app": {"qos": BACKGROUND}})
        storm.join()
        for pid in app.descendants():
            self.assert_carries(pid, BACKGROUND)
        daemon.stop()
        for pid in app.descendants():
            self.assertEqual(get_attr(pid), pristine())

    def test_threads_that_end_at_once(self):
        self.daemon({"app": {"qos": BACKGROUND, "thread_qos": {"x": UI}}})
        code = ("import threading\n"
                "for _ in range(1500):\n t=threading.Thread(target=int); t.start(); t.join()\n"
                "print('done', flush=True); input()\n")
        app = self.run_program([self.alias("app", os.path.realpath("/proc/self/exe")), "-IS", "-c", code],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(app.popen.stdout.readline(), b"done\n")
        self.assert_carries(app, BACKGROUND)
        self.assertEqual(self.current.status()["refused"], {})

    def test_a_process_id_that_is_used_again(self):
        """What one task chose is not the next one's."""
        last = "/proc/sys/kernel/ns_last_pid"
        if not os.path.exists(last):
            self.skipTest("no " + last)
        daemon = self.daemon({"app": {"qos": BACKGROUND}})
        for _ in range(5):
            chosen = self.sleeper("make", prefix=["nice", "-n", "30"])
            self.assert_carries(chosen, fair(NORMAL, 19))
            daemon.sync()
            chosen.end()
            for name, qos in (("app", BACKGROUND), ("plain", DEFAULT), ("app", BACKGROUND)):
                with open(last, "w", encoding="ascii") as file:
                    file.write(str(chosen.pid - 1))
                again = self.sleeper(name)
                self.assert_carries(again, qos)
                again.end()
        again = self.sleeper("plain")
        self.assert_carries(again, DEFAULT)
        daemon.stop()
        self.assertEqual(again.attr(), pristine())


class Clients(LiveTest):
    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.connect(BUS)
        return client

    def test_garbage_on_the_bus(self):
        self.daemon()
        for garbage in (b"", b"\0", b"\0AUTH EXTERNAL\r\n", b"x" * 100000,
                        b"\0AUTH ANONYMOUS\r\nBEGIN\r\n" + b"l" * 5000,
                        b"\0AUTH EXTERNAL 30\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n" + os.urandom(300)):
            client = self.connect()
            with contextlib.suppress(OSError):
                client.sendall(garbage)
            self.assertEqual(schedqos("status").returncode, 0)
        self.assert_carries(self.sleeper("app"), DEFAULT)

    def test_clients_that_say_nothing(self):
        """When there is no room for one more, the oldest has to go."""
        daemon = self.daemon()
        clients = [self.connect() for _ in range(100)]
        self.assert_carries(self.sleeper("app"), DEFAULT)
        self.assertEqual(schedqos("status").returncode, 0)
        for client in clients:
            client.close()
        self.assertEqual(schedqos("status").returncode, 0)
        self.assertTrue(daemon.running())

    def test_events_that_are_not_the_kernels(self):
        """Whoever has CAP_NET_ADMIN may send to the daemon's port."""
        daemon = self.daemon({"app": {"qos": UI, "thread_qos": {"bg": BACKGROUND}}})
        app = self.puppet("app")
        self.assert_carries(app, UI)
        daemon.sync()
        # As many as no others make meanwhile: every program on the machine may rename itself.
        renames, forged = daemon.status()["renames"], 1000
        ports = [port for port, _ in daemon.sockets()]
        self.assertTrue(ports)
        with proc_events.open_socket() as netlink:
            message = proc_events.rename(app.pid, b"bg")
            for port in ports:
                for _ in range(forged):
                    netlink.sendto(message, (port, 0))
                netlink.sendto(os.urandom(200), (port, 0))
        self.assert_keeps(app, UI)
        status = daemon.status()
        # Before Linux 6.6 each socket has a filter of its own, which drops most of them uncounted.
        self.assertIn(status["foreign"], range(forged, (forged + 1) * len(ports) + 1))
        self.assertLess(status["renames"], renames + forged)


class Crashes(LiveTest):
    def test_what_a_killed_daemon_left_is_put_back_by_the_next(self):
        """And so is what was born of it in between."""
        chosen = self.sleeper("app")
        set_attr(chosen.pid, BATCH, 6, 7 * MS)
        first = self.daemon({"app": {"qos": BACKGROUND, "thread_qos": {"ui": UI}}})
        app = self.puppet("app")
        thread = app.tell(0, "thread", "ui")[1]
        self.assert_carries(chosen, classes()[BACKGROUND]._replace(nice=6))
        self.assert_carries(app, BACKGROUND)
        self.assert_carries(thread, UI)
        first.sync()
        first.kill()
        child, = app.tell(0, "fork")
        before = first.before
        second = self.daemon({"app": {"qos": UI}})
        second.before = before
        self.assert_carries(app, UI)
        self.assert_carries(child, UI)
        self.assert_carries(chosen, fair(NORMAL, 6, 8 * MS))
        second.stop()
        self.assertEqual(chosen.attr(), fair(BATCH, 6, 7 * MS))
        for tid in (app.pid, child, thread):
            self.assertEqual(get_attr(tid), pristine())

    def test_a_daemon_killed_while_it_tags(self):
        parent = self.puppet("app")
        parent.tell(0, "fork", 200)
        before = None
        for i in range(5):
            daemon = self.daemon({"app": {"qos": (UI, BACKGROUND)[i % 2]}})
            before = before or daemon.before
            parent.tell(0, "fork", 5)
            daemon.kill()
        last = self.daemon({"app": {"qos": UTILITY}})
        last.before = before
        last.stop()
        for pid in (parent.pid, *parent.descendants()):
            self.assertEqual(get_attr(pid), pristine())


if __name__ == "__main__":
    main()
