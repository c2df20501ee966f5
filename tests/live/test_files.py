# SPDX-License-Identifier: GPL-2.0-only
"""Configuration files on a real machine: layers, reload, and everything that can be wrong with a file."""

import os
import re
import shutil
import signal
import socket

from attributes import MS, NORMAL, differences, fair, pristine, snapshot
from daemon import Daemon, schedqos
from harness import LiveTest, main
from waiting import PATIENCE, wait_for

UI, INITIATED, UTILITY, BACKGROUND, DEFAULT = (
    "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_UTILITY", "QOS_BACKGROUND", "QOS_DEFAULT")


class Layers(LiveTest):
    def test_each_overrides_the_one_before_name_by_name(self):
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

    def test_the_order_of_files_is_that_of_bytes(self):
        self.daemon(layers={"app_configs/B.json": {"app": {"qos": UI}},
                            "app_configs/a.json": {"app": {"qos": BACKGROUND}},
                            "app_configs/1.json": {"app": {"qos": INITIATED}}})
        self.assert_carries(self.sleeper("app"), BACKGROUND)

    def test_of_equal_globs_the_later_layer_wins(self):
        self.daemon({"ap*": {"qos": UI}}, layers={"app_configs/10.json": {"a*p": {"qos": BACKGROUND}}})
        self.assert_carries(self.sleeper("app"), UI)

    def test_a_mask_of_an_exact_name_lets_globs_have_it(self):
        self.daemon({"app": None}, layers={"app_configs/10.json": {"app": {"qos": UI}, "a*": {"qos": BACKGROUND}}})
        self.assert_carries(self.sleeper("app"), BACKGROUND)

    def test_comments(self):
        self.daemon('// first\n{ /* here */ "app": /* "{" */ { "qos": "QOS_USER_INTERACTIVE" // "}"\n},\n'
                    '"web//*": {"qos": "QOS_BACKGROUND"} /* ** */ } // last')
        self.assert_carries(self.sleeper("app"), UI)

    def test_an_empty_folder_is_enough(self):
        os.mkdir(self.path("empty"))
        result = schedqos("check", "--configs-path", self.path("empty"), "--config", self.good())
        self.assertEqual(result.returncode, 0, result.stderr)

    def good(self):
        Daemon.write(self.path("good.json"), {})
        return self.path("good.json")

    def test_check_print_gives_the_same_again(self):
        config = {"app": [{"qos": UI, "match": {"argv": ["-x"], "user": 0}, "inherit": True}, {"qos": BACKGROUND}],
                  "gone": None, "QOS_UTILITY": {"sched_nice": 8},
                  "b": {"thread_qos": {"x*": UTILITY}, "period": 5 * MS},
                  "schedqos": {"default": "all", "log": "debug"}}
        os.mkdir(self.path("empty"))
        Daemon.write(self.path("one.json"), config)
        first = schedqos("check", "--print", "--configs-path", self.path("empty"), "--config", self.path("one.json"))
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        Daemon.write(self.path("two.json"), first.stdout)
        second = schedqos("check", "--print", "--configs-path", self.path("empty"), "--config", self.path("two.json"))
        self.assertEqual((second.returncode, second.stdout), (0, first.stdout))


# What is wrong, and the line and column of it.
BROKEN = {
    "a class that does not exist": ('{"app": {"qos": "QOS_BACKGRUND"}}', 1, 17, "QOS_BACKGROUND"),
    "a thread's class that does not exist": ('{"app": {"thread_qos": {\n"x": "QOS_UTILTY"}}}', 2, 6, "QOS_UTILITY"),
    "an unknown key": ('{"app": {"qso": "QOS_UTILITY"}}', 1, 10, "qos"),
    "an unknown attribute": ('{"QOS_X": {"sched_nise": 1}}', 1, 12, "sched_nice"),
    "an unknown policy": ('{"QOS_X": {"sched_policy": "SCHED_BTCH"}}', 1, 28, "SCHED_BATCH"),
    "nice out of range": ('{"QOS_X": {"sched_nice": 20}}', 1, 26, ""),
    "a negative slice": ('{"QOS_X": {"sched_runtime": -1}}', 1, 29, ""),
    "a number of more than 64 bits": ('{"QOS_X": {"sched_runtime": 18446744073709551617}}', 1, 29, ""),
    "a fraction": ('{"QOS_X": {"sched_nice": 1.5}}', 1, 26, ""),
    "a string for a number": ('{"QOS_X": {"sched_nice": "1"}}', 1, 26, ""),
    "a clamp out of range": ('{"QOS_X": {"sched_util_max": 1025}}', 1, 30, ""),
    "nice on FIFO": ('{"QOS_X": {"sched_policy": "SCHED_FIFO", "sched_priority": 1,\n "sched_nice": 1}}', 2, None, ""),
    "runtime longer than the deadline": (
        '{"QOS_X": {"sched_policy": "SCHED_DEADLINE", "sched_runtime": 30000000,\n'
        '"sched_deadline": 20000000, "sched_period": 40000000}}', None, None, ""),
    "a duplicate key": ('{"app": {"qos": "QOS_UTILITY"},\n "app": {"qos": "QOS_UTILITY"}}', 2, 2, ""),
    "a duplicate key within a rule": ('{"app": {"qos": "QOS_UTILITY", "qos": "QOS_UTILITY"}}', 1, 32, ""),
    "a comma too many": ('{"app": {"qos": "QOS_UTILITY"},}', 1, None, ""),
    "no closing brace": ('{"app": {"qos": "QOS_UTILITY"}', 1, None, ""),
    "something after the end": ('{}\n{}', 2, 1, ""),
    "a comment without an end": ('{\n/* }', 2, 1, ""),
    "an empty file": ('', None, None, ""),
    "no object": ('[]', 1, 1, ""),
    "a rule that is a string": ('{"app": "QOS_UTILITY"}', 1, 9, ""),
    "a bool that is a number": ('{"app": {"qos": "QOS_UTILITY", "inherit": 1}}', 1, 43, ""),
    "an empty pattern": ('{"": {"qos": "QOS_UTILITY"}}', 1, 2, ""),
    "an unknown setting": ('{"schedqos": {"defualt": "all"}}', 1, 15, "default"),
    "a setting's unknown value": ('{"schedqos": {"default": "al"}}', 1, 26, "all"),
    "an unknown profile": ('{"schedqos": {"sched_profile": "thruput"}}', 1, 32, ""),
    "an empty match": ('{"app": {"qos": "QOS_UTILITY", "match": {}}}', 1, 41, ""),
    "an unknown condition": ('{"app": {"qos": "QOS_UTILITY", "match": {"agrv": ["x"]}}}', 1, 42, "argv"),
    "deeper than 32": ("[" * 40 + "]" * 40, 1, None, ""),
    "invalid UTF-8": (b'{"app\xff": {"qos": "QOS_UTILITY"}}', 1, None, ""),
    "a NUL": (b'{"app\0": {}}', 1, None, ""),
}


class Broken(LiveTest):
    def test_each_is_answered_with_its_place(self):
        for what, (text, line, column, hint) in BROKEN.items():
            with self.subTest(what):
                Daemon.write(self.path("broken.json"), text)
                result = schedqos("check", self.path("broken.json"))
                self.assertEqual((result.returncode, result.stdout), (78, ""), result.stderr)
                place = re.match(re.escape(self.path("broken.json")) + r"(?::(\d+):(\d+))?: ", result.stderr)
                self.assertTrue(place, result.stderr)
                if line:
                    self.assertEqual(int(place.group(1) or 0), line, result.stderr)
                if column:
                    self.assertEqual(int(place.group(2)), column, result.stderr)
                self.assertIn(hint, result.stderr)

    def test_start_shows_all_errors_of_all_files_and_tags_nothing(self):
        files = Daemon(self.folder, '{"a": {"qos": "QOS_NON"},\n"b": {"period": -1}}',
                       {"app_configs/10.json": '{"c": 1,', "app_configs/20.json": '{"d": {"qos": 1}}',
                        "qos_mappings.json": '{"QOS_X": {"sched_nice": 99}}'})
        programs = [self.sleeper(name) for name in "abcd"]
        before = snapshot()
        result = schedqos("start", *files.options())
        self.assertEqual((result.returncode, result.stdout), (78, ""))
        for place in (files.config + ":1:15: a.qos: ", files.config + ":2:17: b.period: ",
                      files.layers + "/app_configs/10.json:1:", files.layers + "/app_configs/20.json:1:15: d.qos: ",
                      files.layers + "/qos_mappings.json:1:26: QOS_X.sched_nice: "):
            self.assertIn(place, result.stderr)
        self.assertEqual(differences(before, snapshot()), [])
        for program in programs:
            self.assertEqual(program.attr(), pristine())
        self.assertIn("not running", schedqos("status").stderr)

    def test_a_warning_does_not_keep_it_from_starting(self):
        daemon = self.daemon({"app": {"qos": UI, "thread_qos": {"a-name-of-more-than-15-bytes": BACKGROUND}}})
        self.assertRegex(daemon.log(), r"schedqos.json:\d+:\d+: app.thread_qos.*: warning: ")
        self.assert_carries(self.sleeper("app"), UI)


class BadFiles(LiveTest):
    """Each of them is refused: by start and by check, with 78; by reload, which keeps what is in force."""

    def check(self, path, words):
        files = Daemon(self.folder)
        files.config = path
        for args in (["start", *files.options()], ["check", path], ["check", "--config", path]):
            result = schedqos(*args)
            self.assertEqual((result.returncode, result.stdout), (78, ""), args)
            self.assertIn(path + ": ", result.stderr)
            self.assertRegex(result.stderr, words)
        self.assertIn("not running", schedqos("status").stderr)

    def good(self):
        Daemon.write(self.path("good.json"), {"app": {"qos": UI}})
        return self.path("good.json")

    def test_writable_by_others(self):
        for mode in (0o666, 0o646, 0o664):
            path = self.good()
            os.chmod(path, mode)
            self.check(path, "written by others")

    def test_not_roots(self):
        path = self.good()
        os.chown(path, 65534, 0)
        self.check(path, "belongs to another user")

    def test_a_fifo(self):
        os.mkfifo(self.path("fifo"), 0o600)
        self.check(self.path("fifo"), "not a regular file")

    def test_a_device(self):
        self.check("/dev/zero", "not a regular file|belongs|written by others")

    def test_a_directory(self):
        files = Daemon(self.folder)
        files.config = self.folder
        result = schedqos("start", *files.options())
        self.assertEqual(result.returncode, 78)
        self.assertIn("is a folder", result.stderr)

    def test_missing(self):
        self.check(self.path("missing.json"), "No such file")

    def test_a_dangling_link(self):
        os.symlink("/nowhere", self.path("link.json"))
        self.check(self.path("link.json"), "No such file")

    def test_a_loop_of_links(self):
        os.symlink("loop.json", self.path("loop.json"))
        self.check(self.path("loop.json"), "cannot be read")

    def test_larger_than_1_mib(self):
        Daemon.write(self.path("large.json"), "{}" + " " * (1024 * 1024 - 1))
        self.check(self.path("large.json"), "1 MiB")

    def test_just_1_mib(self):
        Daemon.write(self.path("large.json"), "{}" + " " * (1024 * 1024 - 2))
        self.assertEqual(schedqos("check", self.path("large.json")).returncode, 0)

    def test_a_missing_folder(self):
        result = schedqos("start", "--config", self.good(), "--configs-path", self.path("missing"))
        self.assertEqual(result.returncode, 78)
        self.assertIn(self.path("missing") + ": ", result.stderr)

    def test_a_bad_file_in_the_folder(self):
        files = Daemon(self.folder, {}, {"app_configs/10.json": {}})
        os.chmod(files.layers + "/app_configs/10.json", 0o666)
        result = schedqos("start", *files.options())
        self.assertEqual(result.returncode, 78)
        self.assertIn("app_configs/10.json: can be written by others", result.stderr)


class Grants(LiveTest):
    """check warns of what a configuration gives to everybody; start and reload do not: that is decided by
    then."""

    def test_check_warns_and_nobody_else(self):
        daemon = self.daemon({"app": {"qos": UI}, "mine": {"qos": UI, "match": {"user": 0}},
                              "more": {"qos": UI, "yield": True}})
        result = schedqos("check", "--config", daemon.config, "--configs-path", daemon.layers)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertEqual(re.findall(r"(\w+): warning: (\w+)", result.stderr), [("app", UI)])
        self.assertNotIn("warning", daemon.reload({"app": {"qos": UI}}).stderr)
        self.assertNotIn("warning", daemon.log())


class Reload(LiveTest):
    def test_a_new_rule_a_changed_one_and_one_less(self):
        daemon = self.daemon({"kept": {"qos": UI}, "changed": {"qos": UI}, "gone": {"qos": UI}})
        programs = {name: self.sleeper(name) for name in ("kept", "changed", "gone", "new")}
        for name, program in programs.items():
            self.assert_carries(program, DEFAULT if name == "new" else UI)
        result = daemon.reload({"kept": {"qos": UI}, "changed": {"qos": BACKGROUND}, "new": {"qos": INITIATED}})
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertRegex(result.stderr, r"^schedqos: 4 rules in force \(1 new, 1 changed, 1 removed\), \d+ tasks changed$")
        for name, qos in (("kept", UI), ("changed", BACKGROUND), ("gone", DEFAULT), ("new", INITIATED)):
            # The verb returns when all of it is done.
            self.assertEqual(programs[name].attr().nice, {UI: -4, BACKGROUND: 4, DEFAULT: 2, INITIATED: -2}[qos])
            self.assert_carries(programs[name], qos, name)
        self.assertIn("reloaded: ", daemon.log())

    def test_a_link_that_points_elsewhere_now(self):
        """Where versions of a configuration are kept, a link is replaced."""
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

    def test_what_the_service_manager_is_told(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(self.path("notify"))
            manager.settimeout(PATIENCE)
            daemon = self.prepare({}, environ={"NOTIFY_SOCKET": self.path("notify")}).start()
            self.assertRegex(manager.recv(4096), rb"^READY=1\nSTATUS=1 rules, \d+ tasks$")
            for config, status in (({"app": {"qos": UI}}, rb"2 rules, \d+ tasks$"),
                                   ("{", rb"2 rules, \d+ tasks, last reload refused$")):
                daemon.reload(config)
                self.assertIn(b"RELOADING=1", manager.recv(4096))
                self.assertRegex(manager.recv(4096), rb"^READY=1\nSTATUS=" + status)
            daemon.stop()

    def test_by_sighup(self):
        daemon = self.daemon({"app": {"qos": UI}})
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        daemon.configure({"app": {"qos": BACKGROUND}})
        daemon.popen.send_signal(signal.SIGHUP)
        self.assert_carries(app, BACKGROUND)
        self.assert_carries(self.sleeper("app"), BACKGROUND)

    def test_a_broken_one_keeps_what_is_in_force(self):
        daemon = self.daemon({"app": {"qos": UI}})
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        daemon.configure('{"app": {"qos": "QOS_BACKGRUND"},\n"b": 1}')
        for how in ("verb", "signal"):
            if how == "verb":
                result = schedqos("reload")
                self.assertEqual((result.returncode, result.stdout), (78, ""))
                self.assertIn(daemon.config + ":1:17: app.qos: ", result.stderr)
                self.assertIn(daemon.config + ":2:6: b: ", result.stderr)
            else:
                daemon.popen.send_signal(signal.SIGHUP)
                wait_for(lambda: daemon.status()["reloads_failed"] == 2, "the reload")
            self.assert_keeps(app, UI)
            self.assert_carries(self.sleeper("app"), UI)
        status = daemon.status()
        self.assertEqual(status["reloads"], 0)
        self.assertIn("app.qos", status["reload_error"])
        self.assertIn("app.qos", schedqos("status").stdout)
        self.assertEqual(daemon.reload({"app": {"qos": BACKGROUND}}).returncode, 0)
        self.assertEqual(daemon.status()["reload_error"], "")
        self.assert_carries(app, BACKGROUND)

    def test_a_file_that_others_may_write_now(self):
        daemon = self.daemon({"app": {"qos": UI}})
        daemon.configure({"app": {"qos": BACKGROUND}})
        os.chmod(daemon.config, 0o666)
        self.assertEqual(schedqos("reload").returncode, 78)
        self.assert_carries(self.sleeper("app"), UI)

    def test_from_good_to_worse(self):
        """Whatever the file has become: the caller gets the error, the status shows it, and what is in force stays."""
        daemon = self.daemon({"app": {"qos": UI}}, prefix=self.without_override())
        app = self.sleeper("app")
        self.assert_carries(app, UI)
        for i, (what, (make, words)) in enumerate(self.worse(daemon.config).items()):
            with self.subTest(what):
                self.clear(daemon.config)
                make()
                result = schedqos("reload")
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
        self.assertEqual(daemon.reload({"app": {"qos": BACKGROUND}}).returncode, 0)
        self.assertEqual(daemon.status()["reload_error"], "")
        self.assert_carries(app, BACKGROUND)

    @staticmethod
    def without_override():
        """As the unit has it: a root that may read what its mode says."""
        if not shutil.which("setpriv"):
            return []
        but = "-dac_override,-dac_read_search"
        return ["setpriv", "--bounding-set", but, "--inh-caps", but]

    @staticmethod
    def clear(path):
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        elif os.path.lexists(path):
            os.unlink(path)

    def worse(self, path):
        """What becomes of the file, how, and what is to be said of it."""
        def write(content, mode=0o644):
            Daemon.write(path, content)
            os.chmod(path, mode)

        def sparse():
            write("{}")
            os.truncate(path, 1 << 30)

        files = {
            "deleted": (lambda: None, "No such file"),
            "garbage": (lambda: write(os.urandom(5000)), "."),
            "cut off": (lambda: write('{"app": {"qos": "QOS_BACKGR'), "."),
            "empty": (lambda: write(""), "."),
            "a directory": (lambda: os.mkdir(path), "is a folder"),
            "a FIFO": (lambda: os.mkfifo(path, 0o600), "not a regular file"),
            "1 GiB": (sparse, "larger than 1 MiB"),
            "a loop of links": (lambda: os.symlink(path, path), "symbolic links"),
            "writable by others": (lambda: write({"app": {"qos": BACKGROUND}}, 0o646), "written by others"),
        }
        if self.without_override():
            files["unreadable"] = (lambda: write({"app": {"qos": BACKGROUND}}, 0), "Permission denied")
        return files

    def test_changed_classes_settings_and_threads(self):
        daemon = self.daemon({"app": {"qos": UI, "thread_qos": {"t": BACKGROUND}}})
        app, other = self.puppet("app"), self.sleeper("other")
        thread = app.tell(0, "thread", "t")[1]
        self.assert_carries(thread, BACKGROUND)
        self.assert_carries(other, DEFAULT)
        daemon.reload({"app": {"qos": UI, "thread_qos": {"t": INITIATED}}, "QOS_USER_INTERACTIVE": {"sched_nice": -9},
                       "schedqos": {"default": "none"}})
        self.assert_carries(app, fair(NORMAL, -9, 8 * MS, 1024))
        self.assert_carries(thread, INITIATED)
        self.assert_carries(other, pristine())

    def test_many_in_a_row_while_programs_come_and_go(self):
        daemon = self.daemon({"app": {"qos": UI}})
        programs = []
        for i in range(40):
            daemon.configure({"app": {"qos": (BACKGROUND, UI)[i % 2], "thread_qos": {"t": (UI, BACKGROUND)[i % 2]}}})
            daemon.popen.send_signal(signal.SIGHUP)
            programs += [self.sleeper("app") for _ in range(5)]
        self.assertEqual(schedqos("reload").returncode, 0)
        for program in programs:
            self.assert_carries(program, UI)

    def test_the_log_level(self):
        daemon = self.daemon({"app": {"qos": BACKGROUND}})
        self.assertEqual(daemon.reload({"app": {"qos": UI}, "schedqos": {"log": "debug"}}).returncode, 0)
        program = self.sleeper("app")
        self.assert_carries(program, UI)
        wait_for(lambda: "%d " % program.pid in daemon.log(), lambda: "a line for the tag:\n" + daemon.log())


if __name__ == "__main__":
    main()
