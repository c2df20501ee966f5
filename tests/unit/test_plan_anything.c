/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan: anything at all may happen, and after the stop the machine is as it would be without us. */
#include "fake_daemon.h"

#define CHROME \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }"

#define FIRST_TID 100
#define N_TIDS	  56

/* What each task would carry had there been no daemon. */
static struct task_attr without[FIRST_TID + N_TIDS];

static uint32_t random_state;

static uint32_t below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

static struct machine_task *any_task(struct machine *m)
{
	for (;;) {
		struct machine_task *task = machine_task(m, (pid_t)(FIRST_TID + below(N_TIDS)));

		if (task)
			return task;
		if (!machine_task(m, FIRST_TID)) {
			forks(m, INIT, FIRST_TID);
			without[FIRST_TID] = task_attr_pristine;
		}
	}
}

/* Ids are handed out in turn. */
static pid_t last;

static pid_t next_free_tid(struct machine *m)
{
	for (int i = 0; i < N_TIDS; i++) {
		last = (last + 1) % N_TIDS;
		if (!machine_task(m, FIRST_TID + last))
			return FIRST_TID + last;
	}
	return 0;
}

static bool is_last_thread(const struct machine *m, const struct machine_task *task)
{
	if (task->tid != task->tgid)
		return true;
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		if (m->tasks[i].tid && m->tasks[i].tgid == task->tid && &m->tasks[i] != task)
			return false;
	}
	return true;
}

static void anything(struct machine *m, bool late)
{
	static const char *const commands[] = { "/bin/sh", "/bin/chrome", "/bin/gcc", "/bin/make",
						"/bin/jackd" };
	static const char *const names[] = { "bg", "pool-1", "idle" };
	static const char *const configs[] = {
		CHROME ", 'gcc': { 'qos': 'QOS_BACKGROUND' }, "
		       "'make': { 'qos': 'QOS_USER_INITIATED', 'inherit': true }",
		CHROME ", 'sh': { 'qos': 'QOS_USER_INTERACTIVE' }, "
		       "'schedqos': { 'default': 'all' }",
		"'gcc': { 'qos': 'QOS_USER_INTERACTIVE', 'period': 4000000 }, "
		"'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }, "
		"'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 }, "
		"'jackd': { 'qos': 'QOS_RT' }, 'schedqos': { 'default': 'none' }",
	};
	struct machine_task *task = any_task(m);
	pid_t tid = task->tid, tgid = task->tgid, child = next_free_tid(m);
	unsigned what = below(100);

	if (what < 25 && child) {
		forks(m, tid, child);
		without[child] = without[tid];
	} else if (what < 40 && child) {
		clones(m, tid, child);
		without[child] = without[tid];
	} else if (what < 60) {
		/* A class without a slice leaves no mark: heard of too late, it is taken for a
		 * choice. */
		execs(m, tid, commands[below(late ? 4 : 5)]);
		without[tgid] = without[tid];
	} else if (what < 75) {
		renames(m, tid, names[below(3)]);
	} else if (what < 85 && tid != FIRST_TID && is_last_thread(m, task)) {
		exits(m, tid);
	} else if (what < 92 && !late && tid == tgid && task_policy_is_fair(task->attr.policy)) {
		/* Values that no class has, and upwards only: all that anybody may do. */
		int nice = 7 + 4 * (int)below(4);

		if (nice < without[tid].nice)
			nice = without[tid].nice;
		renice(m, tid, nice);
		without[tid].nice = (int8_t)nice;
		execs(m, tid, commands[below(4)]);
	} else if (what < 94) {
		/* As the daemon does: events tell more of a newborn than /proc. */
		hear(m);
		reload(m, configs[below(3)]);
	} else if (what < 96) {
		hear(m);
		scan(m);
	}
}

static void nothing_is_left_behind(struct machine *m, bool late)
{
	memset(without, 0, sizeof(without));
	last = 0;
	start(m, CHROME);
	for (int i = 0; i < 300; i++) {
		m->deaf = late && below(3) != 0;
		m->pace = late ? 5 : 1000;
		anything(m, late);
		/* The queue of a daemon that gets its turn at last. */
		if (!m->deaf || m->n_queued > 40)
			hear(m);
	}
	m->deaf = false;
	stop(m);
	for (pid_t tid = FIRST_TID; tid < FIRST_TID + N_TIDS; tid++) {
		char text[TASK_ATTR_TEXT_MAX];

		if (machine_task(m, tid))
			assert_carries(m, tid, task_attr_text(&without[tid], text));
	}
}

MACHINE_TEST(whatever_happens_nothing_is_left_behind)
{
	for (uint32_t seed = 1; seed <= 200; seed++) {
		random_state = seed;
		nothing_is_left_behind(m, false);
		machine_anew(m);
	}
}
