/* SPDX-License-Identifier: GPL-2.0-only */
#include "judge.h"

/* Slices and clamps, no defaults, that a class gives: only classes set these, or who imitates one. */
static uint8_t marks_of_classes(const struct task_attr *actual, const struct given *given, const struct attr_caps *caps)
{
	const uint8_t bits = attr_difference(actual, &task_attr_pristine) &
			     (TASK_ATTR_SLICE | TASK_ATTR_UTIL_MIN | TASK_ATTR_UTIL_MAX);
	uint8_t marks = 0;

	for (size_t i = 0; bits && i < given->count; i++) {
		const struct task_attr class = qos_attr_over(&given->attrs[i], &task_attr_pristine, caps);

		/* One that is not fair has no slice of its own. */
		marks |= bits & ~attr_difference(actual, &class) & (task_policy_is_fair(class.policy) ? ~0 : ~TASK_ATTR_SLICE);
	}
	return marks;
}

/*
 * What a task that carries policy, nice value and slice of this over `had` has by it. Beside a slice that only the class
 * gives somebody may have chosen the nice value: if we did not know of that, only the policy is the class's. Else 0.
 * What somebody has changed on a task that was about to be set says nothing.
 */
static uint8_t signature(const struct task *task, const struct task_attr *over, const struct task_attr *actual)
{
	struct task_attr expected = *over;
	uint8_t other;

	/* A class does not raise what somebody lowered. */
	if (task->had.nice > 0 && over->nice < task->had.nice && actual->nice == task->had.nice)
		expected.nice = task->had.nice;
	if (task->had.policy == POLICY_IDLE && actual->policy == POLICY_IDLE) {
		expected.policy = POLICY_IDLE;
		/* No slice is set there. */
		expected.slice_ns = actual->slice_ns;
	}
	other = attr_difference(actual, &expected);
	if (task->flags & TASK_SETTING)
		return (uint8_t)~other;
	if (other & (TASK_ATTR_POLICY | TASK_ATTR_SLICE))
		return 0;
	if (!(other & TASK_ATTR_NICE))
		return (uint8_t)~other;
	if (expected.slice_ns == task->had.slice_ns)
		return 0;
	return actual->nice == task->known.nice ? (uint8_t)~other : TASK_ATTR_POLICY;
}

/* What a copy can have by a class, though its record does not say so. */
static uint8_t bits_of_classes(const struct task *task, const struct task_attr *actual, bool is_vouched,
			       const struct given *given, const struct attr_caps *caps)
{
	uint8_t bits = signature(task, &task->had, actual);

	for (size_t i = 0; i < given->count; i++) {
		const struct task_attr over = qos_attr_over(&given->attrs[i], &task->had, caps);

		bits |= signature(task, &over, actual);
	}
	/* What is real-time by somebody's choice gets no policy from us, so it has left that by a choice, too. */
	if (!task_policy_is_fair(task->had.policy))
		bits &= ~TASK_ATTR_POLICY;
	/* Below `had` anybody can go, and must not get more back than he gave up. */
	return is_vouched ? bits : bits & ~attr_above(&task->had, actual);
}

/* What somebody has chosen. */
static uint8_t chosen_bits(const struct task *task, const struct task_attr *actual, bool is_vouched,
			   const struct given *given, const struct attr_caps *caps)
{
	const uint8_t bits = attr_difference(actual, &task->known);

	if (!bits || !((task->flags & TASK_COPY) || is_vouched))
		return bits;
	return bits & ~bits_of_classes(task, actual, is_vouched, given, caps);
}

static bool can_have_policy(const struct task *task, const struct task_attr *actual, const struct given *given)
{
	const struct task_attr *had = &task->had, *known = &task->known;
	const bool is_copy = task->flags & TASK_COPY;
	const int found = attr_rank(actual->policy, actual->rt_priority);

	if (found && task_policy_is_fair(had->policy))
		return found > (is_copy ? given->highest_rank : known->rt_priority);
	if (had->policy == POLICY_IDLE && task_policy_is_fair(actual->policy))
		return known->policy == POLICY_IDLE && !(is_copy && given->raised_idle);
	return true;
}

/* The attributes that had may take: nobody gets more than he could take himself. */
static uint8_t can_have(const struct task *task, const struct task_attr *actual, const struct given *given)
{
	uint8_t bits = (uint8_t)~0;

	if (!can_have_policy(task, actual, given))
		bits &= ~TASK_ATTR_POLICY;
	if ((task->flags & (TASK_COPY | TASK_TOUCHED)) && actual->nice < task->had.nice &&
	    actual->nice >= given->lowest_nice)
		bits &= ~TASK_ATTR_NICE;
	if (io_priority_is_privileged(task->had.io_priority, actual->io_priority) &&
	    !io_priority_is_privileged(given->highest_io, actual->io_priority))
		bits &= ~TASK_ATTR_IO_PRIORITY;
	return bits;
}

/* Somebody has given its origin reset-on-fork since we looked at that: the slice is lost (sched_fork in core.c). */
static bool is_born_reset(const struct task *task, const struct task_attr *actual)
{
	return (task->flags & TASK_COPY) && task->known.slice_ns && !actual->slice_ns &&
	       task_policy_is_fair(actual->policy) && task_policy_is_fair(task->known.policy) &&
	       task_policy_is_fair(task->had.policy);
}

static void reset(struct task_attr *attr)
{
	attr->reset_on_fork = 1;
	*attr = attr_after_fork(attr);
}

/* In this order: if we are killed halfway, judging what is there gives the same result. See task_publish(). */
static void record(struct task *task, const struct task *judged)
{
	task->had = judged->had;
	task_publish();
	task->theirs = judged->theirs;
	task_publish();
	task->known = judged->known;
}

void judge(struct task *task, const struct task_attr *actual, bool is_vouched, const struct given *given,
	   const struct attr_caps *caps)
{
	struct task judged = *task;
	const bool is_as_known = !task->theirs && !attr_difference(actual, &task->known);
	const uint8_t marks = is_as_known ? 0 : marks_of_classes(actual, given, caps);
	uint8_t chosen = chosen_bits(&judged, actual, is_vouched, given, caps) & ~marks;

	if (chosen && is_born_reset(task, actual)) {
		reset(&judged.had);
		reset(&judged.known);
		chosen = chosen_bits(&judged, actual, is_vouched, given, caps) & ~marks;
	}
	attr_copy(&judged.had, actual, chosen & can_have(&judged, actual, given));
	judged.theirs = (judged.theirs & ~marks) | chosen;
	attr_copy(&judged.known, actual, attr_difference(actual, &judged.known));
	/* Not judged; but SCHED_DEADLINE comes with it. */
	if (actual->policy != POLICY_DEADLINE || judged.had.policy == POLICY_DEADLINE)
		judged.had.reset_on_fork = actual->reset_on_fork;
	judged.known.reset_on_fork = actual->reset_on_fork;
	record(task, &judged);
}
