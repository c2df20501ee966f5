/* SPDX-License-Identifier: GPL-2.0-only */
/* What somebody changes on tasks that a rule enforces: noticed at once, put back, and left to him if he does not stop. */
#include "plan_private.h"

/* So often within this time is a fight, which nobody would win; then he has it for so long. */
#define FIGHT_TIMES 10
#define FIGHT_MS    1000
#define TRUCE_MS    10000

static struct contest *contest_of(struct plan *plan, pid_t tid)
{
	return &plan->contests[(unsigned)tid % CONTESTS_MAX];
}

static enum rule_enforce enforcement(const struct plan *plan, const struct task *task)
{
	const struct rule *rule = plan_rule_of(plan, task->rule);

	return rule ? rule->enforce : ENFORCE_NO;
}

static void end_truce(struct plan *plan, struct contest *contest, uint32_t ms)
{
	struct task *task = tasks_find(plan->tasks, contest->tid);

	if (task && contest->is_left)
		plan_mark(plan, task, DUE_LOOK, NULL, ms);
	contest->is_left = false;
	contest->since_ms = ms;
	contest->count = 0;
}

/* by_tgid: the process of the one who did it, 0 if not known. Returns whether a rule enforces the task. */
static bool note_author(const struct plan *plan, struct task *task, pid_t by_tgid)
{
	const enum changed_by changed_by = by_tgid == task->tgid ? CHANGED_BY_PROGRAM : CHANGED_BY_OTHERS;

	if (task->due == DUE_ENDED || enforcement(plan, task) == ENFORCE_NO)
		return false;
	if (task->changed_by < changed_by)
		task->changed_by = changed_by;
	return true;
}

static void note_change(struct plan *plan, struct task *task, pid_t by, pid_t by_tgid, uint32_t ms)
{
	struct contest *contest = contest_of(plan, task->tid);

	if (!note_author(plan, task, by_tgid))
		return;
	if (contest->tid != task->tid || contest->start != task->start) {
		end_truce(plan, contest, ms);
		*contest = (struct contest){ .tid = task->tid, .start = task->start, .since_ms = ms };
	}
	contest->by = by;
	if (!contest->is_left)
		plan_mark(plan, task, DUE_LOOK, NULL, ms);
}

static pid_t process_of(const struct plan *plan, pid_t tid)
{
	const struct task *task = tid ? tasks_find(plan->tasks, tid) : NULL;

	return task ? task->tgid : 0;
}

void plan_book_change(struct plan *plan, const struct task_event *change)
{
	struct task *task;

	if (plan->undoing || change->by == plan->self || change->tid < 0)
		return;
	/* Of thousands at once every task would have to be looked at thousands of times. */
	if (!change->tid) {
		plan->any_changed_by = !plan->any_changed || plan->any_changed_by == change->by ? change->by : 0;
		plan->any_changed = true;
		return;
	}
	task = tasks_find(plan->tasks, change->tid);
	if (task)
		note_change(plan, task, change->by, process_of(plan, change->by), change->ms);
}

void plan_book_change_begins(struct plan *plan, const struct task_event *change)
{
	struct task *task = tasks_find(plan->tasks, change->tid);

	if (task && !plan->undoing)
		note_author(plan, task, process_of(plan, change->by));
}

bool plan_waits_for_author(struct plan *plan, struct task *task, enum due due, const struct task_attr *actual)
{
	if (plan->undoing || due == DUE_EXEC || task->state != TASK_TAGGED || task->changed_by != CHANGED_BY_NOBODY ||
	    enforcement(plan, task) != ENFORCE_PROGRAM || !attr_difference(actual, &task->known))
		return false;
	task->changed_by = CHANGED_BY_UNKNOWN;
	plan_push(plan, &plan->waiting, plan_due_of(task->tid, task->tgid, NULL), 0);
	return true;
}

void plan_mark_any_changed(struct plan *plan, uint32_t ms)
{
	const pid_t by = plan->any_changed_by;
	struct task *task;
	uint32_t cursor = 0;

	if (!plan->any_changed || plan->undoing)
		return;
	plan->any_changed = false;
	while ((task = tasks_next(plan->tasks, &cursor)))
		note_change(plan, task, by, process_of(plan, by), ms);
}

bool plan_reverts_program(const struct plan *plan, const struct task *task)
{
	return !plan->undoing && task->changed_by == CHANGED_BY_PROGRAM && task->state == TASK_TAGGED &&
	       enforcement(plan, task) == ENFORCE_PROGRAM;
}

void plan_note_put_back(struct plan *plan, struct plan_action *action, uint32_t ms)
{
	struct contest *contest = contest_of(plan, action->tid);

	action->is_put_back = true;
	if (contest->tid != action->tid || contest->is_left)
		return;
	action->changed_by = contest->by;
	contest->by = 0;
	if (ms - contest->since_ms >= FIGHT_MS) {
		contest->since_ms = ms;
		contest->count = 0;
	}
	if (++contest->count < FIGHT_TIMES)
		return;
	contest->is_left = action->is_left = true;
	contest->since_ms = ms;
}

bool plan_end_truces(struct plan *plan, uint32_t ms, uint32_t *ret_ms)
{
	int32_t earliest = INT32_MAX;

	for (size_t i = 0; i < CONTESTS_MAX; i++) {
		struct contest *contest = &plan->contests[i];
		const int32_t left_ms = (int32_t)(contest->since_ms + TRUCE_MS - ms);

		if (!contest->is_left)
			continue;
		if (left_ms <= 0)
			end_truce(plan, contest, ms);
		else if (left_ms < earliest)
			earliest = left_ms;
	}
	*ret_ms = ms + (uint32_t)earliest;
	return earliest < INT32_MAX;
}
