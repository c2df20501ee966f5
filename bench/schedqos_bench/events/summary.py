# SPDX-License-Identifier: GPL-2.0-only
"""From the samples of all rounds to the figures that are shown."""

from ..stats import percentile, ratio, spread

# Until a program that was tagged before its main has found that out.
FIRST_LOOK_NS = 10_000

QUIET, BARE, TAGGER, FEW, MANY = "a", "b", "t", "c", "d"


def _rate(sample):
    # A build has as many execs as it has: its rate is that of whole builds.
    return (1 if sample["workload"] == "make" else sample["ops"]) / sample["ns"]


def _by_round(samples, workload, variant):
    return {sample["round"]: sample for sample in samples
            if sample["workload"] == workload and sample["variant"] == variant}


def _compared(mine, theirs, value):
    """The ratio of two variants' values, round by round."""
    return spread([ratio(value(mine[number]), value(theirs[number]))
                   for number in mine if number in theirs])


def cpu_per_op(sample):
    return sample["cpu_ns"] / sample["ops"]


def cost(samples, workload, variant):
    """One line of the table of costs: a workload under a variant."""
    mine = _by_round(samples, workload, variant)
    if not mine:
        return None

    def total(name):
        return sum(sample[name] for sample in mine.values())

    return {
        "workload": workload, "variant": variant, "rounds": len(mine),
        "cpu_per_op_ns": spread([cpu_per_op(sample) for sample in mine.values()]),
        "cpu_to_bare": _compared(mine, _by_round(samples, workload, BARE), cpu_per_op),
        "cpu_to_few_rules": _compared(mine, _by_round(samples, workload, FEW), cpu_per_op),
        "throughput_kept": _compared(mine, _by_round(samples, workload, QUIET), _rate),
        "ops_per_s": spread([_rate(sample) * 1e9 for sample in mine.values()]),
        "switches_per_op": spread([sample["switches"] / sample["ops"] for sample in mine.values()]),
        "dropped": total("dropped"), "lost": total("lost"), "checked": total("checked"),
        "wrong": [task for sample in mine.values() for task in sample["wrong"]],
        "foreign": total("foreign"), "ops": total("ops"),
    }


def _figures(samples, timeouts):
    return {"samples": len(samples), "p50_ns": percentile(samples, 50),
            "p99_ns": percentile(samples, 99), "max_ns": max(samples), "timeouts": timeouts}


def latency(probes, condition, what, variant):
    """One line of the table of latencies: all rounds' samples together, and against the minimal tagger's."""
    mine = [probe for probe in probes
            if probe["condition"] == condition and probe["variant"] == variant]
    samples = [ns for probe in mine for ns in probe[what]]
    if not samples:
        return None
    line = {"condition": condition or "idle", "what": what, "variant": variant,
            **_figures(samples, sum(probe[f"{what}_timeouts"] for probe in mine))}
    if what == "exec":
        # What execve itself takes, whoever listens: the earliest that the program can look.
        mains = [ns for probe in mine for ns in probe["exec_main"]]
        line["exec_p50_ns"] = percentile(mains, 50)
        line["before_main"] = sum(tagged - main < FIRST_LOOK_NS
                                  for tagged, main in zip(samples, mains)) / len(samples)
    base = line if variant == TAGGER else latency(probes, condition, what, TAGGER)
    for name in ("p50", "p99"):
        line[f"{name}_to_tagger"] = ratio(line[f"{name}_ns"], base[f"{name}_ns"] if base else None)
    return line
