# SPDX-License-Identifier: GPL-2.0-only
"""Strings from anywhere, made harmless."""

import unittest

from schedqos_bench import escape


class Escape(unittest.TestCase):
    HOSTILE = "a\x00\x1b[1m\n<b a='\"'>&é\u202e\U0001f600"

    def test_visible(self):
        self.assertEqual(escape.visible(self.HOSTILE), "a\\x00\\x1b[1m\\x0a<b a='\"'>&é\\x202e\U0001f600")

    def test_plain(self):
        self.assertEqual(escape.plain(self.HOSTILE), "a\\x00\\x1b[1m\\x0a<b a='\"'>&\\xe9\\x202e\\U0001f600")

    def test_markup(self):
        self.assertEqual(escape.markup("<\x00\"'&"), "&lt;\\x00&quot;&#x27;&amp;")
