/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whatever can happen on the made-up machine of the unit tests, in any order: forks, execs,
 * renames, changes by others, late and lost events, reloads, crashes. The table stays whole,
 * actions are what the kernel takes, and where nobody else has changed a task, the stop leaves
 * every one as it would be without us. After a crash without slices, the mark of what is ours, the
 * plan can only do its best.
 */
#include "fuzz.h"

#include "../unit/fake_daemon.h"

#define TASKS_MAX  40
#define EVENTS_MAX 16

/* No fork takes longer: half of what the plan allows for, since whatever happens next takes its
 * time as well. */
#define FORK_MS 1000

static const char *const configs[] = {
	"'a*': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true },"
	"'b': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 't*': 'QOS_USER_INITIATED' } },"
	"'c': [ { 'match': { 'parent': 'a' }, 'qos': 'QOS_UTILITY' }, { 'qos': 'QOS_BACKGROUND' } "
	"]",

	"'schedqos': { 'default': 'none' },"
	"'b': { 'qos': 'QOS_USER_INITIATED', 'inherit': true },"
	"'a*': { 'thread_qos': { 't*': 'QOS_BACKGROUND' } }",

	"'schedqos': { 'default': 'all' },"
	"'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 },"
	"'QOS_IDLE': { 'sched_policy': 'SCHED_IDLE' },"
	"'a': { 'qos': 'QOS_RT', 'enforce': true }, 'b': { 'qos': 'QOS_IDLE', 'yield': true },"
	"'c': { 'qos': 'QOS_BACKGROUND', 'period': 8000000, 'inherit': true }",
};

/* Here a task's class depends on nothing but what it is now, whatever it and its ancestors have been. */
static const char own[] =
	"'a*': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 't1': 'QOS_UTILITY', 'm': 'QOS_USER_INITIATED' } },"
	"'b': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 't*': 'QOS_USER_INITIATED' } },"
	"'d': { 'thread_qos': { 'a': 'QOS_USER_INTERACTIVE' } }";

static const char *const commands[] = {
	"/bin/a", "/bin/a1", "/bin/b", "/usr/bin/c -x", "/bin/d", "/usr/bin/nice -n 5 a",
};

static const char *const names[] = { "a", "t1", "t2", "m", "", "\x1b[2J\xff" };

enum {
	FORK,
	CLONE,
	BEGIN,
	EXEC,
	RENAME,
	EXIT,
	PASS,
	HEAR,
	DEAF,
	RELOAD,
	SCAN, /* what the kernel tells */
	LOSE,
	RENICE,
	CHRT,
	REFUSE,
	IGNORE,
	MISS,
	CRASH,	   /* what it does not */
	HEAR_SOME, /* and then decide what is late, though more is queued already */
	KINDS
};

struct run {
	struct input input;
	struct machine *m;
	pid_t next;
	pid_t unborn[TASKS_MAX];  /* begun, and still to be announced */
	pid_t parents[TASKS_MAX]; /* in the midst of it */
	size_t n_unborn;
	uint32_t unborn_ms; /* since when there are any */
	size_t n_tasks;
	bool own;   /* the configuration is that, all the time */
	bool alone; /* nobody but the plan has chosen anything, and it was told of everything */
};

/* Some task that may be meant: not the daemon, not a kernel thread. 0 if there is none. */
static pid_t some_task(struct run *run)
{
	uint8_t nth = take_byte(&run->input);

	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &run->m->tasks[(i + nth) % MACHINE_TASKS];

		if (task->tid && task->tid != KTHREADD)
			return task->tid;
	}
	return 0;
}

/* Until their fork is over, neither the child runs nor the parent. */
static bool is_forking(const struct run *run, pid_t tid)
{
	for (size_t i = 0; i < run->n_unborn; i++) {
		if (run->unborn[i] == tid || run->parents[i] == tid)
			return true;
	}
	return false;
}

/* /proc shows the newborn, and dates it, from here on: its attributes are older (copy_process in
 * fork.c). */
static void end_forks(struct run *run)
{
	for (size_t i = 0; i < run->n_unborn; i++) {
		struct machine_task *task = machine_task(run->m, run->unborn[i]);

		task->start = run->m->ms / 10;
		ends_fork(run->m, task->tid);
	}
	run->n_unborn = 0;
}

/* Never 0: at the worst, all forks end. */
static pid_t some_running(struct run *run)
{
	pid_t tid = some_task(run);

	if (is_forking(run, tid))
		end_forks(run);
	return tid;
}

static void bear(struct run *run, uint8_t kind)
{
	pid_t parent = some_running(run);

	if (run->n_tasks == TASKS_MAX || (kind == CLONE && parent == INIT))
		return;
	run->n_tasks++;
	if (kind == BEGIN) {
		if (!run->n_unborn)
			run->unborn_ms = run->m->ms;
		begins_fork(run->m, parent, run->next);
		run->parents[run->n_unborn] = parent;
		run->unborn[run->n_unborn++] = run->next++;
	} else if (kind == CLONE) {
		clones(run->m, parent, run->next++);
	} else {
		forks(run->m, parent, run->next++);
	}
}

static void end(struct run *run)
{
	pid_t tid = some_running(run);
	const struct machine_task *task;

	if (tid == INIT)
		return;
	/* A leader that ends before its threads stays, as a zombie. */
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		task = &run->m->tasks[i];
		if (task->tid && task->tgid == tid && task->tid != tid)
			return;
	}
	exits(run->m, tid);
	run->n_tasks--;
}

/* Exec waits for the other threads to end, and these for their forks (de_thread in exec.c). */
static void exec(struct run *run)
{
	pid_t tid = some_running(run);

	for (size_t i = 0; i < run->n_unborn; i++) {
		if (tgid_of(run->m, run->parents[i]) == tgid_of(run->m, tid))
			end_forks(run);
	}
	execs(run->m, tid, commands[take_byte(&run->input) % 6]);
	run->n_tasks = 0;
	for (size_t i = 0; i < MACHINE_TASKS; i++)
		run->n_tasks += run->m->tasks[i].tid > KTHREADD;
}

static void hear_all(struct run *run)
{
	run->m->deaf = false;
	hear(run->m);
	run->m->late = false;
}

static const char *some_config(struct run *run)
{
	uint8_t nth = take_byte(&run->input) % 3;

	return run->own ? own : configs[nth];
}

static void happens(struct run *run, uint8_t kind)
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
		renames(m, some_running(run), names[take_byte(&run->input) % 6]);
		break;
	case EXIT:
		end(run);
		break;
	case PASS:
		end_forks(run);
		passes(m, take_number(&run->input, 2));
		break;
	case HEAR:
		hear_all(run);
		break;
	case HEAR_SOME:
		hear_first(m, take_byte(&run->input) % (m->n_queued + 1));
		break;
	case DEAF:
		m->deaf = true;
		m->late = take_byte(&run->input) & 1;
		break;
	case RELOAD:
		end_forks(run);
		hear_all(run);
		reload(m, some_config(run));
		break;
	case SCAN:
		end_forks(run);
		hear_all(run);
		scan(m);
		break;
	}
}

static void crash_and_start(struct run *run)
{
	struct machine *m = run->m;

	end_forks(run);
	hear_all(run);
	crash(m);
	start(m, some_config(run));
	free(m->legacy_tags);
	m->legacy_tags = NULL;
	m->n_legacy = m->n_legacy_tags = 0;
	/* An orphan of somebody whom nobody has heard of. */
	if (!m->kernel.slice)
		run->alone = false;
}

/* From here on the plan can do no more than its best. */
static void disturbs(struct run *run, uint8_t kind)
{
	struct machine *m = run->m;
	uint8_t how = take_byte(&run->input);
	pid_t tid;

	switch (kind) {
	case LOSE:
		m->lossy = how & 1;
		break;
	case RENICE:
		tid = some_task(run);
		if (task_policy_is_fair(machine_task(m, tid)->attr.policy))
			renice(m, tid, how % 40 - 20);
		break;
	case CHRT:
		chrt(m, some_task(run),
		     how & 1   ? POLICY_RR
		     : how & 2 ? POLICY_BATCH
			       : POLICY_NORMAL,
		     how & 1 ? 1 + how % 99 : 0);
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
	run->alone = false;
}

/* All has been heard of: whoever looks at every task finds nothing left to do. */
static void check_settled(struct run *run)
{
	count_from_here(run->m);
	scan(run->m);
	check(run->m->actions == 0);
}

static void check_restored(const struct run *run)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &run->m->tasks[i];

		check(!task->tid || task_attr_is_pristine(&task->attr));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct run run = { .input = { input, size }, .next = 100, .alone = true };
	void *state;
	uint8_t first = take_byte(&run.input);

	check(machine_on(&state) == 0);
	run.m = state;
	/* Longer than a tick: by it the plan tells who was there before it. */
	run.m->pace = 20 + (first >> 2) * 10;
	if (first & 1)
		run.m->kernel = (struct attr_caps){ 0 };
	run.own = first & 2;
	start(run.m, run.own ? own : configs[0]);
	while (run.input.left) {
		uint8_t kind = take_byte(&run.input) % KINDS;

		if (run.m->n_queued >= EVENTS_MAX)
			hear_all(&run);
		if (run.n_unborn && run.m->ms - run.unborn_ms > FORK_MS)
			end_forks(&run);
		if (kind < LOSE || kind == HEAR_SOME)
			happens(&run, kind);
		else
			disturbs(&run, kind);
		for (size_t i = 0; i < MACHINE_TASKS; i++)
			check_known(run.m->plan, run.m->tasks[i].tid);
	}
	end_forks(&run);
	hear_all(&run);
	if (run.alone && run.own)
		check_settled(&run);
	stop(run.m);
	check_plan(run.m->plan);
	if (run.alone)
		check_restored(&run);
	machine_off(&state);
	return 0;
}
