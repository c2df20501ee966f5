# SPDX-License-Identifier: GPL-2.0-only
"""Block devices: the disks under a folder, and their I/O schedulers."""

import contextlib
import os
from pathlib import Path

from .knob import put_back, write

SYS = Path("/sys")
MOUNTS = Path("/proc/self/mountinfo")


def _existing(path):
    """The nearest folder that exists: where the path would be made."""
    path = Path(path).resolve()
    while not path.exists():
        path = path.parent
    return path


def _source(path, mounts):
    """The number of the device that holds this path. A file system may have one of its own (btrfs); then its mount
    shows the device."""
    device = os.stat(path).st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        fields = line.split()
        source = fields[fields.index("-") + 2]
        if fields[2] == wanted and source.startswith("/dev/") and os.path.exists(source):
            return os.stat(source).st_rdev
    return device


def _below(node):
    """The disks below a device: itself, the disk of a partition, or the members of a compound device."""
    if (node / "partition").exists():
        node = node.parent
    parts = sorted((node / "slaves").iterdir()) if (node / "slaves").is_dir() else []
    return [disk for part in parts for disk in _below(part.resolve())] or [node]


def disks(path, sys=SYS, mounts=MOUNTS):
    """The folders in sysfs of the disks under a path, which need not exist yet. Empty: it is on no block device."""
    device = _source(_existing(path), mounts)
    node = sys / "dev" / "block" / f"{os.major(device)}:{os.minor(device)}"
    return list(dict.fromkeys(_below(node.resolve()))) if node.exists() else []


def parse(text):
    """Of queue/scheduler, "[none] mq-deadline bfq": the current one and all."""
    words = text.split()
    names = [word.strip("[]") for word in words]
    # A device with a single one shows it without brackets.
    return next((word.strip("[]") for word in words if word.startswith("[")), names[0] if names else None), names


def _read(disk):
    try:
        return parse((disk / "queue" / "scheduler").read_text(encoding="ascii"))
    except FileNotFoundError:
        return None, []


def offered(found):
    """The schedulers that all of these disks can use."""
    names = [_read(disk)[1] for disk in found]
    return [name for name in names[0] if all(name in others for others in names)] if names else []


def use(found, name):
    for disk in found:
        write(disk / "queue" / "scheduler", name)


@contextlib.contextmanager
def kept(found):
    """A context that leaves the disks with the schedulers that they had when it was entered."""
    with contextlib.ExitStack() as stack:
        for disk in found:
            stack.enter_context(put_back(disk / "queue" / "scheduler", _read(disk)[0]))
        yield
