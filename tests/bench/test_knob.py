# SPDX-License-Identifier: GPL-2.0-only
"""Knobs that a run sets are put back, however it ends."""

import signal
import subprocess
import sys

from case import Folder
from schedqos_bench.knob import put_back, write
from schedqos_bench.process import until

SCRIPT = """
import sys
from schedqos_bench.knob import put_back, write
with put_back(sys.argv[1], "it's 100% $HOME"):
    write(sys.argv[1], "set")
    print("ready", flush=True)
    sys.stdin.read()
"""


class PutBack(Folder):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "a knob"
        self.path.write_text("it was", encoding="utf-8")

    def test_at_the_end_of_the_context(self):
        with self.assertRaises(KeyError), put_back(self.path, "it was"):
            write(self.path, "set")
            raise KeyError
        self.assertEqual(self.path.read_text(encoding="utf-8"), "it was")

    def test_when_it_is_killed(self):
        program = subprocess.Popen([sys.executable, "-c", SCRIPT, str(self.path)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env={"PYTHONPATH": ":".join(sys.path)})
        with program:
            program.stdout.readline()
            self.assertEqual(self.path.read_text(encoding="utf-8"), "set")
            program.send_signal(signal.SIGKILL)
        until(lambda: self.path.read_text(encoding="utf-8") == "it's 100% $HOME", 30, "it is put back")
