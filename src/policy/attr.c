/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/attr.h>

#include <stdio.h>

const struct task_attr task_attr_pristine = {
	.policy = POLICY_NORMAL,
	.util_max = UTIL_FULL,
};

bool task_policy_is_fair(unsigned policy)
{
	return policy == POLICY_NORMAL || policy == POLICY_BATCH || policy == POLICY_IDLE;
}

const char *task_policy_name(unsigned policy)
{
	static const char *const names[] = {
		[POLICY_NORMAL] = "SCHED_NORMAL", [POLICY_FIFO] = "SCHED_FIFO",
		[POLICY_RR] = "SCHED_RR",	  [POLICY_BATCH] = "SCHED_BATCH",
		[POLICY_IDLE] = "SCHED_IDLE",	  [POLICY_DEADLINE] = "SCHED_DEADLINE",
		[POLICY_EXT] = "SCHED_EXT",
	};

	if (policy >= sizeof(names) / sizeof(names[0]) || !names[policy])
		return "SCHED_?";
	return names[policy];
}

bool task_attr_equal(const struct task_attr *a, const struct task_attr *b)
{
	return a->policy == b->policy && a->nice == b->nice && a->rt_priority == b->rt_priority &&
	       a->slice_ns == b->slice_ns && a->util_min == b->util_min &&
	       a->util_max == b->util_max && a->io_priority == b->io_priority;
}

bool task_attr_is_pristine(const struct task_attr *attr)
{
	return task_attr_equal(attr, &task_attr_pristine);
}

const char *io_class_name(enum io_class class)
{
	static const char *const names[] = {
		[IO_CLASS_NONE] = "none",
		[IO_CLASS_REALTIME] = "realtime",
		[IO_CLASS_BEST_EFFORT] = "best-effort",
		[IO_CLASS_IDLE] = "idle",
	};

	return names[class];
}

bool io_priority_is_privileged(uint8_t from, uint8_t to)
{
	if (IO_CLASS(to) != IO_CLASS_REALTIME)
		return false;
	return IO_CLASS(from) != IO_CLASS_REALTIME || IO_LEVEL(to) < IO_LEVEL(from);
}

unsigned task_io_order(const struct task_attr *attr)
{
	switch (IO_CLASS(attr->io_priority)) {
	case IO_CLASS_REALTIME:
		return IO_LEVEL(attr->io_priority);
	case IO_CLASS_BEST_EFFORT:
		return IO_LEVELS + IO_LEVEL(attr->io_priority);
	case IO_CLASS_IDLE:
		return 2 * IO_LEVELS;
	case IO_CLASS_NONE:
		break;
	}
	if (attr->policy == POLICY_IDLE)
		return 2 * IO_LEVELS;
	return (task_policy_is_fair(attr->policy) ? IO_LEVELS : 0) + (attr->nice + 20) / 5;
}

static int io_text(uint8_t io_priority, char *buf, size_t size)
{
	const enum io_class class = IO_CLASS(io_priority);

	if (class == IO_CLASS_REALTIME || class == IO_CLASS_BEST_EFFORT)
		return snprintf(buf, size, " io %s %d", io_class_name(class), IO_LEVEL(io_priority));
	return snprintf(buf, size, " io %s", io_class_name(class));
}

char *task_attr_text(const struct task_attr *attr, char buf[TASK_ATTR_TEXT_MAX])
{
	int n = snprintf(buf, TASK_ATTR_TEXT_MAX, "%s", task_policy_name(attr->policy));

	if (task_policy_is_fair(attr->policy))
		n += snprintf(buf + n, TASK_ATTR_TEXT_MAX - n, " nice %d", attr->nice);
	if (attr->rt_priority)
		n += snprintf(buf + n, TASK_ATTR_TEXT_MAX - n, " priority %u", attr->rt_priority);
	if (attr->slice_ns)
		n += snprintf(buf + n, TASK_ATTR_TEXT_MAX - n, " slice %g ms",
			      attr->slice_ns / 1e6);
	if (attr->util_min || attr->util_max != UTIL_FULL)
		n += snprintf(buf + n, TASK_ATTR_TEXT_MAX - n, " util %u..%u", attr->util_min,
			      attr->util_max);
	if (attr->io_priority)
		io_text(attr->io_priority, buf + n, TASK_ATTR_TEXT_MAX - n);
	return buf;
}
