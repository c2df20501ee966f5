/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts overrides and classes of units in force, and ends them. Each function returns once the tasks have been set. */
#include "parts.h"

#include <string.h>

/* Removes ended overrides. First, processes of a limit that has ended join higher limits of the same user. */
static void remove_ended(struct tagger *tagger)
{
	const int r = scan_rejoin(tagger);

	/* Do not try again: until that succeeded, the ended overrides would have to stay in force. */
	if (r < 0)
		problem_report(&tagger->tally.problems[PROBLEM_SCAN],
			       "processes of a limit that has ended may lose a higher limit, too: %s", strerror(-r));
	plan_remove_ended(tagger->decider.plan);
}

int tagger_override(struct tagger *tagger, const struct override *asked, uint16_t *ret_number, uint64_t *ret_lowered)
{
	uint64_t before;
	struct override complete = *asked, *override = &complete;
	char app[PATH_MAX];
	int r = 0;

	if (override->kind == OVERRIDE_SHOWN)
		r = scan_app(tagger, override->pid, override->uid, &override->visibility, app);
	if (r < 0)
		return r;
	decider_drain(&tagger->decider);
	if (plan_override_needs_raise(tagger->decider.plan, override))
		return -EACCES;
	before = tagger->decider.n_lowered;
	r = plan_override_add(tagger->decider.plan, override, ret_number);
	if (r < 0)
		return r;
	heard_update(&tagger->heard);
	if (!override_cgroup(override))
		r = scan_join(tagger, *ret_number);
	if (r < 0) {
		overrides_end(plan_overrides(tagger->decider.plan), *ret_number);
		remove_ended(tagger);
	}
	decider_drain(&tagger->decider);
	*ret_lowered = tagger->decider.n_lowered - before;
	return r;
}

const struct overrides *tagger_overrides(const struct tagger *tagger)
{
	return plan_overrides(tagger->decider.plan);
}

size_t tagger_end_overrides(struct tagger *tagger, override_test *ends, const void *context)
{
	struct overrides *overrides = plan_overrides(tagger->decider.plan);
	const struct override *override;
	uint16_t number = 0;
	size_t count = 0;

	while ((override = overrides_next(overrides, &number))) {
		if (ends(override, context)) {
			overrides_end(overrides, number);
			count++;
		}
	}
	if (!count)
		return 0;
	remove_ended(tagger);
	heard_update(&tagger->heard);
	decider_drain(&tagger->decider);
	return count;
}

const struct units *tagger_units(const struct tagger *tagger)
{
	return plan_units(tagger->decider.plan);
}

int tagger_set_units(struct tagger *tagger, uid_t uid, const struct unit_class *units, size_t n)
{
	int r = plan_set_units(tagger->decider.plan, uid, units, n);

	if (r < 0)
		return r;
	heard_update(&tagger->heard);
	decider_drain(&tagger->decider);
	return 0;
}
