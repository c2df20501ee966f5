# SPDX-License-Identifier: GPL-2.0-only
"""Kernels to boot: any image, or Debian's newest of a series, which is fetched once."""

import fcntl
import os
import re
import time
from pathlib import Path

from .. import progress
from ..debian.kernels import Kernels
from ..debian.packages import Packages, Unavailable
from ..folders import IN_SOURCES, ROOT
from ..process import Failure

NEWEST = "newest"
_KNOWN_FOR = 24 * 3600
_SERIES = re.compile(r"[0-9]+(\.[0-9]+)?")


# QEMU boots an image with the magic number of the x86 boot protocol (Documentation/arch/x86/boot.rst), or an ELF file.
_MAGIC, _MAGIC_AT, _ELF = b"HdrS", 0x202, b"\x7fELF"


def _check_image(path):
    with open(path, "rb") as file:
        head = file.read(_MAGIC_AT + len(_MAGIC))
        if not head.startswith(_ELF) and not head.endswith(_MAGIC):
            raise Failure(f"--kernel {path}: it is no image of a kernel, such as arch/x86/boot/bzImage")


def cache():
    """The folder for what is fetched. A tree of sources shares it with tests/vm."""
    if IN_SOURCES:
        return ROOT / ".cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "schedqos-bench"


def find(text):
    """The path of the kernel image that --kernel names."""
    path = Path(text)
    if path.is_file():
        _check_image(path)
        return path.resolve()
    if path.is_dir():
        raise Failure(f"--kernel {text}: it is a folder; expected an image, such as arch/x86/boot/bzImage")
    if "/" in text or not (text == NEWEST or _SERIES.fullmatch(text)):
        raise Failure(f"--kernel {text}: there is no such file; or give a series, such as 7.3, or {NEWEST}")
    folder = cache() / "vm" / "kernels"
    return _known(folder, text) or _fetch(folder, text)


def _fetch(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    # Another lab may be fetching.
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = _known(folder, text)
        if found:
            return found
        progress.log(f"looking for Debian's kernel {text}")
        try:
            kernels = Kernels(str(folder), Packages(str(folder.parent / "apt")))
            found = Path(kernels.image(None if text == NEWEST else text))
        except Unavailable as error:
            raise Failure(f"--kernel {text}: {error}") from None
        (folder / f"{text}.is").write_text(str(found), encoding="utf-8")
        return found


def _known(folder, text):
    """What was found within the last day, so that runs that follow each other take the same kernel, and need no network."""
    stamp = folder / f"{text}.is"
    if not stamp.exists() or time.time() - stamp.stat().st_mtime > _KNOWN_FOR:
        return None
    found = Path(stamp.read_text(encoding="utf-8"))
    return found if found.is_file() else None
