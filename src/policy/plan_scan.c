/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks met in /proc, and the way back. */
#include "plan_private.h"

/*
 * An event's time lies behind the start time that /proc shows, by what copy_process still had to
 * do; both are cut to clock ticks, and the clocks' distance is measured with an error.
 */
#define START_EARLY_TICKS 1
#define START_LATE_TICKS  2

#define KTHREADD 2

/* For so long the fork of a task that is met in /proc may have been unheard of. */
#define UNHEARD_MS 60000

/* Our own process, and the kernel's threads, which are processes of one thread: none of our
 * business. */
bool plan_is_excluded(const struct plan *plan, pid_t tid, pid_t tgid, pid_t parent_tgid)
{
	return tgid == plan->self || tgid == KTHREADD || (tid == tgid && parent_tgid == KTHREADD);
}

bool plan_is_same_start(uint32_t from_event, uint32_t from_proc)
{
	int32_t late = (int32_t)(from_event - from_proc);

	return late >= -START_EARLY_TICKS && late <= START_LATE_TICKS;
}

/*
 * Whether what a child carries shows nothing of what its origin carries of ours: neither slice nor clamps. Its policy or
 * nice value may still be those of the class, but then somebody chose them.
 */
static bool has_nothing_of(const struct task *origin, const struct task_attr *attr)
{
	const struct task_attr *had = &origin->had, *known = &origin->known;

	if (task_attr_equal(attr, had) || (task_attr_is_pristine(attr) && !task_attr_is_pristine(known)))
		return true;
	return task_policy_is_fair(attr->policy) && !known->reset_on_fork && known->slice_ns != had->slice_ns &&
	       attr->slice_ns == had->slice_ns && attr->util_min == had->util_min && attr->util_max == had->util_max;
}

/*
 * Makes the record of a task that nobody told us of. One that was there before us has what it has.
 * One born since may have inherited what we set on its parent, or, its parent being gone, on some
 * ancestor: then it carries just what one of our tags would make of a pristine task, its custom
 * slice included.
 */
struct task *plan_add_unknown(struct plan *plan, const struct plan_seen *seen, struct facts *facts)
{
	const bool is_thread = seen->tid != seen->tgid;
	struct task *task,
		*origin = tasks_find(plan->tasks, is_thread ? seen->tgid : seen->parent_tgid);
	struct task_attr actual;

	if (plan_look_at(plan, facts, origin ? &origin->known : &task_attr_pristine, &actual) < 0)
		return NULL;
	task = tasks_add(plan->tasks, seen->tid);
	if (!task)
		return NULL;
	task->tgid = seen->tgid;
	task->start = seen->start;
	task->changed_ms = seen->ms;
	task->flags = TASK_SCANNED;
	task->tag = TAG_NONE;
	task->had = task->known = actual;
	if ((int32_t)(seen->start - plan->start) > 0) {
		if (origin && has_nothing_of(origin, &actual)) {
			/* Born before its origin was tagged, or changed: there is nothing of ours on it. */
		} else if (origin && (origin->flags & TASK_OWNED) &&
			   task_policy_is_fair(origin->had.policy)) {
			task->had = origin->had;
			if (!plan_is_ours(plan, &actual, &origin->had))
				task->known = origin->known;
		} else if (origin && origin->reason == REASON_UNDONE &&
			   plan_is_ours(plan, &actual, &origin->had)) {
			/* Born of a tagged task that has just been put back. */
			task->had = origin->had;
		} else if (origin && plan_was_overruled(plan, origin, task, &actual, seen->ms - UNHEARD_MS,
							seen->ms)) {
			/* Now its `had` is as it was. */
		} else if ((actual.slice_ns || !task_policy_is_fair(actual.policy)) &&
			   plan_is_ours(plan, &actual, &task_attr_pristine)) {
			task->had = task_attr_pristine;
		}
	}
	task_set_owned(task);
	if (origin)
		task->inherit = origin->inherit;
	if (origin && is_thread)
		origin->flags |= TASK_THREADED;
	return task;
}

bool plan_decide_seen(struct plan *plan, struct task *task, enum cause cause, struct facts *facts,
		      struct plan_action *ret)
{
	struct task *leader = plan_leader_of(plan, task);
	bool is_new = false;
	struct wish wish;
	int r;

	if (leader == task)
		r = plan_match_process(plan, leader, facts, &wish, &is_new);
	else
		r = plan_wish_for(plan, leader, facts, &wish);
	if (r == 0)
		r = facts_need(facts, FACT_ATTR);
	plan_note_ahead(plan, task, facts->fetched_ms);
	if (r < 0)
		return false;
	if (leader != task) {
		wish.after_nice = task->flags & TASK_NICE;
		task->flags &= ~TASK_NICE;
	}
	if (is_new)
		cause = CAUSE_EXEC;
	if (leader == task && cause == CAUSE_EXEC)
		plan_take_over_thread(plan, leader, facts);
	return plan_decide(plan, task, wish, cause, facts, ret);
}

bool plan_seen(struct plan *plan, const struct plan_seen *seen, struct facts *facts,
	       struct plan_action *ret)
{
	struct task *task = tasks_find(plan->tasks, seen->tid);
	const struct task *parent;
	enum cause cause = CAUSE_EXEC;

	if (plan_is_excluded(plan, seen->tid, seen->tgid, seen->parent_tgid))
		return false;
	if (task && (task->tgid != seen->tgid || !plan_is_same_start(task->start, seen->start))) {
		tasks_remove(plan->tasks, task);
		task = NULL;
	}
	if (task) {
		cause = plan_late_cause(task);
	} else {
		if (seen->tid == seen->tgid && !plan_is_user_process(facts))
			return false;
		task = plan_add_unknown(plan, seen, facts);
		if (!task)
			return false;
	}
	/* A rule that is new may have made an heir of a task that was none. */
	parent = tasks_find(plan->tasks, seen->parent_tgid);
	if (parent && !task->inherit)
		task->inherit = parent->inherit;
	task->scan = plan->scan;
	if (plan->undoing)
		return plan_undo(plan, task, facts, ret);
	return plan_decide_seen(plan, task, cause, facts, ret);
}

void plan_scan_begin(struct plan *plan)
{
	plan->scan++;
}

bool plan_is_seen(const struct plan *plan, pid_t tid)
{
	const struct task *task = tasks_find(plan->tasks, tid);

	return task && task->scan == plan->scan;
}

void plan_undo_begin(struct plan *plan)
{
	plan->undoing = true;
}

bool plan_undo(struct plan *plan, struct task *task, struct facts *facts, struct plan_action *ret)
{
	const enum cause cause = plan_late_cause(task);
	const struct wish nothing = {
		.tag = TAG_NONE,
		.reason = REASON_UNDONE,
		.after_nice = cause == CAUSE_EXEC && (task->flags & TASK_NICE),
	};

	if (!(task->flags & TASK_OWNED))
		return false;
	return plan_decide(plan, task, nothing, cause, facts, ret);
}
