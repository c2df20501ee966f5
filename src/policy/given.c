/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/given.h>

#include <errno.h>
#include <stdlib.h>

void given_init(struct given *given)
{
	*given = (struct given){ .lowest_nice = NICE_NONE, .raised_nice = -20 };
}

int given_add(struct given *given, const struct qos_attr *attr)
{
	struct qos_attr *attrs;
	const uint8_t io = attr->has & QOS_HAS_IO_CLASS ? qos_attr_io_priority(attr) : 0;

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
	if ((attr->has & QOS_HAS_POLICY) && attr_rank(attr->policy, attr->priority) > given->highest_rank)
		given->highest_rank = attr_rank(attr->policy, attr->priority);
	given->has_io_priority |= attr->has & QOS_HAS_IO_CLASS;
	if (io_priority_is_privileged(given->highest_io, io))
		given->highest_io = io;
	return 0;
}

void given_clear(struct given *given)
{
	free(given->attrs);
	given_init(given);
}

void given_note_raise(struct given *given, const struct task_attr *had, const struct task_attr *carries)
{
	if (carries->nice < had->nice && had->nice > given->raised_nice)
		given->raised_nice = had->nice;
	given->raised_idle |= had->policy == POLICY_IDLE && carries->policy != POLICY_IDLE;
}

void given_lower(const struct given *given, const struct task_attr *carries, struct task_attr *had)
{
	if (carries->nice < given->raised_nice && carries->nice >= given->lowest_nice && had->nice < given->raised_nice)
		had->nice = given->raised_nice;
	if (given->raised_idle && carries->policy != POLICY_IDLE)
		had->policy = POLICY_IDLE;
}

bool given_fits(const struct given *given, const struct task_attr *carries, const struct attr_caps *caps)
{
	for (size_t i = 0; i < given->count; i++) {
		const struct task_attr class = qos_attr_over(&given->attrs[i], &task_attr_pristine, caps);
		const uint8_t other = attr_difference(carries, &class);

		/* Where there are slices, a class that has none and does not raise tells of nothing: anybody may choose the same. */
		if (caps->slice && !class.slice_ns && task_policy_is_fair(class.policy) && class.nice >= 0)
			continue;
		/* Real time hides the slice. */
		if (class.slice_ns ? class.slice_ns == carries->slice_ns && task_policy_is_fair(carries->policy)
				   : !task_attr_is_pristine(&class) && !(other & (TASK_ATTR_POLICY | TASK_ATTR_NICE)))
			return true;
	}
	return false;
}
