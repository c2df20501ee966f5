/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who owns each attribute of a task: a three-way merge, attribute by attribute, of what the task would carry without
 * us, what we know it to carry, and what it actually carries. A record and the actual attributes go in, a record
 * comes out.
 */
#pragma once

#include <schedqos/policy/qos_class.h>

/* One task's record, as far as the merge needs it. */
struct merge {
	struct task_attr had;	/* what it would carry without us */
	struct task_attr known; /* what we last asked for, or found */
	uint8_t theirs;		/* enum task_attr_bit: what somebody has chosen since we put a class on it */
};

/*
 * The attributes that classes have given to tasks since the first start, including classes of earlier configurations:
 * what can be ours on a task that we know nothing else about.
 */
struct given {
	struct qos_attr *attrs; /* each once; NULL when there are none */
	size_t count;
	int8_t lowest_nice; /* of any of them, else GIVEN_NO_NICE */
	int highest_rank; /* real-time priority of any of them, 100 for SCHED_DEADLINE, else 0 */
	bool has_io_priority; /* any of them has an I/O class */
	uint8_t highest_io;   /* the highest real-time I/O priority of any of them, else 0 */
};
#define GIVEN_NO_NICE 20

/* Adds attr if it is not there yet. 0 or -ENOMEM. given_clear frees. */
int given_add(struct given *given, const struct qos_attr *attr);
void given_clear(struct given *given);

/*
 * The attributes in which the two differ (enum task_attr_bit). What actual's policy hides (the slice of a task that
 * is not fair) counts as equal.
 */
uint8_t attr_difference(const struct task_attr *actual, const struct task_attr *known);

/* Copies the attributes that bits (enum task_attr_bit) name. */
void attr_copy(struct task_attr *to, const struct task_attr *from, uint8_t bits);

/*
 * The merge. If actual equals known, nobody has touched the attribute. Otherwise somebody chose it: its bit is set in
 * theirs, and had and known take the value. There are exceptions for had, so that nobody gets more than he could have
 * taken himself:
 *	- had.nice takes a value at or above itself, since anybody may lower himself, or one below that of every
 *	  class, which takes privilege or RLIMIT_NICE. A value in between may be left over from a class.
 *	- had leaves SCHED_IDLE for a fair policy only if known was SCHED_IDLE.
 *	- had takes no real-time priority at or below that of our class that the task is in.
 *	- had takes no real-time I/O priority that it lies below, unless it is above that of every class. Any other
 *	  anybody can take.
 */
void merge_found(struct merge *record, const struct task_attr *actual, const struct given *given);

/*
 * The same for an unverified record, which may not match what the task copied. A slice, clamp or I/O priority that any
 * of our classes gives counts as ours then, and so does a policy that comes with the slice and clamps of its class: had
 * stays. Nice and SCHED_IDLE do not, since anybody can lower himself, and would get more back than he gave up. And
 * had takes no real-time priority at or below that of any of our classes. uncertain: known may be what another task
 * carried, so had does not leave SCHED_IDLE.
 */
void merge_unverified(struct merge *record, const struct task_attr *actual, const struct given *given,
		   const struct attr_caps *caps, bool uncertain);

/*
 * Of a task that carries what was known before the record last changed: nobody has touched it since. What no class of
 * ours gives is what it had then, so had takes it, as in merge_unverified.
 */
void merge_earlier(struct merge *record, const struct task_attr *actual, const struct given *given,
		   const struct attr_caps *caps);

/* Of another task's record: its had becomes no more than a task that had this may have had, as in merge_unverified. */
void merge_limit_had(struct merge *record, const struct task_attr *had, const struct given *given);

/* reset-on-fork is not judged: the record takes what is found, except where it comes with our own SCHED_DEADLINE. */
void merge_reset_on_fork(struct merge *record, const struct task_attr *actual);

/*
 * Which attributes of `attr` take more privilege than those of `than`: a higher real-time priority, any policy after
 * SCHED_IDLE, a lower nice value, a higher real-time I/O priority (enum task_attr_bit).
 */
uint8_t attr_above(const struct task_attr *attr, const struct task_attr *than);

/* What the kernel gives the child of a task that carries attr (sched_fork in core.c, with its reset-on-fork). */
struct task_attr attr_after_fork(const struct task_attr *attr);
