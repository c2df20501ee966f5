# SPDX-License-Identifier: GPL-2.0-only
"""
Settings of the kernel that are part of a variant: features:NO_RUN_TO_PARITY, slice:MS, cgroup_mode:MODE and
sysctl:NAME=VALUE. They hold while the variant is measured and are put back afterwards.
"""

import contextlib
import re
from pathlib import Path
from typing import NamedTuple

from .knob import put_back, write
from .process import Failure

DEBUG = Path("/sys/kernel/debug/sched")
SYSCTLS = Path("/proc/sys")
EXPECTED = "features:NAME or features:NO_NAME, slice:MS, cgroup_mode:MODE, sysctl:NAME=VALUE"
PATTERN = r"(?:features:[A-Z][A-Z_]*|slice:[0-9.]+|cgroup_mode:[a-z]+|sysctl:[a-z][a-z0-9_.]*=[^+,]+)"
_SLICE_MAX_MS = 100


class Setting(NamedTuple):
    text: str
    path: Path
    value: str

    def now(self):
        """What undoes it later. A file of features or modes lists all: the one that counts is found in the list."""
        try:
            text = self.path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise Failure(f"{self.text}: {self.path} cannot be read ({error.strerror}): "
                          f"{'mount debugfs, or take a kernel that has it' if not self.text.startswith('sysctl:') else 'no such sysctl'}"
                          ) from None
        name = re.sub("^NO_", "", self.value)
        if self.path.name == "features":
            found = [word for word in text.split() if re.sub("^NO_", "", word) == name]
            if not found:
                raise Failure(f"{self.text}: this kernel has no such feature; it has {text}")
            return found[0]
        bracketed = re.search(r"[(\[](\w+)[)\]]", text)
        return bracketed[1] if bracketed else text


def parse(text):
    kind, _, rest = text.partition(":")
    if kind == "features":
        return Setting(text, DEBUG / "features", rest)
    if kind == "slice":
        if not 0 < float(rest) <= _SLICE_MAX_MS:
            raise Failure(f"{text}: a slice is at most {_SLICE_MAX_MS} ms")
        return Setting(text, DEBUG / "base_slice_ns", str(int(float(rest) * 1e6)))
    if kind == "cgroup_mode":
        return Setting(text, DEBUG / "cgroup_mode", rest)
    name, _, value = rest.partition("=")
    return Setting(text, SYSCTLS / name.replace(".", "/"), value)


@contextlib.contextmanager
def applied(settings):
    """A context in which they hold; also put back if we are killed in it."""
    with contextlib.ExitStack() as stack:
        for each in settings:
            stack.enter_context(put_back(each.path, each.now()))
            try:
                write(each.path, each.value)
            except OSError as error:
                raise Failure(f"{each.text}: {each.path} does not take {each.value} ({error.strerror})") from None
        yield
