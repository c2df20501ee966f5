# SPDX-License-Identifier: GPL-2.0-only
"""Rules of ananicy, made up here, are imported and then take effect."""

from attributes import BACKGROUND, UI, UTILITY
from daemon import schedqos
from harness import LiveTest

TYPES = '{ "type": "Game", "nice": -5 } # hungry\n{ "type": "Bulk", "nice": 16, "sched": "idle" }\n'
LONG = "Räuber & Söhne [Demo] 64.exe"


class Import(LiveTest):
    def rules(self, name, text):
        self.write("rules/" + name, text)

    def test_imported_rules_are_in_force(self):
        """
        The last component of the first argument decides, case matters, and of two rules for one name the later one
        wins.
        """
        self.rules("a b/games.rules", '{"name": "%s", "type": "Game"}\n{"name": "later", "type": "Game"}\n' % LONG)
        self.rules("a.rules", '{"name": "later", "type": "Bulk"}\n{"name": "typeless", "nice": 5}\n')
        self.rules("z.types", TYPES)
        self.rules("README.md", '{"name": "no rule", "type": "Game"}\n')
        result = schedqos("import", "ananicy", self.path("rules"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("4 rules in 3 files, 3 of them imported", result.stderr)
        self.daemon(layers={"app_configs/ananicy.json": result.stdout})
        self.assert_carries(self.sleeper("C:\\Program Files\\" + LONG), UI)
        self.assert_carries(self.sleeper("later"), BACKGROUND)
        self.assert_carries(self.sleeper("typeless"), UTILITY)
        self.assert_carries(self.sleeper(LONG.lower()), "QOS_DEFAULT")

    def test_files_that_cannot_be_read_make_import_fail(self):
        self.rules("x.rules", '{"name": "x", "type": "Game"}\n')
        self.rules("none.rules", "# nothing\n")
        path = self.path("rules")
        for args in ((path + "/none.rules",), (path, path + "/missing")):
            result = schedqos("import", "ananicy", *args)
            self.assertEqual((result.returncode, result.stdout), (1, ""), args)
            self.assertIn("schedqos: error:", result.stderr, args)
        for args in ((), ("ananicy",), ("gamemode", path)):
            self.assertEqual(schedqos("import", *args).returncode, 2, args)
