# SPDX-License-Identifier: GPL-2.0-only
"""The report as a page: one file, well formed, with every variant in every plot, in light and dark."""

import functools
import html.parser
import re
import tempfile
import unittest
from pathlib import Path

import needs_plots
import synthetic
from needs_plots import SVG, pictures, texts
from test_report_text import HOSTILE, with_hostile_names
from schedqos_bench import plotting, report
from schedqos_bench.report import figures, page

if not plotting.why_not():
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path
    from schedqos_bench.report import plots

VOID = ("meta", "br")


def written(result):
    by_scenario = figures.all_lines(result)
    return page.text(result, by_scenario, plots.draw(result, by_scenario))


def width_of(element):
    """As wide as in the font that room is made for."""
    weight, size = re.search(r"font: (\d+ )?([\d.]+)px", element.get("style")).groups()
    font = FontProperties(family="DejaVu Sans", size=float(size), weight=int(weight or 400))
    return text_to_path.get_text_width_height_descent("".join(element.itertext()), font, False)[0]


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


@needs_plots.drawing
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
        self.check(synthetic.result(tuple(synthetic.MAKERS), 3, 5))

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
        self.assertIn("stroke: var(--v1)", body)
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
            self.assertIn(b"<svg", found[0][1])


@needs_plots.drawing
class Plots(unittest.TestCase):
    @staticmethod
    @functools.lru_cache(maxsize=None)
    def pictures(variants):
        result = synthetic.result(("schbench",), variants, 5)
        return list(result["variants"]), {each.get("aria-label"): each for each in pictures(written(result))}

    def test_every_variant_is_named_in_every_plot(self):
        for variants in (2, 7):
            names, found = self.pictures(variants)
            self.assertEqual(sorted(found), [f"schbench: {each}" for each in (
                "distribution request", "distribution wakeup", "percentiles request", "percentiles wakeup",
                "ratios all metrics", "ratios headlines", "trade-off")])
            for label, picture in found.items():
                # The default is what ratios are to.
                want = names[1:] if "ratios" in label else names
                with self.subTest(label=label, variants=variants):
                    self.assertLessEqual(set(want), set(texts(picture)))

    def test_both_axes_of_the_distribution_are_labelled(self):
        _, found = self.pictures(2)
        shown = texts(found["schbench: distribution wakeup"])
        self.assertIn("wakeup latency", shown)
        self.assertTrue(any("percentile" in each for each in shown))
        self.assertLessEqual({"50 %", "90 %", "99 %", "99.9 %"}, set(shown))

    def test_nothing_is_drawn_outside(self):
        for variants in (2, 7):
            for label, picture in self.pictures(variants)[1].items():
                width, height = map(float, picture.get("viewBox").split()[2:])
                places = [(float(each.get("x")), float(each.get("y"))) for tag in ("use", "text")
                          for each in picture.iter(SVG + tag) if each.get("x")]
                self.assertGreater(len(places), 20)
                self.assertFalse([(x, y) for x, y in places if not (0 <= x <= width and 0 <= y <= height)], label)

    def test_no_text_covers_another(self):
        for variants in (2, 7):
            for label, picture in self.pictures(variants)[1].items():
                boxes = []
                for each in picture.iter(SVG + "text"):
                    if "rotate(-90" in each.get("transform"):
                        continue
                    width = width_of(each)
                    x, y = float(each.get("x")), float(each.get("y"))
                    anchor = re.search(r"text-anchor: (\w+)", each.get("style"))[1]
                    left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
                    self.assertGreaterEqual(left, 0, label)
                    self.assertLessEqual(left + width, float(picture.get("viewBox").split()[2]), label)
                    boxes.append((left, y - 10, left + width, y + 1, "".join(each.itertext())))
                for i, one in enumerate(boxes):
                    for other in boxes[i + 1:]:
                        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
                        self.assertTrue(apart, f"{label}: {one} {other}")

    def test_hollow_without_a_shown_difference(self):
        result = synthetic.result(("schbench",), 2, 6)
        for each in result["rounds"]:
            each["metrics"] = {"rps": 100 + each["round"] * (1 if each["variant"] == "default" else 2)}
        # of few rounds nothing can be said
        for want, changed in ((True, [each for each in result["rounds"] if each["round"] < 4]),
                              (False, result["rounds"])):
            picture = pictures(written({**result, "rounds": changed}))[0]
            self.assertEqual("better" in texts(picture), not want)
            styles = [each.get("style") for each in picture.iter(SVG + "use")]
            self.assertEqual("fill: var(--paper); stroke: var(--v1)" in "".join(styles), want, styles)

    def test_a_variant_keeps_its_slot(self):
        result = synthetic.result(("schbench",), 3, 2)
        self.assertEqual(figures.slots(result), {"default": 0, "schedqos": 1, "schedqos:latency": 2})
        del result["variants"]["default"]
        self.assertEqual(figures.slots(result), {"schedqos": 1, "schedqos:latency": 2})

    def test_nothing_to_draw(self):
        result = synthetic.result(("io",), 2, 2)
        self.assertIsNone(plots.tradeoff.draw(result, "io", figures.slots(result)))
        self.assertIsNone(plots.percentiles.draw("latency", {}, {}))
        self.assertIsNone(plots.distribution.draw("latency", {}, {}))
        self.assertIsNone(plots.forest.draw([], {}))


if __name__ == "__main__":
    unittest.main()
