/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out the plan's actions, and reads attributes of tasks. */
#pragma once

#include <schedqos/kernel/sched_attr.h>
#include <schedqos/policy/plan.h>

/* The system calls, for tests to replace. All return 0 or -errno. */
struct sched_ops {
	int (*get)(pid_t tid, struct ksched_attr *ret);
	int (*set)(pid_t tid, struct ksched_attr *attr);
	/* these two also work under policies for which get and set ignore the nice value */
	int (*get_nice)(pid_t tid, int *ret);
	int (*replace_nice)(pid_t tid, int from, int to);
	int (*get_io)(pid_t tid); /* the value or -errno */
	int (*set_io)(pid_t tid, int value);
};
extern const struct sched_ops sched_ops_kernel;

/* Maximum number of times to repeat an action that calls of others keep overtaking. */
#define APPLY_AGAIN_MAX 64

struct applier {
	const struct sched_ops *ops;
	struct attr_caps caps;
};

/* Finds out the kernel's features, and gives us a high priority. Returns 0 or -errno. */
int applier_open(struct applier *applier);

/*
 * Sets the calling thread to nice -20 (if allowed) and a short slice, and reads the base slice. caps.slice and
 * caps.util_clamp must be set. Returns 0 or -errno.
 */
int applier_prioritize_self(struct applier *applier);

/*
 * Turns on reading and setting of I/O priorities (caps.io_priority) if a class has an I/O class, or one had since the
 * last start that did not follow a crash (struct given). Logs a kernel without I/O priorities, and leaves them out.
 * Call it after a configuration has been put in force and before any decision.
 */
void applier_enable_io_priority(struct applier *applier, const struct given *given);

/* Reads the task's attributes. slice_ns is the base slice if the task has no custom slice. Returns 0 or -errno. */
int applier_read(const struct applier *applier, pid_t tid, struct task_attr *ret);

/* Reads caps.base_slice_ns from the kernel again, by doing without our own slice for a moment. Returns 0 or -errno. */
int applier_refresh_base(struct applier *applier);

/*
 * Makes a task that shows the old base slice show the present one, and changes nothing else. A task without a custom
 * slice shows the base slice of the time when it was last put on a run queue (place_entity in fair.c), or when its
 * attributes were last set. Returns 0 or -errno.
 */
int applier_refresh_slice(struct applier *applier, pid_t tid, uint32_t old_base_ns);

/*
 * Carries out the action and reads the task's attributes back into *ret. If the task is gone by then, *ret is the
 * wanted state. If the task's owner keeps setting values that are no longer allowed, the action is repeated until that
 * ends, up to APPLY_AGAIN_MAX times. Returns 0 or -errno: -EAGAIN if somebody has changed the task's policy since it
 * was read, in which case nothing was set.
 */
int applier_apply(struct applier *applier, const struct plan_action *action,
		  struct task_attr *ret);
