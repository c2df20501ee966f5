# SPDX-License-Identifier: GPL-2.0-only
"""explain agrees with the test's rules, and with the attributes of the task."""

import json
import os

from attributes import BACKGROUND, DEFAULT, FIFO, INITIATED, UI, UTILITY, get_attr, has_slice, set_attr
from daemon import schedqos
from harness import LiveTest
from programs import sleep_program
from tasks import comm, state
from waiting import wait_for

POLICIES = {0: "SCHED_NORMAL", 1: "SCHED_FIFO", 3: "SCHED_BATCH"}

LAYER = {"masked": {"qos": UI}, "exact": {"qos": UTILITY}}
RULES = {
    "exact": {"qos": UI},
    "glob-*": {"qos": INITIATED},
    "threads": {"qos": UTILITY, "thread_qos": {"ui*": UI}},
    "maker": {"qos": BACKGROUND, "inherit": True},
    "polite": {"qos": UI, "yield": True},
    "lowered": {"qos": UI},
    "reniced": {"qos": BACKGROUND},
    "script.sh": {"qos": BACKGROUND},
    "argued": [{"qos": UI, "match": {"argv": "2000"}}, {"qos": BACKGROUND, "match": {"argv": ["3*"]}}],
    "elsewhere": {"qos": UI, "match": {"cgroup": "/no/such/*"}},
    "orphan": {"qos": UI, "match": {"parent": "no-such-parent"}},
    "enforced": {"qos": BACKGROUND, "enforce": True},
    "masked": None,
    "WrongCase": {"qos": UI},
    "/opt/*/pathless": {"qos": UI},
    "my-render": {"qos": UI},
    "fifo": {"qos": UI},
}


class Explain(LiveTest):
    def niced(self, name, value):
        """Starts a program behind nice(1), and waits until it is that program and sleeps: then its exec has been reported."""
        program = self.sleeper(name, prefix=["nice", "-n", str(value)])
        wait_for(lambda: comm(program.pid) == name.encode() and state(program.pid) == "S", "exec of " + name)
        return program

    def explain(self, task, *options):
        """Returns the JSON; the words must name every rule in it."""
        task = getattr(task, "pid", task)

        def asked():
            said = schedqos("explain", "--json", *options, str(task))
            self.assertEqual(said.returncode, 0, said.stderr)
            words = schedqos("explain", *options, str(task))
            self.assertEqual(words.returncode, 0, words.stderr)
            found = json.loads(said.stdout)
            # On a slow machine, reading the arguments may take longer than explain waits.
            unread = found.get("arguments_unread") or "arguments cannot be read" in words.stdout
            return None if unread else (found, words.stdout)

        return wait_for(asked, "an answer with the task's arguments")

    def place(self, pattern, path=None):
        """Returns the place of a key in the test's rules: FILE:LINE:COLUMN."""
        path = path or self.current.config
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                at = line.find('"%s":' % pattern)
                if at >= 0:
                    return "%s:%d:%d" % (path, number, at + 1)
        raise AssertionError("no " + pattern)

    def check(self, task, qos, reason, rule=None, words=(), by=None):
        """Checks the explanation of a task: its class, what decided it, and its attributes."""
        tid = getattr(task, "pid", task)
        # A task that waits in its exec is in the state D.
        wait_for(lambda: state(tid) not in ("D", "R"), "the end of its exec")
        self.current.sync()
        said, text = self.explain(task)
        thread = next(thread for thread in said["threads"] if tid in thread["tids"])
        attr = get_attr(tid)
        self.assertEqual((thread.get("class"), thread["reason"]), (qos, reason), text)
        self.assertEqual((thread["carries"]["policy"], thread["carries"].get("nice", 0)),
                         (POLICIES[attr.policy], attr.nice), text)
        if rule is not None:
            by_rule = thread.get("thread_rule", thread["rule"])
            place = self.place(rule)
            self.assertEqual("%(file)s:%(line)d:%(column)d" % by_rule, place)
            self.assertIn('"%s" at %s' % (rule, place), text)
        if by is not None:
            self.assertEqual((said["matched"]["kind"], said["matched"]["name"]), by)
        for word in words:
            self.assertIn(word, text)
        return said, text

    def test_explain_names_the_rule_and_what_it_matched(self):
        self.daemon(RULES, layers={"app_configs/10.json": LAYER})
        said, _ = self.check(self.sleeper("exact"), UI, "rule", "exact", [
            "overridden by", ", as wanted", '"exact" at ' + self.place("exact", self.current.layers + "/app_configs/10.json")])
        self.assertEqual(said["threads"][0]["rule"]["path"], "exact")
        self.check(self.sleeper("glob-x"), INITIATED, "rule", "glob-*", by=("argv0", "glob-x"))
        self.check(self.sleeper("argued", "3000"), BACKGROUND, "rule", words=["(argued[1])", 'match.argv requires "2000"'])
        script = self.write("script.sh", "#!/bin/sh\n%s 1000 &\nwait\n" % sleep_program())
        os.chmod(script, 0o755)
        self.check(self.run_program([script]), BACKGROUND, "rule", "script.sh", by=("script", "script.sh"))

    def test_explain_names_rules_of_threads_and_ancestors(self):
        self.daemon(RULES)
        threads = self.puppet("threads")
        ui = threads.tell(0, "thread", "ui-1")[1]
        plain = [threads.tell(0, "thread", "worker")[1] for _ in range(3)]
        self.assert_carries(ui, UI)
        said, text = self.check(ui, UI, "thread-rule", "ui*", ["threads.thread_qos", "the thread's name matches that"])
        self.assertEqual([thread["tids"] for thread in said["threads"]], [[ui]])
        said, text = self.check(threads, UTILITY, "rule", "threads", ["(4 threads:"])
        self.assertEqual(sorted(tid for thread in said["threads"] for tid in thread["tids"]),
                         sorted([threads.pid, ui, *plain]), text)
        maker = self.puppet("maker")
        child = maker.tell(0, "spawn", [self.alias("nobody"), "1000"])
        self.check(child, BACKGROUND, "inherited-rule", "maker", ["inherited from %d %s" % (maker.pid, "maker")])
        child = threads.tell(0, "spawn", [self.alias("nobody"), "1000"])
        self.check(child, DEFAULT, "default", words=['"threads" at %s: this is the parent\'s rule' % self.place("threads")])

    def test_explain_names_attributes_that_others_chose(self):
        self.daemon(RULES)
        for name, rule, words in (("polite", "polite", 'chosen before the rule applied: the rule yields, because it has "yield": true'),
                                  ("stranger", None, "so QOS_DEFAULT does not apply")):
            chosen = self.niced(name, 5)
            self.current.sync()
            _, text = self.check(chosen, None, "chosen-by-others", rule,
                                 [words, "left alone", "nice %d, chosen before" % chosen.attr().nice])
            self.assertNotRegex(text, "wanted|weaker")
        self.check(self.niced("lowered", 19), UI, "rule", "lowered",
                   ["nice 19, chosen before the rule applied: no rule raises"])
        reniced = self.sleeper("reniced")
        self.assert_carries(reniced, BACKGROUND)
        os.setpriority(os.PRIO_PROCESS, reniced.pid, 11)
        # If moves between cgroups are not reported, the daemon looks again soon after the exec; from then on nice 11
        # counts as wanted.
        self.check(reniced, BACKGROUND, "changed-by-others", "reniced", ["nice 11: changed by somebody", "as wanted"])
        self.check(self.sleeper("enforced"), BACKGROUND, "rule", "enforced",
                   ['the class is put back after any change: the rule has "enforce": true'])
        fifo = self.sleeper("fifo")
        self.assert_carries(fifo, UI)
        set_attr(fifo.pid, FIFO, priority=3)
        self.check(fifo, UI, "changed-by-others", "fifo", ["SCHED_FIFO"])

    def test_explain_lists_rules_that_came_close(self):
        self.daemon(RULES, layers={"app_configs/10.json": LAYER})
        for name, pattern, words in (
                ("elsewhere", "elsewhere", 'match.cgroup requires "/no/such/*", but that is /'),
                ("orphan", "orphan", 'match.parent requires "no-such-parent", but that is '),
                ("masked", "masked", "null masks"),
                ("wrongcase", "WrongCase", "upper and lower case"),
                ("pathless", "/opt/*/pathless", "the path is %s" % os.path.realpath(sleep_program())),
                ("my-renderer", "my-render", ' is "my-renderer"')):
            _, text = self.check(self.sleeper(name), DEFAULT, "default", words=["no rule names it"])
            close, = [line for line in text.splitlines() if '"%s" at %s: ' % (pattern, self.place(pattern)) in line]
            self.assertIn(words, close)

    def test_explain_says_that_a_rule_matches_only_now(self):
        self.daemon(RULES)
        puppet = self.puppet("without-a-rule")
        self.check(puppet, DEFAULT, "default", words=["no rule names it"])
        puppet.tell(0, "program_name", "exact")
        said, _ = self.check(puppet, DEFAULT, "default",
                             words=["no rule named it when the daemon decided", "matches now, but did not when"])
        self.assertEqual([close["why"] for close in said["close"]], ["pending"])

    def test_explain_says_why_a_task_has_no_record(self):
        self.daemon(RULES)
        self.assertIn("kernel thread", self.explain(2)[1] if comm(2) == b"kthreadd" else "kernel thread")
        self.assertIn("the daemon itself", self.explain(self.current.pid)[1])
        gone = self.sleeper("gone")
        gone.end()
        said = schedqos("explain", str(gone.pid))
        self.assertEqual(said.returncode, 1)
        self.assertIn("no task %d" % gone.pid, said.stderr)
        name = self.puppet("raw").tell(0, "name", "\x1b[2J\n\xff")
        self.assertNotIn("\x1b", self.explain(name)[1])
        self.assertIn("\\x1b[2J\\n\\xff", self.explain(name)[1])

    def test_explain_name_needs_no_running_program(self):
        daemon = self.daemon(RULES)
        def ask(*options):
            said = schedqos("explain", *options)
            self.assertEqual(said.returncode, 0, said.stderr)
            return said.stdout
        self.assertIn("--name", schedqos("explain", "firefox").stderr.partition("Usage:")[0])
        self.assertIn("would be " + UI, ask("--name", "exact"))
        self.assertIn("would be " + UI, ask("--name", "/opt/bin/pathless"))
        self.assertIn("would be " + DEFAULT, ask("--name", "nothing"))
        for _ in "with a daemon", "without":
            said = schedqos("explain", "--name", "folder/", *daemon.options())
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertIn("no program can have this name", said.stderr)
            daemon.stop()

    def test_without_a_daemon_explain_says_what_one_would_do(self):
        puppet = self.puppet("threads")
        tasks = [self.sleeper("exact"), self.sleeper("glob-x"), self.sleeper("argued", "3000"), puppet,
                 self.niced("polite", 5), self.sleeper("nothing"),
                 self.niced("lowered", 19), puppet.tell(0, "thread", "ui-1")[1]]
        daemon = self.prepare(RULES)
        tids = [getattr(task, "pid", task) for task in tasks]
        before = {tid: get_attr(tid) for tid in tids}
        expected = {}
        for tid in tids:
            said, text = self.explain(tid, *daemon.options())
            self.assertIn("no daemon runs", text)
            expected[tid] = next(thread for thread in said["threads"] if tid in thread["tids"])
        self.assertEqual({tid: get_attr(tid) for tid in tids}, before)
        daemon.start()
        for tid in tids:
            said, _ = self.explain(tid)
            thread = next(thread for thread in said["threads"] if tid in thread["tids"])
            self.assertEqual((thread.get("class"), thread["reason"]),
                             (expected[tid].get("class"), expected[tid]["reason"]), comm(tid))
            attr, want = get_attr(tid), expected[tid]["wanted"]
            self.assertEqual((POLICIES[attr.policy], attr.nice), (want["policy"], want["nice"]), comm(tid))
            if want["slice"] and has_slice():
                self.assertEqual(attr.slice, want["slice"])

    def test_explain_names_the_group_that_limits_a_class(self):
        cgroups = self.new_cgroups("schedqos-explain")
        self.daemon({**RULES, "schedqos": {"groups": {"no-ui": {"max": UTILITY}}}})
        limited = self.sleeper("exact")
        self.assert_carries(limited, UI)
        cgroups.move(limited.pid, "no-ui")
        self.assert_carries(limited, UTILITY)
        said, text = self.explain(limited)
        self.assertEqual((said["threads"][0]["class"], said["threads"][0]["assigned_class"]), (UTILITY, UI))
        self.assertIn('group "no-ui" at ' + self.place("no-ui"), text)
        self.assertIn("its cgroup %s is in the group" % cgroups.path("no-ui"), text)
        self.assertIn("which allows no more than " + UTILITY, text)
