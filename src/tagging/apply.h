/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out the plan's actions, and reads the attributes of tasks. */
#pragma once

#include <schedqos/kernel/sched_attr.h>
#include <schedqos/policy/plan.h>

/* The system calls, for tests to replace. All return 0 or -errno. */
struct sched_ops {
	int (*get)(pid_t tid, struct ksched_attr *ret);
	int (*set)(pid_t tid, struct ksched_attr *attr);
	int (*get_nice)(pid_t tid, int *ret); /* this and the next one under a policy where get and set do not */
	int (*replace_nice)(pid_t tid, int from, int to);
	int (*get_io)(pid_t tid); /* the value or -errno */
	int (*set_io)(pid_t tid, int value);
};
extern const struct sched_ops sched_ops_kernel;

/* How many times an action is repeated at most where somebody else's calls overtake it. */
#define APPLY_AGAIN_MAX 64

struct applier {
	const struct sched_ops *ops;
	struct attr_caps caps;
};

/* Finds out the kernel's features, and calls applier_init. 0 or -errno. */
int applier_open(struct applier *applier);

/*
 * Sets the calling thread to nice -20 (if allowed) without a custom slice, so that reading our own attributes shows
 * the base slice. caps.slice and caps.util_clamp must be set. Returns 0 or -errno.
 */
int applier_init(struct applier *applier);

/*
 * Has I/O priorities read and set, too (caps.io_priority), if a class gives one, or has given one since the first
 * start. A kernel that has none is logged, and they are left out. Call it when a configuration has been put in force,
 * before anything is decided.
 */
void applier_follow(struct applier *applier, const struct given *given);

/* The task's attributes; slice_ns is the base slice if it has no custom slice. 0 or -errno. */
int applier_look(const struct applier *applier, pid_t tid, struct task_attr *ret);

/* Reads caps.base_slice_ns from the kernel again. 0 or -errno. */
int applier_refresh_base(struct applier *applier);

/*
 * A task without a custom slice shows the base slice of the time when it was last put on a run queue (place_entity in
 * fair.c) or its attributes were last set. Has one that shows the old base slice show the present one, and changes
 * nothing else. tid 0: our own thread, whatever it shows, and caps.base_slice_ns. 0 or -errno.
 */
int applier_renew(struct applier *applier, pid_t tid, uint32_t old_base_ns);

/*
 * Carries out the action and reads the task's attributes back into *ret; if the task is gone by then, *ret is what
 * was set. If its owner goes on choosing what he may not any more, it is repeated until that has an end, or up to
 * APPLY_AGAIN_MAX times. 0 or -errno: -EAGAIN if somebody has changed the task's policy since it was read, in which
 * case nothing was set.
 */
int applier_apply(struct applier *applier, const struct plan_action *action,
		  struct task_attr *ret);
