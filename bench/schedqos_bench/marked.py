# SPDX-License-Identifier: GPL-2.0-only
"""
Parts of a document that a command writes, between two lines: "<!-- figures: NAME -->" and "<!-- end of figures: NAME -->".
The rest of the document is written by people, and stays.
"""

import re

from .process import Failure


def _part(name):
    return re.compile(rf"(<!-- figures: {re.escape(name)} -->\n)(.*?)(<!-- end of figures: {re.escape(name)} -->)", re.DOTALL)


def names(text):
    """Returns the names of all marked parts of a text."""
    return re.findall(r"^<!-- figures: (.+?) -->$", text, re.MULTILINE)


def replaced(text, name, content):
    """Returns the text with other content between its marks of this name. Without these marks it is a Failure."""
    found, count = _part(name).subn(lambda match: match[1] + content.rstrip("\n") + "\n" + match[3], text)
    if count != 1:
        raise Failure(f"expected <!-- figures: {name} --> and its end once, and found them {count} times")
    return found


def write(path, name, content):
    """Writes content between a file's marks of this name."""
    path.write_text(replaced(path.read_text(encoding="utf-8"), name, content), encoding="utf-8")
