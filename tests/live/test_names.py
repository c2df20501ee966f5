# SPDX-License-Identifier: GPL-2.0-only
"""By which names programs are known that are not simply run: scripts, links, boxes of programs, shell functions."""

import os
import re
import shutil
import subprocess

from daemon import Daemon, schedqos
from groups import tool
from harness import LiveTest, main
from programs import PYTHON

UI, INITIATED, UTILITY, BACKGROUND, DEFAULT = (
    "QOS_USER_INTERACTIVE", "QOS_USER_INITIATED", "QOS_UTILITY", "QOS_BACKGROUND", "QOS_DEFAULT")

# What waits for the end of its input, in each language.
WAITING = {"python3": "input()", "perl": "<STDIN>;", "ruby": "gets", "node": "process.stdin.resume()",
           "sh": "read -r line", "bash": "read -r line", "dash": "read -r line", "zsh": "read -r line",
           "php": "<?php fgets(STDIN);", "lua": "io.read()"}


class Names(LiveTest):
    def need_program(self, name):
        path = shutil.which(name)
        if not path:
            self.skipTest("no " + name)
        return os.path.realpath(path)

    def write(self, name, text, first=None):
        """A script in a folder of its own; with a first line, one that can be run."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!%s\n%s\n" % (first, text) if first else text + "\n")
        os.chmod(path, 0o755 if first else 0o644)
        return path

    def waiting(self, argv, executable=None, **options):
        return self.run_program(argv, executable, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)

    def stand_in(self, name):
        """A program of that name that just is there, whatever its arguments."""
        path = self.path("stand-in/" + name)
        return path if os.path.exists(path) else self.copy("stand-in/" + name, tool("patient"))


class Scripts(Names):
    def test_however_it_is_started(self):
        self.daemon({"report.py": {"qos": BACKGROUND}, "python*": {"qos": UTILITY}})
        handed = self.write("a/report.py", WAITING["python3"])
        by_env = self.write("b/report.py", WAITING["python3"], "/usr/bin/env python3")
        alias = self.path("python3")
        by_path = self.write("c/report.py", WAITING["python3"], PYTHON)
        self.alias("python3", PYTHON)
        for argv in ([alias, handed], [alias, "-u", handed, "x"], [alias, "-W", "ignore", "./report.py"],
                     ["nice", "-n", "0", alias, handed], [by_env], [by_path]):
            self.assert_carries(self.waiting(argv, cwd=self.path("a")), BACKGROUND, str(argv))
        self.assert_carries(self.waiting([alias, "-c", "input()", "report.py"], PYTHON), UTILITY)
        self.assert_carries(self.waiting([alias, self.write("other.py", "input()")], PYTHON), UTILITY)

    def test_a_module(self):
        self.daemon({"mine.server": {"qos": UI}})
        self.write("mine/server.py", WAITING["python3"])
        self.assert_carries(self.waiting([PYTHON, "-um", "mine.server"], cwd=self.folder), UI)

    def test_one_that_ran_before_the_start(self):
        script = self.waiting(["sh", self.write("build.sh", WAITING["sh"])])
        self.daemon({"build.sh": {"qos": BACKGROUND}})
        self.assert_carries(script, BACKGROUND)

    def test_it_goes_before_argv0_and_the_executable(self):
        self.daemon({"build.sh": {"qos": UI}, "first": {"qos": BACKGROUND}, "bash": {"qos": UTILITY}})
        bash = self.need_program("bash")
        build, other = self.write("build.sh", WAITING["sh"]), self.write("other.sh", WAITING["sh"])
        self.assert_carries(self.waiting(["first", build], bash), UI)
        self.assert_carries(self.waiting(["first", other], bash), BACKGROUND)
        self.assert_carries(self.waiting(["none", other], bash), UTILITY)

    def check_interpreter(self, name):
        program = self.need_program(name)
        self.daemon({"my-script": {"qos": BACKGROUND}})
        script = self.write("my-script", WAITING[name])
        self.assert_carries(self.waiting([name, script], program), BACKGROUND)

    def test_perl(self):
        self.check_interpreter("perl")

    def test_ruby(self):
        self.check_interpreter("ruby")

    def test_node(self):
        self.check_interpreter("node")

    def test_bash(self):
        self.check_interpreter("bash")

    def test_dash(self):
        self.check_interpreter("dash")

    def test_zsh(self):
        self.check_interpreter("zsh")

    def test_php(self):
        self.check_interpreter("php")

    def test_lua(self):
        self.check_interpreter("lua")

    def test_a_jar(self):
        """By a stand-in: its options are what counts."""
        self.daemon({"jenkins.jar": {"qos": BACKGROUND}, "org.x.Main": {"qos": UI}, "java": {"qos": UTILITY}})
        java = self.stand_in("java")
        for arguments, qos in ((["-Xmx1g", "-cp", "a:b", "-jar", "x/jenkins.jar", "--port", "1"], BACKGROUND),
                               (["-cp", "a:b", "org.x.Main", "jenkins.jar"], UI), (["-version"], UTILITY)):
            self.assert_carries(self.run_program([java, *arguments]), qos, str(arguments))

    def test_the_setting(self):
        self.daemon({"schedqos": {"interpreters": ["my-[xy]"]}, "tool": {"qos": UI}, "sh": {"qos": BACKGROUND}})
        self.assert_carries(self.run_program([self.stand_in("my-x"), "--flag", "/opt/tool"]), UI)
        self.assert_carries(self.run_program([self.stand_in("my-z"), "/opt/tool"]), DEFAULT)
        self.assert_carries(self.waiting(["sh", self.write("tool", WAITING["sh"])]), BACKGROUND)

    def test_hostile_arguments(self):
        """None of them keeps the next one from being matched."""
        self.daemon({"last": {"qos": UI}, "a\nb": {"qos": BACKGROUND}})
        bash = self.stand_in("bash")
        for arguments in ([""], ["-" * 100000], ["-o"] * 20000, [""] * 20000, ["x" * 100000], ["\x1b[2J\n"],
                          [b"\xff\xfe"], ["-o"]):
            self.assert_carries(self.run_program([bash, *arguments]), DEFAULT, str(arguments)[:40])
        self.assert_carries(self.run_program([bash, "a\nb"]), BACKGROUND)
        self.assert_carries(self.run_program([bash, "last"]), UI)


class Others(Names):
    """The rest of the page "Why does my rule not match" in schedqos.json(5)."""

    def test_a_box_of_programs(self):
        """Called by a link, by its own name with the other's, and with a script for its shell."""
        self.daemon({"tac": {"qos": UI}, "httpd": {"qos": BACKGROUND}, "build.sh": {"qos": INITIATED},
                     "busybox": {"qos": UTILITY}})
        box = self.stand_in("busybox")
        for argv, qos in ((["tac"], UI), (["busybox", "httpd", "-f"], BACKGROUND), (["sh", "x/build.sh"], INITIATED),
                          (["busybox", "sh", "x/build.sh"], INITIATED), (["ls"], UTILITY)):
            self.assert_carries(self.run_program(argv, box), qos, str(argv))

    def test_busybox_itself(self):
        box = self.need_program("busybox")
        self.daemon({"build.sh": {"qos": UI}, "sleep": {"qos": BACKGROUND}})
        script = self.write("build.sh", WAITING["sh"])
        self.assert_carries(self.waiting([box, "sh", script]), UI)
        self.assert_carries(self.run_program([box, "sleep", "1000"]), BACKGROUND)

    def test_wine(self):
        """As its loader is run, and with the arguments that it puts in their place."""
        self.daemon({"game.exe": {"qos": UI}})
        for argv in (["/usr/bin/wine64-preloader", "/usr/bin/wine64", "Z:\\games\\game.exe", "-w"],
                     ["Z:\\games\\game.exe", "-w", "other.exe"]):
            self.assert_carries(self.run_program(argv, self.stand_in("wine64-preloader")), UI, str(argv))
        self.assert_carries(self.run_program(["wine", "game.exe"], self.stand_in("wine")), UI)

    def test_a_path_through_a_link(self):
        real = self.copy("real/tool")
        os.symlink("real", self.path("link"))
        linked = self.path("link/tool")
        self.daemon({linked: {"qos": UI}, self.path("link/*"): {"qos": BACKGROUND}, real: {"qos": UTILITY}})
        self.assert_carries(self.run_program([linked, "1000"]), UTILITY)

    def test_a_name_that_is_a_link(self):
        """By argv[0], which is whatever its caller says."""
        self.daemon({"alias": {"qos": UI}, "tool": {"qos": UTILITY}})
        alias = self.alias("alias", self.copy("tool"))
        self.assert_carries(self.run_program([alias, "1000"]), UI)
        self.assert_carries(self.run_program(["tool", "1000"], alias), UTILITY)

    def test_a_script_by_its_path(self):
        script = self.write("build", WAITING["sh"], "/bin/sh")
        self.daemon({script: {"qos": UI}, "build": {"qos": BACKGROUND}})
        self.assert_carries(self.waiting([script]), BACKGROUND)

    def test_a_function_of_a_shell(self):
        """It has no process; what it runs, has."""
        self.daemon({"my_function": {"qos": UI}, "work": {"qos": BACKGROUND}})
        shell = "my_function() { read -r line; }; my_function"
        self.assert_carries(self.waiting(["sh", "-c", shell]), DEFAULT)
        shell = "my_function() { exec %s 1000; }; my_function" % self.alias("work")
        self.assert_carries(self.waiting(["sh", "-c", shell]), BACKGROUND)

    def test_a_sandbox(self):
        """As Flatpak's: a path counts only where the rule says so, a name everywhere."""
        enter = ("unshare", "--user", "--map-root-user")
        self.need(enter)
        tool_path, other = self.copy("app/bin/tool"), self.copy("app/bin/other")
        self.daemon({tool_path: {"qos": UI}, "by-name": {"qos": INITIATED},
                     other: {"qos": BACKGROUND, "match": {"user_namespace": "any"}}})
        self.assert_carries(self.run_program([*enter, tool_path, "1000"]), DEFAULT)
        self.assert_carries(self.run_program([*enter, other, "1000"]), BACKGROUND)
        self.assert_carries(self.run_program([*enter, self.alias("by-name"), "1000"]), INITIATED)
        self.assert_carries(self.run_program([tool_path, "1000"]), UI)

    def test_an_image_that_is_mounted(self):
        """As an AppImage is: under another path at each start, and started by its dynamic loader now and then."""
        self.daemon({self.path(".mount_app*/usr/bin/app"): {"qos": UI}, "viewer": {"qos": BACKGROUND}})
        self.assert_carries(self.run_program(["x", "1000"], self.copy(".mount_appXyZ/usr/bin/app")), UI)
        loader = self.stand_in("ld-linux-x86-64.so.2")
        self.assert_carries(self.run_program([loader, "--library-path", "lib", "usr/bin/viewer"]), BACKGROUND)


class Advice(Names):
    def test_what_check_says_to_write_matches(self):
        """Each of these patterns is in vain; with what is to be written instead the program has its class."""
        linked, java = self.path("link/tool"), self.stand_in("java")
        report = self.write("a/report.py", WAITING["python3"])
        self.copy("real/tool")
        self.copy("app/tool-1")
        os.symlink("real", self.path("link"))
        os.symlink("tool", self.path("real/alias"))
        build = self.write("build", WAITING["sh"], "/bin/sh")
        cases = {linked: [linked, "1000"], self.path("link/t*"): [linked, "1000"], build: [build],
                 self.path("real/alias"): [self.path("real/alias"), "1000"], "python3 " + report: [PYTHON, report],
                 self.path("app"): [self.path("app/tool-1"), "1000"], "java -jar my.jar": [java, "-jar", "x/my.jar"]}
        for pattern, argv in cases.items():
            with self.subTest(pattern):
                path = self.path("rules.json")
                Daemon.write(path, {pattern: {"qos": BACKGROUND}})
                checked = schedqos("check", path)
                self.assertEqual(checked.returncode, 0)
                advice = re.search('warning: .* write (?:its name )?"([^"]+)"', checked.stderr)
                self.assertTrue(advice, checked.stderr)
                self.assert_differs(pattern, advice.group(1), argv)

    def assert_differs(self, pattern, advice, argv):
        daemon = self.daemon({pattern: {"qos": BACKGROUND}})
        program = self.waiting(argv)
        self.assert_carries(program, DEFAULT, pattern)
        daemon.reload({advice: {"qos": BACKGROUND}})
        self.assert_carries(program, BACKGROUND, advice)
        program.end()
        daemon.stop()


if __name__ == "__main__":
    main()
