# SPDX-License-Identifier: GPL-2.0-only
"""check names each file of a good configuration, and shows the differences from the one in force."""

import os

from attributes import BACKGROUND, UTILITY
from daemon import Daemon, schedqos
from harness import LiveTest


class Files(LiveTest):
    def layer(self, **files):
        """Makes a folder in upstream's layout. Names of files have | for /."""
        folder = self.path("layer")
        os.makedirs(folder, exist_ok=True)
        for name, content in files.items():
            Daemon.write(os.path.join(folder, name.replace("|", "/")), content)
        return folder

    def check(self, folder, *args):
        result = schedqos("check", "--configs-path", folder, *args)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        return result.stderr.replace(folder, "LAYER").splitlines()

    def test_each_file_is_named(self):
        folder = self.layer(**{"app_configs|a.json": {"x": {}, "y": {}, "QOS_MINE": {"sched_nice": 1}},
                               "app_configs|b.json": {"y": {"qos": UTILITY}},
                               "mappings|m.json": {"QOS_UTILITY": {"sched_nice": 3}},
                               "sched_profiles.json": {"mine": {"debugfs": {"base_slice_ns": 1}}}})
        Daemon.write(self.path("own.json"), {"z": {}, "schedqos": {"mapping": "m"}})
        self.assertEqual(self.check(folder, "--config", self.path("own.json")), [
            "LAYER/mappings/m.json", "LAYER/sched_profiles.json", "LAYER/app_configs/a.json", "LAYER/app_configs/b.json",
            self.path("own.json"), "schedqos: mapping m (%s:4:14)" % self.path("own.json"),
            "schedqos: 3 rules, 6 classes: no errors"])

    def test_a_missing_configuration_is_reported(self):
        empty = self.layer()
        lines = schedqos("check", "--configs-path", empty, "--config", "/dev/null").stderr
        self.assertIn("not a regular file", lines)
        Daemon.write(self.path("none.json"), {})
        self.assertIn("there are no rules", "".join(self.check(empty, "--config", self.path("none.json"))))
        if not os.path.exists("/etc/schedqos.json"):
            self.assertIn("no configuration file found", "".join(self.check(empty)))


    def test_a_folder_with_other_files_is_refused(self):
        """Otherwise a mistyped folder would mean no rules."""
        folder = self.layer(**{"README.md": {}})
        result = schedqos("check", "--configs-path", folder)
        self.assertEqual(result.returncode, 78, result.stderr)
        self.assertIn("holds none of qos_mappings.json", result.stderr)
        result = schedqos("check", "--configs-path", os.path.join(folder, "README.md"))
        self.assertEqual((result.returncode, result.stderr.count("Not a directory")), (78, 1), result.stderr)


class Difference(LiveTest):
    def test_diff_shows_what_a_reload_would_change(self):
        daemon = self.daemon({"same": {}, "gone": {}, "app": {"qos": BACKGROUND}})
        app = self.sleeper("app")
        self.assert_carries(app, BACKGROUND)
        self.assertEqual(schedqos("check", "--diff").stdout, "no difference\n")
        daemon.configure({"app": {"qos": UTILITY}, "new": {}, "same": {}, "QOS_MINE": {"sched_nice": 1}})
        found = schedqos("check", "--diff")
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertEqual(found.stdout.replace(daemon.config, "FILE").splitlines(), [
            '+ class QOS_MINE: { "sched_policy": "SCHED_NORMAL", "sched_nice": 1 }  # FILE:7:2',
            '- rule app: { "qos": "QOS_BACKGROUND" }', '+ rule app: { "qos": "QOS_UTILITY" }  # FILE:2:2',
            '- rule gone: {}  # FILE:3:2', '+ rule new: {}  # FILE:5:2',
            "rules: 1 added, 1 removed, 1 changed; settings, classes and profiles: 1 changed",
            "tasks: 1 of the running ones changes class"])
        self.assert_keeps(app, BACKGROUND)
        # doctor reads the same files, and notices that the daemon has not.
        self.assertIn("4 changes of the files", schedqos("doctor").stdout)
        daemon.reload()
        self.assertEqual(schedqos("check", "--diff").stdout, "no difference\n")
        self.assertNotIn("changes of the files", schedqos("doctor").stdout)
        daemon.configure({"app": {"qos": UTILITY}, "new": {}, "same": {}})
        self.assertIn('- class QOS_MINE: { "sched_policy": "SCHED_NORMAL", "sched_nice": 1 }\n',
                      schedqos("check", "--diff").stdout)

    def test_diff_shows_errors_instead_of_differences(self):
        daemon = self.daemon()
        daemon.configure({"app": {"qos": "QOS_NONE"}})
        result = schedqos("check", "--diff")
        self.assertEqual((result.returncode, result.stdout), (78, ""))
        self.assertIn("unknown class", result.stderr)
        self.assertIn("keeps the previous one", schedqos("doctor").stdout)

    def test_diff_compares_other_files(self):
        self.daemon({"app": {"qos": UTILITY}})
        Daemon.write(self.path("other.json"), {"app": {"qos": UTILITY}, "more": {}})
        result = schedqos("check", "--diff", "--config", self.path("other.json"))
        self.assertIn("+ rule more: {}", result.stdout)
        self.assertIn("rules: 1 added, 0 removed, 0 changed", result.stdout)
