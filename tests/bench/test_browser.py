# SPDX-License-Identifier: GPL-2.0-only
"""The scenario browser: what is made of frames and keys, and a real page where there is a Chromium or a Firefox."""

import json
import os
import shutil
import unittest

import case
from case import Folder
from schedqos_bench import devtools, marionette
from schedqos_bench.process import Failure, adopt_orphans, until
from schedqos_bench.scenarios import browser
from waiting import PATIENCE


def options(*arguments):
    return case.options((browser, browser.kernel_build), *arguments)


class Figures(unittest.TestCase):
    def test_a_frame_is_late_from_half_a_period_on(self):
        found = {"frames": [16.7] * 97 + [24.9, 25.1, 80.0], "keys": [1010.0, 2030.0]}
        values, parts, notes = browser.figures(found, [1000.0, 2000.0, 3000.0], 2)
        self.assertEqual((values["late"], values["late_share"]), (1, 2))
        self.assertEqual((values["frame_p50"], values["frame_max"]), (16700, 80000))
        self.assertEqual((values["key_p50"], values["key_max"]), (10000, 30000))
        self.assertEqual(sum(count for _, count in parts["frame"]["points"]), 100)
        self.assertEqual(notes, ["1 of 3 keys had no frame by the end"])

    def test_without_frames_there_is_nothing(self):
        with self.assertRaises(Failure):
            browser.figures({"frames": [], "keys": []}, [], 2)

    def test_all_metrics_are_made(self):
        given = options("--browser-places", "one")
        values, parts, _ = browser.figures({"frames": [16.7] * 9, "keys": [2.0]}, [1.0], 1)
        made = {f"{key}_one" for key in (*values, "build_objects")}
        self.assertLessEqual(browser.metrics(given).keys(), made)
        named = {metric["percentile"][0] for metric in browser.metrics(given).values() if "percentile" in metric}
        self.assertEqual(named, {"one: frame time", "one: key to frame"})
        self.assertEqual(set(parts), {"frame", "key"})

    def test_what_is_missing_is_named(self):
        given = options("--browser-places", "elsewhere")
        self.assertIn("a place elsewhere", [each.what for each in browser.needs(given)])


class Live(Folder):
    def draws_and_answers(self, kind, *programs):
        program = next(filter(None, map(shutil.which, programs)), None)
        if not program:
            self.skipTest(f"needs a browser ({' or '.join(programs)})")
        adopt_orphans()
        with kind.Browser(program, browser.PAGE, self.folder / "log") as shown:
            self.assertGreater(shown.evaluate("calibrate(1)"), 0)
            shown.evaluate("begin(1000)")
            until(lambda: shown.evaluate("frames.length") > 3, PATIENCE * 3, "frames are drawn", interval=0.1)
            pressed = shown.press_key()
            until(lambda: shown.evaluate("keys.length") == 1, PATIENCE * 3, "a key is answered", interval=0.1)
            found = json.loads(shown.evaluate("end()"))
            self.assertGreater(found["keys"][0], pressed - 1000)
            with self.assertRaises(Failure):
                shown.evaluate("nothing.at.all")

    def test_a_page_in_chromium(self):
        self.draws_and_answers(devtools, "chromium", "chromium-browser", "google-chrome")

    @unittest.skipIf(os.geteuid(), "needs root, for a network of its own")
    def test_a_page_in_firefox(self):
        self.draws_and_answers(marionette, "firefox", "firefox-esr")

    def test_a_browser_that_ends_is_a_failure(self):
        adopt_orphans()
        for kind in [devtools] if os.geteuid() else [devtools, marionette]:
            with self.subTest(kind.__name__), self.assertRaisesRegex(Failure, "has ended"), \
                    kind.Browser("true", browser.PAGE, self.folder / "log"):
                pass
