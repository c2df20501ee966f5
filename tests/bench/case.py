# SPDX-License-Identifier: GPL-2.0-only
"""What tests of the bench share: a folder of their own, and outputs that were recorded."""

import tempfile
import unittest
from pathlib import Path


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="schedqos-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


def recorded(name):
    return Path(__file__).parent.joinpath("data", name).read_text(encoding="utf-8")
