# SPDX-License-Identifier: GPL-2.0-only
"""The command line: every verb's exit status, and which messages go where."""

import concurrent.futures
import fcntl
import json
import os
import signal
import socket
import subprocess

from attributes import BACKGROUND, DEFAULT, UI, baseline, differences, leftovers, pristine, snapshot
from daemon import SCHEDQOS, Daemon, environment, lasting, schedqos
from harness import LiveTest
from tasks import open_files, sleeps
from waiting import PATIENCE, wait_for

STATUS_KEYS = [
    "config_files", "cpu_usec", "execs", "features", "forks", "log_lost", "lost", "not_kept", "pid",
    "problems", "races", "refused", "reload_error", "reloads", "reloads_failed", "renames",
    "resident_bytes", "rules", "scans", "set", "since_usec", "table_bytes", "tasks", "tasks_by_class",
    "tasks_by_reason", "unread", "version", "well"]


class Usage(LiveTest):
    def check(self, *args):
        result = schedqos(*args)
        self.assertEqual(result.returncode, 2, args)
        self.assertEqual(result.stdout, "", args)
        self.assertTrue(result.stderr.strip(), args)
        return result.stderr

    def test_output_that_cannot_be_written_is_a_failure(self):
        for args in (("--help",), ("--version",), ("status", "--help"), ("doctor", "--json"), ("sched_profile",)):
            with open("/dev/full", "w", encoding="ascii") as full:
                run = subprocess.run([SCHEDQOS, *args], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(run.returncode, 1, args)
            self.assertIn("No space left on device", run.stderr, args)

    def test_a_misspelt_word_gets_a_suggestion(self):
        self.assertIn("unknown verb 'statsu': did you mean 'status'?", self.check("statsu"))
        self.assertIn("unknown option '--versoin': did you mean '--version'?", self.check("--versoin"))
        self.assertNotIn("did you mean", self.check("frobnicate"))
        self.assertNotIn("\x1b", self.check("\x1b[31mred"))
        self.assertIn("[--config FILE]", self.check("check", "--confg", "x"))

    def test_wrong_usage_exits_2(self):
        for args in ((), ("--nonsense",), ("",), ("start", "--nonsense"), ("start", "extra"), ("stop", "now"),
                     ("check", "--config", "a", "b"), ("check", "--diff", "--print"), ("check", "--diff", "x.json"),
                     ("status", "--json", "--metrics"), ("limit",), ("limit", "1"), ("limit", "word", UI),
                     ("limit", "--lift", "1", UI), ("limit", "--keep", "--lift", "1"), ("explain",), ("explain", "x"),
                     ("explain", "0"), ("explain", "1", "--name", "x"), ("explain", "99999999999"),
                     ("explain", "1", "--against", "x"), ("explain", "--name", "x", "--against", "1"),
                     ("explain", "--against", "1"), ("explain", "--name", ""), ("run", "true"), ("run", "-q", UI), ("set",), ("set", "1"),
                     ("set", "x", UI), ("set", "0", UI), ("set", "-1", UI), ("set", "1", UI, "more")):
            self.check(*args)

    def test_version_is_printed(self):
        result = schedqos("--version")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^schedqos \S+\n$")

    def test_verbs_say_that_no_daemon_runs(self):
        for args in (["stop"], ["reload"], ["status"], ["list"], ["top"], ["check", "--diff"],
                     ["weights"]):
            result = schedqos(*args)
            self.assertEqual((result.returncode, result.stdout), (1, ""), args)
            self.assertIn("no daemon runs", result.stderr, args)

    def test_verbs_say_that_root_is_needed(self):
        program = self.copy("schedqos", SCHEDQOS)
        for words in "schedqos: ", "root":
            for args in (["start"], ["stop"], ["restart"], ["reload"], ["status"], ["set", "1", BACKGROUND], ["reset", "1"],
                         ["limit", "1", BACKGROUND]):
                result = subprocess.run([program, *args], user=65534, group=65534, extra_groups=[], env=environment(),
                                        check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
                self.assertIn(words, result.stderr, args)
            if not self.current:
                self.daemon()
        self.assertTrue(self.current.running())


class Running(LiveTest):
    def test_a_second_start_names_the_running_daemon(self):
        daemon = self.daemon()
        for args in (["start"], ["start", "-d"]):
            result = schedqos(*args)
            self.assertEqual(result.returncode, 1)
            self.assertIn("already running as pid %d" % daemon.pid, result.stderr)
            self.assertEqual(result.stdout, "")
        self.assertTrue(daemon.running())
        self.assert_carries(self.sleeper("still-tagging"), DEFAULT)

    def test_status_shows_all_figures(self):
        daemon = self.daemon({"app": {"qos": BACKGROUND}})
        app = self.sleeper("app")
        self.assert_carries(app, BACKGROUND)
        result = schedqos("status", "--json")
        self.assertEqual(result.stderr, "")
        status = json.loads(result.stdout, parse_float=lambda text: self.fail("not a whole number: " + text))
        self.assertEqual([key for key in STATUS_KEYS if key not in status], [])
        self.assertEqual(status["pid"], daemon.pid)
        self.assertEqual(status["rules"], 2)  # one of them is the harness's own
        self.assertEqual(status["config_files"][-1], daemon.config)
        self.assertGreaterEqual(status["tasks_by_class"][BACKGROUND], 1)
        self.assertGreaterEqual(status["tasks_by_class"][DEFAULT], 1)
        self.assertEqual((status["lost"], status["not_kept"], status["refused"], status["problems"]), (0, 0, {}, {}))
        text = schedqos("status")
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        for word in ("pid %d" % daemon.pid, daemon.config, BACKGROUND, "lost"):
            self.assertIn(word, text.stdout)

    def test_stop_returns_when_all_is_put_back(self):
        daemon = self.daemon()
        program = self.sleeper("app")
        self.assert_carries(program, DEFAULT)
        result = schedqos("stop")
        self.assertEqual(program.attr(), pristine())
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        daemon.wait()

    def test_a_stop_leaves_no_file_in_run(self):
        daemon = self.daemon()
        self.assertEqual(os.stat("/run/schedqos/bus").st_mode & 0o777, 0o600)
        daemon.stop()
        self.assertFalse(os.path.exists("/run/schedqos/bus"))


class NotUtf8(LiveTest):
    """Arguments that the bus cannot carry."""

    def test_arguments_that_are_not_utf_8_are_refused(self):
        self.daemon()
        for args in (("limit", "--keep", "/\udcff", UI), ("explain", "--name", "\udcff"), ("set", "1", "\udcff")):
            result = schedqos(*args)
            self.assertEqual((result.returncode, result.stderr), (2, "schedqos: error: argument is not valid UTF-8\n"))


class AtWork(LiveTest):
    """sched_profile and restore hold the lock without a daemon, and are not mistaken for a daemon."""

    def setUp(self):
        super().setUp()
        os.makedirs("/run/schedqos", exist_ok=True)
        self.lock = open("/run/schedqos/lock", "w", encoding="ascii")  # pylint: disable=consider-using-with
        self.addCleanup(self.lock.close)
        fcntl.lockf(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
        self.signals = []
        before = signal.signal(signal.SIGTERM, lambda *_: self.signals.append("TERM"))
        self.addCleanup(signal.signal, signal.SIGTERM, before)

    def test_stop_does_not_end_a_verb_at_work(self):
        result = schedqos("stop")
        self.assertEqual(self.signals, [])
        self.assertEqual((result.returncode, result.stderr), (1, "schedqos: error: no daemon runs\n"))

    def test_other_verbs_give_up_after_a_while(self):
        verbs = ["start"], ["restore"], ["sched_profile", "qos"]
        with concurrent.futures.ThreadPoolExecutor() as executor:
            results = list(executor.map(lambda args: schedqos(*args), verbs))
        for result in results:
            self.assertEqual(result.returncode, 1, result.args)
            self.assertIn("another schedqos command is at work as pid %d" % os.getpid(), result.stderr)

    def test_other_verbs_wait_for_the_end_of_a_verb_at_work(self):
        with subprocess.Popen([SCHEDQOS, "restore"], env=environment(), stderr=subprocess.PIPE, text=True) as waiting:
            wait_for(lambda: "/run/schedqos/lock" in open_files(waiting.pid).values(), "restore tries the lock")
            before = sleeps(waiting.pid)
            wait_for(lambda: sleeps(waiting.pid) > before, "restore waits")
            self.lock.close()
            self.assertEqual(waiting.communicate(timeout=PATIENCE)[1], "schedqos: nothing to put back\n")
        self.assertEqual(waiting.returncode, 0)

    def test_doctor_does_not_take_a_verb_for_a_daemon(self):
        self.assertRegex(schedqos("doctor").stdout, r"(?m)^note +daemon +does not run$")


class TornRecord(LiveTest):
    def test_a_record_that_cannot_be_used_is_not_replaced(self):
        """At least people can still read in the record what has to be put back."""
        torn, record = b'{"version":1,"knobs":[', "/run/schedqos/knobs.json"
        os.makedirs("/run/schedqos", exist_ok=True)
        with open(record, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(torn)
        self.addCleanup(os.unlink, record)
        result = schedqos("sched_profile", "qos")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no knob is changed", result.stderr)
        with open(record, "rb") as file:
            self.assertEqual(file.read(), torn)


class Background(LiveTest):
    """The daemon in the background, by start -d."""

    def setUp(self):
        super().setUp()
        self.files = Daemon(self.folder)

    def start(self, config, verb="start", **options):
        self.files.configure(config)
        self.before = getattr(self, "before", None) or baseline()
        self.addCleanup(lambda: schedqos("stop"))
        return schedqos(verb, "-d", *self.files.options(), **options)

    def stop(self):
        result = schedqos("stop")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(lasting(self.traces), [])

    def traces(self):
        after = snapshot()
        return differences(self.before, after) + leftovers(self.before, after)

    def test_start_d_returns_when_the_daemon_listens(self):
        before = self.sleeper("app")
        result = self.start({"app": {"qos": BACKGROUND}})
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"(?m)^schedqos: schedqos \S+ is listening: 2 rules, \d+ tasks, \d+ changed$")
        # On a slow machine the arguments, which the rule needs, may be read later.
        self.assertNotEqual(before.attr(), pristine())
        self.assert_carries(before, BACKGROUND)
        self.assert_carries(self.sleeper("app"), BACKGROUND)
        self.assertEqual(schedqos("status").returncode, 0)
        self.stop()

    def test_a_background_daemon_keeps_no_folder_terminal_or_file(self):
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        with open(self.path("lock"), "w", encoding="ascii") as lock:
            result = self.start({}, pass_fds=[lock.fileno()])
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        pid = json.loads(schedqos("status", "--json").stdout)["pid"]
        self.assertEqual(os.readlink("/proc/%d/cwd" % pid), "/")
        self.assertEqual(os.getsid(pid), pid)
        files = open_files(pid)
        self.assertEqual([files[fd] for fd in range(3)], ["/dev/null"] * 3)
        self.assertNotIn(self.path("lock"), files.values())
        self.stop()

    def test_a_start_without_standard_streams_works(self):
        """Files that the daemon opens would otherwise get the numbers of the streams."""
        self.before = baseline()
        self.addCleanup(lambda: schedqos("stop"))
        command = [SCHEDQOS, "start", "-d", *self.files.options()]
        result = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command], env=environment(), check=False)
        self.assertEqual(result.returncode, 0)
        pid = json.loads(schedqos("status", "--json").stdout)["pid"]
        self.assertIn("already running as pid %d" % pid, schedqos(*command[1:]).stderr)
        self.stop()

    def test_paths_may_be_relative(self):
        os.chdir(self.files.folder)
        self.addCleanup(os.chdir, "/")
        self.files.configure({"app": {"qos": BACKGROUND}})
        self.before = baseline()
        result = schedqos("start", "-d", "--config", "schedqos.json", "--configs-path", "layers")
        self.addCleanup(lambda: schedqos("stop"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.files.configure({"app": {"qos": UI}})
        self.assertEqual(schedqos("reload").returncode, 0)
        self.assert_carries(self.sleeper("app"), UI)
        self.stop()

    def test_a_failing_start_d_returns_reason_and_status(self):
        result = self.start('{"app": {"qos": "QOS_USER_INTERACTIV"}}')
        self.assertEqual(result.returncode, 78)
        self.assertIn("%s:1:17: app.qos: " % self.files.config, result.stderr)
        self.assertIn("QOS_USER_INTERACTIVE", result.stderr)
        self.assertIn("no daemon runs", schedqos("status").stderr)
        result = schedqos("start", "-d", "--config", self.files.config, prefix=["unshare", "-n"])
        self.assertNotEqual(result.returncode, 0)

    def test_restart_replaces_the_daemon_if_the_configuration_is_good(self):
        result = self.start({"app": {"qos": BACKGROUND}}, "restart")
        self.assertEqual(result.returncode, 0, result.stderr)
        app = self.sleeper("app")
        self.assert_carries(app, BACKGROUND)
        first = json.loads(schedqos("status", "--json").stdout)["pid"]
        result = self.start({"app": {"qos": UI}}, "restart")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_carries(app, UI)
        second = json.loads(schedqos("status", "--json").stdout)["pid"]
        self.assertNotEqual(second, first)
        # A configuration that the new daemon would refuse does not end the old daemon.
        result = self.start({"app": {"qos": "QOS_NONE"}}, "restart")
        self.assertEqual(result.returncode, 78, result.stderr)
        self.assertIn("app.qos", result.stderr)
        self.assertEqual(json.loads(schedqos("status", "--json").stdout)["pid"], second)
        # Only the new daemon prints its warnings.
        warned = {"app": {"thread_qos": {"longer-than-15-bytes": BACKGROUND}}}
        self.assertEqual(self.start(warned, "restart").stderr.count("can never match"), 1)
        self.stop()

    def test_the_log_goes_to_the_syslog(self):
        if os.path.exists("/dev/log"):
            self.skipTest("there is a log of the machine's")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as syslog:
            self.addCleanup(os.unlink, "/dev/log")
            syslog.bind("/dev/log")
            syslog.settimeout(PATIENCE)
            self.start({})
            pid = json.loads(schedqos("status", "--json").stdout)["pid"]
            line = syslog.recv(8192).decode()
            while "is listening" not in line:
                line = syslog.recv(8192).decode()
        self.assertRegex(line, r"^<30>schedqos\[%d\]: schedqos \S+ is listening: " % pid)
        # The syslog no longer accepts lines.
        self.assertEqual(schedqos("reload").returncode, 0)
        self.assertGreater(json.loads(schedqos("status", "--json").stdout)["log_lost"], 0)
        self.stop()

    def test_the_log_stays_on_standard_error_if_that_is_a_file(self):
        if os.path.exists("/dev/log"):
            self.skipTest("there is a log of the machine's")
        path = os.path.join(self.folder, "log")
        self.before = baseline()
        self.addCleanup(lambda: schedqos("stop"))
        with open(path, "w", encoding="utf-8") as log:
            subprocess.run([SCHEDQOS, "start", "-d", *self.files.options()], check=True, stderr=log, env=environment(),
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.stop()
        with open(path, encoding="utf-8") as log:
            self.assertRegex(log.read(), r"(?s)is listening: .*stopped: \d+ tasks? put back\n\Z")

    def test_a_start_without_any_log_warns(self):
        if os.path.exists("/dev/log"):
            self.skipTest("there is a log of the machine's")
        self.assertIn("no syslog runs", self.start({}).stderr)
        self.stop()
