# SPDX-License-Identifier: GPL-2.0-only
"""The report as a mail, and the comparison: shapes, widths, words, and strings that mean harm."""

import contextlib
import csv
import io
import re
import tempfile
import unittest
from pathlib import Path

import synthetic
from case import recorded
from schedqos_bench import report, scenarios
from schedqos_bench.report import blocks, export, figures, markdown, words

# The announcement's, as it was sent; its archive has lost the spaces.
ANNOUNCED = recorded("schbench-announced-default.txt")
PRINTED = scenarios.load("schbench").parse(ANNOUNCED)["printed"]
HOSTILE = "x\n# h1 <script>alert(1)</script> \x00\x1b[31m`é\u202e` \"'& [a](b)"


def written(result):
    return markdown.text(result, figures.all_lines(result))


def with_hostile_names():
    """Wherever a string may come from outside."""
    result = synthetic.result(("cyclictest", "schbench"), 2, 5)
    result["variants"][HOSTILE] = {"kind": "command", "command": HOSTILE}
    del result["variants"]["schedqos"]
    for each in result["rounds"]:
        each["notes"] = [HOSTILE]
        each["variant"] = each["variant"].replace("schedqos", HOSTILE)
        each["distributions"] = {HOSTILE: next(iter(each["distributions"].values()))}
    result["environment"]["cpu"] = HOSTILE
    result["environment"]["sysctls"] = {HOSTILE: HOSTILE}
    result["findings"] = [{"what": HOSTILE, "consequence": HOSTILE, "remedy": HOSTILE}]
    result["skipped"] = [{"scenario": HOSTILE, "reason": HOSTILE}]
    result["command"] = ["schedqos-bench", HOSTILE]
    for each in result["scenarios"].values():
        each["title"] = HOSTILE
        each["commands"] = {HOSTILE: [HOSTILE]}
        each["rules"] = {HOSTILE: {"qos": HOSTILE}}
        each["metrics"] = {name: {**metric, "title": HOSTILE} for name, metric in each["metrics"].items()}
    return result


class Blocks(unittest.TestCase):
    def test_schbench_as_announced(self):
        lines = [" ".join(line.split()) for line in blocks.schbench(PRINTED)]
        self.assertEqual(lines, [line.strip() for line in ANNOUNCED.splitlines()])

    def test_cyclictest_as_announced(self):
        self.assertEqual(blocks.cyclictest({"min": 4, "avg": 62, "max": 4426}),
                         ["# Min Latencies: 00004", "# Avg Latencies: 00062", "# Max Latencies: 04426"])


class Mail(unittest.TestCase):
    def test_plain_and_narrow(self):
        result = synthetic.result(tuple(synthetic.SCENARIOS), 5, 6)
        for line in written(result).splitlines():
            self.assertTrue(line.isascii() and (line.isprintable() or not line), line)
            self.assertLessEqual(len(line), 80, line)
            self.assertEqual(line, line.rstrip())

    def test_names_everything_that_a_reader_asks_for(self):
        text = written(synthetic.result(("cyclictest",), 2, 6))
        for want in ("seed 42", "6 rounds of each variant", "Linux", "CONFIG_HZ=250", "abcdef0", "6.18.2", "(kvm)",
                     "    hackbench -T -p -l 60000 -g 2\n", "slice 20 ms", "# Min Latencies: 0", "steal time",
                     "% of a CPU", "average latency (us, lower is better)"):
            self.assertIn(want, text)

    def test_a_difference_and_none(self):
        result = synthetic.result(("cyclictest",), 2, 6)
        for each in result["rounds"]:
            slow = each["variant"] == "default"
            each["metrics"].update(avg=(200 if slow else 100) + each["round"], max=900 + (each["round"] * 7919) % 50)
        rows = dict(zip(("avg", "p99", "max"), re.findall(r"^      schedqos .*$", written(result), re.MULTILINE)))
        self.assertRegex(rows["avg"], r"0\.51 \[0\.50, 0\.51\]  better$")
        self.assertRegex(rows["max"], r"1\.00 \[1\.00, 1\.00\]  none shown$")

    def test_what_a_variant_gives_and_takes(self):
        """By verdict: what has no direction, and what shows no difference, is on neither side."""
        lines = figures.all_lines(synthetic.result(("schbench",), 5, 6))["schbench"]
        sides = dict(words.changes(lines))
        self.assertEqual(len(sides), 2 * 4)
        for line in lines:
            for name, cell in line.cells.items():
                for side in ("better", "worse"):
                    is_there = line.title + " " in sides.get(f"{name}: {side}", "")
                    self.assertEqual(is_there, cell.verdict == side, (line.title, name, side))
        self.assertEqual(words.changes([line._replace(better=None) for line in lines]), [])

    def test_an_interval_that_misses_one_never_reads_as_if_it_did_not(self):
        result = synthetic.result(("cyclictest",), 2, 6)
        for each in result["rounds"]:
            each["metrics"]["avg"] = 1000 if each["variant"] == "default" else 1003
        self.assertIn("1.00 [1.003, 1.003]  worse", written(result))

    def test_few_rounds(self):
        text = written(synthetic.result(("cyclictest",), 2, 4))
        self.assertIn("too few values", text)
        self.assertNotRegex(text, r"\d \[\d")
        self.assertNotRegex(text, r"  (better|worse)\n")

    def test_hostile_strings_stay_in_their_lines(self):
        text = written(with_hostile_names())
        self.assertTrue(text.isascii())
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\n# h1", text)
        for line in text.splitlines():
            if "<script>" in line and not line.startswith("    "):
                self.assertNotRegex(line, r"(?<!\\)[<`\[]")


class Comparison(unittest.TestCase):
    def compared(self, first, second):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as output:
            report.compare([synthetic.write(Path(folder, "a"), first), synthetic.write(Path(folder, "b"), second)])
        return output.getvalue()

    def test_with_itself(self):
        result = synthetic.result(("cyclictest",), 2, 6)
        text = self.compared(result, result)
        self.assertEqual(text.count("No difference."), 2)
        self.assertIn("none shown", text)
        self.assertNotRegex(text, r"  (better|worse)\n")

    def test_says_first_what_was_different(self):
        first, second = (synthetic.result(("cyclictest",), 2, 6) for _ in range(2))
        second["environment"]["config"]["CONFIG_HZ"] = "1000"
        second["scenarios"]["cyclictest"]["seconds"] = 7
        second["variants"]["schedqos"]["classes"]["QOS_BACKGROUND"]["sched_nice"] = 9
        text = self.compared(first, second)
        for want in ("config.CONFIG_HZ\n      A  250\n      B  1000\n", "cyclictest.seconds\n      A  30\n      B  7\n",
                     "schedqos.classes.QOS_BACKGROUND.sched_nice\n      A  4\n      B  9\n"):
            self.assertIn(want, text)
            self.assertLess(text.index(want), text.index("average latency"))

    def test_ratios_are_of_b_to_a(self):
        first, second = (synthetic.result(("cyclictest",), 2, 6) for _ in range(2))
        for each in second["rounds"]:
            each["metrics"]["avg"] = 3 * each["metrics"]["avg"]
            each["metrics"]["hackbench_cpu"] *= 3
        rows = re.findall(r"^      (?:default|schedqos) .*$", self.compared(first, second), re.MULTILINE)
        self.assertRegex(rows[0], r" 3\.00 \[")
        self.assertRegex(rows[-1], r" 3\.00 \[.*better$")

    def test_hostile_strings(self):
        text = self.compared(with_hostile_names(), synthetic.result(("cyclictest",), 1, 2))
        self.assertTrue(text.isascii())
        self.assertNotIn("\n# h1", text)


class Export(unittest.TestCase):
    def export(self, result):
        return export.text(result, figures.all_lines(result))

    def planted(self):
        """Everything that speaks against a result."""
        made = synthetic.result(("cyclictest",), 2, 7)
        for each in made["rounds"]:
            each["counters"] = {"switches": 4711, "migrations": 42.0}
            if each["round"] == 3 and each["variant"] == "default":
                each.update(other_load=0.37, notes=["hackbench ended early"])
            if each["round"] == 0 and each["variant"] == "schedqos":
                each.update(throttled=True, notes=["the CPUs were slowed down because of heat"])
        made["skipped"] = [{"scenario": "schbench", "reason": "needs schbench"}]
        made["scenarios"]["cyclictest"]["tree"] = "Linux 6.1.1, of a tarball"
        made["environment"]["not_read"] = ["turbo (/sys/nowhere)"]
        return made

    def test_a_column_for_each_variant(self):
        made = synthetic.result(("cyclictest",), 2, 6)
        for each in made["rounds"]:
            # 100 on average and 10 % of deviation (n - 1: 10.95), and half of it.
            each["metrics"]["p50"] = (90, 110)[each["round"] % 2] / (1 + (each["variant"] == "schedqos"))
        text = self.export(made)
        self.assertRegex(text, r"(?m)^Case: +default\[pct imp\]\(CV\) +schedqos\[pct imp\]\(CV\)$")
        self.assertRegex(text, r"(?m)^ p50 latency +100 \[   0\.00\]\(10\.95\) +50 \[  50\.00\]\(10\.95\)$")
        order = [text.index(f"\n {name} latency ") for name in ("min", "average", "p50", "p99", "max")]
        self.assertEqual(order, sorted(order))

    def test_it_fits_into_a_mail(self):
        for variants in (1, 2, 3, 7):
            for line in self.export(synthetic.result(("cyclictest",), variants, 6)).splitlines():
                self.assertLessEqual(len(line), 72, line)
        names = with_hostile_names()["variants"]
        self.assertGreater(max(map(len, names)), 14)

    def test_all_that_speaks_against_it_is_there(self):
        text = " ".join(self.export(self.planted()).split())
        for want in ("default, round 3: other programs used 37% of the CPUs", "default, round 3: hackbench ended early",
                     "schedqos, warm-up 0: the CPUs were slowed down because of heat", "1 of 7 rounds are left out",
                     "This is a virtual machine (kvm)", "Left out: schbench: needs schbench", "Linux 6.1.1, of a tarball",
                     "Could not be read turbo (/sys/nowhere)", "; all rounds ", "context switches, 1/s 4711 4711",
                     "may miss 1 by chance", "hackbench -T -p -l 60000 -g 2", "CONFIG_HZ=250", "seed 42",
                     "tip/sched/core at 8d16e3c6f844"):
            self.assertIn(want, text)

    def test_every_value_is_beside_it(self):
        made = self.planted()
        lines = list(csv.DictReader(io.StringIO(export.values(made))))
        self.assertEqual(len(lines), len(synthetic.METRICS["cyclictest"]) * 2 * 8)
        chosen = [each for each in lines if (each["variant"], each["round"], each["metric"]) == ("default", "3", "p99")]
        value = next(each for each in made["rounds"] if each["round"] == 3)["metrics"]["p99"]
        self.assertEqual([(float(each["value"]), each["left_out"], each["other_load"], each["unit"]) for each in chosen],
                         [(value, "1", "0.37", "us")])

    def test_strings_from_outside_are_shown_as_what_they_are(self):
        made = with_hostile_names()
        for text in (self.export(made), export.values(made)):
            self.assertTrue(text.isascii())
            self.assertNotRegex(text, r"[\x00\x1b]")
