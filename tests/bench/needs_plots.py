# SPDX-License-Identifier: GPL-2.0-only
"""For tests that draw."""

import os
import re
import unittest
from xml.etree import ElementTree

from schedqos_bench import plotting

SVG = "{http://www.w3.org/2000/svg}"

# Where a change is judged, nothing may go undrawn.
drawing = unittest.skipIf(plotting.why_not() and "CI" not in os.environ, plotting.why_not())


def pictures(text):
    return [ElementTree.fromstring(each) for each in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]


def texts(picture):
    return ["".join(each.itertext()) for each in picture.iter(SVG + "text")]
