/* SPDX-License-Identifier: GPL-2.0-only */
/* Booking: events, in the order of time and without a system call; what is found in /proc; and what is due by that. */
#include "plan_private.h"

#include <stdlib.h>
#include <string.h>

#define INIT	 1
#define KTHREADD 2

/* ---- which tasks are due, in what order ---- */

static bool has_room(struct marks *marks)
{
	size_t size = marks->size ? marks->size * 2 : 256;
	struct plan_due *all;

	if (marks->first == marks->count)
		marks->first = marks->count = 0;
	if (marks->count < marks->size)
		return true;
	all = reallocarray(marks->all, size, sizeof(*all));
	if (!all)
		return false;
	marks->all = all;
	marks->size = size;
	return true;
}

/* Appends a mark. Without memory that is counted, and a scan finds the task. */
static void push(struct plan *plan, struct plan_due due)
{
	if (has_room(&plan->marks))
		plan->marks.all[plan->marks.count++] = due;
	else
		plan->failed++;
}

/*
 * A task that was gone when we decided, or whose facts could not be read, stays due but is no longer queued: an exec or
 * a scan queues it again.
 */
static void mark(struct plan *plan, struct task *task, enum due due, struct plan_due pushed)
{
	if (task->due == DUE_NOTHING || due == DUE_EXEC)
		push(plan, pushed);
	if (task->due < due)
		task->due = due;
}

void plan_mark(struct plan *plan, struct task *task, enum due due)
{
	mark(plan, task, due, (struct plan_due){ .tid = task->tid, .tgid = task->tgid });
}

static void mark_born(struct plan *plan, struct task *task, enum due due, const struct task *origin)
{
	const pid_t parent = task->tid == task->tgid ? origin->tgid : 0;

	mark(plan, task, due, (struct plan_due){ task->tid, task->tgid, parent, origin->tid, origin->start, true });
}

void plan_mark_threads(struct plan *plan, const struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader);

	for (; thread; thread = tasks_next_thread(plan->tasks, thread))
		plan_mark(plan, thread, DUE_MATCH);
}

void plan_mark_processes(struct plan *plan)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (task->tid == task->tgid)
			plan_mark(plan, task, DUE_MATCH);
	}
}

void plan_look_at_enforced(struct plan *plan)
{
	uint32_t cursor = 0;
	struct task *task;

	while (!plan->undoing && (task = tasks_next(plan->tasks, &cursor))) {
		const struct rule *rule = plan_rule_of(plan, task->own.rule);

		if (rule && rule->enforce)
			plan_mark(plan, task, DUE_LOOK);
	}
}

bool plan_next(struct plan *plan, struct plan_due *ret)
{
	struct marks *marks = &plan->marks;

	while (marks->first < marks->count) {
		const struct plan_due *due = &marks->all[marks->first++];
		const struct task *task = tasks_find(plan->tasks, due->tid);

		*ret = *due;
		if (!task || task->due != DUE_NOTHING)
			return true;
	}
	return false;
}

/* Whether the task is never touched: our own process, and kernel threads, each of which is a process of its own. */
static bool is_excluded(const struct plan *plan, pid_t tid, pid_t tgid, pid_t parent_tgid)
{
	return tgid == plan->self || parent_tgid == plan->self || tgid == KTHREADD ||
	       (tid == tgid && parent_tgid == KTHREADD);
}

/* ---- fork ---- */

/* The record of a new child or thread, a copy of its origin's. leader: whose rules and overrides it starts with. */
static struct task copy_of(const struct plan *plan, const struct task *origin, const struct task *leader, pid_t tid,
			   pid_t tgid)
{
	struct task child = *origin;

	child.tid = tid;
	child.tgid = tgid;
	child.app = leader->app;
	child.inherit = leader->inherit;
	child.limit = leader->limit;
	child.unit = leader->unit;
	child.shown = leader->shown;
	child.had = attr_after_fork(&origin->had);
	child.known = attr_after_fork(&origin->known);
	child.flags = TASK_COPY | (origin->flags & (TASK_FRESH | TASK_TOUCHED)) | (leader->flags & TASK_OWNERS);
	child.due = DUE_NOTHING;
	memset(child.joined, 0, sizeof(child.joined));
	if (tid == tgid)
		overrides_hand_on(plan->overrides, leader, &child);
	return child;
}

/*
 * What is to be decided about a child that copied its origin's record. It may carry other attributes if its origin was
 * fresh or due, has reset-on-fork, or is just one of threads that differ; and have another class if its parent's
 * process waits to be matched, or has an override or the focus that is not handed on, or if threads have classes by
 * their names, as who made a thread may have another name than the leader. An exec under way may be the child's
 * program.
 */
static enum due due_at_birth(const struct plan *plan, const struct task *child, const struct task *origin,
			     const struct task *leader)
{
	enum due due = origin->due;

	if (due == DUE_NOTHING && ((child->flags & (TASK_FRESH | TASK_IN_DOUBT)) || origin->known.reset_on_fork))
		due = DUE_LOOK;
	if (child->tid != child->tgid)
		return due < DUE_MATCH && plan_has_thread_rules(plan, leader) ? DUE_MATCH : due;
	/* What the focus raises of a program that a rule names is the process that has the window. */
	if (due == DUE_NOTHING && leader->shown == SHOWN_FOCUSED && leader->app)
		due = DUE_LOOK;
	/* Not every class is handed on. */
	if (due < DUE_MATCH && memcmp(child->joined, leader->joined, sizeof(child->joined)) != 0)
		due = DUE_MATCH;
	return due < leader->due ? leader->due : due;
}

static void book_fork(struct plan *plan, const struct task_event *fork)
{
	const bool is_thread = fork->tid != fork->tgid;
	struct task *origin, *leader, *task;
	struct task child;
	enum due due;

	/* A kernel thread must not get what an earlier task with this id had, either. */
	tasks_remove(plan->tasks, tasks_find(plan->tasks, fork->tid));
	if (is_excluded(plan, fork->tid, fork->tgid, fork->parent_tgid))
		return;
	/* The event does not name a thread's creator; most likely it copied the same as the leader carries. */
	leader = tasks_leader(plan->tasks, is_thread ? fork->tgid : fork->parent_tgid);
	if (!leader) {
		push(plan, (struct plan_due){ .tid = fork->tid, .tgid = fork->tgid });
		return;
	}
	origin = is_thread ? leader : tasks_find(plan->tasks, fork->parent_tid);
	if (!origin)
		origin = leader;
	child = copy_of(plan, origin, leader, fork->tid, fork->tgid);
	child.start = fork->start;
	if (origin->due != DUE_NOTHING || plan->undoing)
		child.flags |= TASK_FRESH;
	if (is_thread && (leader->flags & TASK_MIXED))
		child.flags |= TASK_IN_DOUBT;
	due = due_at_birth(plan, &child, origin, leader);
	task = tasks_put(plan->tasks, &child);
	plan->failed += !task;
	if (task && due != DUE_NOTHING)
		mark_born(plan, task, due, origin);
}

/* ---- exec ---- */

/*
 * exec ends all other threads. Any of them may have called it: that thread takes the leader's id and keeps its own
 * attributes. So if they differ, their records are kept until we have looked. And if one was born while the leader was
 * set, and nobody has looked at it, what the leader's id carries now may have copied a class of before.
 */
static void end_threads(struct plan *plan, struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader), *next;

	if (leader->flags & TASK_MIXED)
		leader->flags |= TASK_IN_DOUBT;
	leader->flags &= ~TASK_MIXED;
	for (; thread; thread = next) {
		next = tasks_next_thread(plan->tasks, thread);
		if ((thread->flags & TASK_COPY) && (thread->flags & TASK_FRESH))
			leader->flags |= TASK_COPY;
		if (leader->flags & TASK_IN_DOUBT)
			thread->flags |= TASK_ENDED;
		else
			tasks_remove(plan->tasks, thread);
	}
}

static void book_exec(struct plan *plan, const struct task_event *exec)
{
	struct task *leader = tasks_find(plan->tasks, exec->tgid);

	if (exec->tgid == plan->self)
		return;
	/* No record: started by the kernel (a usermode helper), or its fork event was lost. */
	if (!leader) {
		push(plan, (struct plan_due){ .tid = exec->tgid, .tgid = exec->tgid });
		return;
	}
	end_threads(plan, leader);
	plan_mark(plan, leader, DUE_EXEC);
}

/* ---- rename, move ---- */

static void book_rename(struct plan *plan, const struct task_event *rename)
{
	struct task *task = tasks_find(plan->tasks, rename->tid), *leader;
	struct assignment assignment;

	/* If the task is to be matched anyway, its name is read then. */
	if (!task || task->due >= DUE_MATCH || plan->undoing)
		return;
	leader = tasks_leader(plan->tasks, task->tgid);
	if (!plan_has_thread_rules(plan, leader))
		return;
	assignment = plan_assign(plan, leader, rename->comm);
	if (assignment.tag == task->own.tag && assignment.rule == task->own.rule)
		return;
	task->own = assignment;
	/* So that it takes effect, whatever else the task becomes due for. */
	task->state = TASK_UNDECIDED;
	plan_mark(plan, task, DUE_LOOK);
}

/* The event names the leader; or any thread, if that was moved alone. */
static void book_move(struct plan *plan, const struct task_event *move)
{
	struct task *task = tasks_find(plan->tasks, move->tid);
	struct task *leader = task ? tasks_leader(plan->tasks, task->tgid) : NULL;

	if (leader && !plan->undoing)
		plan_mark(plan, leader, DUE_MATCH);
}

void plan_book(struct plan *plan, const struct task_event *event)
{
	switch (event->what) {
	case EVENT_FORK:
		book_fork(plan, event);
		break;
	case EVENT_EXEC:
		book_exec(plan, event);
		break;
	case EVENT_RENAME:
		book_rename(plan, event);
		break;
	case EVENT_MOVE:
		book_move(plan, event);
		break;
	}
}

/* ---- what is found in /proc ---- */

/*
 * A copy of this origin, which may be NULL, as of its fork, which nobody heard of. If its slice is another class's, or
 * what the origin had, it is none of what the origin carries now; under SCHED_IDLE no slice tells; and a reset hides
 * all. Then nothing is known of it but `had`. It may be an orphan; a subreaper's, if it carries a class, and not all
 * that this carries, or has on record; or a thread of such a one, or of others than its leader.
 */
static void doubt_unheard(const struct plan *plan, struct task *task, const struct task *origin, struct facts *facts,
			  const struct task_attr *actual)
{
	const uint8_t differs = attr_difference(actual, &task->known);
	const bool has_class = differs && given_fits(&plan->given, actual, plan->caps);
	const bool is_thread = task->tid != task->tgid;

	task->flags = TASK_COPY | TASK_FRESH | TASK_TOUCHED;
	if (origin && is_thread && (origin->flags & TASK_MIXED))
		task->flags |= TASK_IN_DOUBT;
	if (((differs & TASK_ATTR_SLICE) && (has_class || actual->slice_ns == task->had.slice_ns)) ||
	    (origin && origin->known.reset_on_fork) ||
	    (task->known.policy == POLICY_IDLE && (differs & (TASK_ATTR_POLICY | TASK_ATTR_NICE))))
		task->known = task->had;
	if (!origin || origin->tgid == INIT ||
	    (has_class && (!is_thread || (origin->flags & (TASK_FRESH | TASK_MIXED))) &&
	     !plan_carries(plan, origin, actual, facts)))
		given_lower(&plan->given, actual, &task->had);
}

/*
 * The record of a task that nobody told us of. What one carries that is older than us was chosen. One born since is a
 * copy of its leader or living parent; but an orphan of whom nobody knows had no more than whoever a class has raised
 * so far.
 */
static struct task *first_sight(struct plan *plan, const struct plan_found *found, struct facts *facts)
{
	const bool is_thread = found->tid != found->tgid;
	const struct task *origin = tasks_leader(plan->tasks, is_thread ? found->tgid : found->parent_tgid);
	struct task task = { .known = task_attr_pristine, .had = task_attr_pristine }, *put;
	struct task_attr actual;

	if (origin && found->start > plan->start)
		task = copy_of(plan, origin, origin, found->tid, found->tgid);
	task.tid = found->tid;
	task.tgid = found->tgid;
	if (plan_look(plan, facts, &task.known, &actual) < 0)
		return NULL;
	/*
	 * After a stop only the child of a task that was there can be one that a fork has brought since, and only if it
	 * carries something of a class.
	 */
	if (found->start <= plan->start || (plan->stopped && !(origin && origin->state == TASK_UNDONE &&
							       given_fits(&plan->given, &actual, plan->caps))))
		task.had = task.known = actual;
	else
		doubt_unheard(plan, &task, origin, facts, &actual);
	task.app = 0;
	task.start = (uint32_t)found->start;
	task.own = (struct assignment){ .tag = TAG_NONE };
	task.tag = TAG_NONE;
	task.state = TASK_UNDECIDED;
	/* Its attributes are read once more right before they are set, after its program has been read. */
	facts->have &= ~(unsigned)FACT_ATTR;
	put = tasks_put(plan->tasks, &task);
	plan->failed += !put;
	return put;
}

void plan_book_found(struct plan *plan, const struct plan_found *found, struct facts *facts)
{
	const struct task *parent = found->tid == found->tgid ? tasks_leader(plan->tasks, found->parent_tgid) : NULL;
	struct task *task = tasks_find(plan->tasks, found->tid);
	struct plan_due due = { .tid = found->tid, .tgid = found->tgid };

	/* A program that the kernel has started is a child of kthreadd's. */
	if (is_excluded(plan, found->tid, found->tgid, found->parent_tgid == KTHREADD ? 0 : found->parent_tgid))
		return;
	if (!task || task->tgid != found->tgid || !task_is_same_start(task->start, (uint32_t)found->start)) {
		tasks_remove(plan->tasks, task);
		/* A kernel thread has no executable, nor has a usermode helper of the kernel before it calls exec. */
		if (found->tid == found->tgid &&
		    (facts_need(facts, FACT_EXE) < 0 || (!facts->exe[0] && !facts->exe_is_unknown)))
			return;
		task = first_sight(plan, found, facts);
	}
	if (!task)
		return;
	task->scan = plan->scan;
	/* It was put back by a daemon that has been stopped. */
	if (plan->stopped && task->state == TASK_UNDONE)
		return;
	if (task->due < DUE_MATCH)
		task->due = DUE_MATCH;
	if (parent) {
		due.parent = parent->tid;
		/* What init has adopted may be a copy of anybody; so may a thread be of any other. */
		due.origin = parent->tid == INIT ? 0 : parent->tid;
		due.origin_start = parent->start;
	}
	push(plan, due);
}

void plan_book_missed(struct plan *plan, const struct plan_due *due, struct facts *facts)
{
	if (facts_need(facts, FACT_STAT) == 0)
		plan_book_found(plan, &(struct plan_found){ due->tid, due->tgid, facts->ppid, facts->start }, facts);
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
