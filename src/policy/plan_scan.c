/* SPDX-License-Identifier: GPL-2.0-only */
/* Booking tasks found in /proc. */
#include "plan_private.h"

/*
 * Makes a record for a task that we have had no event of. A task older than us had what it carries. For one born
 * since, the record is a copy of its leader's or living parent's, or else a pristine one, and uncertain. NULL if the
 * task is gone, or without memory.
 */
static struct task *first_sight(struct plan *plan, const struct plan_found *found, const struct task *origin,
				struct facts *facts)
{
	struct task task = { .known = task_attr_pristine, .had = task_attr_pristine, .before = task_attr_pristine };

	if (origin)
		task = plan_copy(plan, origin, origin, found->tid, found->tgid);
	task.tid = found->tid;
	task.tgid = found->tgid;
	task.app = 0;
	task.start = (uint32_t)found->start;
	task.flags = TASK_SCANNED | TASK_UNCERTAIN | (origin ? TASK_COPIED : 0);
	task.own = task.tag = TAG_NONE;
	task.assigned_by = ASSIGNED_NOT_YET;
	task.state = TASK_UNDECIDED;
	task.rule = 0;
	if (found->start <= plan->start) {
		if (plan_look(plan, facts, &task_attr_pristine, &task.had) < 0)
			return NULL;
		task.known = task.before = task.had;
		task.theirs = 0;
		task.flags = TASK_SCANNED;
		/* Its attributes are read once more right before they are set, after its program has been read. */
		facts->have &= ~(unsigned)FACT_ATTR;
	}
	return tasks_put(plan->tasks, &task);
}

/* Checks again whether the threads' records differ. If events were lost, one of the threads may have called exec. */
static void note_threads(const struct plan *plan, struct task *leader)
{
	const struct task *thread = NULL;

	if (plan->events_lost && plan_is_mixed(plan, leader))
		leader->flags |= TASK_UNCERTAIN;
	leader->flags &= ~TASK_MIXED;
	for (thread = tasks_next_thread(plan->tasks, leader); thread; thread = tasks_next_thread(plan->tasks, thread)) {
		if (plan_differ(leader, thread))
			leader->flags |= TASK_MIXED;
	}
}

/* Replaces the old record of that id, if there is one, which is of an earlier task. NULL as in first_sight. */
static struct task *book_new(struct plan *plan, const struct plan_found *found, struct task *old, struct facts *facts)
{
	const bool is_leader = found->tid == found->tgid;
	struct task *task;

	if (old)
		tasks_remove(plan->tasks, old);
	/* A kernel thread has no executable, nor has a usermode helper of the kernel before it calls exec. */
	if (is_leader && (facts_need(facts, FACT_EXE) < 0 || (!facts->exe[0] && !facts->exe_is_unknown)))
		return NULL;
	task = first_sight(plan, found, tasks_find(plan->tasks, is_leader ? found->parent_tgid : found->tgid), facts);
	if (!task)
		return NULL;
	/* A child of it may have been born before we looked. */
	task->changed_ms = task->matched_ms = facts->fetched_ms;
	return task;
}

/* Finds or makes the record of a task found in /proc, which is due then. NULL as in first_sight, or if it is excluded. */
static struct task *book_found(struct plan *plan, const struct plan_found *found, struct facts *facts)
{
	struct task *task = tasks_find(plan->tasks, found->tid);

	if (plan_is_excluded(plan, found->tid, found->tgid, 0) || found->parent_tgid == plan->self)
		return NULL;
	if (!task || task->tgid != found->tgid || !plan_is_same_start(task->start, (uint32_t)found->start))
		task = book_new(plan, found, task, facts);
	if (!task)
		return NULL;
	if (task->tid == task->tgid)
		note_threads(plan, task);
	task->scan = plan->scan;
	if (task->due < DUE_MATCH)
		task->due = DUE_MATCH;
	return task;
}

void plan_book_found(struct plan *plan, const struct plan_found *found, struct facts *facts)
{
	const struct task *parent = found->tid == found->tgid ? tasks_find(plan->tasks, found->parent_tgid) : NULL;

	if (book_found(plan, found, facts))
		plan_push(plan, &plan->from_scan, plan_due_of(found->tid, found->tgid, parent), 0);
}

struct task *plan_book_missed(struct plan *plan, const struct plan_due *due, struct facts *facts)
{
	struct plan_found found = { .tid = due->tid, .tgid = due->tgid };
	struct task *task;

	if (facts_need(facts, FACT_STAT) < 0)
		return NULL;
	found.parent_tgid = facts->ppid;
	found.start = facts->start;
	task = book_found(plan, &found, facts);
	if (task)
		task->flags &= ~TASK_SCANNED;
	return task;
}

void plan_scan_begin(struct plan *plan, bool events_lost)
{
	plan->scan++;
	plan->events_lost = events_lost;
}

bool plan_is_seen(const struct plan *plan, pid_t tid)
{
	const struct task *task = tasks_find(plan->tasks, tid);

	return task && task->scan == plan->scan;
}
