# SPDX-License-Identifier: GPL-2.0-only
"""Configuration files on a real machine: layers, reloads, and every possible fault of a file."""

import os
import re
import signal
import socket

from attributes import BACKGROUND, DEFAULT, INITIATED, MS, NORMAL, UI, UTILITY, fair
from daemon import CONFINED, Daemon, schedqos
from harness import LiveTest
from waiting import PATIENCE, wait_for


class Layers(LiveTest):
    def test_each_file_overrides_earlier_ones_name_by_name(self):
        self.daemon(
            {"three": {"qos": UI}, "QOS_UTILITY": {"sched_nice": 8}, "masked-at-last": None},
            layers={
                "qos_mappings.json": {"QOS_UTILITY": {"sched_nice": 7, "sched_runtime": 9 * MS}},
                "app_configs/10.json": {"one": {"qos": BACKGROUND}, "two": {"qos": BACKGROUND},
                                        "three": {"qos": BACKGROUND}, "masked": {"qos": BACKGROUND},
                                        "masked-at-last": {"qos": BACKGROUND}, "utility": {"qos": UTILITY}},
                "app_configs/9.json": {"two": {"qos": UI}, "masked": None},
                "app_configs/.hidden.json": "nothing that could be read",
                "app_configs/notes.txt": "nor this",
                "app_configs/of-an-editor.schema.json": {"type": "object"},
            })
        for name, want in (("one", BACKGROUND), ("two", UI), ("three", UI), ("masked", DEFAULT),
                           ("masked-at-last", DEFAULT), ("utility", fair(3, 8, 9 * MS, 512))):
            self.assert_carries(self.sleeper(name), want, name)

    def assert_mapping(self, text):
        self.assertEqual(re.findall("(?m)^mapping +(.*)$", schedqos("status").stdout), [text])

    def test_a_file_and_then_an_option_override_the_folder_s_mapping(self):
        layers = {"mappings/one.json": {"QOS_UTILITY": {"sched_nice": 5, "sched_runtime": 5 * MS}},
                  "mappings/two.json": {"QOS_UTILITY": {"sched_nice": 6, "sched_runtime": 6 * MS}},
                  "schedqos.json": {"schedqos": {"mapping": "one"}}, "app_configs/10.json": {"app": {"qos": UTILITY}}}
        # Other settings of the administrator leave the mapping in force.
        daemon = self.daemon({"schedqos": {"default": "none"}}, layers=layers)
        app = self.sleeper("app")
        self.assert_carries(app, fair(NORMAL, 5, 5 * MS))
        self.assert_mapping("one (%s/schedqos.json:3:14)" % daemon.layers)
        result = daemon.reload({"schedqos": {"default": "none", "mapping": "two"}})
        self.assertRegex(result.stderr, r"mapping two \(%s:\d+:\d+\)$" % re.escape(daemon.config))
        self.assert_carries(app, fair(NORMAL, 6, 6 * MS))
        daemon.stop()
        daemon = self.daemon({"schedqos": {"mapping": "two"}}, layers=layers, args=["--mapping", "announcement"])
        self.assert_carries(app, UTILITY)
        self.assert_mapping("announcement (--mapping)")
        # The mapping outlasts a reload, and check --diff knows it.
        result = daemon.reload({"schedqos": {"mapping": "one"}})
        self.assertIn("mapping announcement (--mapping)", result.stderr)
        self.assert_keeps(app, UTILITY)
        self.assertEqual(schedqos("check", "--diff").stdout, "no difference\n")


class Reload(LiveTest):
    def test_a_reload_adds_changes_and_removes_rules(self):
        daemon = self.daemon({"kept": {"qos": UI}, "changed": {"qos": UI}, "gone": {"qos": UI}})
        programs = {name: self.sleeper(name) for name in ("kept", "changed", "gone", "new")}
        for name, program in programs.items():
            self.assert_carries(program, DEFAULT if name == "new" else UI)
        result = daemon.reload({"kept": {"qos": UI}, "changed": {"qos": BACKGROUND}, "new": {"qos": INITIATED}})
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertRegex(result.stderr, r"^schedqos: 4 rules in force \(1 new, 1 changed, 1 removed\), attributes of \d+ tasks? changed, "
                         r"mapping announcement \(built in\)$")
        for name, qos in (("kept", UI), ("changed", BACKGROUND), ("gone", DEFAULT), ("new", INITIATED)):
            # The verb returns when all is done. On a slow machine the arguments, which the new rule needs, may be read later.
            if name != "new":
                self.assertEqual(programs[name].attr().nice, {UI: -4, BACKGROUND: 4, DEFAULT: 2}[qos])
            self.assert_carries(programs[name], qos, name)
        self.assertIn("reloaded: ", daemon.log())

    def test_a_reload_follows_a_link_that_was_replaced(self):
        """A reload follows a link that was replaced, as when versions of a configuration are kept."""
        for name, qos in (("one", BACKGROUND), ("two", UI)):
            Daemon.write(self.path(name), {"app": {"qos": qos}})
        daemon = self.prepare()
        os.unlink(daemon.config)
        os.symlink(self.path("one"), daemon.config)
        daemon.start()
        app = self.sleeper("app")
        self.assert_carries(app, BACKGROUND)
        os.unlink(daemon.config)
        os.symlink(self.path("two"), daemon.config)
        self.assertEqual(daemon.reload().returncode, 0)
        self.assert_carries(app, UI)

    def test_the_service_manager_is_told_of_start_and_reloads(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(self.path("notify"))
            manager.settimeout(PATIENCE)
            daemon = self.prepare({}, environ={"NOTIFY_SOCKET": self.path("notify")}).start()
            self.assertRegex(manager.recv(4096), rb"^READY=1\nSTATUS=1 rule, \d+ tasks$")
            for config, status in (({"app": {"qos": UI}}, rb"2 rules, \d+ tasks$"),
                                   ("{", rb"2 rules, \d+ tasks, last reload refused$")):
                daemon.reload(config)
                self.assertIn(b"RELOADING=1", manager.recv(4096))
                self.assertRegex(manager.recv(4096), rb"^READY=1\nSTATUS=" + status)
            daemon.stop()

    def test_sighup_reloads(self):
        daemon = self.daemon({"app": {"qos": UI}})
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        daemon.configure({"app": {"qos": BACKGROUND}})
        daemon.popen.send_signal(signal.SIGHUP)
        self.assert_carries(app, BACKGROUND)
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        daemon.configure('{"app": {"qos": "QOS_BACKGRUND"},\n"b": 1}')
        daemon.popen.send_signal(signal.SIGHUP)
        wait_for(lambda: daemon.status()["reloads_failed"] == 1, "the reload")
        self.assert_keeps(app, BACKGROUND)
        self.assertIn("app.qos", schedqos("status").stdout)

    def test_a_file_with_a_fault_is_refused_and_the_configuration_stays(self):
        """
        Whatever is wrong with the file, the caller gets the error, the status shows it, and the previous configuration
        stays.
        """
        daemon = self.daemon({"app": {"qos": UI}}, prefix=CONFINED)
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        for i, (what, (make, words)) in enumerate(self.worse(daemon.config).items()):
            with self.subTest(what):
                self.clear(daemon.config)
                make()
                # start and restart refuse the file as check does.
                for args in (["reload"], ["check", *daemon.options()], ["restart", *daemon.options()]):
                    result = schedqos(*args, prefix=CONFINED)
                    self.assertEqual((result.returncode, result.stdout), (78, ""), result.stderr)
                    self.assertRegex(result.stderr, re.escape(daemon.config) + ":.*(%s)" % words)
                status = daemon.status()
                self.assertEqual((status["reloads"], status["reloads_failed"]), (0, i + 1))
                self.assertRegex(status["reload_error"], re.escape(daemon.config) + ":.*(%s)" % words)
                self.assertIn(status["reload_error"].splitlines()[0], schedqos("status").stdout)
                self.assertEqual(status["rules"], 2)
                self.assert_keeps(app, UI)
                self.assert_carries(self.sleeper("app"), UI)
        self.clear(daemon.config)
        self.assertEqual(daemon.reload("{}" + " " * (4 * 1024 * 1024 - 2)).returncode, 0)
        self.assertEqual(daemon.status()["reload_error"], "")

    @staticmethod
    def clear(path):
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        elif os.path.lexists(path):
            os.unlink(path)

    def worse(self, path):
        """Returns faults of a file, how to make them, and the expected error."""
        def write(content, mode=0o644):
            Daemon.write(path, content)
            os.chmod(path, mode)

        def sparse():
            write("{}")
            os.truncate(path, 1 << 30)

        return {
            "deleted": (lambda: None, "No such file"),
            "garbage": (lambda: write(os.urandom(5000)), "."),
            "cut off": (lambda: write('{"app": {"qos": "QOS_BACKGR'), "."),
            "empty": (lambda: write(""), "."),
            "a directory": (lambda: os.mkdir(path), "is a folder"),
            "a FIFO": (lambda: os.mkfifo(path, 0o600), "not a regular file"),
            "1 GiB": (sparse, "larger than 4 MiB"),
            "a loop of links": (lambda: os.symlink(path, path), "symbolic links"),
            "writable by others": (lambda: write({"app": {"qos": BACKGROUND}}, 0o646), "written by users other than root"),
            "another's": (lambda: write({}) or os.chown(path, 65534, 0), "does not belong to root"),
            "a device": (lambda: os.symlink("/dev/zero", path), "not a regular file|does not belong|written by users"),
            "unreadable": (lambda: write({"app": {"qos": BACKGROUND}}, 0), "Permission denied"),
        }
