# SPDX-License-Identifier: GPL-2.0-only
"""
The variants that the lab compares. A variant is a "+"-separated list of parts: at most one that says what runs (none, the
daemon with a mapping, another build of it, a command), and any that change the kernel's settings or the groups' weights.
"""

import re
from pathlib import Path
from typing import NamedTuple, Optional

from ..folders import CONFIGS
from ..layouts import SESSION_WEIGHT, WEIGHT_MAX
from ..process import Failure
from ..variants import presets

EXPECTED = ("none, schedqos (with the configuration as shipped), schedqos:PRESET, schedqos:FILE.json, build:NAME=DIR or "
            "cmd:NAME=COMMAND; all but cmd may have after a +: weights, weights=SESSION, features:NAME or "
            "features:NO_NAME, cgroup_mode:MODE; none also slice:MS")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FEATURE = re.compile(r"[A-Z][A-Z_]*")
# The kernel raises or lowers any other slice to these.
_SLICE_MIN_MS, _SLICE_MAX_MS = 0.1, 100.0


class Variant(NamedTuple):
    """executable: the daemon, or None; mapping: its file of classes, or None for what is installed."""

    name: str
    kind: str = "none"  # "none", "schedqos" or "command"
    executable: Optional[Path] = None
    mapping: Optional[Path] = None
    command: Optional[str] = None
    weights: Optional[int] = None  # of the session's group
    slice_ns: Optional[int] = None  # of the tasks that are measured
    features: tuple = ()
    cgroup_mode: Optional[str] = None


def _wrong(text):
    return Failure(f"variant {text}: expected {EXPECTED}")


def _file_of(text, rest):
    path = Path(rest) if rest.endswith(".json") else CONFIGS / "mappings" / f"{rest}.json"
    if not path.is_file():
        raise Failure(f"variant {text}: there is no {path}; the presets are: {', '.join(presets())}")
    return path.resolve()


def _base(text, part, build):
    kind, colon, rest = part.partition(":")
    if part == "none":
        return {}
    if part == "schedqos":
        return {"kind": "schedqos", "executable": build / "schedqos"}
    if kind == "schedqos" and rest:
        return {"kind": "schedqos", "executable": build / "schedqos", "mapping": _file_of(text, rest)}
    name, equals, value = rest.partition("=")
    if not (colon and equals and value and _NAME.fullmatch(name)):
        return None
    if kind == "build":
        program = Path(value) / "schedqos"
        if not program.is_file():
            raise Failure(f"variant {text}: there is no {program}")
        return {"kind": "schedqos", "executable": program.resolve()}
    if kind == "cmd":
        return {"kind": "command", "command": value}
    return None


def _number(text, value, kind, least, greatest):
    try:
        number = kind(value)
    except ValueError:
        raise _wrong(text) from None
    if not least <= number <= greatest:
        raise Failure(f"variant {text}: {value} is not within {least:g} and {greatest:g}")
    return number


def _change(text, part):
    kind, _, value = part.partition(":")
    name, equals, weight = part.partition("=")
    if name == "weights":
        return {"weights": _number(text, weight, int, 1, WEIGHT_MAX) if equals else SESSION_WEIGHT}
    if kind == "slice":
        return {"slice_ns": int(_number(text, value, float, _SLICE_MIN_MS, _SLICE_MAX_MS) * 1e6)}
    if kind == "features" and _FEATURE.fullmatch(value):
        return {"features": (value,)}
    if kind == "cgroup_mode" and _NAME.fullmatch(value):
        return {"cgroup_mode": value}
    raise _wrong(text)


def _title(part):
    kind, _, rest = part.partition(":")
    name = rest.partition("=")[0]
    if kind == "schedqos" and rest:
        return Path(rest).stem
    return name if kind in ("build", "cmd") else part


def parse_one(text, build):
    # A command may hold a "+" itself.
    parts = [text] if text.startswith("cmd:") else text.split("+")
    found = _base(text, parts[0], build)
    changes = parts if found is None else parts[1:]
    found = {"features": (), **(found or {})}
    for part in changes:
        change = _change(text, part)
        change["features"] = found["features"] + change.get("features", ())
        found.update(change)
    return Variant("+".join(map(_title, parts)), **found)


def parse(texts, build):
    """The variants in the order given, each once. Only a comma before the begin of a variant divides."""
    begin = r",(?=(?:none|schedqos)(?:[,:+]|$)|(?:build|cmd|slice|features|cgroup_mode):|weights)"
    found = {}
    for text in filter(None, (part for each in texts for part in re.split(begin, each))):
        variant = parse_one(text, Path(build))
        if variant.name in found:
            raise Failure(f"variant {variant.name} is there twice")
        found[variant.name] = variant
    if not found:
        raise Failure("--variants names none")
    return list(found.values())
