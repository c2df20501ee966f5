# SPDX-License-Identifier: GPL-2.0-only
"""
Several runs of the same as one result. Each run is a block: rounds are compared within their run, and nothing is claimed
that one of the runs contradicts.
"""

from ..process import Failure

_SAME = ("commands", "options", "seconds", "rules")


def _check(first, other, name):
    for what in ("scenarios", "variants"):
        if first[what].keys() != other[what].keys():
            raise Failure(f"{name} has other {what}: to measure something again, measure all of it again")
    for scenario, described in first["scenarios"].items():
        for key in _SAME:
            if described.get(key) != other["scenarios"][scenario].get(key) and key != "commands":
                raise Failure(f"{name}: {scenario} was measured with other {key}")
    if first.get("exclude_above") != other.get("exclude_above"):
        raise Failure(f"{name}: rounds were to be left out by another rule")


def pooled(results, names):
    """Returns the result of all rounds, numbered on from run to run."""
    found, last = {**results[0], "rounds": [], "findings": [], "skipped": [], "runs": []}, 0
    for run, (each, name) in enumerate(zip(results, names), 1):
        _check(results[0], each, name)
        found["runs"].append({key: each.get(key) for key in ("began", "seed", "command", "finished", "seconds")})
        found["rounds"] += [{**one, "run": run, "round": one["round"] + last} for one in each["rounds"]]
        found["findings"] += [one for one in each["findings"] if one not in found["findings"]]
        found["skipped"] += [one for one in each.get("skipped", []) if one not in found["skipped"]]
        last += max((one["round"] for one in each["rounds"]), default=0)
    found["seconds"] = sum(each["seconds"] for each in results)
    found["finished"] = all(each.get("finished") for each in results)
    return found
