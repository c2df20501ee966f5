# SPDX-License-Identifier: GPL-2.0-only
"""An HTTP service at a fixed request rate, beside workers pinned to CPUs that compute without a pause."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

from .. import attr, progress
from ..process import Failure, until
from ..programs import Background, let_run, measure
from . import Missing, Round, metric, natural, percentile, positive

NAME, TITLE = "service", "nginx + stress-ng"

# What is measured is the server. A load generator that waits for a CPU itself would count that as the server's latency,
# and differently in each variant. A real-time task does not wait, and the daemon leaves it alone; it has this policy
# before its exec, so that nothing is decided about it before it has. It gets by with 6 % of a CPU here.
CLIENT = attr.Attr(attr.FIFO, 0, 0, priority=1)

# The first guess is below what any machine can do. Each further step is nearer to the rate in the end: what a request
# costs depends on how many come together.
CALIBRATION_STEPS = 3
CALIBRATION_SECONDS = 3
FIRST_RATE = 500

_WORDS = "account address amount balance category customer delivery invoice item order payment product region".split()

_CONFIG = """\
# Written anew for each run.
daemon off;
{user}worker_processes {workers};
pid nginx.pid;
events {{ worker_connections {connections}; }}
http {{
	types {{ application/json json; }}
	access_log off;
	keepalive_requests 1000000000;
	keepalive_timeout 1h;
	gzip on;
	gzip_types application/json;
	gzip_comp_level {level};
	client_body_temp_path temp;
	proxy_temp_path temp;
	fastcgi_temp_path temp;
	uwsgi_temp_path temp;
	scgi_temp_path temp;
	server {{
		# A queue of connections for each worker: of one queue, whoever is awake takes most.
		listen 127.0.0.1:{port} reuseport;
		root www;
	}}
}}
"""


def _rate(text):
    return text if text == "auto" else positive(text)


def add_options(group):
    cpus = len(os.sched_getaffinity(0))
    group.add_argument("--service-rate", type=_rate, default="auto", metavar="N",
                       help="requests a second; auto: what takes nginx the share below, found out before the first "
                            "round and kept for all (%(default)s)")
    group.add_argument("--service-cpu-share", type=float, default=0.4, metavar="X", help="of all CPUs (%(default)s)")
    group.add_argument("--service-workers", type=positive, default=cpus, metavar="N",
                       help="nginx's processes (as many as CPUs)")
    group.add_argument("--service-noise", type=natural, default=cpus, metavar="N",
                       help="stress-ng's workers, each pinned to a CPU (as many as CPUs)")
    group.add_argument("--service-noise-method", default="matrixprod", metavar="NAME",
                       help="what they compute: stress-ng --cpu-method (%(default)s)")
    # A hash gives each connection to a worker: of 256, two workers get shares that differ by 6 % (one sigma), of 64 by
    # 13 %.
    group.add_argument("--service-connections", type=positive, default=256, metavar="N", help="(%(default)s)")
    group.add_argument("--service-warm-up", type=natural, default=2, metavar="S",
                       help="of each round, not counted (%(default)s)")
    group.add_argument("--service-small", type=positive, default=4096, metavar="BYTES",
                       help="of the usual answer, before it is compressed (%(default)s)")
    group.add_argument("--service-large", type=positive, default=32768, metavar="BYTES",
                       help="of the occasional larger one (%(default)s)")
    group.add_argument("--service-large-every", type=positive, default=16, metavar="N",
                       help="one in so many is large, at most 64 (%(default)s)")
    group.add_argument("--service-gzip-level", type=natural, default=6, metavar="N", help="(%(default)s)")
    group.add_argument("--service-port", type=natural, default=0, metavar="N", help="on 127.0.0.1 (0: a free one)")


def _nginx():
    """Its folder is not in everybody's PATH."""
    return shutil.which("nginx", path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin")


def needs(options):
    missing = []
    if not _nginx():
        missing.append(Missing("nginx", "package nginx"))
    if not shutil.which("stress-ng"):
        missing.append(Missing("stress-ng", "package stress-ng"))
    if not (options.build / "bench" / "bench-http-load").exists():
        missing.append(Missing("bench-http-load", "make bench-tools"))
    return missing


def config(_):
    return {"nginx": {"qos": "QOS_USER_INTERACTIVE"},
            # The workers have a name of their own; where a daemon goes by the program, they have that one.
            "stress-ng": {"qos": "QOS_BACKGROUND"}, "stress-ng-cpu": {"qos": "QOS_BACKGROUND"}}


def _noise(options):
    """{name: command} of the workers: each has its own parent, since one parent pins all of its workers alike."""
    cpus = sorted(os.sched_getaffinity(0))
    return {f"stress-ng-{worker}": ["stress-ng", "--cpu", "1", "--cpu-method", options.service_noise_method,
                                    "--taskset", str(cpus[worker % len(cpus)]), "--metrics-brief"]
            for worker in range(options.service_noise)}


def _load(options, rate, seconds, warm_up):
    paths = ["/small.json"] * (options.service_large_every - 1) + ["/large.json"]
    return ["bench-http-load", "--port", str(options.service_port), "--rate", str(rate), "--seconds", str(seconds),
            "--warm-up", str(warm_up), "--connections", str(options.service_connections), *paths]


def commands(options, seconds):
    return {"nginx": ["nginx", "-p", str(options.work_dir / NAME), "-c", "nginx.conf", "-e", "error.log"],
            **_noise(options), "load": _load(options, options.service_rate, seconds, options.service_warm_up)}


def metrics(_):
    return {**{name: percentile(name, "request", headline=True) for name in ("p50", "p99", "p99.9", "max")},
            "noise_ops": metric("stress-ng's bogo-ops", "1/s", "higher", True),
            "noise_cpu": metric("CPU time of stress-ng", "s/s", "higher"),
            "service_cpu": metric("CPU time of nginx", "s/s")}


def body(size, seed):
    """JSON of about this size, always the same, that compresses as well as lists of records do."""
    chance = random.Random(seed)
    rows, length = [], 0
    while length < size:
        rows.append({"id": chance.randrange(10**9), "name": " ".join(chance.choices(_WORDS, k=3)),
                     "price": chance.randrange(10**5) / 100, "tags": chance.choices(_WORDS, k=3)})
        length += len(json.dumps(rows[-1])) + 2
    return json.dumps(rows)


def write_files(folder, options):
    """nginx's folder: its configuration, and what it serves."""
    for name in ("www", "temp"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # As another user, its workers could not read a folder that is only root's.
    text = _CONFIG.format(user="user root;\n" if os.geteuid() == 0 else "", workers=options.service_workers,
                          connections=options.service_connections + 64, level=options.service_gzip_level,
                          port=options.service_port)
    (folder / "nginx.conf").write_text(text, encoding="ascii")
    (folder / "www" / "small.json").write_text(body(options.service_small, 1), encoding="ascii")
    (folder / "www" / "large.json").write_text(body(options.service_large, 2), encoding="ascii")


def parse_bogo_ops(output):
    """A second, by the clock, as stress-ng --metrics-brief prints it."""
    found = re.search(r"\] cpu +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +([0-9.]+) ", output)
    if not found:
        raise Failure(f"stress-ng has not printed its metrics:\n{output[-2000:]}")
    return float(found[1])


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(server, port):
    if server.program.process.poll() is not None:
        raise Failure(f"nginx has ended (status {server.program.process.returncode}): see {server.output.name}")
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


class _Running:
    """The server and the noise, from entering the context to leaving it."""

    def __init__(self, context):
        self.context, self.stack = context, ExitStack()

    def __enter__(self):
        options = self.context.options
        argv = commands(options, 0)
        with ExitStack() as stack:
            self.server = stack.enter_context(
                Background(argv["nginx"], self.context.raw("nginx"), executable=_nginx()))
            until(lambda: _answers(self.server, options.service_port), 30, "nginx answers")
            self.noise = [stack.enter_context(Background(argv[name], self.context.raw(name)))
                          for name in _noise(options)]
            let_run(1, self.all())
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def all(self):
        return [self.server, *self.noise]

    def load(self, rate, seconds, warm_up, name="load"):
        """What the load generator found, and the CPU time per second that the server and the noise got meanwhile."""
        argv = _load(self.context.options, rate, seconds, warm_up)
        argv[0] = str(self.context.tools / argv[0])
        before, clock = self._cpu(), monotonic()
        try:
            output = measure(argv, self.context.raw(name), warm_up + seconds, beside=self.all(), start_attr=CLIENT)
        except subprocess.SubprocessError:  # from before its exec: no real-time policy here
            output = measure(argv, self.context.raw(name), warm_up + seconds, beside=self.all())
        elapsed = monotonic() - clock
        return parse(output), [(now - then) / elapsed for now, then in zip(self._cpu(), before)]

    def bogo_ops(self):
        """How many the noise did in a second of its life, a second before the load included; it ends by that."""
        total = 0.0
        for each in self.noise:
            os.kill(each.pid, signal.SIGINT)
            each.program.process.wait(30)
            total += parse_bogo_ops(Path(each.output.name).read_text(encoding="utf-8", errors="replace"))
        return total

    def _cpu(self):
        return self.server.cpu_seconds(), sum(each.cpu_seconds() for each in self.noise)


def _calibrate(context):
    """The rate that takes nginx its share, to two digits, so that it can be quoted and given again."""
    options = context.options
    wanted, rate = options.service_cpu_share * len(os.sched_getaffinity(0)), FIRST_RATE
    with _Running(context) as running:
        for step in range(CALIBRATION_STEPS):
            found, (used, _) = running.load(rate, CALIBRATION_SECONDS, 0, f"load-{step}")
            answered = (found["requests"] - found["unanswered"]) / found["seconds"]
            if used <= 0 or answered <= 0:
                raise Failure(f"nginx used no CPU time at {rate} requests/s: give a --service-rate")
            rate = max(10, int(float(f"{wanted * answered / used:.2g}")))
    return rate


def prepare(context):
    options = context.options
    if not 1 <= options.service_large_every <= 64:
        raise Failure("--service-large-every must be from 1 to 64")
    if not options.service_port:
        options.service_port = _free_port()
    write_files(context.work / NAME, options)
    if options.service_rate == "auto":
        options.service_rate = _calibrate(context)
        progress.log(f"service: --service-rate {options.service_rate} takes nginx about "
                     f"{options.service_cpu_share:.0%} of the CPUs")


def run_round(context):
    options = context.options
    with _Running(context) as running:
        found, (server, noise) = running.load(options.service_rate, context.seconds, options.service_warm_up)
        ops = running.bogo_ops()
    latency = found["latency"]
    values = {name: latency[name] for name in ("p50", "p99", "p99.9", "max")}
    values.update(noise_cpu=noise, service_cpu=server, noise_ops=ops)
    printed = {name: {key: value[key] for key in value if key != "bins"} if isinstance(value, dict) else value
               for name, value in found.items()}
    distribution = {"unit": "us", "kind": "histogram", "points": latency["bins"]}
    return Round(values, {"request": distribution}, printed, notes(found))


def parse(output):
    """What bench-http-load prints."""
    try:
        found = json.loads(output)
    except ValueError:
        raise Failure(f"bench-http-load has not printed its result:\n{output[-2000:]}") from None
    if not found["latency"]["samples"]:
        raise Failure("bench-http-load has not measured anything")
    return found


def notes(found):
    """What makes a round less reliable than it looks."""
    notes = []
    if found["unanswered"]:
        notes.append(f"{found['unanswered']} of {found['requests']} requests were never answered; they count with the "
                    "time until they were given up")
    if found["policy"] != attr.FIFO:
        notes.append("the load generator had no real-time policy: that it waited for a CPU itself is in the latencies")
    late = found["behind"].get("p99.9", 0)
    if found["behind"]["samples"] and late > found["latency"]["p50"]:
        notes.append(f"the load generator was behind its own schedule: by {late:.0f} us for one request in a thousand")
    return notes
