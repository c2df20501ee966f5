/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of ananicy's rules that say how to schedule. */
#include "ananicy_private.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* What ananicy sets where only the policy or the I/O class is given. */
#define DEFAULT_RTPRIO 1
#define DEFAULT_IONICE 0

static const struct {
	const char *name;
	uint8_t policy;
} policies[] = {
	{ "normal", POLICY_NORMAL }, { "other", POLICY_NORMAL }, { "batch", POLICY_BATCH },
	{ "idle", POLICY_IDLE },     { "fifo", POLICY_FIFO },	 { "rr", POLICY_RR },
};

static int put_policy(struct qos_attr *attr, const char *text)
{
	for (size_t i = 0; text && i < array_size(policies); i++) {
		if (strcmp(text, policies[i].name) == 0) {
			attr->policy = policies[i].policy;
			attr->has |= QOS_HAS_POLICY;
			return 0;
		}
	}
	return -EINVAL;
}

static int put_io_class(struct qos_attr *attr, const char *text)
{
	for (uint8_t i = 0; text && i <= IO_CLASS_IDLE; i++) {
		if (strcmp(text, io_class_name(i)) == 0) {
			attr->io_class = i;
			attr->has |= QOS_HAS_IO_CLASS;
			return 0;
		}
	}
	return -EINVAL;
}

int ananicy_put_value(struct qos_attr *attr, const char *field, const char *text,
		      const double *number)
{
	static const struct {
		const char *field;
		int min, max;
		enum qos_has has;
	} numbers[] = {
		{ "nice", -20, 19, QOS_HAS_NICE },
		{ "rtprio", 1, 99, QOS_HAS_PRIORITY },
		{ "ionice", 0, IO_LEVELS - 1, QOS_HAS_IO_LEVEL },
	};
	size_t i = 0;

	if (strcmp(field, "sched") == 0)
		return put_policy(attr, text);
	if (strcmp(field, "ioclass") == 0)
		return put_io_class(attr, text);
	while (i < array_size(numbers) && strcmp(field, numbers[i].field) != 0)
		i++;
	if (i == array_size(numbers))
		return -ENOENT;
	if (!number || *number < numbers[i].min || *number > numbers[i].max ||
	    *number != (int)*number)
		return -EINVAL;
	if (numbers[i].has == QOS_HAS_NICE)
		attr->nice = (int8_t)*number;
	else if (numbers[i].has == QOS_HAS_PRIORITY)
		attr->priority = (uint8_t)*number;
	else
		attr->io_level = (uint8_t)*number;
	attr->has |= numbers[i].has;
	return 0;
}

static void drop(struct qos_attr *attr, enum qos_has has)
{
	attr->has &= ~has;
	if (has == QOS_HAS_NICE)
		attr->nice = 0;
	else if (has == QOS_HAS_PRIORITY)
		attr->priority = 0;
	else
		attr->io_level = 0;
}

/* Takes out what has no meaning beside the rest, and puts in what ananicy sets by itself. */
static void complete(struct qos_attr *attr)
{
	const bool has_level = (attr->has & QOS_HAS_IO_CLASS) && attr->io_class != IO_CLASS_NONE &&
			       attr->io_class != IO_CLASS_IDLE;

	if (!(attr->has & QOS_HAS_POLICY) || task_policy_is_fair(attr->policy)) {
		drop(attr, QOS_HAS_PRIORITY);
	} else {
		if (!(attr->has & QOS_HAS_PRIORITY))
			attr->priority = DEFAULT_RTPRIO;
		attr->has |= QOS_HAS_PRIORITY;
		drop(attr, QOS_HAS_NICE);
	}
	if (!has_level) {
		drop(attr, QOS_HAS_IO_LEVEL);
	} else if (!(attr->has & QOS_HAS_IO_LEVEL)) {
		attr->io_level = DEFAULT_IONICE;
		attr->has |= QOS_HAS_IO_LEVEL;
	}
}

/* Field by field: not as qos_attr_merge() does it, where a level goes with its class. */
struct qos_attr ananicy_merge(const struct qos_attr *type, const struct qos_attr *own)
{
	struct qos_attr merged = *own;

	if (type) {
		merged = *type;
		if (own->has & QOS_HAS_POLICY)
			merged.policy = own->policy;
		if (own->has & QOS_HAS_NICE)
			merged.nice = own->nice;
		if (own->has & QOS_HAS_PRIORITY)
			merged.priority = own->priority;
		if (own->has & QOS_HAS_IO_CLASS)
			merged.io_class = own->io_class;
		if (own->has & QOS_HAS_IO_LEVEL)
			merged.io_level = own->io_level;
		merged.has |= own->has;
	}
	complete(&merged);
	return merged;
}
