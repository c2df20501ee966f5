/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks met in /proc, and the way back. */
#include "plan_private.h"

/* A living process with an executable: no kernel thread. */
static bool is_user_process(struct facts *facts)
{
	return facts_need(facts, FACT_EXE) == 0 && facts->exe[0];
}

/*
 * The record of a task that nobody told us of. One that was there before us has what it has. One born since is taken for a
 * copy of its process or living parent, else of a pristine task: that is hearsay. NULL: it is gone, or there is no memory.
 */
static struct task *first_sight(struct plan *plan, const struct plan_met *met, const struct task *origin,
				struct facts *facts)
{
	struct task task = { .known = task_attr_pristine, .had = task_attr_pristine, .before = task_attr_pristine };

	if (origin)
		task = plan_copy(origin, origin, met->tid, met->tgid);
	task.tid = met->tid;
	task.tgid = met->tgid;
	task.app = 0;
	task.start = (uint32_t)met->start;
	task.flags = TASK_SCANNED | TASK_HEARSAY | (origin ? TASK_COPIED : 0);
	task.tag = TAG_NONE;
	task.wished_by = WISHED_BY_NONE;
	task.state = TASK_UNDECIDED;
	task.rule = 0;
	if (met->start <= plan->start) {
		if (plan_look(plan, facts, &task_attr_pristine, &task.had) < 0)
			return NULL;
		task.known = task.before = task.had;
		task.theirs = 0;
		task.flags = TASK_SCANNED;
		/* When its program has been read, it is looked at once more, right before it is set. */
		facts->have &= ~(unsigned)FACT_ATTR;
	}
	return tasks_put(plan->tasks, &task);
}

/* Finds out anew whether the threads' records differ. An exec by one of them may not have been heard. */
static void note_threads(const struct plan *plan, struct task *leader)
{
	const struct task *thread = NULL;

	if (plan->unheard && plan_is_mixed(plan, leader))
		leader->flags |= TASK_HEARSAY;
	leader->flags &= ~TASK_MIXED;
	for (thread = tasks_next_thread(plan->tasks, leader); thread; thread = tasks_next_thread(plan->tasks, thread)) {
		if (plan_differ(leader, thread))
			leader->flags |= TASK_MIXED;
	}
}

/* In the place of the old record, if there is one: that of a task that had the id before. NULL as first_sight. */
static struct task *book_new(struct plan *plan, const struct plan_met *met, struct task *old, struct facts *facts)
{
	const bool is_leader = met->tid == met->tgid;
	struct task *task;

	if (old)
		tasks_remove(plan->tasks, old);
	/* The kernel has its helpers in user space, too: those of its threads have no executable. */
	if (is_leader && !is_user_process(facts))
		return NULL;
	task = first_sight(plan, met, tasks_find(plan->tasks, is_leader ? met->parent_tgid : met->tgid), facts);
	if (!task)
		return NULL;
	/* What it forks may have been born before we looked. */
	task->changed_ms = task->matched_ms = facts->fetched_ms;
	return task;
}

/*
 * The record of a task that was met, which is due from now on, as *ret_due says. NULL: it is gone, none of our business,
 * or no memory.
 */
static struct task *book_met(struct plan *plan, const struct plan_met *met, struct facts *facts,
			     struct plan_due *ret_due)
{
	const bool is_leader = met->tid == met->tgid;
	struct task *task = tasks_find(plan->tasks, met->tid);

	if (plan_is_excluded(plan, met->tid, met->tgid, 0) || met->parent_tgid == plan->self)
		return NULL;
	if (!task || task->tgid != met->tgid || !plan_is_same_start(task->start, (uint32_t)met->start))
		task = book_new(plan, met, task, facts);
	if (!task)
		return NULL;
	*ret_due = (struct plan_due){ .tid = met->tid, .tgid = met->tgid };
	if (is_leader) {
		plan_name_parent(ret_due, tasks_find(plan->tasks, met->parent_tgid));
		plan_inherit(plan, task, ret_due);
		note_threads(plan, task);
	}
	task->scan = plan->scan;
	if (task->due < DUE_MATCH)
		task->due = DUE_MATCH;
	return task;
}

void plan_meet(struct plan *plan, const struct plan_met *met, struct facts *facts)
{
	struct mark mark = { 0 };

	if (book_met(plan, met, facts, &mark.due))
		plan_push(plan, &plan->met, &mark);
}

struct task *plan_unheard(struct plan *plan, const struct plan_due *due, struct facts *facts)
{
	struct plan_met met = { .tid = due->tid, .tgid = due->tgid };
	struct plan_due booked;
	struct task *task;

	if (facts_need(facts, FACT_STAT) < 0)
		return NULL;
	met.parent_tgid = facts->ppid;
	met.start = facts->start;
	task = book_met(plan, &met, facts, &booked);
	if (task)
		task->flags &= ~TASK_SCANNED;
	return task;
}

void plan_scan_begin(struct plan *plan, bool unheard)
{
	plan->scan++;
	plan->unheard = unheard;
}

bool plan_is_seen(const struct plan *plan, pid_t tid)
{
	const struct task *task = tasks_find(plan->tasks, tid);

	return task && task->scan == plan->scan;
}

void plan_undo_begin(struct plan *plan)
{
	uint32_t cursor = 0;
	struct task *task;

	plan->undoing = true;
	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (task->due == DUE_ENDED ||
		    (!attr_difference(&task->known, &task->had) && task->known.nice == task->had.nice &&
		     !(task->flags & TASK_HEARSAY)))
			continue;
		/* Whatever else was to be decided, and maybe could not be. */
		task->due = DUE_NOTHING;
		plan_mark(plan, task, DUE_LOOK, NULL, task->changed_ms);
	}
}
