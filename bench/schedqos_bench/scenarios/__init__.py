# SPDX-License-Identifier: GPL-2.0-only
"""
The scenarios. Each is a module of this package with:

  NAME, TITLE           "cyclictest", "Cyclictest + hackbench"
  AXES                  what sweep weighs against each other: {"latency": METRIC, "throughput": METRIC or None,
                        "background": METRIC}; None: not for sweep
  add_options(group)    adds its numbers to an argparse group, each with the announcement's value as the default;
                        the parsed namespace is what is called options below
  needs(options)        what is missing here: a list of Missing; empty: it can run
  config(options)       the rules used with the daemon: {process pattern: {"qos": ...}}
  commands(options, seconds)  {name: argv} as they are run: what the report quotes
  metrics(options)      {name: {"title", "unit", "better": "lower" or "higher", "headline": bool}}
  prepare(context)      once, before the first round of a run: unpacks, builds, calibrates
  run_round(context)    one round; returns a Round

A scenario starts programs by schedqos_bench.programs, which ends them whatever happens. It neither starts nor knows the
variant. A round leaves nothing running. What goes wrong is a process.Failure, with a text for people.
"""

import argparse
import importlib
from pathlib import Path
from typing import Any, NamedTuple

NAMES = ("cyclictest", "schbench", "service", "io")


class Missing(NamedTuple):
    """A program (or file) that a scenario needs and that is not here, and what to do: "package rt-tests"."""

    what: str
    remedy: str


class Context(NamedTuple):
    """What a scenario is given for a round (and for prepare, where seconds, seed and raw mean nothing)."""

    options: Any  # the namespace that add_options has led to
    seconds: int  # how long to measure
    seed: int  # the same for all variants of a round
    raw: Any  # raw(name): the path for the output of one command, DIR/raw/SCENARIO-VARIANT-ROUND-name.txt
    work: Path  # a folder for what is worth keeping between runs; each scenario makes its own in there
    tools: Path  # where make bench-tools has put our own programs


class Round(NamedTuple):
    """
    What one round has found. distributions and printed are as in result.json:
    {"wakeup": {"unit": "us", "kind": "histogram", "points": [[value, count], ...]}} or
    {"request": {"unit": "us", "kind": "percentiles", "points": [[percent, value], ...], "min", "max", "samples"}}.
    """

    metrics: dict  # {name: number}; every one of metrics(), unless a note says why it is missing
    distributions: dict
    printed: dict  # numbers as the program printed them: what the announcement's block is printed from again
    notes: list  # texts for people: what was unusual about this round


def _least(text, least):
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"must be at least {least}")
    return number


def positive(text):
    """For argparse: 1 or more."""
    return _least(text, 1)


def natural(text):
    """For argparse: 0 or more."""
    return _least(text, 0)


def load(name):
    """The module of a scenario."""
    return importlib.import_module(f"{__name__}.{name}")


def available():
    """The modules of all scenarios that there are."""
    folder = Path(__file__).parent
    return [load(name) for name in NAMES if (folder / f"{name}.py").exists()]
