/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes events on the machine, of which the plan may or may not learn: forks, execs, moves, reloads, crashes, losses.
 */
#include "plan_run.h"

#define GROUPS                                                                                        \
	"'groups': { 'low': { 'max': 'QOS_BACKGROUND' }, '/*/mid': { 'max': 'QOS_UTILITY' }, 'mid': { 'max': " \
	"'QOS_UTILITY' }, 'one': { 'QOS_USER_INTERACTIVE': false } }"

const char *const run_cgroups[N_CGROUPS] = { "/", "/low", "/x/mid", "/mid/low/y", "/one" };

static const char *const configs[] = {
	"'schedqos': { " GROUPS " },"
	"'a*': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true },"
	"'b': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 't*': 'QOS_USER_INITIATED' } },"
	"'c': [ { 'match': { 'parent': 'a' }, 'qos': 'QOS_UTILITY' }, { 'qos': 'QOS_BACKGROUND' } ]",

	"'schedqos': { 'default': 'none' }, 'b': { 'qos': 'QOS_USER_INITIATED', 'inherit': true },"
	"'a*': { 'thread_qos': { 't*': 'QOS_BACKGROUND' } }",

	"'schedqos': { 'default': 'all', " GROUPS " },"
	"'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 },"
	"'QOS_IDLE': { 'sched_policy': 'SCHED_IDLE', 'io_class': 'realtime', 'io_priority': 4 },"
	"'QOS_BACKGROUND': { 'io_class': 'best-effort', 'io_priority': 6 },"
	"'a': { 'qos': 'QOS_RT' }, 'b': { 'qos': 'QOS_IDLE', 'yield': true },"
	"'c': { 'qos': 'QOS_BACKGROUND', 'period': 8000000, 'inherit': true },"
	"'b1': { 'qos': 'QOS_UTILITY', 'match': { 'cgroup': '/mid*' } }",

	"'a*': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true, 'enforce': true },"
	"'b': { 'qos': 'QOS_BACKGROUND', 'enforce': true, 'thread_qos': { 't*': 'QOS_USER_INITIATED' } },"
	"'c': { 'qos': 'QOS_UTILITY' }",
};

/* With these rules a task's class depends on its present program and name only, not on its past or its ancestors. */
static const char own[] =
	"'schedqos': { " GROUPS " },"
	"'QOS_USER_INTERACTIVE': { 'io_class': 'best-effort', 'io_priority': 1 }, 'QOS_BACKGROUND': { 'io_class': 'idle' },"
	"'a*': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 't1': 'QOS_UTILITY', 'm': 'QOS_USER_INITIATED' } },"
	"'b': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 't*': 'QOS_USER_INITIATED' } },"
	"'d': { 'thread_qos': { 'a': 'QOS_USER_INTERACTIVE' } }";

static const char *const commands[] = { "/bin/a", "/bin/a1", "/bin/b", "/usr/bin/c -x", "/bin/d", "/usr/bin/nice -n 5 a" };

static const char *const names[] = { "a", "t1", "t2", "m", "", "\x1b[2J\xff" };

pid_t run_some_task(struct run *run)
{
	uint8_t nth = take_byte(&run->input);

	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &run->m->tasks[(i + nth) % MACHINE_TASKS];

		if (task->tid && task->tid != KTHREADD)
			return task->tid;
	}
	return 0;
}

/* Returns whether the task is in the middle of a fork, during which neither parent nor child runs. */
static bool is_forking(const struct run *run, pid_t tid)
{
	for (size_t i = 0; i < run->n_unborn; i++) {
		if (run->unborn[i] == tid || run->parents[i] == tid)
			return true;
	}
	return false;
}

void run_end_forks(struct run *run)
{
	for (size_t i = 0; i < run->n_unborn; i++)
		ends_fork(run->m, run->unborn[i]);
	run->n_unborn = 0;
}

pid_t run_some_running(struct run *run)
{
	pid_t tid = run_some_task(run);

	if (is_forking(run, tid))
		run_end_forks(run);
	return tid;
}

bool run_is_unseen(struct run *run, const struct machine_task *task)
{
	const struct task *known = record(run->m, task->tid);
	struct task_attr attr = task->attr;

	if (!run->m->caps.io_priority)
		attr.io_priority = 0;
	return known && (attr_difference(&attr, &known->known) || attr.reset_on_fork != known->known.reset_on_fork);
}

/*
 * Attributes that tell the threads of a process apart. Slices and clamps do not, because each thread may have chosen
 * them.
 */
#define SETTLES (TASK_ATTR_POLICY | TASK_ATTR_NICE | TASK_ATTR_IO_PRIORITY)

/*
 * Finds attributes that cannot be predicted for a copy of this thread. If another thread carries the same but had other
 * attributes, the plan cannot know which of them was copied, even if that one has ended, because no event reports ends.
 * A choice that no look has found is not known of any thread.
 */
static void looks_like_another(struct run *run, pid_t tid, uint8_t *ret_unsure)
{
	const struct task *thread = record(run->m, tid), *other;
	uint32_t cursor = 0;

	while (thread && (other = tasks_next(plan_tasks(run->m->plan), &cursor))) {
		if (other == thread || other->tgid != thread->tgid)
			continue;
		/* The plan cannot know either whether reset-on-fork of one of them took something from the copy. */
		if (run_is_unseen(run, machine_task(run->m, tid)) || thread->known.reset_on_fork ||
		    other->known.reset_on_fork)
			*ret_unsure |= EVERYTHING;
		if ((attr_difference(&thread->known, &other->known) & SETTLES) ||
		    !attr_difference(&thread->had, &other->had))
			continue;
		*ret_unsure = EVERYTHING | MAY_CLIMB;
	}
}

void run_exempt(struct machine_task *task, uint8_t bits)
{
	task->unsure |= bits;
}

static bool has_unseen_policy(struct run *run, pid_t tid)
{
	const struct task *known = record(run->m, tid);

	return known && known->known.policy != living(run->m, tid)->attr.policy;
}

static bool has_chosen(struct run *run, pid_t tid)
{
	const struct task *known = record(run->m, tid);

	return known && known->theirs;
}

static void bear(struct run *run, uint8_t kind)
{
	pid_t parent = run_some_running(run), born;
	const struct task *known = record(run->m, parent);
	uint8_t unsure = 0;

	if (run->n_tasks == TASKS_MAX || (kind == CLONE && parent == INIT))
		return;
	/* A policy that no look has found counts as that of the class whose slice the task carries. */
	if (has_unseen_policy(run, parent))
		unsure |= TASK_ATTR_POLICY;
	/*
	 * A choice on top of a class hides which class the child copied, if its origin gets another class before the
	 * fork is booked.
	 */
	if ((kind == BEGIN || run->m->deaf) &&
	    (run_is_unseen(run, machine_task(run->m, parent)) || has_chosen(run, parent)))
		unsure = EVERYTHING;
	/*
	 * Attributes that the child lost by reset-on-fork count as its choice, if no look has found the flag or the
	 * origin gets another class.
	 */
	if (living(run->m, parent)->attr.reset_on_fork &&
	    (kind == BEGIN || run->m->deaf || !(known && known->known.reset_on_fork)))
		unsure = EVERYTHING;
	/* Under SCHED_IDLE there is no slice to show which class the child copied. */
	if ((kind == BEGIN || run->m->deaf) && living(run->m, parent)->attr.policy == POLICY_IDLE)
		unsure |= TASK_ATTR_NICE | TASK_ATTR_IO_PRIORITY;
	/*
	 * While another thread has not been looked at, the plan cannot tell that this one's nice value is left over
	 * from a class.
	 */
	if (kind == CLONE && run->m->deaf)
		unsure |= TASK_ATTR_NICE | TASK_ATTR_IO_PRIORITY;
	/* If a class replaced a nice value that somebody imposed, the record is that of the leader. */
	if (kind == CLONE)
		looks_like_another(run, parent, &unsure);
	run->n_tasks++;
	born = run->next;
	if (kind == BEGIN) {
		begins_fork(run->m, parent, run->next);
		run->parents[run->n_unborn] = parent;
		run->unborn[run->n_unborn++] = run->next++;
	} else if (kind == CLONE) {
		clones(run->m, parent, run->next++);
	} else {
		forks(run->m, parent, run->next++);
	}
	run_exempt(machine_task(run->m, born), unsure);
}

/*
 * Exempts children that have not been looked at: without their parent, the plan cannot tell that their nice value is
 * left over from a class.
 */
static void leaves_children(struct run *run, pid_t tid)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		struct machine_task *child = &run->m->tasks[i];
		const struct task *known;

		if (!child->tid || child->parent != tid)
			continue;
		known = record(run->m, child->tid);
		if (!known || (known->flags & TASK_COPY))
			run_exempt(child, TASK_ATTR_NICE | TASK_ATTR_IO_PRIORITY);
		/*
		 * An orphan whose birth was missed, and that carries nothing but the nice value of a class, may have it
		 * from that class.
		 */
		if (!known && (child->without.nice == 2 || child->without.nice == 4))
			run_exempt(child, MAY_CLIMB);
	}
}

static bool has_threads(const struct run *run, pid_t tgid)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &run->m->tasks[i];

		if (task->tid && task->tgid == tgid && task->tid != tgid)
			return true;
	}
	return false;
}

static void end(struct run *run)
{
	pid_t tid = run_some_running(run);

	/* A leader that ends before its threads stays as a zombie. */
	if (tid == INIT || has_threads(run, tid))
		return;
	leaves_children(run, tid);
	exits(run->m, tid);
	run->n_tasks--;
}

static void end_forks_of_process(struct run *run, pid_t tid)
{
	for (size_t i = 0; i < run->n_unborn; i++) {
		if (tgid_of(run->m, run->parents[i]) == tgid_of(run->m, tid))
			run_end_forks(run);
	}
}

/*
 * Moves a process. A fork takes over the cgroup last, and a move waits for it (cgroup_threadgroup_rwsem in cgroup.c).
 */
static void move(struct run *run)
{
	const pid_t tid = run_some_running(run);

	end_forks_of_process(run, tid);
	moves(run->m, tgid_of(run->m, tid), run_cgroups[take_byte(&run->input) % N_CGROUPS]);
}

/* Lets the process go on as its present user, as one of two users, or with privileges besides. */
static void changes_owner(struct machine_task *leader, uint8_t how)
{
	static const uid_t uids[] = { ALICE, BOB };

	if (how > 1)
		leader->is_privileged = how == 4;
	if (how == 2 || how == 3)
		leader->uid = uids[how - 2];
}

/* Calls exec, which waits for the other threads to end, and these for their forks (de_thread in exec.c). */
static void exec(struct run *run)
{
	pid_t tid = run_some_running(run);
	uint8_t unsure = 0, how;
	const struct task *known;

	end_forks_of_process(run, tid);
	/* Any of its threads may take over the leader's place. */
	if (has_threads(run, tgid_of(run->m, tid)))
		leaves_children(run, tgid_of(run->m, tid));
	/* The plan cannot know which thread called exec. */
	looks_like_another(run, tid, &unsure);
	known = record(run->m, tgid_of(run->m, tid));
	if (known && (known->flags & TASK_MIXED))
		unsure = EVERYTHING;
	run_exempt(machine_task(run->m, tid), unsure);
	how = take_byte(&run->input);
	changes_owner(living(run->m, tgid_of(run->m, tid)), how / 6 % 5);
	execs(run->m, tid, commands[how % 6]);
	run->n_tasks = 0;
	for (size_t i = 0; i < MACHINE_TASKS; i++)
		run->n_tasks += run->m->tasks[i].tid > KTHREADD;
}

void run_hear_all(struct run *run)
{
	run->m->deaf = false;
	hear(run->m);
}

static const char *some_config(struct run *run)
{
	uint8_t nth = take_byte(&run->input) % 4;

	return run->own ? own : configs[nth];
}

static void is_told(struct run *run, uint8_t kind)
{
	struct machine *m = run->m;

	switch (kind) {
	case FORK:
	case CLONE:
	case BEGIN:
		bear(run, kind);
		break;
	case EXEC:
		exec(run);
		break;
	case RENAME:
		renames(m, run_some_running(run), names[take_byte(&run->input) % 6]);
		break;
	case EXIT:
		end(run);
		break;
	case PASS:
		run_end_forks(run);
		passes(m, take_number(&run->input, 2));
		break;
	case HEAR:
		run_hear_all(run);
		break;
	case HEAR_SOME:
		hear_first(m, take_byte(&run->input) % (m->n_queued + 1));
		run->in_time &= !m->n_queued;
		break;
	case DEAF:
		m->deaf = true;
		break;
	case RELOAD:
		run_end_forks(run);
		run_hear_all(run);
		reload(m, some_config(run));
		break;
	case SCAN:
		run_end_forks(run);
		run_hear_all(run);
		scan(m);
		break;
	case MOVE:
		move(run);
		break;
	case CHANGE:
		mark_enforced(m);
		if (!m->deaf)
			hear(m);
		break;
	}
}

/* ---- what keeps the plan from being exact ---- */

static void crash_and_start(struct run *run)
{
	struct machine *m = run->m;

	run_end_forks(run);
	run_hear_all(run);
	crash(m);
	run->n_asked = 0;
	start(m, some_config(run));
	m->n_legacy = 0;
}

static void disturb(struct run *run, uint8_t kind)
{
	struct machine *m = run->m;
	uint8_t how = take_byte(&run->input);

	switch (kind) {
	case LOSE:
		m->lossy = how & 1;
		break;
	case REFUSE:
		m->refuse = how & 1 ? 1 : 0;
		break;
	case IGNORE:
		m->ignore = how & 1;
		break;
	case MISS:
		m->missing = how;
		break;
	case CRASH:
		crash_and_start(run);
		return;
	}
	run->alone = run->exact = false;
}

void run_begin(struct run *run, uint8_t how)
{
	/* This is longer than a tick, by which the plan recognises tasks older than itself. */
	run->m->pace = 20 + (how >> 3) * 20;
	if (how & 1)
		run->m->kernel = (struct attr_caps){ 0 };
	run->own = how & 2;
	run->everybody = how & 4;
	start(run->m, run->own ? own : configs[0]);
}

void run_happens(struct run *run, uint8_t kind)
{
	switch (kind) {
	case LOSE:
	case REFUSE:
	case IGNORE:
	case MISS:
	case CRASH:
		disturb(run, kind);
		break;
	default:
		is_told(run, kind);
	}
}
