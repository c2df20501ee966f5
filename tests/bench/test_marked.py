# SPDX-License-Identifier: GPL-2.0-only
"""Marked parts of a document: they change, and nothing else does."""

import unittest

from schedqos_bench import marked
from schedqos_bench.process import Failure

TEXT = """one
<!-- figures: a b -->
old
<!-- end of figures: a b -->
two
<!-- figures: c -->
<!-- end of figures: c -->
"""


class Marked(unittest.TestCase):
    def test_a_part_is_replaced_and_the_rest_stays(self):
        found = marked.replaced(TEXT, "a b", "| \\1 | new |\n\n")
        self.assertEqual(found, TEXT.replace("old", "| \\1 | new |"))
        self.assertEqual(marked.replaced(found, "a b", "old\n"), TEXT)
        self.assertEqual(marked.names(TEXT), ["a b", "c"])

    def test_marks_that_are_missing_or_there_twice_are_a_failure(self):
        for text in ("", TEXT + TEXT, TEXT.replace("end of", "end")):
            with self.assertRaises(Failure):
                marked.replaced(text, "c", "x")
