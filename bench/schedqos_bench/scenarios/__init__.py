# SPDX-License-Identifier: GPL-2.0-only
"""
The scenarios. Each is a module of this package with:

  NAME, TITLE           "cyclictest", "Cyclictest + hackbench"
  needs(options)        what is missing here: a list of Missing; empty: it can run
  config(options)       the rules used with the daemon: {process pattern: {"qos": ...}}, and settings under "schedqos";
                        None: it starts the variant itself, by context.start
  commands(options, seconds)  {name: argv} as they are run: what the report quotes
  metrics(options)      {name: metric()}
  run_round(context)    one round; returns a Round

It may also have:

  VARIANTS              those that it is for, as --variants has them; otherwise default,schedqos
  add_options(group)    adds its numbers to an argparse group, each with the announcement's value as the default;
                        the parsed namespace is what is called options here
  counted_seconds(options, seconds)  how long what is counted is counted for; otherwise 1: values are counts
  tree(options)         which sources are built beside it
  prepare(context)      once, before the first round of a run: unpacks, builds, calibrates

A scenario starts programs by schedqos_bench.programs, which ends them whatever happens. A round leaves nothing running.
What goes wrong is a process.Failure, with a text for people.
"""

import argparse
import importlib
from pathlib import Path
from typing import Any, NamedTuple

NAMES = ("cyclictest", "schbench", "frames", "browser", "io", "events", "here")


class Missing(NamedTuple):
    """A program (or file) that a scenario needs and that is not here, and what to do: "package rt-tests"."""

    what: str
    remedy: str


class Context(NamedTuple):
    """What a scenario is given for a round (and for prepare, where seconds, seed and raw mean nothing)."""

    options: Any  # the parsed options, those of add_options included
    seconds: int  # how long to measure
    seed: int  # the same for all variants of a round
    raw: Any  # raw(name): the path for the output of one command, DIR/raw/SCENARIO-VARIANT-ROUND-name.txt
    work: Path  # a folder for what is worth keeping between runs; each scenario makes its own in there
    tools: Path  # where make bench-tools has put our own programs
    running: Any = None  # the listener, as running.NoListener; None where the scenario starts it
    # start(rules): a context in which the variant runs with these rules, or with what is configured on this machine where
    # they are None; yields what running is
    start: Any = None
    weights: Any = None  # the variant's


class Round(NamedTuple):
    """
    What one round has found. distributions and printed are as in result.json:
    {"wakeup": {"unit": "us", "kind": "histogram", "points": [[value, count], ...]}} or
    {"request": {"unit": "us", "kind": "percentiles", "points": [[percent, value], ...], "min", "max", "samples"}}.
    """

    metrics: dict  # {name: number}; every one of metrics(), or a note says why not; None: this variant has none
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


def metric(title, unit, better="lower", headline=False, **others):
    """
    better: "lower", "higher" or None. Others: reference, the variant that ratios are to, if that is not the default;
    percentile: (distribution, percent) that it is; count: whether the value times counted_seconds() is a count.
    """
    return {"title": title, "unit": unit, "better": better, "headline": headline, **others}


def percentile(name, distribution, title="", **others):
    """The metric of a latency that is named p99 and the like; of any other, such as max, it is a plain one."""
    more = {"percentile": (distribution, float(name[1:]))} if name[0] == "p" else {}
    return metric(title or f"{name} latency", "us", **more, **others)


_USUAL = {"VARIANTS": "default,schedqos", "add_options": lambda group: None,
          "counted_seconds": lambda options, seconds: 1,
          "tree": lambda options: None, "prepare": lambda context: None}


def load(name):
    """The module of a scenario."""
    module = importlib.import_module(f"{__name__}.{name}")
    for each, usual in _USUAL.items():
        vars(module).setdefault(each, usual)
    return module


def available():
    """The modules of all scenarios that there are."""
    folder = Path(__file__).parent
    return [load(name) for name in NAMES if (folder / f"{name}.py").exists()]
