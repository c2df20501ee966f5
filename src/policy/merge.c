/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/merge.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_real_time(unsigned policy)
{
	return policy == POLICY_FIFO || policy == POLICY_RR;
}

/* Precedence in the scheduler: 0 for fair tasks, the priority for real-time ones, then deadline. */
static int rank(unsigned policy, unsigned priority)
{
	if (is_real_time(policy))
		return (int)priority;
	return policy == POLICY_DEADLINE ? 100 : 0;
}

static void note_io_priority(struct given *given, const struct qos_attr *attr)
{
	const uint8_t io_priority = qos_attr_io_priority(attr);

	given->has_io_priority = true;
	if (io_priority_is_privileged(given->highest_io, io_priority))
		given->highest_io = io_priority;
}

int given_add(struct given *given, const struct qos_attr *attr)
{
	struct qos_attr *attrs;

	if (!given->count)
		given->lowest_nice = GIVEN_NO_NICE;
	for (size_t i = 0; i < given->count; i++) {
		if (qos_attr_equal(&given->attrs[i], attr))
			return 0;
	}
	attrs = reallocarray(given->attrs, given->count + 1, sizeof(*attrs));
	if (!attrs)
		return -ENOMEM;
	given->attrs = attrs;
	attrs[given->count++] = *attr;
	if ((attr->has & QOS_HAS_NICE) && attr->nice < given->lowest_nice)
		given->lowest_nice = attr->nice;
	if ((attr->has & QOS_HAS_POLICY) && rank(attr->policy, attr->priority) > given->highest_rank)
		given->highest_rank = rank(attr->policy, attr->priority);
	if (attr->has & QOS_HAS_IO_CLASS)
		note_io_priority(given, attr);
	return 0;
}

void given_clear(struct given *given)
{
	free(given->attrs);
	*given = (struct given){ .lowest_nice = GIVEN_NO_NICE };
}

uint8_t attr_difference(const struct task_attr *actual, const struct task_attr *known)
{
	uint8_t bits = 0;

	if (actual->policy != known->policy || actual->rt_priority != known->rt_priority)
		bits |= TASK_ATTR_POLICY;
	if (actual->nice != known->nice)
		bits |= TASK_ATTR_NICE;
	if (task_policy_is_fair(actual->policy) && actual->slice_ns != known->slice_ns)
		bits |= TASK_ATTR_SLICE;
	if (actual->util_min != known->util_min)
		bits |= TASK_ATTR_UTIL_MIN;
	if (actual->util_max != known->util_max)
		bits |= TASK_ATTR_UTIL_MAX;
	if (actual->io_priority != known->io_priority)
		bits |= TASK_ATTR_IO_PRIORITY;
	return bits;
}

void attr_copy(struct task_attr *to, const struct task_attr *from, uint8_t bits)
{
	if (bits & TASK_ATTR_POLICY) {
		to->policy = from->policy;
		to->rt_priority = from->rt_priority;
	}
	if (bits & TASK_ATTR_NICE)
		to->nice = from->nice;
	if (bits & TASK_ATTR_SLICE)
		to->slice_ns = from->slice_ns;
	if (bits & TASK_ATTR_UTIL_MIN)
		to->util_min = from->util_min;
	if (bits & TASK_ATTR_UTIL_MAX)
		to->util_max = from->util_max;
	if (bits & TASK_ATTR_IO_PRIORITY)
		to->io_priority = from->io_priority;
}

uint8_t attr_above(const struct task_attr *attr, const struct task_attr *than)
{
	uint8_t bits = 0;

	if (rank(attr->policy, attr->rt_priority) > rank(than->policy, than->rt_priority) ||
	    (attr->policy != POLICY_IDLE && than->policy == POLICY_IDLE))
		bits |= TASK_ATTR_POLICY;
	if (attr->nice < than->nice)
		bits |= TASK_ATTR_NICE;
	if (io_priority_is_privileged(than->io_priority, attr->io_priority))
		bits |= TASK_ATTR_IO_PRIORITY;
	return bits;
}

/*
 * Whether had may take the policy found. unverified: any of our classes may have given it; uncertain: known, too, may
 * be of another task.
 */
static bool can_have_policy(const struct merge *record, const struct task_attr *actual, const struct given *given,
			    bool unverified, bool uncertain)
{
	const struct task_attr *had = &record->had, *known = &record->known;
	const int found = rank(actual->policy, actual->rt_priority);

	if (found && task_policy_is_fair(had->policy)) {
		const int ours = is_real_time(known->policy) ? known->rt_priority : 0;

		return found > (unverified ? given->highest_rank : ours);
	}
	if (had->policy == POLICY_IDLE && task_policy_is_fair(actual->policy))
		return known->policy == POLICY_IDLE && !uncertain;
	return true;
}

/* The attributes that had may take from actual. */
static uint8_t can_have(const struct merge *record, const struct task_attr *actual, const struct given *given,
			bool unverified, bool uncertain)
{
	const struct task_attr *had = &record->had;
	uint8_t bits = (uint8_t)~0;

	if (!can_have_policy(record, actual, given, unverified, uncertain))
		bits &= ~TASK_ATTR_POLICY;
	if (actual->nice < had->nice && actual->nice >= given->lowest_nice)
		bits &= ~TASK_ATTR_NICE;
	if (io_priority_is_privileged(had->io_priority, actual->io_priority) &&
	    !io_priority_is_privileged(given->highest_io, actual->io_priority))
		bits &= ~TASK_ATTR_IO_PRIORITY;
	return bits;
}

/* Records the attributes in `bits` as somebody's choice, and all of actual as known. */
static void take(struct merge *record, const struct task_attr *actual, uint8_t bits, const struct given *given,
		 bool unverified, bool uncertain)
{
	attr_copy(&record->had, actual, bits & can_have(record, actual, given, unverified, uncertain));
	record->theirs |= bits;
	attr_copy(&record->known, actual, attr_difference(actual, &record->known));
}

void merge_found(struct merge *record, const struct task_attr *actual, const struct given *given)
{
	take(record, actual, attr_difference(actual, &record->known), given, false, false);
}

void merge_limit_had(struct merge *record, const struct task_attr *had, const struct given *given)
{
	const struct merge limit = { .had = *had };

	attr_copy(&record->had, had, ~can_have(&limit, &record->had, given, true, true));
}

/*
 * Which of the attributes in `bits` the class gives. A slice, clamp or I/O priority is enough evidence by itself. A
 * policy, of which there are few, needs the slice and clamps of its class as well, or its nice value if the kernel has
 * no slices.
 */
static uint8_t bits_of_class(const struct task_attr *class, const struct task_attr *actual, uint8_t bits,
			     const struct attr_caps *caps)
{
	const uint8_t other = attr_difference(actual, class);
	/* A default value is no evidence, even if a class gives it, too. */
	const uint8_t marks = attr_difference(actual, &task_attr_pristine) | TASK_ATTR_POLICY;
	uint8_t ours = bits & marks & ~other & ~TASK_ATTR_NICE;

	if (!task_policy_is_fair(class->policy))
		ours &= ~TASK_ATTR_SLICE;
	if (actual->policy == POLICY_IDLE || (other & ~(TASK_ATTR_IO_PRIORITY | (caps->slice ? TASK_ATTR_NICE : 0))))
		ours &= ~TASK_ATTR_POLICY;
	return ours;
}

void merge_unverified(struct merge *record, const struct task_attr *actual, const struct given *given,
		   const struct attr_caps *caps, bool uncertain)
{
	const uint8_t bits = attr_difference(actual, &record->known);
	uint8_t ours = 0;

	for (size_t i = 0; i < given->count; i++) {
		struct task_attr class = qos_attr_over(&given->attrs[i], &record->had, caps);

		ours |= bits_of_class(&class, actual, bits, caps);
	}
	/* A task that is real-time or SCHED_IDLE by somebody's choice gets no policy from us. */
	if (!task_policy_is_fair(record->had.policy) || record->had.policy == POLICY_IDLE)
		ours &= ~TASK_ATTR_POLICY;
	take(record, actual, bits & ~ours, given, true, uncertain);
}

void merge_earlier(struct merge *record, const struct task_attr *actual, const struct given *given,
		   const struct attr_caps *caps)
{
	uint8_t bits = attr_difference(actual, &record->had);

	for (size_t i = 0; i < given->count; i++) {
		struct task_attr class = qos_attr_over(&given->attrs[i], &record->had, caps);

		bits &= attr_difference(actual, &class);
	}
	attr_copy(&record->had, actual, bits & can_have(record, actual, given, true, true));
	attr_copy(&record->known, actual, attr_difference(actual, &record->known));
}

struct task_attr attr_after_fork(const struct task_attr *attr)
{
	struct task_attr born = *attr;

	if (!attr->reset_on_fork)
		return born;
	if (!task_policy_is_fair(born.policy)) {
		born.policy = POLICY_NORMAL;
		born.nice = 0;
		born.rt_priority = 0;
	} else if (born.nice < 0) {
		born.nice = 0;
	}
	born.slice_ns = 0;
	born.util_min = 0;
	born.util_max = UTIL_FULL;
	born.reset_on_fork = 0;
	return born;
}

void merge_reset_on_fork(struct merge *record, const struct task_attr *actual)
{
	if (actual->policy != POLICY_DEADLINE || record->had.policy == POLICY_DEADLINE)
		record->had.reset_on_fork = actual->reset_on_fork;
	record->known.reset_on_fork = actual->reset_on_fork;
}
