/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares, copies and prints the attributes of tasks. */
#include <schedqos/policy/task_attr.h>

#include <stdio.h>

#include <schedqos/util/cleanup.h>

const struct task_attr task_attr_pristine = {
	.policy = POLICY_NORMAL,
	.util_max = UTIL_FULL,
};

const struct word task_policy_words[] = {
	{ "SCHED_NORMAL", POLICY_NORMAL }, { "SCHED_OTHER", POLICY_NORMAL }, { "SCHED_BATCH", POLICY_BATCH },
	{ "SCHED_IDLE", POLICY_IDLE },	   { "SCHED_FIFO", POLICY_FIFO },    { "SCHED_RR", POLICY_RR },
	{ "SCHED_DEADLINE", POLICY_DEADLINE }, { "SCHED_EXT", POLICY_EXT },
};

const char *task_policy_name(unsigned policy)
{
	for (size_t i = 0; i < array_size(task_policy_words); i++) {
		if ((unsigned)task_policy_words[i].number == policy)
			return task_policy_words[i].text;
	}
	return "SCHED_?";
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

int attr_rank(unsigned policy, unsigned priority)
{
	if (policy == POLICY_FIFO || policy == POLICY_RR)
		return (int)priority;
	return policy == POLICY_DEADLINE ? 100 : 0;
}

bool task_attr_equal(const struct task_attr *a, const struct task_attr *b)
{
	return !attr_difference(a, b) && a->slice_ns == b->slice_ns;
}

bool task_attr_is_pristine(const struct task_attr *attr)
{
	return task_attr_equal(attr, &task_attr_pristine);
}

const struct word io_class_words[] = {
	{ "none", IO_CLASS_NONE },
	{ "realtime", IO_CLASS_REALTIME },
	{ "best-effort", IO_CLASS_BEST_EFFORT },
	{ "idle", IO_CLASS_IDLE },
};

const char *io_class_name(enum io_class class)
{
	return io_class_words[class].text;
}

bool io_priority_is_privileged(uint8_t from, uint8_t to)
{
	if (IO_CLASS(to) != IO_CLASS_REALTIME)
		return false;
	return IO_CLASS(from) != IO_CLASS_REALTIME || IO_LEVEL(to) < IO_LEVEL(from);
}

uint8_t attr_above(const struct task_attr *attr, const struct task_attr *than)
{
	uint8_t bits = 0;

	if (attr_rank(attr->policy, attr->rt_priority) > attr_rank(than->policy, than->rt_priority) ||
	    (attr->policy != POLICY_IDLE && than->policy == POLICY_IDLE))
		bits |= TASK_ATTR_POLICY;
	if (attr->nice < than->nice)
		bits |= TASK_ATTR_NICE;
	if (io_priority_is_privileged(than->io_priority, attr->io_priority))
		bits |= TASK_ATTR_IO_PRIORITY;
	return bits;
}

struct task_attr attr_least(const struct task_attr *a, const struct task_attr *b)
{
	struct task_attr least = *a;

	attr_copy(&least, b, attr_above(a, b));
	return least;
}

struct task_attr attr_after_fork(const struct task_attr *attr)
{
	struct task_attr born = *attr;

	if (!attr->reset_on_fork)
		return born;
	/* SCHED_EXT stays, and so does its nice value unless it is negative (sched_fork in sched/core.c). */
	if (attr_rank(born.policy, born.rt_priority)) {
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
