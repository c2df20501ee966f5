/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Children born before we came to what somebody had made of their parent. The parent's record tells what it is now;
 * what it was then, and over what it had, is noted here for as long as a fork of that time may still be announced.
 */
#include "plan_private.h"

void plan_note_overruled(struct plan *plan, const struct task *task, uint32_t ms, const struct task_attr *from,
			 const struct task_attr *had)
{
	plan->overruled[plan->n_overruled++ % OVERRULED_MAX] =
		(struct overruled){ task->tid, task->start, ms, *from, *had };
}

bool plan_note_children(struct plan *plan, const struct task *task, uint32_t ms)
{
	if (!(task->flags & TASK_OWNED) || !task_policy_is_fair(task->had.policy))
		return false;
	plan_note_overruled(plan, task, ms, &task->known, &task->had);
	return true;
}

/* From the newest, 0, back. */
static const struct overruled *nth_overruled(const struct plan *plan, size_t n)
{
	return &plan->overruled[(plan->n_overruled - 1 - n) % OVERRULED_MAX];
}

static bool is_overruled(const struct overruled *overruled, const struct task *origin, const struct task_attr *attr,
			 uint32_t since_ms)
{
	return overruled->tid == origin->tid && overruled->start == origin->start &&
	       (int32_t)(overruled->ms - since_ms) >= 0 && task_attr_equal(&overruled->from, attr);
}

/* Until we come to the child, its own children are born with the same. */
static bool take_overruled(struct plan *plan, struct task *child, const struct overruled *found, uint32_t now_ms)
{
	struct overruled overruled;

	if (!found)
		return false;
	overruled = *found;
	task_set_had(child, &overruled.had);
	plan_note_overruled(plan, child, now_ms, &overruled.from, &overruled.had);
	return true;
}

/* The newest, for the child may have been born after those before it. */
bool plan_was_overruled(struct plan *plan, const struct task *origin, struct task *child, const struct task_attr *attr,
			uint32_t since_ms, uint32_t now_ms)
{
	const struct overruled *found = NULL;

	for (size_t n = 0; n < OVERRULED_MAX && !found; n++) {
		if (is_overruled(nth_overruled(plan, n), origin, attr, since_ms))
			found = nth_overruled(plan, n);
	}
	return take_overruled(plan, child, found, now_ms);
}

/* The oldest, for the child was born before all of them. */
bool plan_was_born_before(struct plan *plan, const struct task *origin, struct task *child,
			  const struct task_attr *attr, uint32_t fork_ms, uint32_t now_ms)
{
	const struct overruled *found = NULL;

	for (size_t n = 0; n < OVERRULED_MAX; n++) {
		if (is_overruled(nth_overruled(plan, n), origin, attr, fork_ms))
			found = nth_overruled(plan, n);
	}
	return take_overruled(plan, child, found, now_ms);
}

void plan_note_birth(const struct plan *plan, const struct task *origin, struct task *child,
		     const struct task_attr *attr, uint32_t since_ms)
{
	if (attr->slice_ns == 0 || attr->slice_ns == child->known.slice_ns)
		return;
	for (size_t n = 0; n < OVERRULED_MAX; n++) {
		const struct overruled *overruled = nth_overruled(plan, n);

		if (overruled->from.slice_ns != attr->slice_ns || overruled->had.slice_ns == attr->slice_ns ||
		    !is_overruled(overruled, origin, &overruled->from, since_ms))
			continue;
		task_set_had(child, &overruled->had);
		child->known = overruled->from;
		task_set_owned(child);
		return;
	}
}

void plan_hand_down(struct plan *plan, const struct task *origin, const struct task *child, uint32_t since_ms)
{
	const size_t end = plan->n_overruled;

	for (size_t i = end < OVERRULED_MAX ? 0 : end - OVERRULED_MAX; i < end; i++) {
		const struct overruled overruled = plan->overruled[i % OVERRULED_MAX];

		if (is_overruled(&overruled, origin, &overruled.from, since_ms))
			plan_note_overruled(plan, child, overruled.ms, &overruled.from, &overruled.had);
	}
}
