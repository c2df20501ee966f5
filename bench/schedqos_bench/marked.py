# SPDX-License-Identifier: GPL-2.0-only
"""
Parts of a document that a command writes, between two lines: "<!-- figures: NAME -->" and "<!-- end of figures: NAME -->".
Those of another kind have its name in place of "figures".
The rest of the document is written by people, and stays.
"""

import re

from .process import Failure


def _part(name, kind):
    return re.compile(rf"(<!-- {kind}: {re.escape(name)} -->\n)(.*?)(<!-- end of {kind}: {re.escape(name)} -->)", re.DOTALL)


def names(text):
    """Returns the names of all marked parts of a text."""
    return re.findall(r"^<!-- figures: (.+?) -->$", text, re.MULTILINE)


def between(text, name, kind="figures"):
    """Returns what stands between the marks of this name. Without these marks it is a Failure."""
    found = _part(name, kind).findall(text)
    if len(found) != 1:
        raise Failure(f"expected <!-- {kind}: {name} --> and its end once, and found them {len(found)} times")
    return found[0][1]


def replaced(text, name, content, kind="figures"):
    """Returns the text with other content between its marks of this name. Without these marks it is a Failure."""
    between(text, name, kind)
    return _part(name, kind).sub(lambda match: match[1] + content.rstrip("\n") + "\n" + match[3], text)


def write(path, name, content, kind="figures"):
    """Writes content between a file's marks of this name."""
    path.write_text(replaced(path.read_text(encoding="utf-8"), name, content, kind), encoding="utf-8")
