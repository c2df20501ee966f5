# SPDX-License-Identifier: GPL-2.0-only
"""What a live test is made of: programs under names, a daemon, and assertions on what a thread carries."""

import os
import shutil
import subprocess
import tempfile
import unittest

from attributes import classes, get_attr, make_us_pristine
from cgroups import Cgroups
from daemon import Daemon, is_sanitized
from programs import Program, Stage, end_all
from tasks import comm
from waiting import wait_for


# What takes long, and has the program do nothing that shorter tests do not have it do with sanitizers.
once = unittest.skipIf(is_sanitized(), "long, and run without sanitizers")


class LiveTest(Stage, unittest.TestCase):
    """Programs under names, a daemon, and assertions on what a thread carries."""

    def setUp(self):
        end_all()
        make_us_pristine()
        self.folder = tempfile.mkdtemp(prefix="schedqos-live-")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(end_all)
        self.current = None

    def prepare(self, config=None, **options):
        """A daemon that is still to be started."""
        self.current = Daemon(self.folder, config, **options)
        self.addCleanup(self.current.discard)
        return self.current

    def daemon(self, config=None, **options):
        """Starts a daemon, which is stopped, and its traces looked for, when the test ends well."""
        return self.prepare(config, **options).start()

    def tearDown(self):
        # The programs of the test still live: every test is one of the undo, too.
        if self.current:
            self.current.stop()

    def new_cgroups(self, name):
        """Which end with the test."""
        cgroups = Cgroups(name)
        self.addCleanup(cgroups.remove)
        return cgroups

    def need(self, prefix):
        """Skips the test where programs cannot be run in that way, as in a chroot."""
        if subprocess.run([*prefix, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("%s does not work here" % " ".join(prefix))

    def assert_carries(self, task, want, message=""):
        """Waits until the task (a program or a tid) carries a class, by its name, or these attributes. Its tid, and these."""
        tid = task.pid if isinstance(task, Program) else task
        attr = classes()[want] if isinstance(want, str) else want
        wait_for(lambda: get_attr(tid) == attr,
                 lambda: "%d %r %s: carries %s, not %s: %s"
                 % (tid, comm(tid), message, get_attr(tid), want, attr))
        return tid, attr

    def assert_keeps(self, task, want, message=""):
        """
        The task carries this, and still does when all events up to now have been handled. On a busy machine its arguments,
        which its rule needs, may be known only later, so this waits for the former.
        """
        tid, attr = self.assert_carries(task, want, message)
        self.current.sync()
        self.assertEqual(get_attr(tid), attr, "%d %r %s" % (tid, comm(tid), message))
