# SPDX-License-Identifier: GPL-2.0-only
"""The event bench's figures as Markdown."""

from ..stats import table, text
from .verdict import MIB

US = 1e-3
_MET = {True: "met", False: "NOT MET", None: "not measured"}


def costs(lines, labels, variants):
    rows = []
    for line in lines:
        quiet = line["variant"] == "a"
        rows.append([
            labels[line["workload"]], variants[line["variant"]],
            "-" if quiet else text(line["cpu_per_op_ns"], 2, US),
            "-" if quiet else text(line["cpu_to_bare"]),
            text(line["throughput_kept"], 1, 100),
            text(line["ops_per_s"], 2 if line["workload"] == "make" else 0),
            "-" if quiet else line["dropped"],
            f"{len(line['wrong'])} of {line['checked']}" if line["checked"] else "-",
        ])
    return table(["workload", "variant", "CPU us/op", "x bare", "throughput kept %", "ops/s",
                  "events lost", "wrongly tagged"], rows, left=2)


def latencies(lines, labels, variants):
    rows = []
    for line in lines:
        rows.append([
            labels.get(line["condition"], line["condition"]), line["what"],
            variants[line["variant"]], line["samples"],
            *(f"{line[name] * US:.0f}" for name in ("p50_ns", "p99_ns", "max_ns")),
            *(f"{line[name]:.2f}" if line[name] else "-"
              for name in ("p50_to_tagger", "p99_to_tagger")),
            f"{line['exec_p50_ns'] * US:.0f}" if "exec_p50_ns" in line else "-",
            f"{line['before_main'] * 100:.0f}" if "before_main" in line else "-", line["timeouts"],
        ])
    return table(["during", "of", "variant", "samples", "p50 us", "p99 us", "max us",
                  "p50 x tagger", "p99 x tagger", "execve itself p50 us", "before main %", "never"], rows, left=3)


def footprint(memory, idle):
    return table(["at rest", "figure"], [
        [f"resident set, {memory['rules']:,} rules, {memory['tasks']:,} tasks",
         f"{memory['resident_bytes'] / MIB:.2f} MiB"],
        [f"resident set before {memory['crowd']:,} of them came",
         f"{memory['resident_bytes_before'] / MIB:.2f} MiB"],
        ["table, bytes a task", f"{memory['table_bytes_per_task']:.0f}"],
        ["resident set, bytes for each task that came",
         f"{memory['resident_bytes_per_new_task']:.0f}"],
        [f"wake-ups in {idle['seconds']} s ({idle['events']} events of others)", idle["wakeups"]],
        ["wake-ups of a bare listener meanwhile", idle["wakeups_bare"]],
        ["CPU meanwhile", f"{idle['cpu_ns'] * US:.0f} us"],
    ])


def verdicts(found):
    return table(["goal", "measured", "verdict"],
                 [[verdict.goal, verdict.measured, _MET[verdict.met]] for verdict in found], left=3)


def build(facts):
    return (f"schedqos {facts['version']}, Linux {facts['kernel']}, {facts['cpus']} CPUs, load "
            f"{facts['load']:.2f} before the start.")


def machine(facts):
    return (f"{build(facts)} Seed {facts['seed']}, {facts['rounds']} rounds after a warm-up. Medians "
            f"with min-max over the rounds; latencies over all samples.")
