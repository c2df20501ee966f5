# SPDX-License-Identifier: GPL-2.0-only
"""The kernel build, on a source tree that is built like one in no time."""

import os
import shutil
import sys
import time
import types

from case import Folder
from schedqos_bench import accounting, kernel_build
from schedqos_bench.process import Failure, adopt_orphans, until

# Two objects, and then it waits for somebody to end it if there is a file "wait". Without make's own rules, which would
# link a tool from a newer tool.o.
MAKEFILE = """\
.SUFFIXES:
all: $(O)/.config $(O)/tool
	@echo '  CC      a.o'; mkdir -p $(O)/sub; echo x > $(O)/a.o; echo x > $(O)/sub/b.o; echo x > $(O)/.tmp_c.o
	@echo changed > $(O)/tool
	@if [ -e wait ]; then sleep 1000; fi
config:
	@echo configured > $(O)/.config
broken:
	@echo what is wrong >&2; exit 1
modules_prepare:
	@echo built > $(O)/tool; echo x > $(O)/tool.o
"""


class KernelBuild(Folder):
    def setUp(self):
        if not shutil.which("make"):
            self.skipTest("needs make (package make)")
        adopt_orphans()
        super().setUp()
        self.source = self.folder / "linux"
        self.source.mkdir()
        (self.source / "Makefile").write_text(MAKEFILE, encoding="utf-8")
        self.stderr, sys.stderr = sys.stderr, open(os.devnull, "w", encoding="utf-8")
        self.addCleanup(self.put_stderr_back)

    def put_stderr_back(self):
        sys.stderr.close()
        sys.stderr = self.stderr

    def kernel(self, config="config"):
        options = types.SimpleNamespace(kernel_src=self.source, kernel_config=config, kernel_jobs=2)
        return kernel_build.Kernel(options, self.folder / "work")

    def test_every_round_begins_with_the_same(self):
        kernel, log = self.kernel(), self.folder / "log"
        kernel.prepare()
        (self.source / "wait").touch()
        for _ in range(2):
            began = time.time() - 1  # the clock of files may be coarser
            with kernel.build(log) as build:
                self.assertEqual((kernel.out / ".config").read_text(encoding="utf-8"), "configured\n")
                kernel_build.await_compiler(log, build)
                until(lambda: (kernel.out / "tool").read_text(encoding="utf-8") == "changed\n", 30, "the build")
                # Not those that were there before, nor those that make has not done with.
                os.utime(kernel.out / "tool.o", (began - 100, began - 100))
                self.assertEqual(kernel.objects_since(began), 2)
            self.assertEqual(accounting.group(build.pid), {})
            self.assertEqual((kernel.prepared / "tool").read_text(encoding="utf-8"), "built\n")

    def test_a_build_that_ends_is_begun_again_from_the_beginning(self):
        kernel, log = self.kernel(), self.folder / "log"
        kernel.prepare()
        with kernel.build(log) as build:
            build.program.process.wait()
            (self.source / "wait").touch()
            self.assertEqual(kernel.objects_since(0), 3)  # with the tool's
            kernel.begin_again()
            self.assertFalse((kernel.out / "a.o").exists())
            self.assertEqual((kernel.out / "tool").read_text(encoding="utf-8"), "built\n")
            self.assertEqual(kernel.objects_since(0), 4)
            kernel.begin_again()
            with self.assertRaisesRegex(Failure, "built 3 times within a round"):
                kernel.begin_again()
            kernel.reset()
            self.assertEqual(kernel.objects_since(0), 1)

    def test_prepared_once(self):
        self.kernel().prepare()
        (self.source / "Makefile").unlink()
        self.kernel().prepare()
