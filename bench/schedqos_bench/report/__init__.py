# SPDX-License-Identifier: GPL-2.0-only
"""From a result directory to what people read: a mail, a page, and the comparison of two results."""

from pathlib import Path

from .. import progress
from ..process import Failure
from ..result import Folder, is_one
from .figures import load  # noqa: F401
from . import comparison, conclusion, export, figures, markdown, page, plots, pooling


def _page(result, by_scenario):
    return page.text(result, by_scenario, plots.draw(result, by_scenario))


def write(directory):
    """Writes report.md and report.html into a result directory. Returns their paths."""
    result = figures.load(directory)
    by_scenario = figures.all_lines(result)
    paths = Path(directory) / "report.md", Path(directory) / "report.html"
    for path, text in zip(paths, (markdown.text, _page)):
        path.write_text(text(result, by_scenario), encoding="utf-8")
    plainly = conclusion.of(result, by_scenario)
    if plainly:
        progress.log(plainly)
    return paths


def write_export(directory):
    """Writes export.txt and export.csv into a result directory. Returns their paths."""
    result = figures.load(directory)
    paths = Path(directory) / "export.txt", Path(directory) / "export.csv"
    paths[0].write_text(export.text(result, figures.all_lines(result)), encoding="ascii")
    paths[1].write_text(export.values(result), encoding="utf-8")
    return paths


def pool(directories, out):
    """Writes the result of several runs together into a new directory."""
    if is_one(out):
        raise Failure(f"{out} holds a result already: --out")
    Folder(out).write(pooling.pooled([figures.load(each) for each in directories], map(str, directories)))


def compare(directories, boots=False):
    """Prints what differs between two result directories, or between two kernels in several, as Markdown."""
    results = [figures.load(each) for each in directories]
    if boots:
        print(comparison.of_boots(directories, results), end="")
        return
    if len(results) != 2:
        raise Failure("compare takes two results; of more --boots makes two kernels")
    print(comparison.text(directories[0], results[0], directories[1], results[1]), end="")
