/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts overrides and classes of units in force, and ends them; each function returns when the tasks carry the result. */
#include "tagger_private.h"

/* The tasks that an override marks are due now, whatever else is queued. */
static void decide_now(struct tagger *tagger)
{
	events_drain(tagger);
	due_decide(tagger);
}

int tagger_override(struct tagger *tagger, const struct override *asked, uint16_t *ret_number)
{
	struct override complete = *asked, *override = &complete;
	char app[PATH_MAX];
	int r = override->kind == OVERRIDE_SHOWN ? scan_app(tagger, override, app) : 0;

	if (r < 0)
		return r;
	events_drain(tagger);
	if (override->kind == OVERRIDE_CLASS && override->uid && !override->raises &&
	    plan_override_needs_raise(tagger->plan, override->qos, override->pid))
		return -EACCES;
	r = plan_override_add(tagger->plan, override, ret_number);
	if (r < 0)
		return r;
	tagger_follow_classes(tagger);
	if (!override->cgroup)
		r = scan_tree(tagger, *ret_number);
	if (r < 0)
		plan_override_remove(tagger->plan, *ret_number);
	decide_now(tagger);
	return r;
}

const struct override *tagger_get_override(const struct tagger *tagger, uint16_t number)
{
	return overrides_get(plan_overrides(tagger->plan), number);
}

void tagger_end_override(struct tagger *tagger, uint16_t number)
{
	overrides_disable(plan_overrides(tagger->plan), number);
	scan_covered(tagger, number);
	plan_override_remove(tagger->plan, number);
	traced_update(tagger);
	decide_now(tagger);
}

int tagger_set_units(struct tagger *tagger, uid_t uid, const struct unit_class *units, size_t n)
{
	int r = plan_set_units(tagger->plan, uid, units, n);

	if (r < 0)
		return r;
	tagger_follow_classes(tagger);
	decide_now(tagger);
	return 0;
}
