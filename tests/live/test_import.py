# SPDX-License-Identifier: GPL-2.0-only
"""Rules of ananicy, made up here, imported and then in force."""

import os
import shutil

from daemon import schedqos
from harness import LiveTest, main

UI, BACKGROUND, UTILITY = "QOS_USER_INTERACTIVE", "QOS_BACKGROUND", "QOS_UTILITY"
TYPES = '{ "type": "Game", "nice": -5 } # hungry\n{ "type": "Bulk", "nice": 16, "sched": "idle" }\n'
LONG = "Räuber & Söhne [Demo] 64.exe"


class Import(LiveTest):
    def rules(self, name, text):
        path = os.path.join(self.folder, "rules", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def import_all(self, *args):
        result = schedqos("import", "ananicy", os.path.join(self.folder, "rules"), *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def read(self, *names):
        texts = []
        for name in names:
            with open(os.path.join(self.folder, *name.split("/")), encoding="utf-8") as file:
                texts.append(file.read())
        return texts

    def test_what_is_imported_is_in_force(self):
        """The last part of the first argument decides, case and all, and of two rules the later one."""
        self.rules("a b/games.rules", '{"name": "%s", "type": "Game"}\n{"name": "later", "type": "Game"}\n' % LONG)
        self.rules("a.rules", '{"name": "later", "type": "Bulk"}\n{"name": "typeless", "nice": 5}\n')
        self.rules("z.types", TYPES)
        self.rules("README.md", '{"name": "no rule", "type": "Game"}\n')
        result = self.import_all()
        self.assertIn("4 rules in 3 files, 3 of them imported", result.stderr)
        self.daemon(layers={"app_configs/ananicy.json": result.stdout})
        self.assert_carries(self.sleeper("C:\\Program Files\\" + LONG), UI)
        self.assert_carries(self.sleeper("later"), BACKGROUND)
        self.assert_carries(self.sleeper("typeless"), UTILITY)
        self.assert_carries(self.sleeper(LONG.lower()), "QOS_DEFAULT")

    def test_files_appear_and_go(self):
        """Split as soon as one file would be too large, joined again, and nothing of before stays."""
        folder = os.path.join(self.folder, "out")
        self.rules("a.types", TYPES)
        self.rules("x.rules", '{"name": "x", "type": "Game"}\n')
        for _ in range(2):
            self.import_all("-o", folder)
            self.assertEqual(os.listdir(folder), ["ananicy.json"])
        self.assertEqual(self.read("out/ananicy.json"), [self.import_all().stdout])
        self.rules("large.rules", "".join('{"name": "%s-%07d-%s", "type": "Game"}\n' % ("ap"[i % 2], i, "n" * 90)
                                          for i in range(8000)))
        self.import_all("-o", folder + "/ananicy.json")
        self.assertEqual(sorted(os.listdir(folder)), ["ananicy-a.json", "ananicy-p.json", "ananicy-x.json"])
        checked = schedqos("check", *(os.path.join(folder, name) for name in os.listdir(folder)))
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("8001 rules", checked.stderr)
        self.assertNotIn("warning", checked.stderr)
        self.rules("large.rules", "")
        with open(os.path.join(folder, "ananicy-3.json"), "w", encoding="utf-8") as file:
            file.write('{"somebody\'s": {"qos": "QOS_UTILITY"}}\n')
        shutil.copy(os.path.join(folder, "ananicy-a.json"), os.path.join(folder, "ananicy-more.json"))
        self.import_all("-o", folder + "/")
        self.assertEqual(sorted(os.listdir(folder)), ["ananicy-3.json", "ananicy-more.json", "ananicy.json"],
                         "not ours to remove")
        result = schedqos("import", "ananicy", os.path.join(self.folder, "rules"), "-o", folder + "/ananicy-3.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("not from an import", result.stderr)
        self.assertIn("somebody", self.read("out/ananicy-3.json")[0])

    def test_what_cannot_be_read_or_written_fails(self):
        self.rules("x.rules", '{"name": "x", "type": "Game"}\n')
        self.rules("none.rules", "# nothing\n")
        path = os.path.join(self.folder, "rules")
        for args in ((path + "/none.rules",), (path, path + "/missing"), ("-o", "/dev/null", path),
                     ("-o", self.folder + "/missing/file", path), ("-o", "", path)):
            result = schedqos("import", "ananicy", *args)
            self.assertEqual((result.returncode, result.stdout), (1, ""), args)
            self.assertIn("schedqos: error:", result.stderr, args)
        for args in ((), ("ananicy",), ("gamemode", path)):
            self.assertEqual(schedqos("import", *args).returncode, 2, args)


if __name__ == "__main__":
    main()
