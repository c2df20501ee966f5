# SPDX-License-Identifier: GPL-2.0-only
"""
Commands of a coding agent get the class of the shipped rules; the agent itself, and programs it opens for its user, do
not.
"""

import os
import shutil

from attributes import BACKGROUND, DEFAULT
from harness import LiveTest
from programs import PYTHON
from tasks import descendants
from waiting import wait_for

RULES = os.path.join(os.path.dirname(__file__), "../../configs/app_configs/agents.json")


class Agents(LiveTest):
    @staticmethod
    def child_of(pid):
        return wait_for(lambda: descendants(pid), "a child")[0]

    def setUp(self):
        super().setUp()
        self.shell = shutil.which("bash") or shutil.which("sh")
        self.unknown = self.alias("frobnicate")
        with open(RULES, encoding="utf-8") as file:
            self.daemon(layers={"app_configs/agents.json": file.read()})
        self.agent = self.puppet("claude")

    def test_commands_of_an_agent_are_in_the_background(self):
        shell = self.agent.tell(0, "spawn", [self.shell, "-c", self.unknown + " 1000; true"])
        self.assert_carries(shell, BACKGROUND)
        self.assert_carries(self.child_of(shell), BACKGROUND)
        self.assert_keeps(self.agent, DEFAULT)
        # Children that the agent starts without a shell.
        self.assert_keeps(self.agent.tell(0, "spawn", [self.unknown, "1000"]), DEFAULT)
        self.assert_keeps(self.agent.tell(0, "in_terminal", [self.shell, "-i"], self.shell), DEFAULT)

    def test_an_editor_that_a_command_opens_does_not_inherit(self):
        editor = self.alias("kak", PYTHON)
        program = "import subprocess; subprocess.run(['%s', '1000'])" % self.unknown
        shell = self.agent.tell(0, "spawn", [self.shell, "-c", '%s -c "%s"; true' % (editor, program)])
        self.assert_carries(shell, BACKGROUND)
        editor = self.child_of(shell)
        self.assert_carries(editor, DEFAULT)
        self.assert_carries(self.child_of(editor), DEFAULT)
        self.assert_keeps(editor, DEFAULT)
