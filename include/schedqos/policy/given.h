/* SPDX-License-Identifier: GPL-2.0-only */
/* What classes have given since the first start after boot: what a task carries may be ours by one of these. */
#pragma once

#include <schedqos/policy/qos_class.h>

struct given {
	struct qos_attr *attrs; /* each once; NULL when there are none */
	size_t count;
	int8_t lowest_nice; /* of any of them, else NICE_NONE */
	int highest_rank;   /* of any of them: see attr_rank */
	bool has_io_priority; /* any of them has an I/O class */
	uint8_t highest_io;   /* the highest real-time I/O priority of any of them, else 0 */
	int8_t raised_nice;   /* the highest `had` above which a class was ever put on a task, else -20 */
	bool raised_idle;     /* a class has taken a task out of SCHED_IDLE */
};
#define NICE_NONE 20

void given_init(struct given *given);

/* Adds attr if it is not there yet. 0 or -ENOMEM. given_clear frees. */
int given_add(struct given *given, const struct qos_attr *attr);
void given_clear(struct given *given);

/* A task that had this carries this by its class: so much privilege can be ours on others. */
void given_note_raise(struct given *given, const struct task_attr *had, const struct task_attr *carries);

/* Of a task that nobody knows who made: if a class can have given it what it carries, it had no more than whoever got that. */
void given_lower(const struct given *given, const struct task_attr *carries, struct task_attr *had);

/*
 * Whether the task may carry something of a class: its slice; or its policy and nice value, if it has no slice and takes
 * privilege, or there are no slices here: what anybody may choose tells of nothing.
 */
bool given_fits(const struct given *given, const struct task_attr *carries, const struct attr_caps *caps);
