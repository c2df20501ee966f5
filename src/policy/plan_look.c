/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the attributes that a task carries, and tells custom slices from base slices. */
#include "plan_private.h"

/*
 * Returns whether this slice has been the base slice. The kernel reports the base slice for a task without a custom
 * slice, and goes on reporting the old one for some time after a change.
 */
static bool was_base_slice(const struct plan *plan, uint32_t slice_ns)
{
	for (size_t i = 0; i < BASES_MAX && i < plan->n_bases; i++) {
		if (plan->bases[i] == slice_ns)
			return true;
	}
	return false;
}

void plan_note_base(struct plan *plan)
{
	const uint32_t base = plan->caps->base_slice_ns;

	if (!was_base_slice(plan, base))
		plan->bases[plan->n_bases++ % BASES_MAX] = base;
}

void plan_make_comparable(const struct plan *plan, struct task_attr *attr, const struct task_attr *known)
{
	if (attr->slice_ns != known->slice_ns &&
	    (attr->slice_ns == plan->caps->base_slice_ns || was_base_slice(plan, attr->slice_ns)))
		attr->slice_ns = 0;
}

int plan_read_attr(const struct plan *plan, struct facts *facts, const struct task_attr *known, struct task_attr *ret)
{
	int r = facts_need(facts, FACT_ATTR);

	if (r < 0)
		return r;
	*ret = facts->attr;
	plan_make_comparable(plan, ret, known);
	/* If the slice is unknown, the base slice may have changed: read it again. */
	if (ret->slice_ns && ret->slice_ns != known->slice_ns) {
		facts_need(facts, FACT_BASE);
		plan_make_comparable(plan, ret, known);
	}
	return 0;
}
