# SPDX-License-Identifier: GPL-2.0-only
"""The documentation's tables: as the raw values say, small enough, and made of these alone."""

import re
import unittest
from unittest import mock
from xml.etree import ElementTree

import synthetic
from case import Folder
from schedqos_bench import cli, folders, scenarios, tables
from schedqos_bench.report import figures


@unittest.skipUnless(folders.IN_SOURCES, "needs the sources")
class Pages(unittest.TestCase):
    def test_they_are_what_the_raw_values_say(self):
        self.assertEqual([str(path) for path in tables.differing()], [], "make figures")

    def test_raw_values_are_small_plain_text(self):
        files = [path for path in tables.DATA.glob("*") if path.is_file()]
        self.assertLess(sum(path.stat().st_size for path in files), tables.SIZE_MAX)
        for path in files:
            self.assertTrue(path.read_text(encoding="utf-8").isprintable() or "\n" in path.read_text(encoding="utf-8"))

    def test_their_commands_can_be_run_and_measure_what_is_shown(self):
        for table in tables.TABLES:
            args = cli.parse(["run", *table.options.split()])
            self.assertEqual(args.scenarios, [table.scenario])
            metrics = scenarios.load(table.scenario).metrics(args)
            self.assertEqual([key for key, _ in table.metrics if key not in metrics], [], table.name)


class Kept(Folder):
    def setUp(self):
        super().setUp()
        self.made = synthetic.result(("cyclictest",), 2, 7)
        self.table = tables.Table("one", "cyclictest", (("p50", "the p50"), ("p99", "the p99")), "cyclictest --seed 3", "latency")
        patch = mock.patch.object(tables, "DATA", self.folder)
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_table_of_what_was_kept_is_that_of_the_result(self):
        self.made["rounds"][3]["other_load"] = 0.5
        self.made["command"].append(f"{tables.ROOT}/x")
        tables.keep(self.made, self.table)
        self.assertNotIn(str(tables.ROOT), (self.folder / "one.json").read_text(encoding="utf-8"))
        text = tables.text(self.table)
        cells = {line.key: line.cells["schedqos"] for line in figures.lines(self.made, "cyclictest")}
        for key, title in self.table.metrics:
            ratio = cells[key].ratio
            self.assertRegex(text, rf"{title} .*{ratio.ratio:.2f} \[.*\(all rounds ")
        for want in ("sudo bench/schedqos-bench run cyclictest --rounds 7 ./x ```", "1 of 7 rounds are left out", "seed 42", "6.18.2",
                     "Of the 2 intervals here", "2026-11-20", "The limit is 10%"):
            self.assertIn(want, " ".join(text.split()))

    def test_what_was_not_measured_says_how(self):
        self.assertIn("Not measured yet", tables.text(self.table))
        self.assertIn(tables.command(self.table), tables.text(self.table))

    def test_the_plot_is_always_the_same(self):
        tables.keep(self.made, self.table)
        kept = tables._load(self.table)
        picture = tables._picture(kept)
        self.assertEqual(picture, tables._picture(kept))
        root = ElementTree.fromstring(picture)
        names = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertLessEqual({"no daemon", "schedqos"}, set(names))
        self.assertTrue(re.search(r'd="M[0-9. L]+"', picture))
