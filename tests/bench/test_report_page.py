# SPDX-License-Identifier: GPL-2.0-only
"""The report as a page: one file, well formed, with every variant in every plot, in light and dark."""

import html.parser
import re
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import synthetic
from test_report_text import HOSTILE, with_hostile_names
from schedqos_bench import report
from schedqos_bench.report import figures, page
from schedqos_bench.report.plots import percentiles, slots, tradeoff

SVG = "{http://www.w3.org/2000/svg}"
VOID = ("meta", "br")


def written(result):
    return page.text(result, figures.all_lines(result))


def pictures(text):
    return [ElementTree.fromstring(each) for each in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]


def texts(picture):
    return ["".join(each.itertext()) for each in picture.iter(SVG + "text")]


class Balance(html.parser.HTMLParser):
    """Every element is closed, in order; what is referred to is kept."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.references, self.tags = [], [], [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.references += [value for name, value in attrs if name in ("href", "src", "xlink:href", "data", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

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
        self.assertTrue(all(reference.startswith("#") for reference in parser.references), parser.references)
        self.assertFalse(parser.tags & {"script", "link", "img", "iframe", "object", "image", "use"})
        outside = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
        self.assertNotRegex(outside, r"(?i)https?:|//[a-z]|url\(|@import")
        return text

    def test_self_contained_and_well_formed(self):
        self.check(synthetic.result(tuple(synthetic.MAKERS), 6, 5))

    def test_little_data(self):
        for scenarios, variants, rounds in ((("schbench",), 1, 1), (("cyclictest",), 2, 0), ((), 2, 1),
                                            (("io",), 9, 1)):
            with self.subTest(scenarios=scenarios, variants=variants, rounds=rounds):
                self.check(synthetic.result(scenarios, variants, rounds))

    def test_missing_data(self):
        result = synthetic.result(("cyclictest", "schbench"), 3, 5)
        for each in result["rounds"]:
            if each["variant"] != "default" or each["round"] == 2:
                each["distributions"], each["printed"], each["daemon"] = {}, {}, None
                each["steal_share"] = each["other_load"] = None
                each["metrics"] = {name: None for name in each["metrics"]}
        result["environment"] = {}
        self.check(result)

    def test_zeros(self):
        result = synthetic.result(("cyclictest", "schbench"), 2, 5)
        for each in result["rounds"]:
            each["metrics"] = {name: 0 for name in each["metrics"]}
            for distribution in each["distributions"].values():
                distribution["points"] = [[0, 5]] if distribution["kind"] == "histogram" else [[50.0, 0], [99.0, 0]]
                distribution.update(max=0, min=0)
        self.check(result)

    def test_hostile_strings_are_shown_and_do_nothing(self):
        text = self.check(with_hostile_names())
        self.assertNotIn("<script", text)
        self.assertIn("&lt;script&gt;", text)
        self.assertNotIn("\x1b", text)

    def test_a_hostile_scenario(self):
        result = synthetic.result(("service",), 2, 5)
        result["scenarios"] = {HOSTILE: result["scenarios"]["service"]}
        for each in result["rounds"]:
            each["scenario"] = HOSTILE
        self.assertNotIn("<script", self.check(result))

    def test_colours_are_variables_of_two_themes(self):
        text = written(synthetic.result(("schbench",), 7, 5))
        self.assertIn("@media (prefers-color-scheme:dark)", text)
        body = text[text.index("<body>"):]
        self.assertNotRegex(body, r'(?:fill|stroke|style)="[^"]*#[0-9a-fA-F]{3}')
        light, dark = (set(re.findall(r"--\w+(?=:#)", part)) for part in
                       re.search(r":root\{(.*?)\}.*?:root\{(.*?)\}", text, re.DOTALL).groups())
        self.assertEqual(light, dark)
        self.assertLessEqual(set(re.findall(r"var\((--\w+)\)", text)), light)

    def test_the_same_again(self):
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for name in ("a", "b"):
                paths = report.write(synthetic.write(Path(folder, name), synthetic.result(("schbench",), 3, 6)))
                self.assertEqual([path.name for path in paths], ["report.md", "report.html"])
                found.append([path.read_bytes() for path in paths])
            self.assertEqual(*found)


class Plots(unittest.TestCase):
    def pictures(self, variants, scenario="schbench"):
        result = synthetic.result((scenario,), variants, 5)
        return list(result["variants"]), {each.get("aria-label"): each for each in pictures(written(result))}

    def test_every_variant_is_named_in_every_plot(self):
        for variants in (2, 7):
            names, found = self.pictures(variants)
            self.assertEqual(len(found), 7, list(found))
            for label, picture in found.items():
                # The default is what ratios are to.
                want = names[1:] if label.startswith("ratios") else names
                with self.subTest(label=label, variants=variants):
                    self.assertLessEqual(set(want), set(texts(picture)))

    def test_both_axes_of_the_distribution_are_labelled(self):
        _, found = self.pictures(2)
        shown = texts(found["distribution of wakeup latency"])
        self.assertIn("wakeup latency", shown)
        self.assertTrue(any("percentile" in each for each in shown))
        self.assertLessEqual({"50 %", "90 %", "99 %", "99.9 %"}, set(shown))

    def test_nothing_is_drawn_outside(self):
        for variants in (2, 7):
            for label, picture in self.pictures(variants)[1].items():
                width, height = float(picture.get("width")), float(picture.get("height"))
                for path in picture.iter(SVG + "path"):
                    numbers = [float(each) for each in re.findall(r"-?[\d.]+", path.get("d"))]
                    self.assertTrue(all(0 <= x <= width for x in numbers[::2]), label)
                    self.assertTrue(all(0 <= y <= height for y in numbers[1::2]), label)

    def test_no_text_covers_another(self):
        for variants in (2, 7):
            for label, picture in self.pictures(variants)[1].items():
                boxes = []
                for each in picture.iter(SVG + "text"):
                    if each.get("transform"):
                        continue
                    width = 7 * len("".join(each.itertext()))
                    x, y = float(each.get("x")), float(each.get("y"))
                    left = x - {"start": 0, "middle": width / 2, "end": width}[each.get("text-anchor", "start")]
                    boxes.append((left, y - 10, left + width, y + 1, "".join(each.itertext())))
                for i, one in enumerate(boxes):
                    for other in boxes[i + 1:]:
                        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
                        self.assertTrue(apart, f"{label}: {one} {other}")

    def test_hollow_without_a_shown_difference(self):
        result = synthetic.result(("schbench",), 2, 6)
        for each in result["rounds"]:
            each["metrics"] = {"rps": 100 + each["round"] * (1 if each["variant"] == "default" else 2)}
        hollow = pictures(written(result))[0]
        circles = [each for each in hollow.iter(SVG + "circle")]
        self.assertEqual(len(circles), 1)
        self.assertEqual("fill:var(--paper)" in (circles[0].get("style") or ""), "no difference shown" in texts(hollow))

    def test_a_variant_keeps_its_slot(self):
        result = synthetic.result(("schbench",), 3, 2)
        self.assertEqual(slots(result), {"default": 0, "schedqos": 1, "schedqos:latency": 2})
        del result["variants"]["default"]
        self.assertEqual(slots(result), {"schedqos": 1, "schedqos:latency": 2})

    def test_nothing_to_draw(self):
        result = synthetic.result(("io",), 2, 2)
        self.assertEqual(tradeoff.of_scenario(result, "io", slots(result)), [])
        self.assertIsNone(percentiles.draw("latency", {}, {}))


if __name__ == "__main__":
    unittest.main()
