# SPDX-License-Identifier: GPL-2.0-only
"""
A program that reads here and there and waits for each read, beside one that writes as fast as it can: with each I/O
scheduler of the disk, within one round.

The daemon sets no I/O priorities. But where none is set, a task's I/O priority follows from its policy and its nice
value: best effort, level (nice + 20) / 5, or idle under SCHED_IDLE. The announcement's classes come to levels 3 and 4
(seen at block_rq_issue on Linux 6.18), which is not much; a mapping with SCHED_IDLE makes a difference where the I/O
scheduler looks at it. --io-priorities measures other priorities beside that.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

from .. import block
from ..process import Failure
from ..programs import Background, let_run, measure
from . import Missing, Round, metric, natural, percentile, positive

NAME, TITLE = "io", "fio: random reader + sequential writer"

# One program is started under these two names, for the daemon to tell them apart.
READER, WRITER = "fio-reader", "fio-writer"

# Before a measurement: for the writer's queue to fill, and for the reader's first reads of a file's map.
SETTLE_SECONDS = 1
RAMP_SECONDS = 1

# No cell is shorter, however many there are.
LEAST_SECONDS = 2

BY_CLASS = "class"
_CLASSES = {"rt": 1, "be": 2, "idle": 3}
_PRIORITY = re.compile(r"^(class|idle|(rt|be)([0-7]))$")


class Cell(NamedTuple):
    """One measurement of a round."""

    scheduler: str
    priorities: str

    @property
    def name(self):
        """As in the names of metrics: "bfq", "bfq_be0_idle"."""
        if self.priorities == BY_CLASS:
            return self.scheduler
        return f"{self.scheduler}_{self.priorities.replace(':', '_')}"

    @property
    def title(self):
        return self.scheduler if self.priorities == BY_CLASS else f"{self.scheduler} {self.priorities}"


def _names(text):
    names = [name for name in text.split(",") if name]
    if not names:
        raise argparse.ArgumentTypeError("names none")
    return names


def _priorities(text):
    for pair in _names(text):
        if pair != BY_CLASS and not (pair.count(":") == 1 and all(map(_PRIORITY.match, pair.split(":")))):
            raise argparse.ArgumentTypeError(f"{pair!r} is not {BY_CLASS} or READER:WRITER")
    return _names(text)


def add_options(group):
    group.add_argument("--io-dir", metavar="DIR",
                       help="for the files, on the device to measure; they stay there for the next run (default: the "
                            "work directory)")
    group.add_argument("--io-size", type=positive, default=1024, metavar="MIB",
                       help="of each of the two files (%(default)s)")
    group.add_argument("--io-schedulers", type=_names, metavar="LIST",
                       help="of none, mq-deadline, kyber, bfq (default: all that the device offers)")
    group.add_argument("--io-priorities", type=_priorities, default=[BY_CLASS], metavar="LIST",
                       help="READER:WRITER of class, rt0 to rt7, be0 to be7, idle: be0:idle for one; class: both as "
                            "their policy and nice value say (class)")
    group.add_argument("--io-read-size", default="4k", metavar="SIZE", help="of a read (%(default)s)")
    group.add_argument("--io-think-time", type=natural, default=1000, metavar="US",
                       help="from one read to the next (%(default)s)")
    group.add_argument("--io-writer", choices=("direct", "buffered"), default="direct",
                       help="buffered: a kernel thread writes, with its own priority instead of the writer's "
                            "(%(default)s)")
    group.add_argument("--io-write-size", default="1M", metavar="SIZE", help="of a write (%(default)s)")
    group.add_argument("--io-write-depth", type=positive, default=32, metavar="N",
                       help="writes in flight, of a direct writer (%(default)s)")


def _folder(options):
    """As a path from the root: fio takes a colon in a name for a separator, and a relative one from where it runs."""
    return os.path.join(os.path.abspath(options.io_dir or options.work_dir), NAME)


def _schedulers(options):
    offered = block.offered(block.disks(_folder(options)))
    return offered if options.io_schedulers is None else options.io_schedulers


@lru_cache(None)
def _engines():
    """fio's parts that issue I/O: some distributions package them apart."""
    return subprocess.run(["fio", "--enghelp"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()


def needs(options):
    if not shutil.which("fio"):
        return [Missing("fio", "package fio")]
    missing = []
    if options.io_writer == "direct" and "libaio" not in _engines():
        missing.append(Missing("fio's engine libaio", "package fio-engine-libaio, or --io-writer buffered"))
    offered = block.offered(block.disks(_folder(options)))
    if not offered:
        missing.append(Missing("a disk with I/O schedulers", f"{_folder(options)} is on none: --io-dir"))
    missing += [Missing(f"the I/O scheduler {name}", f"the disk offers {', '.join(offered)}")
                for name in options.io_schedulers or [] if offered and name not in offered]
    return missing


def config(_):
    return {READER: {"qos": "QOS_USER_INTERACTIVE"}, WRITER: {"qos": "QOS_BACKGROUND"}}


def cells(options):
    return [Cell(scheduler, priorities) for scheduler in _schedulers(options) for priorities in options.io_priorities]


def cell_seconds(options, seconds):
    """All cells of a round together take as long as a round is to take."""
    return max(LEAST_SECONDS, seconds // max(1, len(cells(options))))


def _file(options, name):
    return ["--filename=" + os.path.join(_folder(options), f"{name}.dat"), f"--size={options.io_size}M"]


def _priority(text):
    """fio's options for one of a pair."""
    match = _PRIORITY.match(text)
    if text == BY_CLASS:
        return []
    if match[2]:
        return [f"--prioclass={_CLASSES[match[2]]}", f"--prio={match[3]}"]
    return [f"--prioclass={_CLASSES['idle']}"]


def _reader(options, seconds, priority=BY_CLASS):
    # One at a time and synchronous: its latency is what the program waits, in all of fio's phases.
    return ["fio", "--name=reader", "--thread", *_file(options, "read"), "--rw=randread",
            f"--bs={options.io_read_size}", "--direct=1", "--ioengine=psync", f"--thinktime={options.io_think_time}",
            "--time_based", f"--runtime={seconds}",
            f"--ramp_time={RAMP_SECONDS}", "--lat_percentiles=1", "--clat_percentiles=0",
            "--percentile_list=50:99:99.9", "--output-format=json+", *_priority(priority)]


def _writer(options, priority=BY_CLASS):
    how = (["--direct=1", "--ioengine=libaio", f"--iodepth={options.io_write_depth}"] if options.io_writer == "direct"
           else ["--direct=0", "--ioengine=psync"])
    # It is ended by us; were that to fail, it would end by itself. Without --thread, what writes is in a process group
    # of its own, and would go on.
    return ["fio", "--name=writer", "--thread", *_file(options, "write"), "--rw=write",
            f"--bs={options.io_write_size}", *how, "--overwrite=1", "--time_based", "--runtime=3600",
            *_priority(priority)]


def commands(options, seconds):
    return {READER: _reader(options, cell_seconds(options, seconds)), WRITER: _writer(options)}


def metrics(options):
    found = {}
    for cell in cells(options):
        for name in ("p50", "p99", "p99.9", "max"):
            found[f"read_{name}_{cell.name}"] = percentile(name, f"read_{cell.name}", f"read latency {name}, {cell.title}",
                                                           headline=name == "p99")
        found[f"write_{cell.name}"] = metric(f"written, {cell.title}", "MiB/s", "higher", True)
    return found


def _write_file(context, name):
    """Full and on the disk: neither holes nor reservations, which would be answered without the device."""
    options = context.options
    path = os.path.join(_folder(options), f"{name}.dat")
    if os.path.exists(path) and os.path.getsize(path) == options.io_size << 20:
        return
    free = shutil.disk_usage(_folder(options)).free
    if free < 2 * options.io_size << 20:
        raise Failure(f"{_folder(options)}: {free >> 20} MiB are free; the files take {2 * options.io_size}: --io-size")
    # Under another name, so that a file that is there has all that it should.
    new = path + ".new"
    measure(["fio", f"--name={name}", f"--filename={new}", f"--size={options.io_size}M", "--rw=write", "--bs=1M",
             "--end_fsync=1", "--ioengine=psync"], context.raw(name), 600)
    os.replace(new, path)


def prepare(context):
    os.makedirs(_folder(context.options), exist_ok=True)
    for name in ("read", "write"):
        _write_file(context, name)


def _flush(options):
    """What a buffered writer has left behind must not be written during the next measurement."""
    descriptor = os.open(os.path.join(_folder(options), "write.dat"), os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def parse_written(text):
    """Bytes, of /proc/PID/io."""
    return int(re.search(r"^write_bytes: (\d+)$", text, re.MULTILINE)[1])


def _written(writer):
    with open(f"/proc/{writer.pid}/io", encoding="ascii") as file:
        return parse_written(file.read())


def _measure(context, cell):
    """What the reader found, and MiB/s of the writer meanwhile."""
    options, program = context.options, shutil.which("fio")
    read_priority, write_priority = (cell.priorities.split(":") * 2)[:2]
    seconds = cell_seconds(options, context.seconds)
    reader = [READER, *_reader(options, seconds, read_priority)[1:], f"--randseed={context.seed}"]
    writer = [WRITER, *_writer(options, write_priority)[1:]]
    with Background(writer, context.raw(f"writer-{cell.name}"), executable=program) as running:
        let_run(SETTLE_SECONDS, [running])
        before, clock = _written(running), monotonic()
        output = measure(reader, context.raw(f"reader-{cell.name}"), seconds, beside=[running], executable=program)
        rate = (_written(running) - before) / (monotonic() - clock) / (1 << 20)
    _flush(options)
    return parse(output), rate


def run_round(context):
    found = Round({}, {}, {}, [])
    order = cells(context.options)
    random.Random(context.seed).shuffle(order)
    disks = block.disks(_folder(context.options))
    with block.kept(disks):
        for cell in order:
            block.use(disks, cell.scheduler)
            read, rate = _measure(context, cell)
            found.metrics.update({f"read_{name}_{cell.name}": value for name, value in read["metrics"].items()})
            found.metrics[f"write_{cell.name}"] = rate
            found.distributions[f"read_{cell.name}"] = read["distribution"]
            found.printed[cell.name] = read["printed"]
    return found


def upper_edge(middle):
    """Of one of fio's bins, which it names by their middle: 64 to each power of two."""
    return middle + (1 << max(0, middle.bit_length() - 7)) // 2


def parse(output):
    """What fio prints as json+; times in us."""
    try:
        # Its warnings stand before and behind.
        jobs = json.loads(output[output.index("{"):output.rindex("}") + 1])["jobs"]
        latency = jobs[0]["read"]["lat_ns"]
        percentiles, bins = latency["percentile"], latency["bins"]
    except (ValueError, KeyError, IndexError) as error:
        raise Failure(f"fio has not printed its result ({error!r}):\n{output[-2000:]}") from None
    if not latency["N"]:
        raise Failure("fio has not read anything: give it more seconds")
    # It gives the middles of bins, and that of the last can be beyond all that is in it.
    values = {f"p{float(percent):g}": min(value, latency["max"]) / 1000 for percent, value in percentiles.items()}
    values["max"] = latency["max"] / 1000
    points = [[upper_edge(int(middle)) / 1000, count] for middle, count in bins.items()]
    return {"metrics": values, "distribution": {"unit": "us", "kind": "histogram", "points": sorted(points)},
            "printed": {"samples": latency["N"], "min": latency["min"] / 1000, "mean": latency["mean"] / 1000,
                        "iops": jobs[0]["read"]["iops"]}}
