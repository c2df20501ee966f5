# SPDX-License-Identifier: GPL-2.0-only
"""The command line of schedqos-bench."""

import argparse
import contextlib
import fcntl
import itertools
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import folders, order, preparing, progress, report, result, scenarios, tables, variants
from .lab import command as lab
from .process import Failure, nothing_left, stop_on_signals
from .scenarios import schbench
from .runner import Runner, Settings, copy_build, print_round

EXIT_SKIPPED = 77
WARM_UP_SECONDS = 10
LOCK = "/run/schedqos-bench.lock"
ANNOUNCED = ("cyclictest", "schbench")


def _shown(name):
    """A folder of results for the help: as short as it is in a tree of sources."""
    return f"build/bench/{name}" if folders.IN_SOURCES else f"~/schedqos-bench/{name}"


def _results(build):
    """Where results go: to the build that is measured, unless that is what a package has installed."""
    return folders.RESULTS if build == folders.BUILD else build / "bench"


def _add_measuring(parser):
    parser.add_argument("--duration", type=scenarios.positive, default=30, metavar="S",
                        help="seconds of each measurement (%(default)s)")
    parser.add_argument("--seed", type=int, help="seed of all random choices (default: a new one, which is printed)")
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"for the result (default: {_shown('results/TIME')})")
    parser.add_argument("--prepare", action="store_true",
                        help="autogroup off and cgroups flat, as the announcement assumes; put back at the end")
    parser.add_argument("--build", type=Path, default=folders.BUILD, metavar="DIR",
                        help="where make has put the programs")
    parser.add_argument("--work-dir", type=Path, default=folders.RESULTS / "work", metavar="DIR",
                        help=f"for kernel trees and the like, kept between runs (default: {_shown('work')})")
    for scenario in scenarios.available():
        scenario.add_options(parser.add_argument_group(f"{scenario.NAME}: {scenario.TITLE}"))


def _add_export(parser):
    parser.add_argument("--export", action="store_true", help="write export.txt as well, 72 columns for a mail to kernel "
                        "developers, and export.csv, with each value of each round")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="schedqos-bench", description="Compares how tasks are scheduled, with the "
                                     "daemon, without, and with other mappings. Needs root to measure.",
                                     epilog="Exit status: 0, or 1 after an error, 2 after wrong usage, and "
                                     f"{EXIT_SKIPPED} if nothing could be measured, for something that is missing "
                                     "here: see list. A scenario that lacks something is left out of the others.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    verbs.add_parser("list", help="list the scenarios, the presets, and what is missing here")
    run = verbs.add_parser("run", help="measure scenarios under variants, and report")
    run.add_argument("scenarios", nargs="+", choices=[each.NAME for each in scenarios.available()], metavar="SCENARIO")
    run.add_argument("--variants", action="append", metavar="LIST",
                     help=f"of {variants.EXPECTED} (default: what the scenario is for, mostly default,schedqos)")
    run.add_argument("--reference", metavar="VARIANT", help="the variant that the others are compared with")
    run.add_argument("--rounds", type=scenarios.positive, default=6, metavar="N",
                     help="rounds of each variant: an interval needs six (%(default)s)")
    run.add_argument("--exclude-above", type=scenarios.positive, default=10, metavar="PERCENT",
                     help="leave out a round, of all variants, in which others took more of the CPUs (%(default)s)")
    run.add_argument("--within", type=scenarios.positive, metavar="S",
                     help="seconds for all of it: no round begins that would not fit, but for the first")
    run.add_argument("--warmup", type=scenarios.natural, default=1, metavar="N",
                     help=f"rounds that do not count, of at most {WARM_UP_SECONDS} s (%(default)s)")
    _add_export(run)
    _add_measuring(run)
    again = verbs.add_parser("report", help="write report.md and report.html of a result again, or of several runs pooled")
    again.add_argument("directories", nargs="+", type=Path, metavar="DIR")
    again.add_argument("--out", type=Path, metavar="DIR", help="for the pooled result (default: FIRST-pooled)")
    _add_export(again)
    lab.add_parser(verbs)
    get = verbs.add_parser("get-schbench", help="get schbench from its author's repository and build it; says which commit")
    get.add_argument("--from", dest="url", default=schbench.URL, metavar="URL", help="another repository (%(default)s)")
    get.add_argument("--commit", metavar="COMMIT", help="another version than the newest")
    page = verbs.add_parser("figures", help="write the tables of figures.md and the README from the raw values in bench/data")
    page.add_argument("--check", action="store_true", help="only say whether they differ, by the exit status")
    page.add_argument("--measure", action="store_true", help="measure first, and keep the raw values: takes hours, or less "
                      "with the names of some")
    page.add_argument("--keep", type=Path, metavar="DIR", help="keep the raw values of a result, for the one table named")
    page.add_argument("--more", default="", metavar="VARIANTS", help="further variants to measure beside a table's own, such "
                      "as other daemons by cmd:")
    page.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(each.name for each in tables.TABLES)} (all)")
    two = verbs.add_parser("compare", help="compare two results, or two kernels over several boots")
    two.add_argument("directories", nargs="+", type=Path, metavar="DIR")
    two.add_argument("--boots", action="store_true", help="the results are of several boots of two kernels, which are "
                     "compared with a boot as the unit; the first names the one that the other is compared with")
    return parser.parse_args(arguments)


def _skips(chosen, options):
    """Splits into scenarios that can run and the reasons why others cannot."""
    able, skipped = [], []
    for scenario in chosen:
        missing = scenario.needs(options)
        if missing:
            skipped.append({"scenario": scenario.NAME,
                            "reason": "needs " + ", ".join(f"{each.what} ({each.remedy})" for each in missing)})
            progress.log(f"{scenario.NAME} is left out: {skipped[-1]['reason']}")
        else:
            able.append(scenario)
    return able, skipped


def _settings(args, build):
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 31)
    out = args.out or _results(args.build) / "results" / time.strftime("%Y%m%d-%H%M%S")
    if result.is_one(out):
        raise Failure(f"{out} holds a result already")
    progress.log(f"seed {seed}; results go to {out}")
    command = [Path(sys.argv[0]).name, *sys.argv[1:]]
    return Settings(command, build, args.work_dir.resolve(), out, seed, args.duration, args, args.reference,
                    {"rounds": args.rounds, "warmup": args.warmup, "within": args.within}, args.exclude_above / 100)


@contextlib.contextmanager
def _interruption_told(out):
    try:
        yield
    except SystemExit:
        rest = f": what there was by then is in {out}, and schedqos-bench report {out} shows it"
        progress.log("interrupted" + (rest if result.is_one(out) else ""))
        raise


@contextlib.contextmanager
def _alone(path=LOCK):
    """Two at once would measure each other, and each would put back what the other has set."""
    with open(path, "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure("another schedqos-bench measures on this machine: wait for its end") from None
        yield


@contextlib.contextmanager
def _runner(args, able, texts_of):
    """
    A context with a runner that is ready for its first round, on a machine that is, and {scenario: names of variants}
    of {scenario: texts}.
    """
    with _alone(), tempfile.TemporaryDirectory(prefix="schedqos-bench-") as folder:
        os.chmod(folder, 0o755)  # some of the programs are run by nobody
        settings = _settings(args, copy_build(args.build, folder))
        parsed = {name: variants.parse(texts, settings.build / "schedqos") for name, texts in texts_of.items()}
        chosen = {each.name: each for found in parsed.values() for each in found}
        if settings.reference not in (None, *chosen):
            raise Failure(f"--reference {settings.reference}: not among the variants, which are {', '.join(chosen)}")
        runner = Runner(settings, able, chosen.values())
        with preparing.prepared(progress.log) if args.prepare else contextlib.nullcontext(), \
                _interruption_told(settings.out), nothing_left():
            runner.look()
            runner.prepare()
            yield runner, {name: [each.name for each in found] for name, found in parsed.items()}
        runner.save(finished=True)


def _measure_all(runner, steps, within=None):
    """All steps, without the rounds that would not end within so many seconds of the start."""
    def ahead(some):
        return runner.estimate.left([(each.scenario, seconds(each)) for each in some])

    def seconds(step):
        duration = runner.settings.seconds
        return min(duration, WARM_UP_SECONDS) if step.warmup else duration
    done = 0
    for (warmup, number), together in itertools.groupby(steps, lambda step: (step.warmup, step.round)):
        together = list(together)
        if within and not warmup and number > 1 and time.monotonic() - runner.clock + ahead(together) > within:
            progress.log(f"ends after round {number - 1}: another would not fit into {within} s")
            return
        for done, step in enumerate(together, done + 1):
            record = runner.measure(step, seconds(step))
            print_round(record, runner.result["scenarios"][step.scenario]["metrics"], ahead(steps[done:]))


def _write_report(directory, export=False):
    for path in report.write(directory):
        print(path)
    for path in report.write_export(directory) if export else ():
        print(path)


def run(args):
    able, skipped = _skips([scenarios.load(name) for name in dict.fromkeys(args.scenarios)], args)
    if not able:
        return EXIT_SKIPPED
    texts_of = {each.NAME: args.variants or [each.VARIANTS] for each in able}
    with _runner(args, able, texts_of) as (runner, variants_of):
        runner.result["skipped"] = skipped
        for name, chosen in variants_of.items():
            if not order.is_balanced(args.rounds, chosen):
                progress.log(f"note: {name}: {args.rounds} rounds are no multiple of {len(chosen)} variants, so the order is "
                             "not fully balanced")
        _measure_all(runner, order.plan(variants_of, args.rounds, args.warmup, runner.settings.seed), args.within)
    _write_report(runner.settings.out, args.export)
    for each in skipped:  # once more, where it is not scrolled away
        progress.log(f"{each['scenario']} was left out: {each['reason']}")
    return 0


def list_all(_):
    defaults = parse(["run", ANNOUNCED[0]])
    print("Scenarios:")
    for scenario in scenarios.available():
        missing = scenario.needs(defaults)
        print(f"  {scenario.NAME:<12} {scenario.TITLE}")
        for each in missing:
            print(f"  {'':<12} needs {each.what}: {each.remedy}")
    print(f"Variants: {variants.EXPECTED}")
    print(f"Presets: {', '.join(variants.presets())}")
    return 0


def report_again(args):
    directory = args.directories[0]
    if len(args.directories) > 1:
        directory = args.out or directory.with_name(directory.name + "-pooled")
        report.pool(args.directories, directory)
    _write_report(directory, args.export)
    return 0


def compare(args):
    report.compare(args.directories, args.boots)
    return 0


def _measured(table, more):
    """The result of a run of a table's command, in a folder of its own."""
    out = folders.RESULTS / "results" / f"{table.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    progress.log(f"table {table.name}: {tables.command(table)}")
    subprocess.run([sys.executable, sys.argv[0], "run", *shlex.split(table.options), *(["--variants", more] if more else []),
                    "--out", out], check=True)
    return report.load(out)


def make_figures(args):
    if not folders.IN_SOURCES:
        raise Failure("figures are those of the sources: run it in a tree of these")
    chosen = tables.chosen(args.tables)
    if args.keep and len(chosen) != 1:
        raise Failure("--keep takes the name of one table")
    for table in chosen if args.measure or args.keep else ():
        tables.keep(report.load(args.keep) if args.keep else _measured(table, args.more), table)
    if args.check:
        found = tables.differing()
        for path in found:
            progress.log(f"{path.name} is not what bench/data says: make figures")
        return bool(found)
    tables.write()
    return 0


def get_schbench(args):
    print(f"schbench {schbench.fetch(args.url, args.commit)} is in {schbench.FETCHED}")
    return 0


VERBS = {"get-schbench": get_schbench, "list": list_all, "run": run, "report": report_again, "compare": compare,
         "figures": make_figures, "lab": lab.run}


def main(arguments=None):
    try:
        args = parse(arguments)
    except SystemExit as end:
        raise SystemExit(lab.usage_status(arguments or sys.argv[1:]) if end.code == lab.EXIT_USAGE else end.code) from None
    if args.verb == "run" and os.geteuid() != 0:
        progress.log("needs root, to start the daemon and to see whom it changes")
        return EXIT_SKIPPED
    stop_on_signals()
    try:
        return VERBS[args.verb](args)
    except Failure as failure:
        progress.log(failure)
        return 1
    except subprocess.CalledProcessError as error:
        return error.returncode
    except OSError as error:  # a full disk, a folder that cannot be made
        progress.log(error)
        return 1
