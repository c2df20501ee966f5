# SPDX-License-Identifier: GPL-2.0-only
"""Where mappings, programs and results are: in a tree of sources where make puts them, else where make install-bench does."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IN_SOURCES = (ROOT / "configs").is_dir()
CONFIGS = ROOT / ("configs" if IN_SOURCES else "schedqos")
BUILD = ROOT / "build" if IN_SOURCES else ROOT.parent / "libexec" / "schedqos-bench"
RESULTS = BUILD / "bench" if IN_SOURCES else Path("~/schedqos-bench").expanduser()
