/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan: an event and facts go in, at most one action comes out. It knows every task, decides, and is told
 * how the action went. It touches nothing itself, and time is an argument.
 *
 * Three things are true of the kernel and carry the design (measured on 6.18): a fork is born with its
 * parent's attributes, so it needs no action; exec and rename keep them, so those two are where decisions fall; and
 * events are delivered in order, but late: a task may have forked before we tagged it.
 */
#pragma once

#include <schedqos/policy/config.h>
#include <schedqos/policy/facts.h>
#include <schedqos/policy/tasks.h>

/* What to do to one task. */
struct plan_action {
	pid_t tid;
	struct task_attr from; /* what it carries now */
	struct task_attr want;
	const struct qos_attr *deadline; /* want.policy is DEADLINE: the budget; else NULL */
	uint16_t tag;			 /* what this makes of the task's record */
	enum reason reason;
};

struct plan_fork {
	pid_t tid, tgid;	       /* the child */
	pid_t parent_tid, parent_tgid; /* the real parent, as the kernel's event has them */
	uint32_t start;		       /* ticks since boot at the fork */
	uint32_t ms;		       /* CLOCK_MONOTONIC at the fork, cut to 32 bits */
};

/* A task met in /proc. */
struct plan_seen {
	pid_t tid, tgid;
	pid_t parent_tgid;
	uint32_t start; /* ticks since boot */
	uint32_t ms;	/* now */
};

struct plan;

/*
 * A plan for a machine with these capabilities, which are not copied: fetching FACT_BASE updates them. self: tgid
 * of the program itself, never touched. start: ticks since boot when it began to listen. memory: where the records are
 * to live, or NULL. Returns NULL without memory.
 */
struct plan *plan_new(const struct attr_caps *caps, pid_t self, uint32_t start,
		      const struct tasks_memory *memory);
void plan_free(struct plan *plan);

/*
 * Takes over the records of a plan that ended without undoing: those owned, with what its tags put on tasks. Before
 * anything else; each is then checked when the task is seen. 0 or -ENOMEM.
 */
int plan_adopt(struct plan *plan, const struct task *records, size_t n_records,
	       const struct qos_attr *tags, size_t n_tags);

/*
 * Puts a configuration in force; it must live until the next one is in force or the plan is freed. Every task
 * is to be seen again after it: call plan_scan_begin and scan.
 */
int plan_set_config(struct plan *plan, const struct config *config);

const struct tasks *plan_tasks(const struct plan *plan);
const struct config *plan_config(const struct plan *plan);

/*
 * The events. Each returns true and fills *ret when the task is to be changed; carry it out and report it with
 * plan_applied. A task that turns out to be gone stays in the table until plan_exited: its children may still be
 * announced. Facts are fetched only when they decide something. ms: CLOCK_MONOTONIC at the exec, cut to 32 bits.
 */
bool plan_forked(struct plan *plan, const struct plan_fork *fork, struct facts *facts,
		 struct plan_action *ret);
bool plan_execed(struct plan *plan, struct facts *facts, uint32_t ms, struct plan_action *ret);

/* Instead of plan_execed, for an exec after which another is already known of. ms: CLOCK_MONOTONIC now, cut likewise. */
void plan_passed(struct plan *plan, pid_t tgid, uint32_t ms);
bool plan_renamed(struct plan *plan, struct facts *facts, struct plan_action *ret);
bool plan_seen(struct plan *plan, const struct plan_seen *seen, struct facts *facts,
	       struct plan_action *ret);

/*
 * Instead of plan_execed or plan_renamed for an event that is handled late: its task may have ended, and its id be
 * another's, which a fork still to be heard of will tell. So the decision waits until nothing is queued any more; then
 * each task that plan_next_postponed returns, from *cursor = 0 until NULL, is to be handed to plan_settle: processes
 * before their threads, and before the children that inherit. One decision serves all of a task's events.
 * plan_postpone returns false for a task that is not known: it has to be decided at once.
 */
bool plan_postpone(struct plan *plan, pid_t tid, bool exec);
struct task *plan_next_postponed(struct plan *plan, uint32_t *cursor);
bool plan_settle(struct plan *plan, struct task *task, struct facts *facts,
		 struct plan_action *ret);

/* The task has ended. */
void plan_exited(struct plan *plan, pid_t tid);

/*
 * How an action went: error 0 and what is read back (in facts.attr's form), or -errno.
 * ms: the monotonic clock after it. Returns whether the task now carries what was wanted.
 */
bool plan_applied(struct plan *plan, const struct plan_action *action, int error,
		  const struct task_attr *now, uint32_t ms);

/* Begins a scan: from now on plan_is_seen is false until a task has been seen again. */
void plan_scan_begin(struct plan *plan);
bool plan_is_seen(const struct plan *plan, pid_t tid);

/*
 * From now on everything is put back, and nothing tagged any more: events of tasks that were born tagged
 * lead to their undoing. The caller hands each task of plan_tasks to plan_undo, then drains the events.
 */
void plan_undo_begin(struct plan *plan);
bool plan_undo(struct plan *plan, struct task *task, struct facts *facts,
	       struct plan_action *ret);
