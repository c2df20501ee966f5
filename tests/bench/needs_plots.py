# SPDX-License-Identifier: GPL-2.0-only
"""For tests that draw."""

import os
import unittest

from schedqos_bench import plotting

# Where a change is judged, nothing may go undrawn.
drawing = unittest.skipIf(plotting.why_not() and "CI" not in os.environ, plotting.why_not())
