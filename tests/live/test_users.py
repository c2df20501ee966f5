# SPDX-License-Identifier: GPL-2.0-only
"""
Rules name users while the name service hangs, fails, and finally answers. The service is a module of the test (nss(5)),
for daemons with an /etc/nsswitch.conf of the test's.
"""

import os
import shutil
import signal
import subprocess
import unittest

from attributes import BACKGROUND, DEFAULT, UI
from cgroups import MOUNTS
from harness import LiveTest
from tasks import descendants, state
from waiting import wait_for


# The answer is in a file with the user's name: a uid, or "-" for no such user. Without that file, the module waits for
# it.
MODULE = r"""
#include <errno.h>
#include <nss.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum nss_status _nss_sqtest_getpwnam_r(const char *name, struct passwd *ret, char *buf, size_t size, int *error)
{
	char path[256], text[32] = "";
	FILE *file;

	if (size < 64) {
		*error = ERANGE;
		return NSS_STATUS_TRYAGAIN;
	}
	snprintf(path, sizeof(path), "FOLDER/%s", name);
	while (!(file = fopen(path, "re")))
		usleep(1000);
	if (!fgets(text, sizeof(text), file))
		text[0] = '!';
	fclose(file);
	*error = text[0] == '!' ? ECONNREFUSED : ENOENT;
	if (text[0] == '!')
		return NSS_STATUS_UNAVAIL;
	if (text[0] == '-')
		return NSS_STATUS_NOTFOUND;
	snprintf(buf, size, "%s", name);
	memset(ret, 0, sizeof(*ret));
	ret->pw_name = ret->pw_passwd = ret->pw_gecos = ret->pw_dir = ret->pw_shell = buf;
	ret->pw_uid = ret->pw_gid = (uid_t)atoi(text);
	return NSS_STATUS_SUCCESS;
}
"""


def why_not():
    if not shutil.which("cc") or subprocess.run(["cc", "-fsyntax-only", "-xc", "-"], input=MODULE, text=True, check=False,
                                                stderr=subprocess.DEVNULL).returncode:
        return "no compiler, or without the C library's headers"
    if subprocess.run([*MOUNTS, "mount -t tmpfs none /mnt"], check=False, stderr=subprocess.DEVNULL).returncode:
        return "no mount namespaces"
    return None


@unittest.skipIf(why_not(), why_not())
class Users(LiveTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("answers"))
        source = self.write("nss.c", MODULE.replace("FOLDER", self.path("answers")))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.path("libnss_sqtest.so.2"), source], check=True)
        # Only the daemon has these: the loader that starts it has its own library path already.
        self.prefix = [*MOUNTS, 'mount --bind %s /etc/nsswitch.conf\nexec env LD_LIBRARY_PATH=%s "$@"'
                       % (self.write("nsswitch.conf", "passwd: files sqtest\n"), self.folder), "sh"]

    def answer(self, name, text):
        os.rename(self.write("answers/new", text), self.path("answers/" + name))

    def forget(self, name):
        os.unlink(self.path("answers/" + name))

    @staticmethod
    def rules(*users, qos=UI):
        return {"app": [{"qos": qos, "match": {"user": user}} for user in users]}

    def lookups(self):
        """Returns the helper that looks users up; helpers that read arguments do not load our module."""
        def asks(pid):
            try:
                with open("/proc/%d/maps" % pid, encoding="ascii") as maps:
                    return "libnss_sqtest" in maps.read()
            except (FileNotFoundError, ProcessLookupError):
                return False
        return [pid for pid in descendants(self.current.pid) if asks(pid)]

    @staticmethod
    def await_end(pids):
        """Waits until these processes have ended. init may be slow to reap them."""
        wait_for(lambda: all(state(pid) in (None, "Z") for pid in pids), "the end of a lookup")

    def assert_pending(self, *names):
        """Waits until exactly these users are pending. On a slow machine even known users may be pending at first."""
        def pending():
            return sorted(entry.split()[0] for entry in self.current.status()["pending_users"])
        wait_for(lambda: pending() == sorted(names), lambda: "%s pending; still: %s" % (names, pending()))

    def test_a_rule_applies_once_its_user_is_known(self):
        daemon = self.daemon(self.rules("slow", "nobody"), prefix=self.prefix)
        self.assertRegex(daemon.log(), r"json:\d+:\d+: app\[0\]\.match\.user: .*user \"slow\" cannot be looked up now")
        self.assert_pending("slow")
        self.assertRegex(daemon.ask("status").stdout, r"(?m)^not known +slow \(")
        app = self.sleeper("app", user=12345)
        self.assert_carries(self.sleeper("app", user="nobody"), UI)
        self.assert_keeps(app, DEFAULT)
        self.answer("slow", "12345")
        self.assert_carries(app, UI)
        self.assert_carries(self.sleeper("app", user=12345), UI)
        self.assertIn('user "slow" is known now: uid 12345', daemon.log())
        self.assert_pending()
        wait_for(lambda: not self.lookups(), "the end of the lookup")

    def test_stop_and_reload_do_not_wait_for_the_name_service(self):
        daemon = self.daemon(self.rules("slow"), prefix=self.prefix)
        wait_for(self.lookups, "a lookup")
        for _ in range(3):
            before = self.lookups()
            # This lookup is never answered.
            self.assertEqual(daemon.reload().returncode, 0)
            self.await_end(before)
        wait_for(self.lookups, "a lookup")
        hanging = self.lookups()
        daemon.stop()
        self.await_end(hanging)

    def test_a_hanging_lookup_does_not_delay_others(self):
        self.answer("late", "12345")
        self.daemon(self.rules("late", "slow"), prefix=self.prefix)
        # The user named last is looked up first, and given up.
        self.assert_carries(self.sleeper("app", user=12345), UI)
        self.assert_pending("slow")

    def test_a_reload_looks_users_up_again(self):
        self.answer("moves", "12345")
        daemon = self.daemon(self.rules("moves"), prefix=self.prefix)
        one, other = self.sleeper("app", user=12345), self.sleeper("app", user=12346)
        self.assert_carries(one, UI)
        # A known uid stays until there is another answer.
        self.forget("moves")
        self.assertEqual(daemon.reload(self.rules("moves", qos=BACKGROUND)).returncode, 0)
        self.assert_pending("moves")
        self.assert_carries(one, BACKGROUND)
        self.assert_keeps(other, DEFAULT)
        self.answer("moves", "12346")
        self.assert_carries(other, BACKGROUND)
        self.assert_carries(one, DEFAULT)
        # A deleted user matches no task.
        self.answer("moves", "-")
        self.assertEqual(daemon.reload().returncode, 0)
        # The words are others if the answer comes after the reload.
        wait_for(lambda: 'unknown user "moves"' in daemon.log(), daemon.log)
        self.assert_carries(other, DEFAULT)
        self.assert_pending()

    def test_a_reload_does_not_take_an_answer_for_another_user_s(self):
        daemon = self.daemon(self.rules("slow", qos=BACKGROUND), prefix=self.prefix)
        wait_for(self.lookups, "a lookup")
        daemon.configure({"app": [{"qos": UI, "match": {"user": "other"}}, {"qos": BACKGROUND, "match": {"user": "slow"}}]})

        def is_asking():
            with open("/proc/%d/wchan" % daemon.pid, encoding="ascii") as place:
                return "poll" in (name := place.read()) and not name.startswith("ep_")
        before = self.lookups()
        daemon.popen.send_signal(signal.SIGHUP)
        # The answer to the earlier question must come while the reload waits for the answer to its own.
        wait_for(lambda: is_asking() or self.lookups() != before, "the question")
        self.answer("slow", "12345")
        self.assert_pending("other")
        self.assert_carries(self.sleeper("app", user=12345), BACKGROUND)
