/* SPDX-License-Identifier: GPL-2.0-only */
/* Books events and tasks found in /proc in the records of the plan, and marks the tasks that become due. */
#include "plan_private.h"

#include <stdlib.h>
#include <string.h>

#define INIT	 1
#define KTHREADD 2

/* ---- which tasks are due, in what order ---- */

static bool has_room(struct marks *marks)
{
	size_t size = marks->size ? marks->size * 2 : 256;
	struct plan_mark *all;

	if (marks->first == marks->count)
		marks->first = marks->count = 0;
	if (marks->count < marks->size)
		return true;
	/* In a long storm the queue may never be empty. */
	if (marks->first > marks->size / 2) {
		marks->count -= marks->first;
		memmove(marks->all, &marks->all[marks->first], marks->count * sizeof(*all));
		marks->first = 0;
		return true;
	}
	all = reallocarray(marks->all, size, sizeof(*all));
	if (!all)
		return false;
	marks->all = all;
	marks->size = size;
	return true;
}

/* Appends a mark. If out of memory, only counts the failure, and a later scan finds the task. */
static void push(struct plan *plan, struct plan_mark mark)
{
	if (has_room(&plan->marks))
		plan->marks.all[plan->marks.count++] = mark;
	else
		plan->failed++;
}

/*
 * Marks a task as due and queues it. A task that is already due is queued again only by an exec: it may have left the
 * queue, because it had ended or its facts could not be read when we decided. A scan queues such a task as well.
 */
static void make_due(struct plan *plan, struct task *task, enum due due, struct plan_mark pushed)
{
	if (task->due == DUE_NOTHING || due == DUE_EXEC)
		push(plan, pushed);
	if (task->due < due)
		task->due = due;
}

void plan_make_due(struct plan *plan, struct task *task, enum due due)
{
	make_due(plan, task, due, (struct plan_mark){ .tid = task->tid, .tgid = task->tgid });
}

static void mark_born(struct plan *plan, struct task *task, enum due due, const struct task *origin)
{
	const pid_t parent = task->tid == task->tgid ? origin->tgid : 0;

	make_due(plan, task, due,
		 (struct plan_mark){ .tid = task->tid,
				     .tgid = task->tgid,
				     .parent = parent,
				     .origin = origin->tid,
				     .origin_start = origin->start,
				     .is_born = true });
}

void plan_mark_threads(struct plan *plan, const struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader);

	for (; thread; thread = tasks_next_thread(plan->tasks, thread))
		plan_make_due(plan, thread, DUE_MATCH);
}

void plan_mark_processes(struct plan *plan)
{
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (task->tid == task->tgid)
			plan_make_due(plan, task, DUE_MATCH);
	}
}

void plan_mark_changed(struct plan *plan, pid_t tid)
{
	struct task *task = tasks_find(plan->tasks, tid);

	if (task && !plan->undoing)
		plan_make_due(plan, task, DUE_LOOK);
}

bool plan_mark_process(struct plan *plan, pid_t tgid)
{
	struct task *leader = tasks_leader(plan->tasks, tgid);

	if (leader && !plan->undoing)
		plan_make_due(plan, leader, DUE_MATCH);
	return leader;
}

bool plan_next(struct plan *plan, struct plan_mark *ret)
{
	struct marks *marks = &plan->marks;

	while (marks->first < marks->count) {
		const struct plan_mark *mark = &marks->all[marks->first++];
		const struct task *task = tasks_find(plan->tasks, mark->tid);

		*ret = *mark;
		if (!task || task->due != DUE_NOTHING)
			return true;
	}
	return false;
}

bool plan_has_next(const struct plan *plan)
{
	return plan->marks.first < plan->marks.count;
}

/* Returns whether we never touch the task: our own process and its children, and the kernel's own threads. */
static bool is_excluded(const struct plan *plan, pid_t tid, pid_t tgid, pid_t parent_tgid)
{
	return tgid == plan->self || parent_tgid == plan->self || tgid == KTHREADD ||
	       (tid == tgid && parent_tgid == KTHREADD);
}

/* ---- fork ---- */

/* Returns the record of a new child or thread, a copy of its origin's. It takes rules and overrides from `leader`. */
static struct task copy_of(const struct plan *plan, const struct task *origin, const struct task *leader, pid_t tid,
			   pid_t tgid)
{
	struct task child = *origin;

	child.tid = tid;
	child.tgid = tgid;
	child.rule = leader->rule;
	child.inherit = leader->inherit;
	child.limit = leader->limit;
	child.unit = leader->unit;
	child.shown = leader->shown;
	child.had = attr_after_fork(&origin->had);
	child.known = attr_after_fork(&origin->known);
	child.prev = attr_after_fork(&origin->prev);
	child.flags = TASK_COPY | (origin->flags & (TASK_FRESH | TASK_TOUCHED | TASK_UNHEARD)) |
		      (leader->flags & TASK_OWNERS);
	child.due = DUE_NOTHING;
	memset(child.joined, 0, sizeof(child.joined));
	if (tid == tgid)
		overrides_hand_on(plan->overrides, leader, &child);
	return child;
}

/*
 * Returns the decision that a child is due for after it has copied its origin's record. Its attributes may differ from
 * the record if its origin was due, has reset-on-fork, or is one of several threads that differ; or if the origin is
 * fresh: we have set it, and have found no child yet that carries all of that, so the fork may have begun before. Its
 * class may differ if its parent's process is due, or has an override or the focus that children do not inherit. If the
 * rule has thread rules, a new thread is matched, because its creator may have a different name from the leader. An
 * exec of the parent that is still due may be the child's program.
 */
static enum due due_at_birth(const struct plan *plan, const struct task *child, const struct task *origin,
			     const struct task *leader)
{
	enum due due = origin->due;

	if (due == DUE_NOTHING && ((child->flags & (TASK_FRESH | TASK_IN_DOUBT)) || origin->known.reset_on_fork))
		due = DUE_LOOK;
	if (child->tid != child->tgid)
		return due < DUE_MATCH && plan_has_thread_rules(plan, leader) ? DUE_MATCH : due;
	/* If a program has a class of its own, the focus raises only the process with the window, not its children. */
	if (due == DUE_NOTHING && leader->shown == SHOWN_FOCUSED && leader->own.by != REASON_DEFAULT)
		due = DUE_LOOK;
	/* The child has not inherited every override. */
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

	/*
	 * Do this before the exclusion, so that a kernel thread does not get the record of an earlier task with this
	 * id.
	 */
	tasks_remove(plan->tasks, tasks_find(plan->tasks, fork->tid));
	if (is_excluded(plan, fork->tid, fork->tgid, fork->parent_tgid))
		return;
	/* The event does not name a thread's creator, so use the leader, which most likely carries the same. */
	leader = tasks_leader(plan->tasks, is_thread ? fork->tgid : fork->parent_tgid);
	if (!leader) {
		push(plan, (struct plan_mark){ .tid = fork->tid, .tgid = fork->tgid, .had_no_record = true });
		return;
	}
	origin = is_thread ? leader : tasks_find(plan->tasks, fork->parent_tid);
	/* After a loss, the id may have the record of a thread of another process, which has ended. */
	if (!origin || origin->tgid != leader->tgid)
		origin = leader;
	child = copy_of(plan, origin, leader, fork->tid, fork->tgid);
	child.start = fork->start;
	if (plan->undoing)
		child.flags |= TASK_FRESH;
	/* Look at the origin first, so that its record is right when the child is compared with it. */
	if ((child.flags & TASK_FRESH) && !(origin->flags & TASK_COPY))
		plan_make_due(plan, origin, DUE_LOOK);
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
 * Removes all threads at an exec. Any thread may have called exec: it takes the leader's id and keeps its own
 * attributes. So the leader gets the least `had` of all. If the threads differed, or one was born while we set the
 * leader, the leader becomes a copy, which is compared with `had` and `prev` as well.
 */
static void end_threads(struct plan *plan, struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader), *next;
	bool is_doubtful = leader->flags & TASK_MIXED;

	leader->flags &= ~TASK_MIXED;
	for (; thread; thread = next) {
		next = tasks_next_thread(plan->tasks, thread);
		is_doubtful |= (thread->flags & TASK_COPY) && (thread->flags & TASK_FRESH);
		leader->had = attr_least(&leader->had, &thread->had);
		tasks_remove(plan->tasks, thread);
	}
	if (!is_doubtful)
		return;
	/* plan_judge compares a fresh copy with had and prev as well. Use that: the caller of exec may carry either. */
	if (!(leader->flags & TASK_FRESH))
		leader->prev = leader->had;
	leader->flags |= TASK_COPY | TASK_FRESH;
}

static void book_exec(struct plan *plan, const struct task_event *exec)
{
	struct task *leader = tasks_find(plan->tasks, exec->tgid);

	if (exec->tgid == plan->self)
		return;
	/* After a loss, the id may have the record of a thread of another process, which has ended. */
	if (leader && leader->tgid != exec->tgid) {
		tasks_remove(plan->tasks, leader);
		leader = NULL;
	}
	/* The process has no record if the kernel started it (a usermode helper), or its fork event was lost. */
	if (!leader) {
		push(plan, (struct plan_mark){ .tid = exec->tgid, .tgid = exec->tgid, .had_no_record = true });
		return;
	}
	end_threads(plan, leader);
	plan_make_due(plan, leader, DUE_EXEC);
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
	/* Makes the rule take effect, whatever else the task becomes due for. */
	task->state = TASK_UNDECIDED;
	plan_make_due(plan, task, DUE_LOOK);
}

/* Marks the process of a moved task as due. The event names the leader, or any thread that was moved alone. */
static void book_move(struct plan *plan, const struct task_event *move)
{
	const struct task *task = tasks_find(plan->tasks, move->tid);

	if (task)
		plan_mark_process(plan, task->tgid);
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

/* ---- tasks found in /proc ---- */

/*
 * Marks a task whose birth we missed as a copy of origin, which may be NULL, or of one of its threads. The parent of an
 * orphan is unknown, so its `had` becomes no more than the `had` of any task that a class has raised.
 */
static void doubt_unheard(const struct plan *plan, struct task *task, const struct task *origin,
			  const struct task_attr *actual)
{
	task->flags = TASK_COPY | TASK_TOUCHED | (task->flags & TASK_FRESH);
	if (origin && (origin->flags & TASK_MIXED))
		task->flags |= TASK_IN_DOUBT;
	if (plan->stopped)
		return;
	if (!origin || origin->tgid == INIT)
		given_lower(plan->given, actual, &task->had);
	if (task->tid == task->tgid)
		task->flags |= TASK_UNHEARD;
}

/*
 * Returns whether a task with these attributes may come from a fork by origin that outlasted the stop. Such a task
 * carries `prev`, the attributes of origin before the stop. If a slice was chosen for it since, it still carries more
 * than `had` and no more than `prev`.
 */
static bool is_late_copy(const struct task *origin, const struct task_attr *actual)
{
	const struct task_attr prev = attr_after_fork(&origin->prev), had = attr_after_fork(&origin->had);

	if (origin->state != TASK_UNDONE || !attr_difference(&prev, &had))
		return false;
	return !attr_difference(actual, &prev) ||
	       (attr_above(actual, &had) && !attr_above(actual, &prev) && actual->slice_ns != had.slice_ns);
}

/*
 * Returns whether a fork that outlasted the stop may have made the task: a fork by any thread of its parent or, for an
 * orphan, by any task. If so, the record *ret gets the least `had` of all possible origins.
 */
static bool is_late(const struct plan *plan, const struct task *origin, const struct task_attr *actual,
		    struct task *ret)
{
	const bool is_orphan = !origin || origin->tgid == INIT;
	const struct task *other = origin;
	uint32_t cursor = 0;
	bool found = false;

	if (is_orphan)
		other = task_attr_is_pristine(actual) ? NULL : tasks_next(plan->tasks, &cursor);
	while (other) {
		if (is_late_copy(other, actual)) {
			ret->had = found ? attr_least(&ret->had, &other->had) : other->had;
			ret->prev = other->prev;
			ret->flags |= TASK_FRESH;
			found = true;
		}
		other = is_orphan ? tasks_next(plan->tasks, &cursor) : tasks_next_thread(plan->tasks, other);
	}
	return found;
}

/*
 * Makes a record of a task whose birth we missed. If the task started before the daemon, all that it carries becomes
 * `had`; after a stop also if not is_late. Every other task counts as a copy of its leader or parent or, if it is an
 * orphan, of an unknown task. Returns NULL if the task is gone, or if out of memory.
 */
static struct task *first_sight(struct plan *plan, const struct plan_found *found, struct facts *facts)
{
	const bool is_thread = found->tid != found->tgid;
	const struct task *origin = tasks_leader(plan->tasks, is_thread ? found->tgid : found->parent_tgid);
	struct task task = { .known = task_attr_pristine, .had = task_attr_pristine, .prev = task_attr_pristine }, *put;
	struct task_attr actual;

	if (origin && found->start > plan->start)
		task = copy_of(plan, origin, origin, found->tid, found->tgid);
	task.tid = found->tid;
	task.tgid = found->tgid;
	if (plan_read_attr(plan, facts, &task.known, &actual) < 0)
		return NULL;
	if (found->start <= plan->start || (plan->stopped && !is_late(plan, origin, &actual, &task)))
		task.had = task.known = task.prev = actual;
	else
		doubt_unheard(plan, &task, origin, &actual);
	task.rule = 0;
	task.start = (uint32_t)found->start;
	task.own = (struct assignment){ .tag = TAG_NONE };
	task.tag = TAG_NONE;
	task.state = TASK_UNDECIDED;
	/* Read the attributes again right before they are set, after the facts about the program. */
	facts->have &= ~(unsigned)FACT_ATTR;
	put = tasks_put(plan->tasks, &task);
	plan->failed += !put;
	return put;
}

void plan_book_found(struct plan *plan, const struct plan_found *found, struct facts *facts)
{
	const bool is_thread = found->tid != found->tgid;
	const struct task *origin = tasks_leader(plan->tasks, is_thread ? found->tgid : found->parent_tgid);
	struct task *task = tasks_find(plan->tasks, found->tid);
	struct plan_mark mark = { .tid = found->tid, .tgid = found->tgid };

	/* A child of kthreadd may be a program that the kernel has started, so do not exclude it here. */
	if (is_excluded(plan, found->tid, found->tgid, found->parent_tgid == KTHREADD ? 0 : found->parent_tgid))
		return;
	if (!task || task->tgid != found->tgid || !task_is_same_start(task->start, (uint32_t)found->start)) {
		tasks_remove(plan->tasks, task);
		/* A scan books processes before their threads. Threads of an unrecorded process get no record. */
		if (is_thread && !origin)
			return;
		/* Kernel threads have no executable, nor has a usermode helper of the kernel before it calls exec. */
		if (found->tid == found->tgid &&
		    (facts_need(facts, FACT_EXE) < 0 || (!facts->exe[0] && !facts->exe_is_unknown)))
			return;
		task = first_sight(plan, found, facts);
	}
	if (!task)
		return;
	task->scan = plan->scan;
	/* Skip a task that the stopped daemon has put back. If the kernel refused, known is not had: try again. */
	if (plan->stopped && task->state == TASK_UNDONE && !attr_difference(&task->known, &task->had))
		return;
	if (task->due < DUE_MATCH)
		task->due = DUE_MATCH;
	if (origin) {
		mark.parent = is_thread ? 0 : origin->tid;
		/* A task that init has adopted may be a copy of any task. */
		mark.origin = origin->tid == INIT ? 0 : origin->tid;
		mark.origin_start = origin->start;
	}
	push(plan, mark);
}

void plan_book_unrecorded(struct plan *plan, const struct plan_mark *mark, struct facts *facts)
{
	if (facts_need(facts, FACT_STAT) == 0)
		plan_book_found(plan, &(struct plan_found){ mark->tid, mark->tgid, facts->ppid, facts->start }, facts);
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
