# SPDX-License-Identifier: GPL-2.0-only
"""Scripts are matched by their names, however they are started."""

import os
import shutil
import subprocess

from attributes import BACKGROUND, UTILITY
from harness import LiveTest
from programs import PYTHON, sleep_program


class Chosen(LiveTest):
    def test_a_chosen_name_is_found_after_runs_without_one(self):
        """
        The first runs teach the daemon that arguments do not matter for this program. It still reads them, but later.
        """
        self.daemon({"plain": {"qos": UTILITY}, "chosen": {"qos": BACKGROUND}})
        path = shutil.copy(sleep_program(), self.path("plain"))
        os.chmod(path, 0o755)
        for _ in range(3):
            self.assert_carries(self.run_program([path, "1000"]), UTILITY)
        for _ in range(2):
            self.assert_carries(self.run_program(["chosen", "1000"], path), BACKGROUND)
        self.assert_carries(self.run_program([path, "1000"]), UTILITY)


# A program in each language that waits for the end of its input.
WAITING = {"python3": "input()", "perl": "<STDIN>;", "ruby": "gets", "node": "process.stdin.resume()",
           "sh": "read -r line", "bash": "read -r line", "zsh": "read -r line", "php": "<?php fgets(STDIN);",
           "lua": "io.read()"}


class Scripts(LiveTest):
    def script(self, name, text, first):
        """Makes a script with this first line, so that it can be run."""
        path = self.write(name, "#!%s\n%s\n" % (first, text))
        os.chmod(path, 0o755)
        return path

    def waiting(self, argv, executable=None, **options):
        return self.run_program(argv, executable, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, **options)

    def test_a_script_is_matched_however_it_is_started(self):
        self.daemon({"report.py": {"qos": BACKGROUND}, "python*": {"qos": UTILITY}})
        handed = self.write("a/report.py", WAITING["python3"])
        by_env = self.script("b/report.py", WAITING["python3"], "/usr/bin/env python3")
        alias = self.path("python3")
        by_path = self.script("c/report.py", WAITING["python3"], PYTHON)
        self.alias("python3", PYTHON)
        for argv in ([alias, handed], [alias, "-u", handed, "x"], [alias, "-W", "ignore", "./report.py"],
                     ["nice", "-n", "0", alias, handed], [by_env], [by_path]):
            self.assert_carries(self.waiting(argv, cwd=self.path("a")), BACKGROUND, str(argv))
        self.assert_carries(self.waiting([alias, "-c", "input()", "report.py"], PYTHON), UTILITY)
        self.assert_carries(self.waiting([alias, self.write("other.py", "input()")], PYTHON), UTILITY)

    def test_a_script_that_ran_before_the_start_is_matched(self):
        script = self.waiting(["sh", self.write("build.sh", WAITING["sh"])])
        self.daemon({"build.sh": {"qos": BACKGROUND}})
        self.assert_carries(script, BACKGROUND)

    def test_scripts_of_all_installed_languages_are_matched(self):
        self.daemon({"my-script": {"qos": BACKGROUND}})
        for name in filter(shutil.which, WAITING):
            script = self.write("my-script", WAITING[name])
            self.assert_carries(self.waiting([name, script], os.path.realpath(shutil.which(name))), BACKGROUND, name)
