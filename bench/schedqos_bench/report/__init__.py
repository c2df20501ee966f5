# SPDX-License-Identifier: GPL-2.0-only
"""From a result directory to what people read: a mail, a page, and the comparison of two results."""

from pathlib import Path

from .. import plotting
from . import comparison, export, figures, markdown, page


def _page(result, by_scenario):
    no_plots = plotting.why_not()
    if no_plots:
        return page.text(result, by_scenario, {}, no_plots)
    from . import plots
    return page.text(result, by_scenario, plots.draw(result, by_scenario))


def write(directory):
    """Writes report.md and report.html into a result directory. Returns their paths."""
    result = figures.load(directory)
    by_scenario = figures.all_lines(result)
    paths = Path(directory) / "report.md", Path(directory) / "report.html"
    for path, text in zip(paths, (markdown.text, _page)):
        path.write_text(text(result, by_scenario), encoding="utf-8")
    return paths


def write_export(directory):
    """Writes export.txt and values.tsv into a result directory. Returns their paths."""
    result = figures.load(directory)
    paths = Path(directory) / "export.txt", Path(directory) / "values.tsv"
    paths[0].write_text(export.text(result, figures.all_lines(result)), encoding="ascii")
    paths[1].write_text(export.values(result), encoding="utf-8")
    return paths


def compare(first, second):
    """Prints what differs between two result directories, as Markdown."""
    print(comparison.text(first, figures.load(first), second, figures.load(second)), end="")
