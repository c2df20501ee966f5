# SPDX-License-Identifier: GPL-2.0-only
"""Kernels to boot: any image, or Debian's newest of a series, which is fetched once."""

import os
import re
from pathlib import Path

from .. import progress
from ..debian.kernels import Kernels
from ..debian.packages import Packages, Unavailable
from ..process import Failure
from ..variants import IN_SOURCES, ROOT

NEWEST = "newest"
_SERIES = re.compile(r"[0-9]+(\.[0-9]+)?")


def cache():
    """The folder for what is fetched. A tree of sources shares it with tests/vm."""
    if IN_SOURCES:
        return ROOT / ".cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "schedqos-bench"


def find(text):
    """The path of the kernel image that --kernel names."""
    path = Path(text)
    if path.is_file():
        return path.resolve()
    if "/" in text or not (text == NEWEST or _SERIES.fullmatch(text)):
        raise Failure(f"--kernel {text}: there is no such file; or give a series, such as 7.3, or {NEWEST}")
    folder = cache() / "vm"
    progress.log(f"looking for Debian's kernel {text}")
    try:
        return Path(Kernels(str(folder / "kernels"), Packages(str(folder / "apt"))).image(None if text == NEWEST else text))
    except Unavailable as error:
        raise Failure(f"--kernel {text}: {error}") from None
