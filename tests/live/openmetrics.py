# SPDX-License-Identifier: GPL-2.0-only
"""A strict reader of the part of OpenMetrics 1.0 that we write: gauges and counters, without timestamps or exemplars."""

import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?)")
UNESCAPED = {"n": "\n", '"': '"', "\\": "\\"}


def check(condition, line, why):
    if not condition:
        raise ValueError("%s: %r" % (why, line))


def labels_of(text, line):
    """The labels between the braces."""
    labels, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        check(match, line, "no label at %d" % at)
        check(match.group(1) not in labels, line, "a label twice")
        labels[match.group(1)] = re.sub(r"\\(.)", lambda found: UNESCAPED[found.group(1)], match.group(2))
        at = match.end()
        if at < len(text):
            check(text[at] == "," and at + 1 < len(text), line, "no comma between labels")
            at += 1
    return labels


def sample_of(line):
    match = re.fullmatch(r"([^{ ]+)(?:\{(.*)\})? ([^ ]+)", line)
    check(match, line, "no sample")
    check(NAME.fullmatch(match.group(1)), line, "no name of a metric")
    check(NUMBER.fullmatch(match.group(3)), line, "no number")
    return match.group(1), labels_of(match.group(2) or "", line), float(match.group(3))


class Reader:
    def __init__(self):
        self.families = {}  # name: {"type", "unit", "help"}
        self.samples = {}   # (name, labels as sorted pairs): value
        self.family = None

    def describe(self, line):
        match = re.fullmatch(r"# (TYPE|UNIT|HELP) ([^ ]+) (.+)", line)
        check(match, line, "no description")
        kind, name, value = match.groups()
        check(NAME.fullmatch(name), line, "no name of a family")
        if name != self.family:
            check(name not in self.families, line, "a family is not in one piece")
            self.family, self.families[name] = name, {}
        family = self.families[name]
        check(kind not in family, line, "said twice")
        check("sampled" not in family, line, "a description after samples")
        check(kind != "TYPE" or value in ("gauge", "counter"), line, "an unexpected type")
        check(kind != "UNIT" or name.endswith("_" + value), line, "a name without its unit")
        check(not (kind == "TYPE" and value == "counter") or not name.endswith("_total"), line, "_total in a family")
        family[kind] = value

    def take(self, line):
        name, labels, value = sample_of(line)
        check(self.family and "TYPE" in self.families[self.family], line, "a sample without a type")
        family = self.families[self.family]
        suffix = "_total" if family["TYPE"] == "counter" else ""
        check(name == self.family + suffix, line, "a sample of another family, or without its suffix")
        check(family["TYPE"] != "counter" or value >= 0, line, "a negative counter")
        key = name, tuple(sorted(labels.items()))
        check(key not in self.samples, line, "a sample twice")
        family["sampled"] = True
        self.samples[key] = value


def parse(text):
    """The samples by name and labels: {("schedqos_tasks", (("class", "QOS_X"),)): 3.0}, and the families."""
    check(text.endswith("# EOF\n"), text[-40:], "no end")
    lines = text[:-len("# EOF\n")].split("\n")
    check(lines[-1] == "", lines[-1], "a line without its end")
    reader = Reader()
    for line in lines[:-1]:
        check("\r" not in line and line == line.strip() and line, line, "spaces, or an empty line")
        if line.startswith("#"):
            reader.describe(line)
        else:
            reader.take(line)
    for name, family in reader.families.items():
        check("TYPE" in family and "HELP" in family, name, "a family without its type or help")
    return reader.samples, reader.families
