# SPDX-License-Identifier: GPL-2.0-only
"""Escaping for terminals, mails and pages: names and messages may come from anywhere."""

import html


def visible(text):
    """Control characters are shown, not interpreted."""
    return "".join(char if char.isprintable() or char == "\u00a0" else f"\\x{ord(char):02x}" for char in str(text))


def plain(text):
    """Printable ASCII."""
    return visible(text).encode("ascii", "backslashreplace").decode("ascii")


def markup(text):
    """For the text and the attributes of HTML and XML."""
    return html.escape(visible(text))
