# SPDX-License-Identifier: GPL-2.0-only
"""
An overview of a document's tables of frames, between the marks <!-- lab: overview --> and <!-- end of lab: overview -->:
what is done how much sooner with the daemon, for each kernel and number of CPUs.
"""

import re

from .. import marked
from ..layouts import NAMES
from .values import PROMISE, markdown, number

_NONE, _SHOWN = "none", {"schedqos+weights": "With weights", "schedqos": "Without weights"}
_TABLE = re.compile(rf"^<!-- lab: frames (\S+) (\d+) {re.escape(','.join([_NONE, *reversed(_SHOWN)]))} -->\n(.*?)^<!-- end",
                    re.MULTILINE | re.DOTALL)
_TIMES, _COUNTS = {"frame_done_p99": "frames", "sound_done_p99": "sound", "key_done_p99": "keys"}, \
    {"frame_missed": "missed frames", "sound_late": "late sounds"}


def _medians(table):
    """{variant: {metric: median}} of a table as values.table writes it."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")]
    return {name: {row[0].partition(",")[0]: float(row[i].split(" ")[0]) for row in rows[2:]}
            for i, name in enumerate(rows[0]) if i}


def _ratio(now, was):
    text = f"{now / was:.2f}"
    return f"**{text}**" if now > PROMISE * was else text


def _row(kernel, cpus, now, was):
    ratios = [_ratio(*(each[f"{layout} {metric}"] for each in (now, was))) for metric in _TIMES for layout in NAMES]
    counts = [" for ".join(number(sum(each[f"{layout} {metric}"] for layout in NAMES)) for each in (now, was))
              for metric in _COUNTS]
    return [kernel, cpus, *ratios, *counts]


def text(document):
    """A table for each variant with the daemon."""
    found = [(kernel, cpus, _medians(table)) for kernel, cpus, table in _TABLE.findall(document)
             if all(f"| {layout} frame_done_p99" in table for layout in NAMES)]
    heads = [f"{what}: {layout}" if layout == NAMES[0] else layout for what in _TIMES.values() for layout in NAMES]
    parts = []
    for name, title in _SHOWN.items():
        rows = [["Linux", "CPUs", *heads, *_COUNTS.values()]]
        rows += [_row(kernel, cpus, medians[name], medians[_NONE]) for kernel, cpus, medians in found]
        parts.append(f"{title}:\n\n{markdown(rows)}")
    return "\n\n".join(parts)


def renew(path):
    """Writes the overview into a document that has its marks."""
    document = path.read_text(encoding="utf-8")
    if "<!-- lab: overview -->" in document:
        marked.write(path, "overview", text(document), "lab")
