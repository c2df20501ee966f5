# SPDX-License-Identifier: GPL-2.0-only
"""
The one rule by which rounds are left out, the same for all scenarios and fixed before the first round: a round does not
count for any variant if, while one of them was measured, others took too much of the CPUs, or heat slowed these down.
"""

SHARE = 0.10  # of all CPUs: of a result that says nothing else


def limit(result):
    return result.get("exclude_above", SHARE)


def reason(result, each):
    """Returns why a variant's round is disturbed, or None."""
    taken = (each.get("other_load") or 0) + (each.get("steal_share") or 0)
    if each.get("throttled"):
        return "the CPUs were slowed down because of heat"
    return f"others took {taken:.0%} of the CPUs" if taken > limit(result) else None


def excluded(result, scenario):
    """Returns {round: [(variant, reason), ...]} of the rounds that do not count."""
    found = {}
    for each in result["rounds"]:
        why = reason(result, each) if each["scenario"] == scenario and not each.get("warmup") else None
        if why:
            found.setdefault(each["round"], []).append((each["variant"], why))
    return found
