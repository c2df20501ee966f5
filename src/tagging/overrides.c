/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts overrides in force and ends them; each function returns when the tasks carry the result. */
#include "tagger_private.h"

#include <schedqos/util/clock.h>

/* The tasks that an override marks are due now, whatever else is queued. */
static void decide_now(struct tagger *tagger)
{
	events_drain(tagger);
	decide_due(tagger, true);
}

int tagger_override(struct tagger *tagger, const struct override *override, pid_t pid, uint64_t start,
		    uint16_t *ret_number)
{
	int r = plan_override_add(tagger->plan, override, clock_ms(), ret_number);

	if (r < 0)
		return r;
	tagger_follow_classes(tagger);
	if (!override->cgroup)
		r = scan_tree(tagger, pid, start, override->is_tree, *ret_number);
	if (r < 0)
		plan_override_remove(tagger->plan, *ret_number, clock_ms());
	decide_now(tagger);
	return r;
}

enum plan_objection tagger_objection(struct tagger *tagger, pid_t pid, const struct qos_class *class,
				     uint8_t *ret_raised)
{
	plan_look_at(tagger->plan, pid, clock_ms());
	decide_now(tagger);
	return plan_override_objection(tagger->plan, pid, class, ret_raised);
}

int tagger_change_override(struct tagger *tagger, uint16_t number, const char *qos)
{
	int r = plan_override_change(tagger->plan, number, qos, clock_ms());

	decide_now(tagger);
	return r;
}

const char *tagger_override_class(const struct tagger *tagger, uint16_t number)
{
	return plan_override_class(tagger->plan, number);
}

void tagger_end_override(struct tagger *tagger, uint16_t number)
{
	plan_override_remove(tagger->plan, number, clock_ms());
	moves_update(tagger);
	processors_update(tagger);
	decide_now(tagger);
}
