# SPDX-License-Identifier: GPL-2.0-only
"""The report as a page: one file, well formed, whatever it is of."""

import html.parser
import re
import unittest

import synthetic
from test_report_text import with_hostile_names
from schedqos_bench.report import figures, page, plots

VOID = ("meta", "br")


def written(result):
    by_scenario = figures.all_lines(result)
    return page.text(result, by_scenario, plots.draw(result, by_scenario))


class Balance(html.parser.HTMLParser):
    """Every element is closed, in order; what is referred to is kept."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.references, self.ids, self.tags = [], [], [], [], set()

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.references += [value for name, value in attrs if name in ("href", "src", "xlink:href", "data", "action")]
        self.references += [re.sub(r"^url\((.*)\)$", r"\1", value) for name, value in attrs if name == "clip-path"]
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append((tag, self.getpos()))


def parsed(text):
    parser = Balance()
    parser.feed(text)
    parser.close()
    return parser


class Page(unittest.TestCase):
    def check(self, result):
        text = written(result)
        parser = parsed(text)
        self.assertEqual((parser.wrong, parser.open), ([], []))
        self.assertEqual(len(set(parser.ids)), len(parser.ids))
        self.assertLessEqual(set(parser.references), {f"#{each}" for each in parser.ids})
        self.assertFalse(parser.tags & {"script", "link", "img", "iframe", "object", "image", "metadata"})
        outside = re.sub(r' xmlns(:xlink)?="http://www.w3.org/(2000/svg|1999/xlink)"', "", text)
        self.assertNotRegex(outside, r"(?i)https?:|//[a-z]|url\([^#]|@import")
        return text

    def test_self_contained_and_well_formed(self):
        self.check(synthetic.result(tuple(synthetic.SCENARIOS), 3, 5))

    def test_ratios_and_distributions_are_drawn(self):
        text = written(synthetic.result(("cyclictest", "schbench"), 3, 6))
        self.assertEqual(text.count("<svg"), 2 * 2 + 1 + 2)
        self.assertIn("share that took longer: wakeup latency", text)

    def test_hostile_strings_are_shown_and_do_nothing(self):
        text = self.check(with_hostile_names())
        self.assertNotIn("<script", text)
        self.assertIn("&lt;script&gt;", text)
        self.assertNotRegex(text, "[\x00\x1b\u202e]")
