/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose attribute it is: the three-way merge, attribute by attribute, of what a task would carry without us, what we know
 * it to carry, and what it is found to carry. Pure: a record and a finding go in, a record comes out.
 */
#pragma once

#include <schedqos/policy/qos_class.h>

/* One task's record, as far as the merge needs it. */
struct merge {
	struct task_attr had;	/* what it would carry without us */
	struct task_attr known; /* what we last asked for, or found */
	uint8_t theirs;		/* enum task_attr_bit: what somebody has chosen since a class was put on it */
};

/*
 * All that classes have given to tasks since the first start, classes of earlier configurations included: what can be
 * ours on a task of which no more is known.
 */
struct given {
	struct qos_attr *attrs; /* each once; NULL when there are none */
	size_t count;
	int8_t lowest_nice; /* of any of them, else GIVEN_NO_NICE */
	int highest_rank; /* real-time priority of any of them, 100 for SCHED_DEADLINE, else 0 */
};
#define GIVEN_NO_NICE 20

/* Adds what is not there yet. 0 or -ENOMEM. given_clear frees. */
int given_add(struct given *given, const struct qos_attr *attr);
void given_clear(struct given *given);

/*
 * The attributes in which the two differ (enum task_attr_bit). What actual's policy hides (nice and slice of a task that is not
 * fair) counts as equal.
 */
uint8_t attr_difference(const struct task_attr *actual, const struct task_attr *known);

/*
 * The merge. Where actual is what is known, nobody has touched the attribute; else somebody chose it: its bit is set in
 * theirs, and had and known become it. With two exceptions, so that nobody gets more than he could take himself: had.nice
 * takes a value at or above itself (anybody may lower himself), or one below every class's (that takes privilege, or
 * RLIMIT_NICE); what lies between may be what is left of a class. And had leaves SCHED_IDLE for a fair policy only if
 * known was SCHED_IDLE, and takes no real-time priority at or below that of a class of ours that the task is in.
 */
void merge_found(struct merge *record, const struct task_attr *actual, const struct given *given);

/*
 * The same for hearsay: a record that may not be of what the task copied. A slice or clamp that some class of ours gives
 * counts as ours then, and a policy that comes with the slice and clamps of its class: had stays. Not so nice and
 * SCHED_IDLE, for anybody can lower himself, and would get more than he has left himself. And had takes no real-time
 * priority at or below that of any class of ours. doubtful: known may be what another task carried; had does not leave
 * SCHED_IDLE then.
 */
void merge_hearsay(struct merge *record, const struct task_attr *actual, const struct given *given,
		   const struct attr_caps *caps, bool doubtful);

/* reset-on-fork is no attribute that is judged: it follows what is found, but for that of a SCHED_DEADLINE of ours. */
void merge_reset_on_fork(struct merge *record, const struct task_attr *actual);

/* What the kernel gives the child of a task that carries attr (sched_fork in core.c, with its reset-on-fork). */
struct task_attr attr_born(const struct task_attr *attr);
