/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: the way back. After the stop the machine is as it would be without
 * us. */
#include "fake_daemon.h"

#define CHROME \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }"

static void begins_undo(struct machine *m)
{
	hear(m);
	plan_undo_begin(m->plan);
}

static void undo_of(struct machine *m, pid_t tid)
{
	struct task_attr now;
	struct plan_action action;

	assert_true(plan_undo(m->plan, record(m, tid), facts_of(m, tid, tid), &action));
	assert_int_equal(kernel_sets(m, &action), 0);
	now = attr_shown(m, living(m, tid));
	plan_applied(m->plan, &action, 0, &now, m->ms);
}

static void every_tagged_task_gets_back_what_it_had(void **state)
{
	const struct task_attr mine = {
		.policy = POLICY_BATCH,
		.nice = 3,
		.slice_ns = 5 * MS,
		.util_min = 10,
		.util_max = 700,
	};
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 101, "/usr/bin/chrome");
	sets(m, 101, mine);
	spawns(m, INIT, 102, "/usr/bin/vi");
	start(m, CHROME);
	assert_task(m, 101, "SCHED_NORMAL nice -4 slice 8 ms util 10..1024", REASON_RULE);
	stop(m);
	assert_task(m, 100, PRISTINE, REASON_UNDONE);
	assert_task(m, 101, "SCHED_BATCH nice 3 slice 5 ms util 10..700", REASON_UNDONE);
	assert_task(m, 102, PRISTINE, REASON_UNDONE);
	assert_task(m, INIT, PRISTINE, REASON_UNDONE);
}

static void who_inherited_gets_what_the_ancestor_had(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 6);
	start(m, CHROME);
	forks(m, 100, 101);
	clones(m, 101, 102);
	renames(m, 102, "bg");
	exits(m, 100);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 6");
	assert_carries(m, 102, "SCHED_NORMAL nice 6");
}

static void what_somebody_changed_stays(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/vi");
	renice(m, 100, 10);
	chrt(m, 200, POLICY_FIFO, 3);
	stop(m);
	assert_task(m, 100, "SCHED_NORMAL nice 10 slice 8 ms", REASON_CHANGED);
	assert_task(m, 200, "SCHED_FIFO priority 3", REASON_NOT_FAIR);
}

static void what_was_left_alone_is_not_even_looked_at(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }");
	spawns(m, INIT, 100, "/usr/bin/vi");
	begins_undo(m);
	count_from_here(m);
	for (pid_t tid = INIT; tid <= 100; tid += 99) {
		struct facts nothing = { .tid = tid, .tgid = tid };
		struct plan_action action;

		assert_false(plan_undo(m->plan, record(m, tid), &nothing, &action));
		assert_non_null(record(m, tid));
	}
}

static void a_child_born_during_the_undo_is_undone(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->deaf = true;
	m->pace = 10;
	begins_undo(m);
	forks(m, 100, 101);
	clones(m, 100, 102);
	stop(m);
	assert_task(m, 101, PRISTINE, REASON_UNDONE);
	assert_task(m, 102, PRISTINE, REASON_UNDONE);
}

static void a_child_born_before_but_announced_after_its_parent_s_undo_is_undone(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	begins_fork(m, 100, 101);
	stop(m);
	passes(m, 100);
	ends_fork(m, 101);
	assert_task(m, 101, PRISTINE, REASON_UNDONE);
}

static void a_child_whose_fork_lasts_long_after_its_parent_s_undo_is_undone(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	begins_fork(m, 100, 101);
	begins_undo(m);
	undo_of(m, 100);
	passes(m, 4000);
	ends_fork(m, 101);
	assert_carries(m, 101, PRISTINE);
}

/* Its exec, and what somebody chose before that, are heard of and still to be decided. */
static void of_a_late_exec_the_undo_leaves_the_choice_alone(void **state)
{
	struct machine *m = *state;

	start_and_run(m, "", "/bin/sh");
	forks(m, 100, 101);
	forks(m, 100, 102);
	m->lossy = true;
	renice(m, 101, 9);
	execs(m, 101, "/usr/bin/cmd");
	execs(m, 102, "/usr/bin/nice");
	renice(m, 102, 2 + 7);
	execs(m, 102, "/usr/bin/cmd");
	assert_true(plan_postpone(m->plan, 101, true));
	assert_true(plan_postpone(m->plan, 102, true));
	assert_true(plan_postpone(m->plan, 102, true));
	plan_undo_begin(m->plan);
	undo_of(m, 101);
	undo_of(m, 102);
	assert_carries(m, 101, "SCHED_NORMAL nice 9");
	assert_carries(m, 102, "SCHED_NORMAL nice 7");
}

static void nothing_is_tagged_any_more(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	stop(m);
	count_from_here(m);
	renames(m, 100, "bg");
	execs(m, 100, "/usr/bin/chrome");
	spawns(m, 100, 101, "/usr/bin/chrome");
	scan(m);
	assert_no_action(m);
	assert_carries(m, 100, PRISTINE);
	assert_carries(m, 101, PRISTINE);
}

static void an_exec_during_the_undo_is_undone(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	begins_undo(m);
	count_from_here(m);
	execs(m, 100, "/usr/bin/vi");
	assert_no_action(m);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void a_task_that_nobody_told_us_of_is_undone_by_the_last_scan(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->lossy = true;
	forks(m, 100, 101);
	clones(m, 100, 102);
	stop(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 102, PRISTINE);
}

static void a_real_time_class_is_undone(void **state)
{
	struct machine *m = *state;

	start(m, "'QOS_RT': { 'sched_policy': 'SCHED_RR', 'sched_priority': 5 }, "
		 "'jackd': { 'qos': 'QOS_RT' }");
	forks(m, INIT, 100);
	renice(m, 100, 5);
	execs(m, 100, "/usr/bin/jackd");
	assert_carries(m, 100, "SCHED_RR priority 5");
	forks(m, 100, 101);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 5");
	assert_carries(m, 101, "SCHED_NORMAL nice 5");
}

static void a_task_that_ended_is_left_alone(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	exits(m, 100);
	count_from_here(m);
	stop(m);
	assert_int_not_equal(m->last.tid, 100);
}

static void a_second_undo_finds_nothing(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	stop(m);
	count_from_here(m);
	stop(m);
	assert_no_action(m);
}

/* ---- anything at all may happen ---- */

#define FIRST_TID 100
#define N_TIDS	  40

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

static pid_t any_free_tid(struct machine *m)
{
	for (int i = 0; i < 8; i++) {
		pid_t tid = (pid_t)(FIRST_TID + below(N_TIDS));

		if (!machine_task(m, tid))
			return tid;
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
	pid_t tid = task->tid, tgid = task->tgid, child = any_free_tid(m);
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
		/* Values that no class has; and an exec behind it, as with nice(1). */
		int nice = 7 + 4 * (int)below(4);

		renice(m, tid, nice);
		without[tid].nice = (int8_t)nice;
		execs(m, tid, commands[below(4)]);
	} else if (what < 94) {
		reload(m, configs[below(3)]);
	} else if (what < 96) {
		scan(m);
	}
}

static void nothing_is_left_behind(struct machine *m, bool late)
{
	memset(without, 0, sizeof(without));
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

static void repeat(void **state, bool late)
{
	for (uint32_t seed = 1; seed <= 200; seed++) {
		random_state = seed;
		nothing_is_left_behind(*state, late);
		assert_int_equal(machine_off(state), 0);
		assert_int_equal(machine_on(state), 0);
	}
}

static void whatever_happens_nothing_is_left_behind(void **state)
{
	repeat(state, false);
}

static void whatever_happens_and_however_late_we_hear_of_it_nothing_is_left_behind(void **state)
{
	repeat(state, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(every_tagged_task_gets_back_what_it_had),
		MACHINE_TEST(who_inherited_gets_what_the_ancestor_had),
		MACHINE_TEST(what_somebody_changed_stays),
		MACHINE_TEST(what_was_left_alone_is_not_even_looked_at),
		MACHINE_TEST(a_child_born_during_the_undo_is_undone),
		MACHINE_TEST(a_child_born_before_but_announced_after_its_parent_s_undo_is_undone),
		MACHINE_TEST(a_child_whose_fork_lasts_long_after_its_parent_s_undo_is_undone),
		MACHINE_TEST(of_a_late_exec_the_undo_leaves_the_choice_alone),
		MACHINE_TEST(nothing_is_tagged_any_more),
		MACHINE_TEST(an_exec_during_the_undo_is_undone),
		MACHINE_TEST(a_task_that_nobody_told_us_of_is_undone_by_the_last_scan),
		MACHINE_TEST(a_real_time_class_is_undone),
		MACHINE_TEST(a_task_that_ended_is_left_alone),
		MACHINE_TEST(a_second_undo_finds_nothing),
		MACHINE_TEST(whatever_happens_nothing_is_left_behind),
		MACHINE_TEST(whatever_happens_and_however_late_we_hear_of_it_nothing_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
