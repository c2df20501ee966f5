# SPDX-License-Identifier: GPL-2.0-only
"""What our use of matplotlib makes of figures: texts, ids and colours; and that everything else goes without it."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import needs_plots
import synthetic
from needs_plots import SVG, pictures, texts
from schedqos_bench import cli, plotting, theme
from schedqos_bench.process import Failure

if not plotting.why_not():
    from schedqos_bench import drawing
    from schedqos_bench.report.plots import curves, distribution

BENCH = Path(__file__).parents[2] / "bench" / "schedqos-bench"


@needs_plots.drawing
class Texts(unittest.TestCase):
    def test_quantities(self):
        for value, unit, want in ((4, "us", "4 µs"), (1500, "us", "1.5 ms"), (999.7, "us", "1 ms"), (0, "us", "0 s"),
                                  (2.5e6, "us", "2.5 s"), (12646, "us", "12.6 ms"), (250, "ns", "250 ns"),
                                  (3, "1/s", "3 1/s"), (1234, "", "1,230")):
            self.assertEqual(drawing.quantity(value, unit), want)

    def test_long_names_lose_their_middle(self):
        self.assertEqual(drawing.shortened("abcdefghij", 5), "ab…ij")
        self.assertEqual(drawing.shortened("abcde", 5), "abcde")

    def test_names_are_no_formulas(self):
        names = ("$x^2$", r"\$a$ $", "_hidden", "<b>&amp;", "\u65e5\u672c", "\x1b[31m")
        lines = {name: {1: 2, 3: 4} for name in names}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            slot_of = {name: slot for slot, name in enumerate(names)}
            drawn = curves.draw("$x$ \0", {("$t$ \0", ""): lines}, slot_of)
            picture, = pictures(drawing.svg(drawn, "t"))
        self.assertLessEqual({*names[:-1], r"\x1b[31m", r"$t$ \x00", r"$x$ \x00"}, set(texts(picture)))


@needs_plots.drawing
class Slots(unittest.TestCase):
    def test_the_first_36_differ_and_none_looks_like_the_default(self):
        looks = [str((drawing.marks(slot, 1), drawing.line(slot))) for slot in range(37)]
        self.assertEqual(len(set(looks)), 37)
        self.assertEqual([slot for slot in range(37) if theme.variable(slot) == "v0"], [0])


@needs_plots.drawing
class Axes(unittest.TestCase):
    def ticks(self, low, high):
        axes = drawing.figure(400, 300).subplots()
        axes.set_xscale("log")
        axes.plot([low, high], [1, 2])
        drawing.log_ticks(axes.xaxis, "us")
        self.assertFalse(len(axes.get_xticks(minor=True)))
        ticks = [tick for tick in axes.get_xticks() if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
        return [axes.xaxis.get_major_formatter()(tick) for tick in ticks]

    def test_a_log_axis_has_ticks_however_short_it_is(self):
        for low, high in ((5, 5), (5, 6), (0.9, 1.1), (2, 9), (17, 1234), (1e-3, 1e3)):
            with self.subTest(low=low, high=high):
                self.assertTrue(2 <= len(self.ticks(low, high)) <= 12, self.ticks(low, high))

    def test_a_long_one_has_decades_only(self):
        self.assertEqual(self.ticks(1.5, 1.5e6), ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"])

    def test_the_distribution_leads_towards_100_percent(self):
        nine, ninety_nine, more = map(distribution._nines, (90, 99, 99.9))
        self.assertAlmostEqual(ninety_nine - nine, more - ninety_nine)


@needs_plots.drawing
class Svg(unittest.TestCase):
    LINES = {"one": {1: 2, 10: 0, 100: 30}, "none": {0: 0}}
    TITLES = {("a <b>", "us"): LINES, ("empty", ""): {"one": {1: 0}}}
    SLOTS = {"one": 1, "none": 2}

    def draw(self, title="t"):
        return drawing.svg(curves.draw("x & y", self.TITLES, self.SLOTS), title, alone=True)

    def test_a_picture_that_stands_alone(self):
        text = self.draw()
        shown = texts(ElementTree.fromstring(text))
        self.assertLessEqual({"a <b>", "x & y", "one"}, set(shown))
        self.assertFalse({"none", "empty"} & set(shown))
        self.assertIsNone(curves.draw("x", {("empty", ""): {"one": {1: 0}}}, self.SLOTS))
        self.assertFalse([each for each in shown if "mathdefault" in each])
        self.assertIn("prefers-color-scheme:dark", text)

    def test_one_of_a_page_brings_no_style_for_the_page(self):
        text = drawing.svg(drawing.figure(100, 100), "t")
        self.assertFalse([style.text for style in ElementTree.fromstring(text).iter(SVG + "style") if style.text])

    def test_colours_are_variables(self):
        body = self.draw().partition("</style>")[2]
        self.assertNotRegex(body, r"#[0-9a-f]{6}")
        self.assertIn("stroke: var(--v1)", body)

    def test_ids_are_those_of_the_picture_alone(self):
        ids = [set(re.findall(r' id="([^"]+)"', self.draw(title))) for title in "ab"]
        self.assertTrue(all(ids))
        self.assertFalse(ids[0] & ids[1])
        referred = set(re.findall(r'(?:href="|url\()#([^")]+)', self.draw("a")))
        self.assertLessEqual(referred, ids[0])

    def test_the_same_again(self):
        self.assertEqual(self.draw(), self.draw())

    def test_nobodys_settings_matter(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "matplotlibrc").write_text("text.usetex: True\nlines.marker: *\n", encoding="ascii")
            code = (f"import sys; sys.path.insert(0, {str(BENCH.parent)!r})\nfrom schedqos_bench import drawing\n"
                    "from schedqos_bench.report.plots import curves\n"
                    f"drawn = curves.draw('x & y', {self.TITLES}, {self.SLOTS})\n"
                    "print(drawing.svg(drawn, 't', alone=True), end='')")
            run = subprocess.run([sys.executable, "-B", "-c", code], cwd=folder, capture_output=True, text=True,
                                 check=False)
        self.assertEqual((run.stdout, run.stderr), (self.draw(), ""))


class Without(unittest.TestCase):
    """As on a machine without matplotlib."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "matplotlib.py").write_text("raise ImportError('none here')\n", encoding="ascii")

    def run_bench(self, *arguments):
        return subprocess.run([sys.executable, BENCH, *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(self.folder)})

    def test_the_report_says_why_it_has_no_plots(self):
        out = synthetic.write(self.folder / "out", synthetic.result(("schbench",), 3, 6))
        run = self.run_bench("report", str(out))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("package python3-matplotlib", run.stderr)
        self.assertEqual(len(run.stdout.split()), 2)
        page = (out / "report.html").read_text(encoding="utf-8")
        self.assertNotIn("<svg", page)
        self.assertIn("package python3-matplotlib", page)
        self.assertIn("wakeup latency p99", page)
        self.assertIn("wakeup latency p99", (out / "report.md").read_text(encoding="utf-8"))

    def test_list_says_it(self):
        self.assertIn("package python3-matplotlib", self.run_bench("list").stdout)

    def test_it_is_said_before_anything_is_measured(self):
        for verb in ("run", "sweep"):
            said = io.StringIO()
            with mock.patch.object(cli, "_alone", side_effect=Failure("measuring begins")), \
                    mock.patch.object(cli, "_skips", return_value=([mock.Mock()], [])), \
                    mock.patch.object(cli.plotting, "why_not", return_value="no plots: because"), \
                    mock.patch.object(cli.os, "geteuid", return_value=0), \
                    mock.patch.object(cli, "stop_on_signals"), contextlib.redirect_stderr(said):
                self.assertEqual(cli.main([verb, "cyclictest"]), 1)
            self.assertRegex(said.getvalue(), r"(?s)no plots: because.*measuring begins")


if __name__ == "__main__":
    unittest.main()
