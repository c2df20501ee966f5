# SPDX-License-Identifier: GPL-2.0-only
"""Whether plots can be drawn. All but them goes without matplotlib: what imports it is imported only after this."""

import functools
import subprocess
import sys

# text.parse_math, without which names with a $ in them would be formulas, came with 3.6.
_TRIAL = "import matplotlib.figure; matplotlib.rcParams['text.parse_math']"


@functools.lru_cache(maxsize=None)
def why_not():
    """
    None, or a text for people. Tried in another process, because matplotlib imports numpy, whose threads would disturb
    the measurement.
    """
    # Not in the current folder: python -c would import from there.
    trial = subprocess.run([sys.executable, "-B", "-c", _TRIAL], cwd="/", stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if not trial.returncode:
        return None
    return (f"no plots: {sys.executable} finds no matplotlib, 3.6 or later "
            "(package python3-matplotlib; Arch: python-matplotlib)")
