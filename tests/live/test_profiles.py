# SPDX-License-Identifier: GPL-2.0-only
"""
Knobs are set while the daemon runs, and put back afterwards, also after a crash, unless somebody else has changed them.
"""

import glob
import json
import os
import re
import unittest

from daemon import CONFINED, schedqos
from harness import LiveTest
from tasks import open_files

AUTOGROUP = "/proc/sys/kernel/sched_autogroup_enabled"
STATE = "/run/schedqos/knobs.json"


def read(path):
    """Returns a knob's value: for a choice, the chosen word."""
    with open(path, encoding="ascii") as file:
        text = file.read().strip()
    chosen = re.search(r"\[(.*?)\]", text)
    return chosen.group(1) if chosen else text


def write(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(value)


def schedulers(device):
    """
    Returns a device's schedulers; none for a device without requests (zram, a volume), or one that is being removed.
    """
    try:
        with open("/sys/block/%s/queue/scheduler" % device, encoding="ascii") as file:
            return file.read().replace("[", "").replace("]", "").split()
    except OSError:
        return []


def spare_device():
    """Returns a block device with three schedulers to choose from, unused if possible."""
    names = [os.path.basename(path) for path in glob.glob("/sys/block/*")]
    for name in sorted(names, key=lambda name: (not name.startswith("loop"), name)):
        if len(schedulers(name)) >= 3:
            return name
    return None


class KnobTest(LiveTest):
    def keep(self, path):
        """Restores the knob after the test, however it ends."""
        before = read(path)
        self.addCleanup(lambda: read(path) == before or write(path, before))
        return before

    def kill(self):
        self.current.kill()

    def restore(self):
        result = schedqos("restore")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse(os.path.exists(STATE))
        return result


@unittest.skipUnless(os.path.exists(AUTOGROUP), "this kernel has no autogroups")
class Autogroup(KnobTest):
    def setUp(self):
        super().setUp()
        self.keep(AUTOGROUP)
        write(AUTOGROUP, "1")

    def test_restore_puts_knobs_back_after_a_kill(self):
        self.daemon({"schedqos": {"autogroup": "off", "default": "none"}})
        refused = schedqos("restore")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("pid %d" % self.current.pid, refused.stderr)
        self.assertEqual(read(AUTOGROUP), "0")
        self.kill()
        self.assertIn("knobs put back: 1", self.restore().stderr)
        self.assertEqual(read(AUTOGROUP), "1")
        self.assertNotIn("knobs", self.restore().stderr)
        self.assertEqual(read(AUTOGROUP), "1")

    def test_a_record_that_cannot_be_read_prevents_the_start(self):
        self.need(CONFINED)
        self.daemon({"schedqos": {"autogroup": "off", "default": "none"}})
        self.kill()
        os.chmod(STATE, 0)
        files = self.prepare({"schedqos": {"autogroup": "off", "default": "none"}})
        result = schedqos("start", *files.options(), prefix=CONFINED)
        self.assertEqual(result.returncode, 1)
        self.assertIn("/run/schedqos/knobs.json: Permission denied: it is left as it is", result.stderr)
        os.chmod(STATE, 0o600)
        self.restore()
        self.assertEqual(read(AUTOGROUP), "1")


@unittest.skipUnless(spare_device(), "no block device with three schedulers")
class BlockScheduler(KnobTest):
    def setUp(self):
        super().setUp()
        self.device = spare_device()
        self.queue = "/sys/block/%s/queue/" % self.device
        # Put back last to first: the kernel sets the depth anew with every scheduler.
        self.keep(self.queue + "nr_requests")
        self.keep(self.queue + "scheduler")
        self.first, self.second, self.third = schedulers(self.device)[:3]
        write(self.queue + "scheduler", self.first)

    def scheduler(self):
        return read(self.queue + "scheduler")

    def profiles(self):
        return {"sched_profiles.json": {
            "second": {"block": {self.device[:-1] + "[%s]" % self.device[-1]: {"scheduler": self.second}}},
            "third": {"block": {self.device: {"nr_requests": 48, "scheduler": self.third}}}}}

    def start(self, profile):
        return self.daemon({"schedqos": {"sched_profile": profile, "default": "none"}}, layers=self.profiles())

    def test_a_queue_depth_is_set_after_the_scheduler(self):
        """The kernel resets it with every change of scheduler. The profile names it."""
        write(self.queue + "nr_requests", "40")
        self.start("third")
        self.assertEqual(self.scheduler(), self.third)
        self.assertEqual(read(self.queue + "nr_requests"), "48")
        self.kill()
        self.restore()
        self.assertEqual(self.scheduler(), self.first)
        self.assertEqual(read(self.queue + "nr_requests"), "40")

    def test_reload_and_verb_replace_the_profile(self):
        daemon = self.start("second")
        self.assertEqual(schedqos("sched_profile", "third").returncode, 0)
        self.assertEqual(self.scheduler(), self.third)
        listed = schedqos("sched_profile")
        self.assertEqual(listed.returncode, 0)
        self.assertEqual(listed.stdout, "  throughput\n  interactive\n  qos\n  qos-preempt\n  second\n* third\n")
        # It stays until the configuration asks for another.
        self.assertEqual(daemon.reload({"schedqos": {"sched_profile": "second"}}).returncode, 0)
        self.assertEqual(self.scheduler(), self.third)
        self.assertEqual(daemon.reload({"schedqos": {"sched_profile": None}}).returncode, 0)
        self.assertEqual(self.scheduler(), self.first)
        self.assertEqual(schedqos("sched_profile", "second").returncode, 0)
        self.assertEqual(schedqos("sched_profile", "--none").returncode, 0)
        self.assertEqual(self.scheduler(), self.first)
        self.assertNotIn("*", schedqos("sched_profile").stdout)
        schedqos("sched_profile", "second")
        daemon.stop()
        self.assertEqual(self.scheduler(), self.first)

    def test_the_verb_works_without_a_daemon(self):
        daemon = self.start("second")
        daemon.stop()
        options = daemon.options()
        result = schedqos("sched_profile", *options, "third")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("schedqos restore", result.stderr)
        self.assertEqual(self.scheduler(), self.third)
        self.assertIn("* third\n", schedqos("sched_profile", *options).stdout)
        self.assertEqual(schedqos("sched_profile", *options, "second").returncode, 0)
        self.restore()
        self.assertEqual(self.scheduler(), self.first)
        self.assertNotIn("*", schedqos("sched_profile", *options).stdout)
        # The next daemon also puts them back when it stops.
        self.assertEqual(schedqos("sched_profile", *options, "third").returncode, 0)
        self.start("second").stop()
        self.assertEqual(self.scheduler(), self.first)


class Verb(KnobTest):
    def test_an_unknown_profile_is_refused(self):
        daemon = self.daemon()
        for options in ([], daemon.options()):
            result = schedqos("sched_profile", *options, "troughput")
            self.assertEqual(result.returncode, 2)
            self.assertIn('no sched profile "troughput" (did you mean "throughput"?)', result.stderr)
            daemon.stop()

    def test_names_are_safe_to_print(self):
        daemon = self.daemon(layers={"sched_profiles.json": {"fast\x1b[2J": {}, "a\nb": {}}})
        self.assertIn('no sched profile "fas\\x1b[2J" (did you mean "fast\\x1b[2J"?)',
                      schedqos("sched_profile", "fas\x1b[2J").stderr)
        self.assertIn("fast\\x1b[2J", daemon.status()["sched_profiles"])
        self.assertEqual(schedqos("sched_profile", "a\nb").returncode, 0)
        self.assertIn("sched profile a\\nb:", daemon.log())
        self.assertEqual(daemon.status()["sched_profile"], "a\\nb")

    @staticmethod
    def debugfs_mounts(pid):
        """Returns only debugfs mounts: other programs on the machine mount and unmount as well."""
        with open("/proc/%d/mountinfo" % pid, encoding="utf-8") as file:
            return [line for line in file if " - debugfs " in line]

    def test_debugfs_stays_mounted_or_unmounted(self):
        before = self.debugfs_mounts(os.getpid())
        daemon = self.daemon({"schedqos": {"sched_profile": "qos"}})
        self.assertEqual(self.debugfs_mounts(daemon.pid), before)
        self.assertEqual([path for path in open_files(daemon.pid).values() if path.endswith("/sched")], [])
        daemon.stop()
        self.assertEqual(self.debugfs_mounts(os.getpid()), before)


class Doctor(KnobTest):
    def findings(self, *options, **how):
        result = schedqos("doctor", "--json", *options, **how)
        report = json.loads(result.stdout)
        self.assertEqual(result.returncode, 0 if report["ok"] else 1)
        self.assertEqual(report["ok"], all(item["state"] != "bad" for item in report["findings"]))
        return {item["name"]: item for item in report["findings"]}

    def test_doctor_works_with_and_without_a_daemon(self):
        daemon = self.daemon({"app": {"qos": "QOS_UTILITY"}})
        found = self.findings(*daemon.options())
        self.assertEqual(found["daemon"]["what"], "runs as pid %d" % daemon.pid)
        # A kernel without an event filter is worth a note.
        self.assertIn(found["events"]["state"], ("ok", "note"))
        self.assertEqual(found["kernel"]["what"], "Linux " + os.uname().release)
        self.assertEqual(found["configuration"]["what"], "2 rules, 6 classes, no errors")
        daemon.stop()
        found = self.findings(*daemon.options())
        self.assertEqual(found["daemon"]["state"], "note")
        self.assertNotIn("leftovers", found)

    def test_doctor_works_for_ordinary_users(self):
        """They may not ask who holds the lock."""
        daemon = self.daemon()
        try:
            found = self.findings(preexec_fn=lambda: os.setuid(65534))
        except PermissionError as error:
            self.skipTest("a user cannot run what was built here: %s" % error)
        self.assertEqual(found["daemon"]["what"], "only root can ask for it")
        daemon.sync()
