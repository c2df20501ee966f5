# SPDX-License-Identifier: GPL-2.0-only
"""The base class of live tests: programs under any name, a daemon, and assertions on the attributes of a thread."""

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


# Marks a test that takes long, and under which the program does nothing that shorter tests do not cover with
# sanitizers.
once = unittest.skipIf(is_sanitized(), "long, and run without sanitizers")


class LiveTest(Stage, unittest.TestCase):
    """A test with programs under any name, a daemon, and assertions on the attributes of a thread."""

    def setUp(self):
        end_all()
        make_us_pristine()
        self.folder = tempfile.mkdtemp(prefix="schedqos-live-")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(end_all)
        self.current = None

    def prepare(self, config=None, **options):
        """Returns a daemon that the test starts later."""
        self.current = Daemon(self.folder, config, **options)
        self.addCleanup(self.current.discard)
        return self.current

    def daemon(self, config=None, **options):
        """Starts a daemon. If the test ends well, the daemon is stopped and checked for traces."""
        return self.prepare(config, **options).start()

    def tearDown(self):
        # The programs of the test still live, so every test also tests the undo.
        if self.current:
            self.current.stop()

    def new_cgroups(self, name):
        """Returns cgroups that are removed at the end of the test."""
        cgroups = Cgroups(name)
        self.addCleanup(cgroups.remove)
        return cgroups

    def need(self, prefix):
        """Skips the test if no program can be run with this prefix, as in a chroot."""
        if subprocess.run([*prefix, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("%s does not work here" % " ".join(prefix))

    def need_set_user_id(self):
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("set-user-ID programs have no effect in %s" % self.folder)

    def assert_carries(self, task, want, message=""):
        """
        Waits until the task (a program or a tid) carries a class, given by name, or these attributes. Returns its tid
        and them.
        """
        tid = task.pid if isinstance(task, Program) else task
        attr = classes()[want] if isinstance(want, str) else want
        wait_for(lambda: get_attr(tid) == attr,
                 lambda: "%d %r %s: carries %s, not %s: %s"
                 % (tid, comm(tid), message, get_attr(tid), want, attr))
        return tid, attr

    def assert_keeps(self, task, want, message=""):
        """
        Waits until the task carries this, and checks that it still does once all events up to now have been handled. It
        has to wait first, because on a busy machine the arguments that a rule needs may be read late.
        """
        tid, attr = self.assert_carries(task, want, message)
        self.current.sync()
        self.assertEqual(get_attr(tid), attr, "%d %r %s" % (tid, comm(tid), message))
