# SPDX-License-Identifier: GPL-2.0-only
"""
The report as a mail to a mailing list that is Markdown as well: plain ASCII, and everything that comes from a result in
indented blocks, where nothing has a meaning. Lines are at most 76 characters long where names allow it, 72 without the
indent.
"""

import json
import re
import textwrap

from ..escape import plain
from . import blocks, conclusion, figures, words

WIDTH = 76
INDENT = "    "


def _inert(text):
    """What would be markup is shown."""
    return re.sub(r"([\\`<&\[])", r"\\\1", plain(text))


def paragraph(text):
    return textwrap.wrap(_inert(text), WIDTH, break_long_words=False, break_on_hyphens=False) + [""]


def heading(text, rule):
    return [_inert(text), rule * len(_inert(text)), ""]


def wrapped(text):
    """In lines that fit into a block."""
    return textwrap.wrap(plain(text), WIDTH - len(INDENT), break_on_hyphens=False)


def wrapped_under(text, indent):
    """The same, with lines after the first indented."""
    return textwrap.wrap(plain(text), WIDTH - len(INDENT), subsequent_indent=indent, break_on_hyphens=False)


def verbatim(lines):
    return [(INDENT + line).rstrip() for line in lines] + [""]


def labelled(pairs):
    """"label  text", the text wrapped under itself."""
    width = max((len(label) for label, _ in pairs), default=0)
    found = []
    for label, text in pairs:
        label = plain(label)
        found += textwrap.wrap(plain(text), WIDTH - len(INDENT), initial_indent=f"{label:{width}}  ",
                               subsequent_indent=" " * (width + 2), break_long_words=False,
                               break_on_hyphens=False) or [label]
    return found


def command(argv):
    """In lines that a shell takes as one."""
    lines = textwrap.wrap(plain(words.command(argv)), WIDTH - len(INDENT) - 2, subsequent_indent="  ",
                            break_long_words=False, break_on_hyphens=False)
    return [line + (" \\" if i < len(lines) - 1 else "") for i, line in enumerate(lines)]


def rows(cells, most=WIDTH - len(INDENT)):
    """Columns, as far apart as the width allows."""
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    gap = 2 if sum(widths) + 2 * (len(widths) - 1) <= most else 1
    return [(" " * gap).join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]


def _findings(result):
    found = heading("What may spoil the result", "-") if result["findings"] or result["skipped"] else []
    for each in result["findings"]:
        text = f"{each['what']}: {each['consequence']}"
        if each.get("remedy"):
            text += f" (remedy: {each['remedy']})"
        found += verbatim(wrapped(text))
    for each in result["skipped"]:
        found += verbatim(wrapped(f"Left out: {each['scenario']}: {each['reason']}"))
    return found


def variants(result):
    found = []
    for name, description in result["variants"].items():
        what, classes = words.variant(description)
        found += labelled([(name + ":", what)])
        found += ["  " + line for line in labelled([(key[:20], text) for key, text in classes])]
    return found


def _environment(result):
    found = heading("Environment", "-") + verbatim(labelled(words.environment(result)))
    found += paragraph("Command:") + verbatim(command(result["command"]))
    found += paragraph("Variants:") + verbatim(variants(result))
    return found


def grouped(groups, head):
    """Rows under titles, all in the same columns, but for those with nothing under their head."""
    cells = [row for _, each in groups for row in each]
    used = [i for i in range(len(head)) if any(row[i] for row in cells)]
    aligned = iter(rows([[row[i] for i in used] for row in (head, *cells)]))
    found = [next(aligned)]
    for title, each in groups:
        found += [plain(title), *(next(aligned) for _ in each)]
    return found


def summary(lines):
    """Every metric with its variants: median and spread, ratio, verdict."""
    return grouped([(words.line(line), [[f"  {plain(name)}", words.spread(cell.summary), words.ratio(cell.ratio),
                       words.difference(cell.verdict), words.ratio(cell.with_all)]
                      for name, cell in line.cells.items()]) for line in lines],
                   ["  variant", "median", "ratio [interval]", "difference", "with all rounds"])


def _cost(result, scenario):
    return rows([words.COSTS, *([plain(cell) for cell in row] for row in words.costs(result, scenario))])


def _notes(result, scenario):
    return [line for note in words.notes(result, scenario) for line in wrapped_under(note, "  ")]


def _rules(described):
    return json.dumps(described["rules"], indent=2).splitlines() if described.get("rules") else []


def _scenario(result, scenario, lines):
    described = result["scenarios"][scenario]
    found = heading(described.get("title") or scenario, "-")
    found += verbatim([line for argv in described["commands"].values() for line in command(argv)])
    if described.get("rules"):
        found += verbatim(map(plain, _rules(described)))
    if not figures.variants(result, scenario):
        return found + paragraph("No round of it was completed.")
    for each in words.counted(result, scenario):
        found += paragraph(each)
    note, block = blocks.of(result, scenario)
    if block:
        found += paragraph(note) + verbatim(block)
    compared = any(cell.ratio for line in lines for cell in line.cells.values())
    note, block = blocks.announced(scenario)
    if block:
        found += paragraph(note) + verbatim(block)
    found += paragraph("Medians over the rounds (least-most)"
                       + (f", ratio to {words.base(lines)} with its 95 % interval:" if compared else ":"))
    found += verbatim(summary(lines) if lines else ["nothing was measured"])
    changes = words.changes(lines)
    if changes:
        found += paragraph(words.CHANGES) + verbatim(labelled(changes))
    counters = words.counters(result, scenario)
    if counters:
        found += paragraph("What the kernel counted meanwhile, medians of a round:") + verbatim(rows(counters))
    found += verbatim(_cost(result, scenario))
    notes = _notes(result, scenario)
    return found + (verbatim(notes) if notes else [])


def text(result, by_scenario):
    """The whole report; by_scenario is of figures.all_lines()."""
    found = heading("schedqos-bench: " + ", ".join(result["scenarios"]), "=") + paragraph(words.run(result))
    found += _findings(result) + _environment(result) + heading("Results", "=")
    for scenario, lines in by_scenario.items():
        found += _scenario(result, scenario, lines)
    found += heading("Method", "-")
    for each in (words.rule(result), *words.METHOD, words.chance(figures.claims(by_scenario))):
        found += paragraph(each) if each else []
    plainly = conclusion.of(result, by_scenario)
    found += paragraph(plainly) if plainly else []
    return "\n".join(found).rstrip("\n") + "\n"
