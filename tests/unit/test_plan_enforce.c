/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan: what somebody changes on a task that a rule enforces, as soon as that is heard. */
#include "fake_daemon.h"

#define ALWAYS	"'app': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true }"
#define PROGRAM "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': 'program' }"

/* The app, with a thread 101, and a process 200 that no rule names; nothing is recent. */
static void starts(struct machine *m, const char *json)
{
	start_and_run(m, json, "/usr/bin/app");
	spawns(m, INIT, 200, "/usr/bin/cmd");
	clones(m, 100, 101);
	passes(m, m->pace);
	count_from_here(m);
}

static void reniced(struct machine *m, pid_t by, pid_t tid, int nice)
{
	renice(m, tid, nice);
	calls(m, by, tid);
}

static void a_change_is_put_back_whoever_made_it(void **state)
{
	static const pid_t authors[] = { 200, 100, 101, 999 };
	struct machine *m = *state;

	starts(m, ALWAYS);
	for (size_t i = 0; i < 4; i++) {
		reniced(m, authors[i], 100, 7);
		assert_task(m, 100, INTERACTIVE, REASON_RULE);
		assert_true(m->last.is_put_back);
		assert_int_equal(m->last.changed_by, authors[i]);
		passes(m, m->pace);
	}
	chrt(m, 101, POLICY_IDLE, 0);
	calls(m, 200, 101);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	/* Each gets at the stop what was chosen. */
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 7");
	assert_carries(m, 101, "SCHED_IDLE nice 0");
}

static void without_enforcement_nobody_looks(void **state)
{
	struct machine *m = *state;

	starts(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_false(plan_needs_changes(m->plan));
	count_from_here(m);
	reniced(m, 200, 100, 7);
	calls(m, 200, 0);
	assert_no_fetch(m);
	reload(m, PROGRAM);
	assert_true(plan_needs_changes(m->plan));
	reload(m, ALWAYS);
	assert_true(plan_needs_changes(m->plan));
}

static void what_changes_nothing_and_whom_nobody_knows(void **state)
{
	struct machine *m = *state;

	starts(m, ALWAYS);
	calls(m, 200, 100);
	calls(m, 200, 5000);
	calls(m, 5000, 100);
	assert_no_action(m);
	/* What comes with an exec is no putting back. */
	renice(m, 100, 7);
	execs(m, 100, "/usr/bin/app");
	assert_false(m->last.is_put_back);
}

static void any_task_may_have_been_changed(void **state)
{
	struct machine *m = *state;

	starts(m, ALWAYS);
	renice(m, 100, 7);
	renice(m, 101, 7);
	calls(m, 200, 0);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_int_equal(m->last.changed_by, 200);
	/* Of two at once it is not known which did it. */
	m->deaf = true;
	renice(m, 100, 8);
	calls(m, 200, 0);
	calls(m, 100, 0);
	m->deaf = false;
	hear(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_int_equal(m->last.changed_by, 0);
}

static void real_time_is_not_touched(void **state)
{
	static const char *const rules[] = { ALWAYS, PROGRAM };
	struct machine *m = *state;

	starts(m, ALWAYS);
	for (size_t i = 0; i < 2; i++) {
		reload(m, rules[i]);
		chrt(m, 100, POLICY_RR, 7);
		calls(m, 100, 100);
		assert_task(m, 100, "SCHED_RR priority 7", REASON_NOT_FAIR);
		chrt(m, 100, POLICY_NORMAL, 0);
		calls(m, 100, 100);
		assert_task(m, 100, INTERACTIVE, REASON_RULE);
	}
}

static void only_what_the_program_did_itself(void **state)
{
	struct machine *m = *state;

	starts(m, PROGRAM);
	reniced(m, 101, 100, 7);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_true(m->last.is_put_back);
	/* And it is as if it had not happened. */
	renames(m, 100, "anything");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	reniced(m, 200, 100, 9);
	assert_task(m, 100, "SCHED_NORMAL nice 9 slice 8 ms", REASON_CHANGED);
	/* What a person chose is what the program cannot change. */
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .nice = 3, .util_max = UTIL_FULL });
	calls(m, 100, 100);
	assert_task(m, 100, "SCHED_NORMAL nice 9 slice 8 ms", REASON_CHANGED);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 9");
	assert_carries(m, 101, PRISTINE);
}

static void a_change_of_unknown_origin_stays(void **state)
{
	struct machine *m = *state;

	starts(m, PROGRAM);
	reniced(m, 5000, 100, 7);
	assert_task(m, 100, "SCHED_NORMAL nice 7 slice 8 ms", REASON_CHANGED);
	/* So does one that nobody told of, and what both may have done. */
	renice(m, 101, 7);
	scan(m);
	assert_task(m, 101, "SCHED_NORMAL nice 7 slice 8 ms", REASON_CHANGED);
	execs(m, 100, "/usr/bin/app");
	m->deaf = true;
	reniced(m, 100, 100, 7);
	reniced(m, 200, 100, 8);
	m->deaf = false;
	hear(m);
	assert_task(m, 100, "SCHED_NORMAL nice 8 slice 8 ms", REASON_CHANGED);
}

/* A browser's: each sets its own nice value before anything else, soon after the program was executed. */
static void threads_that_change_themselves_at_birth(void **state)
{
	struct machine *m = *state;

	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': 'program', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	m->pace = 1;
	spawns(m, INIT, 100, "/usr/bin/app");
	m->deaf = true;
	for (pid_t tid = 101; tid < 104; tid++) {
		clones(m, 100, tid);
		reniced(m, tid, tid, 10);
	}
	renames(m, 102, "bg");
	m->deaf = false;
	hear(m);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
	assert_task(m, 103, INTERACTIVE, REASON_RULE);
	clones(m, 102, 104);
	reniced(m, 104, 104, 10);
	assert_task(m, 104, BACKGROUND, REASON_THREAD);
	/* But where one of them had been lowered, it may be that one's child. */
	reniced(m, 200, 103, 15);
	m->deaf = true;
	clones(m, 103, 105);
	reniced(m, 105, 105, 17);
	m->deaf = false;
	hear(m);
	assert_task(m, 105, "SCHED_NORMAL nice 17 slice 8 ms", REASON_CHANGED);
}

/* Seen before it is heard; and while it is still under way. */
static void a_look_that_comes_too_early(void **state)
{
	static const pid_t authors[] = { 101, 200 };
	static const char *const carried[] = { INTERACTIVE, "SCHED_NORMAL nice 7 slice 8 ms" };
	struct machine *m = *state;

	starts(m, PROGRAM);
	for (size_t i = 0; i < 4; i++) {
		execs(m, 100, "/usr/bin/app");
		clones(m, 100, 101);
		m->holds_looks = true;
		renice(m, 101, 7);
		scan(m);
		assert_carries(m, 101, "SCHED_NORMAL nice 7 slice 8 ms");
		m->holds_looks = false;
		if (i < 2)
			calls(m, authors[i % 2], 101);
		else
			begins_call(m, authors[i % 2], 101);
		hear(m);
		assert_carries(m, 101, carried[i % 2]);
		calls(m, authors[i % 2], 101);
		assert_carries(m, 101, carried[i % 2]);
		exits(m, 101);
		passes(m, m->pace);
	}
}

/* Between the set and the look at what came of it. */
static void a_change_while_another_is_put_back(void **state)
{
	static const pid_t authors[] = { 101, 200 };
	static const char *const carried[] = { INTERACTIVE, "SCHED_NORMAL nice 9 slice 8 ms" };
	struct machine *m = *state;
	struct task_attr now;

	starts(m, PROGRAM);
	for (size_t i = 0; i < 2; i++) {
		m->hold = true;
		reniced(m, 100, 100, 7);
		assert_int_equal(kernel_sets(m, &m->held), 0);
		renice(m, 100, 9);
		now = attr_shown(m, living(m, 100));
		m->hold = m->has_held = false;
		assert_int_equal(plan_applied(m->plan, &m->held, 0, &now, (uint32_t)m->ms), PLAN_CHANGED);
		calls(m, authors[i], 100);
		assert_carries(m, 100, carried[i]);
	}
}

static void changes_ten_times_in_a_second(struct machine *m, pid_t by, pid_t tid)
{
	for (int i = 0; i < 10; i++) {
		assert_false(m->last.is_left);
		passes(m, 50);
		reniced(m, by, tid, 7);
		assert_task(m, tid, INTERACTIVE, REASON_RULE);
	}
	assert_true(m->last.is_left);
	assert_int_equal(m->last.changed_by, by);
}

static void is_left_for_a_while(struct machine *m, const char *json)
{
	uint32_t next_ms;

	starts(m, json);
	m->last.is_left = false;
	assert_false(plan_end_truces(m->plan, m->ms, &next_ms));
	changes_ten_times_in_a_second(m, 101, 100);
	reniced(m, 101, 100, 8);
	assert_carries(m, 100, "SCHED_NORMAL nice 8 slice 8 ms");
	/* The others are not. */
	reniced(m, 101, 101, 7);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_true(plan_end_truces(m->plan, m->ms + 9999, &next_ms));
	assert_int_equal(next_ms, (uint32_t)m->ms + 10000);
	hear(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 8 slice 8 ms");
	passes(m, 10000);
	assert_false(plan_end_truces(m->plan, m->ms, &next_ms));
	hear(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_int_equal(m->last.changed_by, 101);
	assert_false(m->last.is_left);
}

static void a_task_that_is_fought_over_is_left_for_a_while(void **state)
{
	is_left_for_a_while(*state, ALWAYS);
}

static void likewise_if_it_fights_itself(void **state)
{
	is_left_for_a_while(*state, PROGRAM);
}

static void less_often_is_no_fight(void **state)
{
	struct machine *m = *state;

	starts(m, ALWAYS);
	for (int i = 0; i < 30; i++) {
		passes(m, 120);
		reniced(m, 101, 100, 7);
		assert_task(m, 100, INTERACTIVE, REASON_RULE);
		assert_false(m->last.is_left);
	}
}

static void another_task_with_the_id_of_one_that_was_left(void **state)
{
	struct machine *m = *state;

	starts(m, ALWAYS);
	m->last.is_left = false;
	changes_ten_times_in_a_second(m, 200, 100);
	exits(m, 101);
	exits(m, 100);
	m->pace = 100;
	spawns(m, INIT, 100, "/usr/bin/app");
	reniced(m, 200, 100, 7);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

static void after_a_crash(void **state)
{
	struct machine *m = *state;

	starts(m, PROGRAM);
	reniced(m, 100, 100, 7);
	m->deaf = true;
	reniced(m, 101, 101, 7);
	crash(m);
	m->n_queued = 0;
	m->deaf = false;
	start(m, PROGRAM);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	reniced(m, 100, 100, 9);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_change_is_put_back_whoever_made_it),
		MACHINE_TEST(without_enforcement_nobody_looks),
		MACHINE_TEST(what_changes_nothing_and_whom_nobody_knows),
		MACHINE_TEST(any_task_may_have_been_changed),
		MACHINE_TEST(real_time_is_not_touched),
		MACHINE_TEST(only_what_the_program_did_itself),
		MACHINE_TEST(a_change_of_unknown_origin_stays),
		MACHINE_TEST(threads_that_change_themselves_at_birth),
		MACHINE_TEST(a_look_that_comes_too_early),
		MACHINE_TEST(a_change_while_another_is_put_back),
		MACHINE_TEST(a_task_that_is_fought_over_is_left_for_a_while),
		MACHINE_TEST(likewise_if_it_fights_itself),
		MACHINE_TEST(less_often_is_no_fight),
		MACHINE_TEST(another_task_with_the_id_of_one_that_was_left),
		MACHINE_TEST(after_a_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
