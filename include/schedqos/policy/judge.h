/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose each attribute of a task is: the four lines of the model (plan.h), as a function of what is passed to it alone. */
#pragma once

#include <schedqos/policy/qos_class.h>
#include <schedqos/policy/tasks.h>

/* What can be ours on a task that we know nothing else about: the classes since the first start, earlier ones included. */
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

/*
 * Compares what the task carries with its record, which knows it then: had, known, theirs change. TASK_COPY tells how
 * far it is believed. is_vouched: what a class gives over `had` is ours, though the record does not say so: of an early copy
 * whose origin vouches for it, and of a task that was about to be set.
 */
void judge(struct task *task, const struct task_attr *actual, bool is_vouched, const struct given *given,
	   const struct attr_caps *caps);
