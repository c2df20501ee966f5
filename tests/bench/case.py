# SPDX-License-Identifier: GPL-2.0-only
"""What tests of the bench share: a folder of their own, options, tools, and outputs that were recorded."""

import argparse
import subprocess
import tempfile
import unittest
from pathlib import Path

from schedqos_bench import scenarios

TOOLS = Path(__file__).resolve().parents[2] / "bench" / "tools"
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="schedqos-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


def recorded(name):
    return Path(__file__).parent.joinpath("data", name).read_text(encoding="utf-8")


def options(modules, *arguments, folder=Path("/work")):
    """Those of scenarios, as a command line with these arguments gives them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=folder / "build")
    parser.add_argument("--work-dir", type=Path, default=folder)
    for module in modules:
        module.add_options(parser)
    return parser.parse_args(arguments)


def context(given, seconds=30, **more):
    """For a round with these options."""
    folder = given.work_dir
    return scenarios.Context(given, seconds, 1, lambda name: folder / f"{name}.txt", folder, given.build / "bench", **more)


def compile_tool(path, sources, flags=()):
    subprocess.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-o", path, *(TOOLS / name for name in sources), *flags], check=True)
