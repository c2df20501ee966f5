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
static struct task *first_sight(struct plan *plan, const struct plan_seen *seen, const struct task *origin,
				struct facts *facts)
{
	struct task task = { .known = task_attr_pristine, .had = task_attr_pristine, .before = task_attr_pristine };

	if (origin)
		task = plan_copy(origin, origin, seen->tid, seen->tgid);
	task.tid = seen->tid;
	task.tgid = seen->tgid;
	task.app = 0;
	task.start = seen->start;
	task.flags = TASK_SCANNED | TASK_HEARSAY;
	task.tag = TAG_NONE;
	task.wished_by = WISHED_BY_NONE;
	task.state = TASK_UNDECIDED;
	task.rule = 0;
	if ((int32_t)(seen->start - plan->start) <= 0) {
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

bool plan_seen(struct plan *plan, const struct plan_seen *seen, struct facts *facts,
	       struct plan_action *ret)
{
	const bool is_leader = seen->tid == seen->tgid;
	const struct task *parent = tasks_find(plan->tasks, seen->parent_tgid);
	struct task *task = tasks_find(plan->tasks, seen->tid);
	bool acts, is_new;

	/* The kernel has its helpers in user space, too: those of its threads have no executable. */
	if (plan_is_excluded(plan, seen->tid, seen->tgid, 0) || seen->parent_tgid == plan->self)
		return false;
	if (task && (task->tgid != seen->tgid || !plan_is_same_start(task->start, seen->start))) {
		tasks_remove(plan->tasks, task);
		task = NULL;
	}
	is_new = !task;
	if (is_new) {
		if (is_leader && !is_user_process(facts))
			return false;
		task = first_sight(plan, seen, is_leader ? parent : tasks_find(plan->tasks, seen->tgid), facts);
		if (!task)
			return false;
	}
	/* A rule that is new may have made an heir of a task that was none. */
	if (is_leader && parent && !task->inherit)
		task->inherit = parent->inherit;
	task->scan = plan->scan;
	/* A thread of it may have called exec; and whether its threads differ is found out anew. */
	if (plan->unheard && is_leader && plan_is_mixed(plan, task))
		task->flags |= TASK_HEARSAY;
	acts = plan_decide_task(plan, task, task->due == DUE_EXEC ? DUE_EXEC : DUE_MATCH, facts, ret);
	task->flags &= ~TASK_MIXED;
	/* What it forks may have been born before we looked. */
	if (is_new)
		task->changed_ms = task->matched_ms = facts->fetched_ms;
	return acts;
}

bool plan_unheard(struct plan *plan, const struct plan_due *due, struct facts *facts, struct plan_action *ret)
{
	struct plan_seen seen = { .tid = due->tid, .tgid = due->tgid };
	struct task *task;
	bool acts;

	if (facts_need(facts, FACT_STAT) < 0)
		return false;
	seen.parent_tgid = facts->ppid;
	seen.start = facts->start;
	acts = plan_seen(plan, &seen, facts, ret);
	task = tasks_find(plan->tasks, due->tid);
	if (task)
		task->flags &= ~TASK_SCANNED;
	return acts;
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
		plan_mark(plan, task, DUE_LOOK, 0, task->changed_ms);
	}
}
