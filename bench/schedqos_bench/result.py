# SPDX-License-Identifier: GPL-2.0-only
"""The result folder: result.json, rewritten after every round, and the raw output of every command."""

import json
import os
import re
from pathlib import Path

FORMAT = 1
NAME = "result.json"


class Folder:
    def __init__(self, path):
        self.path = Path(path)
        (self.path / "raw").mkdir(parents=True, exist_ok=True)

    def write(self, result):
        """Atomically: a reader always finds a complete file."""
        part = self.path / (NAME + ".part")
        part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        os.replace(part, self.path / NAME)

    def raw(self, scenario, variant, number):
        """The function that gives a command's output its path."""
        prefix = f"{scenario}-{re.sub(r'[^A-Za-z0-9._+-]', '-', variant)}-{number}"
        return lambda name: self.path / "raw" / f"{prefix}-{name}.txt"


def is_one(path):
    return (Path(path) / NAME).exists()
