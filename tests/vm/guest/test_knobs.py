# SPDX-License-Identifier: GPL-2.0-only
"""The knobs of a sched profile, in debugfs and cpufreq, are set and put back, as far as this kernel has them."""

import glob
import os

from attributes import QOS_BASE_SLICE
from test_profiles import KnobTest, read, write
from waiting import wait_for

SCHED_DEBUG = "/sys/kernel/debug/sched/"
FEATURES = "/sys/kernel/debug/sched/features"
BASE_SLICE = "/sys/kernel/debug/sched/base_slice_ns"
GOVERNORS = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"


def flipped(word):
    return word[3:] if word.startswith("NO_") else "NO_" + word


def put_back(path, value):
    """Writes the value word by word, because the kernel accepts only one word at a time."""
    for word in value.split():
        write(path, word)


class Knobs(KnobTest):
    def setUp(self):
        super().setUp()
        governors = glob.glob(GOVERNORS)
        knobs = [FEATURES, *filter(os.path.exists, [BASE_SLICE]), *governors]
        self.before = {path: read(path) for path in knobs}
        for path, value in self.before.items():
            self.addCleanup(put_back, path, value)
        words = self.before[FEATURES].split()
        hrtick, other = (next(word for word in words if word.endswith(name)) for name in ("HRTICK", "NEXT_BUDDY"))
        switched = [flipped(word) if word in (hrtick, other) else word for word in words]
        self.wanted = dict(dict.fromkeys(governors, "performance"), **{FEATURES: " ".join(switched)})
        self.profile = {"debugfs": {"features": [flipped(hrtick), flipped(other)]}}
        if BASE_SLICE in knobs:
            self.wanted[BASE_SLICE] = str(QOS_BASE_SLICE)
            self.profile["debugfs"]["base_slice_ns"] = QOS_BASE_SLICE
        if governors:
            self.profile["cpufreq"] = {"scaling_governor": "performance"}

    def now(self):
        return {path: read(path) for path in self.before}

    def start(self, name):
        return self.daemon({"schedqos": {"sched_profile": name, "default": "none"}},
                           layers={"sched_profiles.json": {"other": self.profile}})

    def test_knobs_are_set_and_put_back(self):
        self.assertNotIn(self.before, [self.wanted])
        daemon = self.start("other")
        self.assertEqual(self.now(), self.wanted)
        self.assertEqual(daemon.status()["knob_refusals"], [])
        daemon.stop()
        self.assertEqual(self.now(), self.before)

    def test_a_processor_that_comes_online_gets_the_governor(self):
        """While it is offline, its policy can be neither read nor written."""
        governors = glob.glob(GOVERNORS)
        online = "/sys/devices/system/cpu/cpu1/online"
        path = "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor"
        if path not in governors:
            self.skipTest("no policy of its own")
        write(path, "schedutil")
        self.addCleanup(write, online, "1")
        write(online, "0")
        daemon = self.start("other")
        self.assertEqual(daemon.status()["knob_refusals"], [])
        write(online, "1")
        # The daemon writes knobs in two rounds. Wait for the log before setting another value, or the second round
        # would overwrite it.
        count = 1 + (BASE_SLICE in self.before)  # the kernel has computed a base slice of its own
        wait_for(lambda: "sched profile other: knobs set %d," % count in daemon.log(), "the profile's governor")
        self.assertEqual(read(path), "performance")
        # A value that others set afterwards stays when the processor goes offline and online.
        write(path, "schedutil")
        write(online, "0")
        write(online, "1")
        daemon.sync()
        self.assertEqual(read(path), "schedutil")
        write(path, "performance")
        daemon.stop()
        self.assertEqual(read(path), "schedutil")

    def test_the_base_slice_is_set_again_when_a_processor_goes_or_comes(self):
        """The kernel sets its own base slice then."""
        online = "/sys/devices/system/cpu/cpu1/online"
        if BASE_SLICE not in self.before or not os.path.exists(online):
            self.skipTest("no base slice in debugfs, or no other processor")
        daemon = self.start("other")
        self.addCleanup(write, online, "1")
        for value in "0", "1":
            write(online, value)
            wait_for(lambda: read(BASE_SLICE) == str(QOS_BASE_SLICE), "the profile's base slice")
        daemon.stop()
        self.assertEqual(self.now(), self.before)


def choice(path):
    """Returns the value of a knob; of a list of choices, the one in parentheses."""
    value = read(path)
    return value.partition("(")[2].partition(")")[0] or value


class Folders(KnobTest):
    """Knobs in folders of debugfs, which differ between kernels, and one with a list of choices."""

    def setUp(self):
        super().setUp()
        self.wanted = {}
        for name, values in (("llc_balancing/enabled", ("0", "1")), ("numa_balancing/scan_delay_ms", ("1000", "1234")),
                             ("cgroup_mode", ("concur", "max"))):
            path = SCHED_DEBUG + name
            if os.path.exists(path):
                self.wanted[name] = next(value for value in values if value != choice(path))
        if not any("/" in name for name in self.wanted):
            self.skipTest("this kernel has no knobs in folders")
        self.before = self.now()
        for name, value in self.before.items():
            self.addCleanup(write, SCHED_DEBUG + name, value)

    def now(self):
        return {name: choice(SCHED_DEBUG + name) for name in self.wanted}

    def start(self):
        knobs = dict(self.wanted, **{"llc_balancing/no_such_knob": 1, "base_slice_ns/x": 1, "fair_server": 1})
        return self.daemon({"schedqos": {"sched_profile": "folders", "default": "none"}},
                           layers={"sched_profiles.json": {"folders": {"debugfs": knobs}}})

    def test_knobs_in_folders_are_set_and_put_back(self):
        self.assertNotEqual(self.now(), self.wanted)
        daemon = self.start()
        self.assertEqual(self.now(), self.wanted)
        refusals = "\n".join(daemon.status()["knob_refusals"])
        self.assertRegex(refusals, "llc_balancing/no_such_knob.*: No such file or directory")
        self.assertRegex(daemon.log(), r"sched profile folders: knobs set %d, .*refused 3" % len(self.wanted))
        daemon.stop()
        self.assertEqual(self.now(), self.before)
