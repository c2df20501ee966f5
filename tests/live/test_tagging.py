# SPDX-License-Identifier: GPL-2.0-only
"""Programs, threads and their children carry their classes."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
import unittest

from attributes import BATCH, MS, NORMAL, classes, fair, get_attr, has_slice, pristine, set_attr
from harness import LiveTest, main
from tasks import comm
from waiting import wait_for

UI, INITIATED, UTILITY, BACKGROUND, DEFAULT = (
    "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_UTILITY", "QOS_BACKGROUND", "QOS_DEFAULT")
FOUR = (UI, INITIATED, UTILITY, BACKGROUND)


class Many(LiveTest):
    def test_300_programs_one_after_another(self):
        wanted = {"program%03d" % i: FOUR[i % 4] for i in range(300)}
        self.daemon({name: {"qos": qos} for name, qos in wanted.items()})
        programs = [(self.sleeper(name), qos) for name, qos in wanted.items()]
        for program, qos in programs:
            self.assert_carries(program, qos)

    def test_300_programs_that_were_there_before(self):
        wanted = {"program%03d" % i: FOUR[i % 4] for i in range(300)}
        programs = [(self.sleeper(name), qos) for name, qos in wanted.items()]
        self.daemon({name: {"qos": qos} for name, qos in wanted.items()})
        for program, qos in programs:
            self.assertEqual(get_attr(program.pid).nice, {UI: -4, INITIATED: -2, UTILITY: 2, BACKGROUND: 4}[qos])
            self.assert_carries(program, qos)

    def test_100_threads_that_name_themselves(self):
        names = ["exact-%d" % i if i % 2 else "glob-%d" % i for i in range(100)]
        rules = {name: FOUR[i % 4] for i, name in enumerate(names) if i % 2}
        rules["glob-*"] = INITIATED
        self.daemon({"app": {"qos": UTILITY, "thread_qos": rules}})
        app = self.puppet("app")
        threads = [app.tell(0, "thread", name, ("prctl", "comm")[i // 2 % 2])[1]
                   for i, name in enumerate(names)]
        for name, tid in zip(names, threads):
            self.assert_carries(tid, rules.get(name, INITIATED), name)
        self.assert_carries(app, UTILITY)

    def test_short_lived_programs_do_no_harm(self):
        self.daemon({"true": {"qos": BACKGROUND}})
        subprocess.run(["sh", "-c", "for i in $(seq 300); do /bin/true; done"], check=True)
        self.assert_carries(self.sleeper("true"), BACKGROUND)
        self.assertEqual(self.current.status()["refused"], {})


class WithoutRule(LiveTest):
    def test_every_pristine_task_takes_the_default(self):
        before = self.puppet("before")
        thread = before.tell(0, "thread")[1]
        self.daemon()
        for task in (before, thread, self.sleeper("after"), os.getpid()):
            self.assert_carries(task, DEFAULT)

    def test_default_none_touches_nothing(self):
        before = self.sleeper("before")
        self.daemon({"schedqos": {"default": "none"}, "named": {"qos": UI}})
        self.assert_carries(self.sleeper("named"), UI)
        self.assert_keeps(before, pristine())
        self.assert_keeps(self.sleeper("after"), pristine())

    def test_default_all_takes_chosen_ones_too(self):
        chosen = self.sleeper("chosen")
        set_attr(chosen.pid, BATCH, 7)
        raised = self.sleeper("raised")
        set_attr(raised.pid, NORMAL, -7, 7 * MS)
        self.daemon({"schedqos": {"default": "all"}})
        self.assert_carries(raised, DEFAULT)
        self.assert_carries(chosen, fair(BATCH, 7, 16 * MS, util_max=512))
        self.current.stop()
        self.assertEqual(chosen.attr(), fair(BATCH, 7))
        self.assertEqual(raised.attr(), fair(NORMAL, -7, 7 * MS))


class Births(LiveTest):
    def test_a_fork_and_a_thread_are_born_with_the_class(self):
        self.daemon({"app": {"qos": BACKGROUND}})
        app = self.puppet("app")
        self.assert_carries(app, BACKGROUND)
        for child in app.tell(0, "fork", 5):
            self.assertEqual(get_attr(child), self.current_class(BACKGROUND))
        self.assertEqual(get_attr(app.tell(0, "thread")[1]), self.current_class(BACKGROUND))

    def current_class(self, name):
        return classes()[name]

    def test_a_child_that_execs_takes_its_own_class(self):
        self.daemon({"app": {"qos": BACKGROUND}, "child": {"qos": UI}})
        app = self.puppet("app")
        self.assert_carries(app.tell(0, "spawn", [self.alias("child"), "1000"]), UI)
        self.assert_carries(app.tell(0, "spawn", [self.alias("other"), "1000"]), DEFAULT)
        self.assert_carries(app, BACKGROUND)

    def test_exec_right_after_fork_and_again(self):
        self.daemon({"first": {"qos": UI}, "last": {"qos": INITIATED}})
        last, shell = self.alias("last"), self.alias("first", shutil.which("sh"))
        programs = [self.run_program([shell, "-c", "exec %s 1000" % last]) for _ in range(50)]
        for program in programs:
            self.assert_carries(program, INITIATED)

    def test_a_program_that_execs_into_one_without_a_rule(self):
        self.daemon({"app": {"qos": BACKGROUND}})
        app = self.puppet("app")
        self.assert_carries(app, BACKGROUND)
        app.tell(0, "run", [self.alias("other"), "1000"])
        self.assert_carries(app, DEFAULT)

    def test_children_of_a_thread_with_another_class(self):
        """They are born with what the thread carries; a thread's thread is the process's, a child is the thread's."""
        self.daemon({"app": {"qos": UTILITY, "thread_qos": {"ui": UI}}})
        app = self.puppet("app")
        number, tid = app.tell(0, "thread", "ui")
        self.assert_carries(tid, UI)
        _, inner = app.tell(number, "thread", "plain")
        self.assert_carries(inner, UTILITY)
        _, same = app.tell(number, "thread")
        self.assert_carries(same, UI)
        self.assert_carries(app.tell(number, "spawn", [self.alias("other"), "1000"]), DEFAULT)
        child, = app.tell(number, "fork")
        self.assert_keeps(child, UI)

    def test_a_chain_of_200_forks(self):
        self.daemon({"app": {"qos": BACKGROUND}})
        code = ("import os,signal,sys\n"
                "for _ in range(200):\n"
                "  if os.fork(): signal.pause()\n"
                "os.write(1, b'x')\nsignal.pause()\n")
        app = self.run_program(["app", "-IS", "-c", code], self.alias("app", os.path.realpath(shutil.which("python3"))),
                               stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(os.killpg, app.pid, signal.SIGKILL)
        app.popen.stdout.read(1)
        chain = app.descendants()
        self.assertEqual(len(chain), 200)
        for pid in chain:
            self.assert_carries(pid, BACKGROUND)


class Names(LiveTest):
    def test_a_renamed_thread_follows_its_rule(self):
        self.daemon({"app": {"qos": UTILITY, "thread_qos": {"ui": UI, "io-*": BACKGROUND}}})
        app = self.puppet("app")
        number, tid = app.tell(0, "thread")
        for name, qos in (("ui", UI), ("io-1", BACKGROUND), ("else", UTILITY), ("io-", BACKGROUND), ("ui", UI)):
            app.tell(number, "name", name)
            self.assert_carries(tid, qos, name)
        app.tell(0, "name", "ui")
        self.assert_carries(app, UI)

    def test_a_thread_without_a_thread_rule_takes_the_default_when_there_is_no_qos(self):
        self.daemon({"app": {"thread_qos": {"ui": UI}}})
        app = self.puppet("app")
        self.assert_carries(app, DEFAULT)
        self.assert_carries(app.tell(0, "thread", "ui")[1], UI)
        self.assert_carries(app.tell(0, "thread", "other")[1], DEFAULT)

    def test_an_exact_thread_name_beats_a_glob_and_the_longer_glob_the_shorter(self):
        self.daemon({"app": {"thread_qos": {"*": BACKGROUND, "w*": UTILITY, "worker*": INITIATED, "worker-7": UI}}})
        app = self.puppet("app")
        for name, qos in (("worker-7", UI), ("worker-8", INITIATED), ("w", UTILITY), ("x", BACKGROUND)):
            self.assert_carries(app.tell(0, "thread", name)[1], qos, name)

    def test_base_name_of_argv0(self):
        self.daemon({"chrome": {"qos": UI}, "game.exe": {"qos": INITIATED}})
        for argv0, qos in (("chrome", UI), ("/opt/x/chrome", UI), ("C:\\games\\game.exe", INITIATED),
                           ("Z:/games/game.exe", INITIATED), ("chrome ", DEFAULT), ("Chrome", DEFAULT)):
            self.assert_carries(self.sleeper(argv0), qos, argv0)

    def test_base_name_of_the_executable(self):
        self.daemon({"tool": {"qos": UI}})
        self.assert_carries(self.run_program(["-login", "1000"], self.copy("tool")), UI)

    def test_argv0_goes_before_the_executable(self):
        self.daemon({"tool": {"qos": UI}, "alias": {"qos": BACKGROUND}})
        self.assert_carries(self.run_program(["alias", "1000"], self.copy("tool")), BACKGROUND)

    def test_many_programs_in_one_file(self):
        """As busybox has them: the name of the link that was called counts."""
        self.daemon({"applet": {"qos": BACKGROUND}, "hard": {"qos": UI}, "box": {"qos": INITIATED}})
        box = self.copy("box")
        self.assert_carries(self.run_program([self.alias("applet", box), "1000"]), BACKGROUND)
        self.assert_carries(self.run_program([self.alias("no-rule", box), "1000"]), INITIATED)
        os.link(box, self.path("hard"))
        self.assert_carries(self.run_program(["x", "1000"], self.path("hard")), UI)

    def test_a_script_by_its_name(self):
        self.daemon({"script": {"qos": BACKGROUND}, "a-script-of-a-long-name": {"qos": UI}})
        for name, first, qos in (("script", "#!/bin/sh", BACKGROUND), ("script", "#!/bin/sh -e", BACKGROUND),
                                 ("a-script-of-a-long-name", "#!/bin/sh", UI), ("other", "#!/bin/sh", DEFAULT)):
            path = self.path(name)
            with open(path, "w", encoding="ascii") as file:
                file.write("%s\nread -r line\n" % first)
            os.chmod(path, 0o755)
            self.assert_carries(self.run_program([path], stdin=subprocess.PIPE), qos, name)

    def test_a_script_that_ran_before_the_start(self):
        path = self.path("script")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nread -r line\n")
        os.chmod(path, 0o755)
        script = self.run_program([path], stdin=subprocess.PIPE)
        self.daemon({"script": {"qos": BACKGROUND}})
        self.assert_carries(script, BACKGROUND)

    def test_globs(self):
        self.daemon({"web*": {"qos": UI}, "?x": {"qos": INITIATED}, "v[0-9]": {"qos": BACKGROUND},
                     "webkit*": {"qos": UTILITY}, "webkit": {"qos": BACKGROUND}})
        for name, qos in (("webber", UI), ("webkit-1", UTILITY), ("webkit", BACKGROUND), ("ax", INITIATED),
                          ("v7", BACKGROUND), ("v77", DEFAULT), ("aweb", DEFAULT)):
            self.assert_carries(self.sleeper(name), qos, name)

    def test_of_equal_globs_the_earlier_line_wins(self):
        self.daemon({"ab*": {"qos": UI}, "*bc": {"qos": BACKGROUND}})
        self.assert_carries(self.sleeper("abc"), UI)

    def test_a_pattern_with_a_slash_is_compared_with_the_path(self):
        first, second = self.copy("one/tool"), self.copy("two/tool")
        self.daemon({first: {"qos": UI}, self.path("two/*"): {"qos": BACKGROUND}, "tool": {"qos": UTILITY}})
        self.assert_carries(self.run_program(["tool", "1000"], first), UI)
        # An exact name beats a glob, be it a path.
        self.assert_carries(self.run_program(["tool", "1000"], second), UTILITY)
        self.assert_carries(self.run_program(["x", "1000"], self.copy("two/other")), BACKGROUND)

    def test_a_deleted_executable(self):
        gone = self.copy("gone")
        program = self.run_program(["x", "1000"], gone)
        os.unlink(gone)
        self.daemon({gone: {"qos": UI}})
        self.assert_carries(program, UI)


class Conditions(LiveTest):
    def test_argv(self):
        self.daemon({"java": {"qos": UI, "match": {"argv": ["-jar", "*minecraft*"]}}})
        self.assert_carries(self.sleeper("java", "-jar", "/opt/minecraft.jar", executable=self.patient()), UI)
        self.assert_carries(self.sleeper("java", "-jar", "/opt/other.jar", executable=self.patient()), DEFAULT)
        self.assert_carries(self.sleeper("java", "minecraft", executable=self.patient()), DEFAULT)

    def patient(self):
        """A program that sleeps whatever its arguments are."""
        path = self.path("patient")
        if not os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\nwhile :; do sleep 1000; done\n")
            os.chmod(path, 0o755)
        return path

    def sleeper(self, name, *args, executable=None, prefix=(), **options):
        """With arguments, a script of that name: sleep minds its arguments."""
        if executable is None:
            return super().sleeper(name, *args, prefix=prefix, **options)
        return self.run_program([self.alias(name, executable), *args], start_new_session=True, **options)

    def test_user(self):
        self.daemon({"app": [{"qos": UI, "match": {"user": "nobody"}},
                             {"qos": INITIATED, "match": {"user": 12345}},
                             {"qos": BACKGROUND, "match": {"user": "root"}}]})
        for user, qos in (("nobody", UI), (12345, INITIATED), (0, BACKGROUND), (12346, DEFAULT)):
            self.assert_carries(self.sleeper("app", user=user), qos, str(user))

    def test_a_program_that_runs_as_root_whoever_runs_it(self):
        """Its name is its caller's choice, and what it starts as him inherits. So it is his."""
        self.daemon({"app": [{"qos": UI, "match": {"user": "root"}, "inherit": True},
                             {"qos": BACKGROUND, "match": {"user": "nobody"}}]})
        su = self.copy("su")
        os.chmod(su, 0o4755)
        program = self.run_program(["app", "1000"], su, user="nobody")
        wait_for(lambda: comm(program.pid) == b"su", "the exec")
        if os.stat("/proc/%d" % program.pid).st_uid != 0:
            self.skipTest("set-user-ID programs have no effect here")
        self.assert_carries(program, BACKGROUND)

    def test_exe(self):
        self.daemon({"app": {"qos": UI, "match": {"exe": self.path("good/*")}}})
        self.assert_carries(self.run_program(["app", "1000"], self.copy("good/app")), UI)
        self.assert_carries(self.run_program(["app", "1000"], self.copy("bad/app")), DEFAULT)

    def test_parent(self):
        self.daemon({"child": {"qos": UI, "match": {"parent": "par?nt"}}})
        parent, other = self.puppet("parent"), self.puppet("other")
        child = [self.alias("child"), "1000"]
        self.assert_carries(parent.tell(0, "spawn", child), UI)
        self.assert_carries(other.tell(0, "spawn", child), DEFAULT)

    def test_cgroup(self):
        mount = next((path for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                      if os.path.exists(path + "/cgroup.procs")), None)
        if not mount:
            self.skipTest("no cgroup v2")
        group = "%s/schedqos-live-%d" % (mount, os.getpid())
        try:
            os.mkdir(group)
        except OSError as error:
            self.skipTest("cannot make a cgroup: %s" % error)
        self.addCleanup(self.remove_group, group)
        self.daemon({"app": {"qos": UI, "match": {"cgroup": "*/schedqos-live-*"}}})
        shell = "echo $$ > %s/cgroup.procs && exec %s 1000" % (group, self.alias("app"))
        self.assert_carries(self.run_program(["sh", "-c", shell]), UI)
        self.assert_carries(self.sleeper("app"), DEFAULT)

    @staticmethod
    def remove_group(group):
        def is_removed():
            with contextlib.suppress(OSError):
                os.rmdir(group)
            return not os.path.exists(group)

        # What is killed leaves its group a moment later, and its list (cgroup.procs) maybe before that.
        wait_for(is_removed, "an empty cgroup")

    def test_the_first_of_a_list_that_matches(self):
        self.daemon({"app": [{"qos": UI, "match": {"parent": "nobody-is-called-so"}},
                             {"qos": INITIATED, "match": {"exe": "/*"}}, {"qos": BACKGROUND}]})
        self.assert_carries(self.sleeper("app"), INITIATED)

    def test_a_list_without_a_match_lets_globs_have_it(self):
        self.daemon({"app": [{"qos": UI, "match": {"user": 12345}}], "a*": {"qos": BACKGROUND}})
        self.assert_carries(self.sleeper("app"), BACKGROUND)


class Classes(LiveTest):
    def test_a_new_class_and_one_partly_overridden(self):
        self.daemon({"QOS_MINE": {"sched_policy": "SCHED_BATCH", "sched_nice": 11, "sched_runtime": 5 * MS},
                     "QOS_UTILITY": {"sched_nice": 6},
                     "mine": {"qos": "QOS_MINE"}, "utility": {"qos": UTILITY}})
        self.assert_carries(self.sleeper("mine"), fair(BATCH, 11, 5 * MS))
        self.assert_carries(self.sleeper("utility"), fair(BATCH, 6, 16 * MS, 512))

    def test_what_a_class_does_not_name_stays(self):
        self.daemon({"QOS_NICE": {"sched_nice": 9}, "QOS_POLICY": {"sched_policy": "SCHED_BATCH"},
                     "nice": {"qos": "QOS_NICE"}, "batch": {"qos": "QOS_POLICY"}})
        self.assert_carries(self.sleeper("nice"), fair(NORMAL, 9))
        self.assert_carries(self.sleeper("batch"), fair(BATCH, 0))

    def test_period_scales_the_slice(self):
        self.daemon({"half": {"qos": UI, "period": 8 * MS}, "double": {"qos": UI, "period": 32 * MS},
                     "least": {"qos": UI, "period": 1000}, "most": {"qos": BACKGROUND, "period": 1000 * MS},
                     "threads": {"period": 8 * MS, "thread_qos": {"ui": UI}}})
        for name, qos in (("half", fair(NORMAL, -4, 4 * MS)), ("double", fair(NORMAL, -4, 16 * MS)),
                          ("least", fair(NORMAL, -4, MS // 10)), ("most", fair(BATCH, 4, 100 * MS, 256))):
            self.assert_carries(self.sleeper(name), qos, name)
        app = self.puppet("threads")
        self.assert_carries(app.tell(0, "thread", "ui")[1], fair(NORMAL, -4, 4 * MS))
        self.assert_carries(app, DEFAULT)

    @unittest.skipUnless(has_slice(), "this kernel has no custom slices")
    def test_slices_at_their_bounds(self):
        self.daemon({"QOS_A": {"sched_runtime": 100000}, "QOS_B": {"sched_runtime": 100000000},
                     "a": {"qos": "QOS_A"}, "b": {"qos": "QOS_B"}})
        self.assert_carries(self.sleeper("a"), fair(slice=100000))
        self.assert_carries(self.sleeper("b"), fair(slice=100000000))


NESTED = {"outer": {"qos": BACKGROUND, "inherit": True}, "inner": {"qos": UI, "inherit": True}}


class Inheritance(LiveTest):
    def test_descendants_without_a_rule_take_the_class(self):
        self.daemon({"make": {"qos": BACKGROUND, "inherit": True}, "special": {"qos": UI}, "sh": None})
        make = self.puppet("make")
        shell = self.alias("shell", shutil.which("sh"))
        script = "%s 1000 & %s 1000 & wait" % (self.alias("as"), self.alias("special"))
        child = make.tell(0, "spawn", [shell, "-c", script])
        self.assert_carries(make, BACKGROUND)
        self.assert_carries(child, BACKGROUND)
        children = wait_for(lambda: make.descendants() if len(make.descendants()) == 3 else None, "three descendants")
        names = {}
        for pid in children[1:]:
            # In the midst of its exec it has no arguments at all.
            wait_for(lambda pid=pid: self.first_argument(pid) not in (shell, ""), "the exec")
            names[os.path.basename(self.first_argument(pid))] = pid
        self.assert_carries(names["as"], BACKGROUND)
        self.assert_carries(names["special"], UI)

    @staticmethod
    def first_argument(pid):
        with open("/proc/%d/cmdline" % pid, encoding="utf-8") as file:
            return file.read().split("\0")[0]

    def test_without_inherit_they_do_not(self):
        self.daemon({"make": {"qos": BACKGROUND}})
        make = self.puppet("make")
        self.assert_carries(make.tell(0, "spawn", [self.alias("as"), "1000"]), DEFAULT)

    def leaf_of(self, outer):
        """A grandchild of this program by way of another, "inner"."""
        inner = "exec %s -c '%s 1000 & wait'" % (self.alias("inner", shutil.which("sh")), self.alias("leaf"))
        outer.tell(0, "spawn", [shutil.which("sh"), "-c", inner])
        leaf = wait_for(lambda: outer.descendants()[1:], "the leaf")[0]
        wait_for(lambda: self.first_argument(leaf).endswith("/leaf"), "the leaf's exec")
        return leaf

    def test_the_nearest_ancestor_counts(self):
        self.daemon(NESTED)
        self.assert_carries(self.leaf_of(self.puppet("outer")), UI)

    def test_the_nearest_ancestor_counts_when_all_of_it_is_heard_late(self):
        daemon = self.daemon(NESTED)
        outer = self.puppet("outer")
        self.assert_carries(outer, BACKGROUND)
        os.kill(daemon.pid, signal.SIGSTOP)
        try:
            leaf = self.leaf_of(outer)
            # Ten times what the daemon calls late.
            end = time.monotonic() + 0.1
            wait_for(lambda: time.monotonic() > end, "that time")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        self.assert_carries(leaf, UI)

    def test_a_tree_that_was_there_before(self):
        make = self.puppet("make")
        middle = make.tell(0, "spawn", [shutil.which("sh"), "-c", "%s 1000 & wait" % self.alias("as")])
        wait_for(lambda: len(make.descendants()) == 2, "the tree")
        self.daemon({"make": {"qos": BACKGROUND, "inherit": True}})
        for pid in (make.pid, middle, make.descendants()[1]):
            self.assert_carries(pid, BACKGROUND)

    def test_orphans_keep_what_they_inherited(self):
        daemon = self.daemon({"make": {"qos": BACKGROUND, "inherit": True}})
        make = self.puppet("make")
        orphan = make.tell(0, "spawn", [self.alias("orphan"), "1000"])
        self.addCleanup(os.kill, orphan, signal.SIGKILL)
        self.assert_carries(orphan, BACKGROUND)
        make.end()
        self.assert_keeps(orphan, BACKGROUND)
        self.assertEqual(daemon.reload().returncode, 0)
        self.assert_keeps(orphan, BACKGROUND)

    @unittest.skipUnless(shutil.which("make") and shutil.which("gcc"), "no make or no gcc")
    def test_a_real_build(self):
        """make, its shell, the compiler's driver and the compiler itself, which waits for its input."""
        self.daemon({"make": {"qos": BACKGROUND, "inherit": True}})
        with open(self.path("Makefile"), "w", encoding="ascii") as file:
            file.write("all:\n\t: a shell; gcc -x c -c -o /dev/null -\n")
        make = self.run_program(["make", "-s", "-C", self.folder], stdin=subprocess.PIPE)
        tree = wait_for(lambda: make.descendants() if len(make.descendants()) >= 3 else None, "the compiler")
        for pid in (make.pid, *tree):
            self.assert_carries(pid, BACKGROUND)


class Enforcement(LiveTest):
    def test_enforce_puts_the_class_back(self):
        self.daemon({"app": {"qos": UI, "enforce": True}})
        app = self.puppet("app")
        self.assert_carries(app, UI)
        self.assert_keeps(app, UI)
        os.setpriority(os.PRIO_PROCESS, app.pid, 15)
        app.tell(0, "name", "anything")
        self.assert_carries(app, UI)

    def test_without_enforce_a_change_is_respected(self):
        daemon = self.daemon({"app": {"qos": UI, "thread_qos": {"bg": BACKGROUND}}})
        app = self.puppet("app")
        self.assert_carries(app, UI)
        daemon.sync()
        daemon.changed.add(app.pid)
        os.setpriority(os.PRIO_PROCESS, app.pid, 15)
        app.tell(0, "name", "anything")
        self.assert_keeps(app, fair(NORMAL, 15, 8 * MS))
        self.assertEqual(daemon.reload().returncode, 0)
        self.assert_keeps(app, fair(NORMAL, 15, 8 * MS))
        # Another class is applied over everything, but raises no task that was lowered.
        app.tell(0, "name", "bg")
        self.assert_carries(app, fair(BATCH, 15, 20 * MS, util_max=256))
        os.setpriority(os.PRIO_PROCESS, app.pid, -7)
        app.tell(0, "name", "anything")
        self.assert_carries(app, UI)
        self.current.stop()
        self.assertEqual(app.attr(), fair(NORMAL, -7))


if __name__ == "__main__":
    main()
