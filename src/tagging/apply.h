/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out what the plan decides, and looks at what tasks carry. */
#pragma once

#include <schedqos/kernel/sched_attr.h>
#include <schedqos/policy/plan.h>

/* The effects, so that a test can offer a kernel of its own. Both return 0 or -errno. */
struct sched_ops {
	int (*get)(pid_t tid, struct ksched_attr *ret);
	int (*set)(pid_t tid, struct ksched_attr *attr);
	int (*replace_nice)(pid_t tid, int from, int to); /* also where the policy hides it */
};
extern const struct sched_ops sched_ops_kernel;

struct applier {
	const struct sched_ops *ops;
	struct attr_caps caps;
};

/*
 * Takes the daemon's own thread to nice -20 (where allowed) with no slice of its own, so that looking at ourselves
 * shows the base slice. caps.slice and caps.util_clamp must be set. Returns 0 or -errno.
 */
int applier_init(struct applier *applier);

/* What the task carries; slice_ns is the base slice where it has none of its own. 0 or -errno. */
int applier_look(const struct applier *applier, pid_t tid, struct task_attr *ret);

/* Sets caps.base_slice_ns to what it is now. 0 or -errno. */
int applier_refresh_base(struct applier *applier);

/*
 * To be called when the kernel's base slice has been changed: caps.base_slice_ns follows. A task without a slice of its own
 * shows the base slice as it was when it was last put on a run queue (place_entity in fair.c), ourselves included, until
 * it is set anew. 0 or -errno.
 */
int applier_renew_base(struct applier *applier);

/*
 * Has a task that shows this slice, the base slice as it was, and has none of its own, show the present one;
 * nothing else of it changes. 0 or -errno.
 */
int applier_renew_task(struct applier *applier, pid_t tid, uint32_t old_base_ns);

/*
 * Carries out the action and reads back into *ret what the task carries now; of one that is gone by then what it was
 * given. 0 or -errno: -EAGAIN when somebody has changed the task's policy since it was looked at, and nothing was done.
 */
int applier_apply(struct applier *applier, const struct plan_action *action,
		  struct task_attr *ret);
