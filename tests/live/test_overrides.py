# SPDX-License-Identifier: GPL-2.0-only
"""set, reset, run and limit take effect before they return, and end when they should."""

import os
import socket
import subprocess

from attributes import (
    BACKGROUND, BATCH, DEFAULT, EXT, INITIATED, MS, NORMAL, UI, UTILITY, classes, fair, get_attr, has_slice, pristine,
    set_attr,
)
from cgroups import HEARD
from daemon import SCHEDQOS, environment, schedqos
from harness import LiveTest
from programs import sleep_program
from tasks import comm, reads
from waiting import wait_for

SOCKET = "/run/schedqos/bus"
APP = {"app": {"qos": INITIATED}}


class Overrides(LiveTest):
    def ask(self, *args, status=0):
        result = schedqos(*map(str, args))
        self.assertEqual(result.returncode, status, "%s: %s" % (args, result.stderr))
        return result.stderr

    def overrides(self):
        return self.current.status()["overrides"]

    def reniced(self, pid, nice):
        subprocess.run(["renice", "-n", str(nice), "-p", str(pid)], check=True, stdout=subprocess.DEVNULL)
        self.current.changed.add(pid)


class Set(Overrides):
    def test_tasks_carry_the_class_when_set_returns(self):
        """It replaces a rule's class and an earlier override, with descendants if requested; reset goes back."""
        self.daemon(APP)
        app = self.puppet("app")
        self.assert_carries(app, INITIATED)
        child, thread = app.tell(0, "fork")[0], app.tell(0, "thread", "t")[1]
        self.assertEqual(self.ask("set", app.pid, UI), "")
        self.assertIn("somebody requested %s at run time" % UI, schedqos("explain", str(app.pid)).stdout)
        for tid, qos in ((app.pid, UI), (thread, UI), (child, INITIATED)):
            self.assertEqual(get_attr(tid), classes()[qos])
        self.ask("set", "--inherit", app.pid, BACKGROUND)
        for tid in (child, thread, app.pid):
            self.assertEqual(get_attr(tid), classes()[BACKGROUND])
        self.ask("reset", app.pid)
        for tid in (child, thread, app.pid):
            self.assertEqual(get_attr(tid), classes()[INITIATED])
        self.ask("reset", app.pid, status=1)
        self.assertEqual(self.overrides(), 0)

    def test_a_class_ends_with_its_process(self):
        self.daemon(APP)
        app = self.puppet("app")
        self.ask("set", "--inherit", app.pid, UI)
        [child] = app.tell(0, "fork")
        self.assert_carries(child, UI)
        app.end()
        self.assert_carries(child, INITIATED)
        self.assertEqual(self.overrides(), 0)

    def test_wrong_classes_and_processes_are_refused(self):
        self.daemon(APP)
        app = self.puppet("app")
        thread = app.tell(0, "thread", "t")[1]
        error = self.ask("set", app.pid, "QOS_UTILTY", status=2)
        self.assertIn('no class "QOS_UTILTY" (did you mean "QOS_UTILITY"?)', error)
        self.assertIn("there are " + UI, error)
        self.assertNotIn("\x1b", self.ask("set", app.pid, "\x1b[31m", status=2))
        for pid in (thread, self.current.pid, 2):
            self.assertIn("no process %d" % pid, self.ask("set", pid, UI, status=1))
        subprocess.run(["chrt", "-f", "-p", "3", str(app.pid)], check=True)
        self.current.changed.add(app.pid)
        self.assertIn("not-fair", self.ask("set", app.pid, UI, status=1))
        self.assertEqual(get_attr(app.pid).priority, 3)


class Run(Overrides):
    def started(self, *args):
        return self.run_program([SCHEDQOS, "run", *args], env=environment())

    def test_run_gives_the_class_from_the_first_instruction(self):
        self.daemon({"cat": {"qos": BACKGROUND}})
        self.assertEqual(schedqos("run", "-q", UI, "cat", "/proc/self/stat").stdout.split()[18], "-4")
        app = self.started("-q", UI, "sh", "-c", 'exec "$0" 1000', sleep_program())
        self.assert_carries(app, UI)
        wait_for(lambda: comm(app.pid) not in (b"schedqos", b"sh"), "exec")
        self.assert_keeps(app, UI)
        app.end()
        wait_for(lambda: self.overrides() == 0, "the end of the override")

    def test_children_of_a_command_get_the_class_only_with_inherit(self):
        self.daemon({})
        for option, child in (([], DEFAULT), (["--inherit"], UI)):
            app = self.started("-q", UI, *option, "sh", "-c", '"$0" 1000 & wait', sleep_program())
            wait_for(app.descendants, "a child")
            self.assert_carries(app, UI)
            self.assert_carries(app.descendants()[0], child)

    def test_run_returns_the_command_s_exit_status(self):
        self.daemon({})
        self.ask("run", "-q", UI, "sh", "-c", "exit 7", status=7)
        self.assertIn("nowhere", self.ask("run", "-q", UI, "/nowhere", status=127))
        self.ask("run", "-q", UI, "/", status=126)
        self.assertIn("no class", self.ask("run", "-q", "QOS_X", "true", status=125))
        self.assertEqual(schedqos("run", "-q", UI, "printf", "%s", "--inherit").stdout, "--inherit")
        self.current.stop()
        self.assertIn("no daemon runs", self.ask("run", "-q", UI, "true", status=125))


class Unprivileged(Overrides):
    """An ordinary user may lower a command, as with nice(1), and do nothing else."""

    def call(self, *args):
        # Run a copy, because other users may not be able to read the folder where it was built.
        return subprocess.run([self.copy("schedqos", SCHEDQOS), *args], user=65534, group=65534, extra_groups=[],
                              env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def test_run_lowers_a_command_for_any_user(self):
        self.daemon({"cat": {"qos": INITIATED}})
        for qos in (BACKGROUND, UI):
            expected = classes()[qos]
            result = self.call("run", "-q", qos, "cat", "/proc/self/stat", "/proc/self/status")
            if expected.nice < 0:
                self.assertEqual((result.returncode, result.stdout), (125, ""))
                self.assertIn("only root may do", result.stderr)
            else:
                self.assertEqual(result.stdout.split()[18], str(expected.nice), result.stderr)
        self.assertIn("no class", self.call("run", "-q", "QOS_X", "true").stderr)


class Limit(Overrides):
    def held(self, *args):
        """Starts a client that holds a limit, and waits until it is in force."""
        holder = self.run_program([SCHEDQOS, "limit", *map(str, args)], env=environment(), stderr=subprocess.PIPE)
        self.addCleanup(holder.popen.stderr.close)
        self.assertIn(b"limited", holder.popen.stderr.readline())
        return holder

    def test_a_limit_covers_a_process_tree_until_its_client_ends(self):
        self.daemon(APP)
        app = self.puppet("app")
        [child] = app.tell(0, "fork")
        self.reniced(child, 8)
        holder = self.held(app.pid, BACKGROUND)
        self.assert_carries(app, BACKGROUND)
        self.assertEqual((get_attr(child).policy, get_attr(child).nice), (BATCH, 8))
        self.assert_carries(app.tell(0, "fork")[0], BACKGROUND)
        self.assertEqual(self.overrides(), 1)
        self.assertIn("no more than %s: somebody requested this limit at run time" % BACKGROUND,
                      schedqos("explain", str(app.pid)).stdout)
        self.assertIn("by a group, an override or hidden windows", schedqos("status").stdout)
        holder.end()
        self.assert_carries(app, INITIATED)
        wait_for(lambda: get_attr(child).policy != BATCH, "the limit's end")
        self.assertEqual(get_attr(child).nice, 8)
        self.assertEqual(self.overrides(), 0)

    def test_a_limit_lowers_what_a_task_has_chosen(self):
        """
        A slice or SCHED_BATCH that the task chose, because of which QOS_DEFAULT leaves it alone, does not lift a limit.
        """
        if not has_slice():
            self.skipTest("this kernel has no slices")
        chosen = {"slice": fair(slice=5100000), "batch": fair(BATCH), "weak": fair(BATCH, 10, 30 * MS)}
        programs = {name: self.puppet(name) for name in chosen}
        for name, program in programs.items():
            set_attr(program.pid, chosen[name].policy, chosen[name].nice, chosen[name].slice)
            self.assertEqual(get_attr(program.pid), chosen[name])
        thread = programs["slice"].tell(0, "thread")[1]
        self.daemon(APP)
        for name, program in programs.items():
            self.assert_keeps(program, chosen[name])
        self.assertIn("2 tasks lowered", self.ask("limit", "--keep", programs["slice"].pid, BACKGROUND))
        self.assertIn("1 task lowered", self.ask("limit", "--keep", programs["batch"].pid, BACKGROUND))
        self.ask("limit", "--keep", programs["weak"].pid, BACKGROUND)
        for task in (programs["slice"], thread, programs["batch"]):
            self.assert_keeps(task, BACKGROUND)
        self.assert_keeps(programs["weak"], fair(BATCH, 10, 30 * MS, 256))
        self.assertIn("no task was above", self.ask("limit", "--keep", programs["slice"].pid, BACKGROUND))
        said = schedqos("explain", str(programs["slice"].pid)).stdout
        self.assertIn("no class, but no more than %s is allowed" % BACKGROUND, said.splitlines()[0])
        self.assertIn("no more than %s: somebody requested this limit at run time" % BACKGROUND, said)
        self.assertIn(", as wanted", said)
        for name, program in programs.items():
            self.ask("limit", "--lift", program.pid)
            self.assert_keeps(program, chosen[name])

    def test_sched_ext_escapes_no_limit(self):
        """Anybody may choose it. The task gets it back, and keeps no slice of the limit's class."""
        self.daemon(APP)
        app = self.sleeper("app")
        self.ask("limit", "--keep", app.pid, BACKGROUND)
        self.assert_carries(app, BACKGROUND)
        try:
            set_attr(app.pid, EXT, get_attr(app.pid).nice)
        except OSError:
            self.skipTest("this kernel has no sched_ext")
        self.current.changed.add(app.pid)
        self.ask("limit", "--keep", app.pid, BACKGROUND)
        self.assert_carries(app, BACKGROUND)
        self.ask("limit", "--lift", app.pid)
        wait_for(lambda: get_attr(app.pid).policy == EXT, lambda: get_attr(app.pid))
        # The kernel shows no slice under SCHED_EXT; this call keeps it.
        os.sched_setscheduler(app.pid, NORMAL, os.sched_param(0))
        self.assertEqual(get_attr(app.pid).slice, pristine().slice)

    def test_a_limit_with_keep_lasts_until_it_is_lifted(self):
        self.daemon(APP)
        app = self.sleeper("app")
        holder = self.held(app.pid, UTILITY)
        self.ask("limit", "--keep", app.pid, BACKGROUND)
        self.assert_carries(app, BACKGROUND)
        self.ask("limit", "--lift", app.pid)
        self.assert_carries(app, INITIATED)
        self.assertEqual(holder.popen.wait(), 0)
        self.ask("limit", "--lift", app.pid, status=1)
        self.ask("limit", "--keep", app.pid, BACKGROUND)
        app.end()
        wait_for(lambda: self.overrides() == 0, "the end of the override")

    def test_the_end_of_the_daemon_ends_a_limit(self):
        daemon = self.daemon(APP)
        app = self.sleeper("app")
        holder = self.held(app.pid, BACKGROUND)
        daemon.stop()
        self.assertEqual(holder.popen.wait(), 1)

    def test_a_limit_on_a_cgroup_covers_processes_in_it_and_below(self):
        cgroups = self.new_cgroups("schedqos-live")
        self.need(HEARD)
        self.daemon(APP, prefix=HEARD)
        app, other = self.sleeper("app"), self.sleeper("app")
        cgroups.move(app.pid, "minimised/deep")
        holder = self.held(cgroups.root + "/minimised/", UTILITY)
        if self.current.status()["cgroup_moves"] != "heard":
            self.skipTest("moves cannot be heard here: " + self.current.log())
        self.assert_carries(app, UTILITY)
        self.assert_carries(other, INITIATED)
        cgroups.move(other.pid, "minimised/later")
        self.assert_carries(other, UTILITY)
        holder.end()
        self.assert_carries(other, INITIATED)
        self.assertIn("no cgroup", self.ask("limit", cgroups.path("nowhere"), UTILITY, status=1))
        self.ask("limit", "--keep", cgroups.path("minimised/later"), UTILITY)
        cgroups.back(other.pid)
        cgroups.remove_one(cgroups.root + "/minimised/later")
        wait_for(lambda: self.overrides() == 0, "the end of the override")

    def test_removing_cgroups_next_to_a_limited_one_costs_nothing(self):
        """Users may remove them as often as they like, so the daemon looks at no folder for that."""
        limited, removals = 60, 100
        cgroups = self.new_cgroups("schedqos-live")
        daemon = self.daemon(APP)
        for i in range(limited):
            cgroups.make("limited%d" % i)
            self.ask("limit", "--keep", cgroups.path("limited%d" % i), BACKGROUND)
        before = reads(daemon.pid)
        for i in range(removals):
            cgroups.make("next")
            cgroups.remove_one(cgroups.root + "/next")
        # Its event comes after those of the others.
        cgroups.remove_one(cgroups.root + "/limited0")
        wait_for(lambda: self.overrides() == limited - 1, "the end of one override")
        # Programs of the machine that are executed meanwhile cost some reads each.
        self.assertLess(reads(daemon.pid) - before, limited * removals)
        cgroups.remove_one(cgroups.root + "/limited1")
        wait_for(lambda: self.overrides() == limited - 2, "the end of another one")

    def test_a_client_with_a_limit_is_not_disconnected_for_others(self):
        self.daemon(APP)
        app = self.sleeper("app")
        holder = self.held(app.pid, BACKGROUND)
        clients = [socket.socket(socket.AF_UNIX) for _ in range(100)]
        for client in clients:
            client.connect(SOCKET)
        for client in clients:
            client.close()
        wait_for(lambda: schedqos("status").returncode == 0, "room for one more")
        self.assertEqual(self.overrides(), 1)
        self.assertIsNone(holder.popen.poll())


del Overrides
