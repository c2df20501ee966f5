/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan, as a specification: what somebody chose, and what was born of the task before we came to that. Each carries
 * after the stop what it would carry without us.
 */
#include "fake_daemon.h"

#define RULES                                          \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }," \
	"'util': { 'qos': 'QOS_UTILITY' },"            \
	"'gcc': { 'qos': 'QOS_BACKGROUND' }"

/* The daemon starts, then a process of the default's class, 100; from here on it hears late. */
static void hears_late(struct machine *m)
{
	start_and_run(m, RULES, "/bin/sh");
	passes(m, m->pace);
	m->deaf = true;
	m->pace = 10;
}

static void assert_nothing_is_left(struct machine *m)
{
	m->deaf = false;
	stop(m);
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		char text[TASK_ATTR_TEXT_MAX];

		if (m->tasks[i].tid)
			assert_carries(m, m->tasks[i].tid, task_attr_text(&m->tasks[i].without, text));
	}
}

static void what_was_left_alone_as_changed_is_made_good_by_the_next_exec(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/usr/bin/chrome");
	renice(m, 100, 10);
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 10 slice 8 ms", REASON_CHANGED);
	forks(m, 100, 101);
	execs(m, 100, "/usr/bin/vi");
	execs(m, 101, "/usr/bin/vi");
	assert_task(m, 100, "SCHED_NORMAL nice 10", REASON_CHOSEN);
	assert_task(m, 101, "SCHED_NORMAL nice 10", REASON_CHOSEN);
	assert_nothing_is_left(m);
}

static void what_nice_adds_to_a_wide_difference_is_not_cut(void **state)
{
	struct machine *m = *state;

	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND', 'inherit': true }");
	forks(m, INIT, 100);
	renice(m, 100, -17);
	execs(m, 100, "/usr/lib/gcc");
	runs_nice(m, 100, 5, "/usr/lib/gcc");
	assert_nothing_is_left(m);
}

static void a_child_of_a_late_nice_is_niced_as_much(void **state)
{
	struct machine *m = *state;

	hears_late(m);
	m->late = true;
	runs_nice(m, 100, 10, "/usr/bin/cmd");
	forks(m, 100, 101);
	clones(m, 100, 102);
	hear(m);
	assert_task(m, 101, "SCHED_NORMAL nice 10", REASON_CHOSEN);
	assert_task(m, 102, "SCHED_NORMAL nice 10", REASON_CHOSEN);
}

static void a_child_of_a_niced_program_that_another_has_replaced_is_niced_as_much(void **state)
{
	struct machine *m = *state;

	hears_late(m);
	runs_nice(m, 100, 10, "/usr/bin/wrapper");
	forks(m, 100, 101);
	execs(m, 100, "/usr/bin/cmd");
	hear(m);
	assert_task(m, 100, "SCHED_NORMAL nice 10", REASON_CHOSEN);
	assert_task(m, 101, "SCHED_NORMAL nice 10", REASON_CHOSEN);
}

/* As daemons come about: the one in between is gone. */
static void a_grandchild_of_a_niced_program_is_niced_as_much(void **state)
{
	struct machine *m = *state;

	hears_late(m);
	runs_nice(m, 100, 10, "/usr/sbin/daemon");
	forks(m, 100, 101);
	forks(m, 101, 102);
	exits(m, 101);
	hear(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 10");
}

/* Born before we came to its parent, but after we came to what its parent's parent had chosen. */
static void a_grandchild_born_late_is_niced_as_much(void **state)
{
	struct machine *m = *state;

	hears_late(m);
	renice(m, 100, 9);
	execs(m, 100, "/usr/bin/cmd");
	forks(m, 100, 101);
	m->deaf = false;
	hear_first(m, 1);
	m->deaf = true;
	passes(m, 1900);
	forks(m, 101, 102);
	passes(m, 200);
	forks(m, 101, 103);
	hear(m);
	assert_nothing_is_left(m);
}

static void nice_within_nice_adds_to_it(void **state)
{
	struct machine *m = *state;

	hears_late(m);
	runs_nice(m, 100, 5, "/bin/sh");
	forks(m, 100, 101);
	runs_nice(m, 101, 7, "/usr/bin/cmd");
	hear(m);
	assert_task(m, 100, "SCHED_NORMAL nice 5", REASON_CHOSEN);
	assert_task(m, 101, "SCHED_NORMAL nice 12", REASON_CHOSEN);
}

/* What an earlier absolute nice value left in doubt was long settled. */
static void a_replaced_program_s_child_is_looked_at_after_a_nice_of_old(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/bin/sh");
	renice(m, 100, 9);
	execs(m, 100, "/usr/bin/chrome");
	passes(m, 10000);
	m->deaf = true;
	execs(m, 100, "/usr/lib/gcc");
	forks(m, 100, 101);
	execs(m, 100, "/usr/bin/chrome");
	hear(m);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_nothing_is_left(m);
}

/* In the same class as before: only that we heard of its fork late tells which nice value it was born with. */
static void a_child_born_before_its_parent_was_reniced_does_not_get_that(void **state)
{
	struct machine *m = *state;

	hears_late(m);
	execs(m, 100, "/usr/bin/util");
	forks(m, 100, 101);
	renice(m, 100, 15);
	hear(m);
	assert_task(m, 101, UTILITY, REASON_RULE);
	assert_nothing_is_left(m);
}

static void but_one_born_after_it_does(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/usr/bin/chrome");
	m->pace = 10;
	renice(m, 100, 9);
	execs(m, 100, "/usr/bin/chrome");
	m->deaf = true;
	execs(m, 100, "/usr/lib/gcc");
	forks(m, 100, 101);
	hear(m);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_nothing_is_left(m);
}

static void what_was_taken_long_ago_is_not_what_a_child_was_born_with(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/bin/sh");
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/usr/bin/util");
	renice(m, 100, 9);
	execs(m, 100, "/usr/bin/util");
	passes(m, 3000);
	m->pace = 10;
	execs(m, 100, "/usr/lib/gcc");
	execs(m, 100, "/usr/bin/util");
	/* With that it carries once more what we took from it at first, over another nice value. */
	chrt(m, 100, POLICY_IDLE, 0);
	forks(m, 100, 101);
	execs(m, 101, "/usr/bin/chrome");
	stop(m);
	assert_carries(m, 101, "SCHED_IDLE nice 9");
}

/* ---- real-time ---- */

static void a_child_born_before_its_parent_went_real_time_is_ours(void **state)
{
	struct machine *m = *state;

	hears_late(m);
	execs(m, 100, "/usr/lib/gcc");
	forks(m, 100, 101);
	chrt(m, 100, POLICY_RR, 7);
	hear(m);
	assert_task(m, 100, "SCHED_RR priority 7", REASON_NOT_FAIR);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_nothing_is_left(m);
}

static void a_child_born_real_time_loses_our_clamp_as_well(void **state)
{
	struct machine *m = *state;

	hears_late(m);
	chrt(m, 100, POLICY_RR, 7);
	execs(m, 100, "/usr/bin/cmd");
	forks(m, 100, 101);
	assert_carries(m, 101, "SCHED_RR priority 7 util 0..512");
	hear(m);
	assert_carries(m, 100, "SCHED_RR priority 7");
	assert_carries(m, 101, "SCHED_RR priority 7");
}

/* ---- met in /proc ---- */

static void an_unheard_child_without_anything_of_ours_gets_nothing_of_its_parent_s(void **state)
{
	struct machine *m = *state;

	start(m, RULES ", 'schedqos': { 'default': 'none' }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/usr/bin/chrome");
	m->lossy = true;
	forks(m, 100, 101);
	sets(m, 101, task_attr_pristine);
	forks(m, 100, 102);
	sets(m, 102, (struct task_attr){ .nice = 5, .util_max = UTIL_FULL });
	execs(m, 101, "/usr/bin/cmd");
	execs(m, 102, "/usr/bin/cmd");
	m->lossy = false;
	scan(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 102, "SCHED_NORMAL nice 5");
	assert_nothing_is_left(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(what_was_left_alone_as_changed_is_made_good_by_the_next_exec),
		MACHINE_TEST(what_nice_adds_to_a_wide_difference_is_not_cut),
		MACHINE_TEST(a_child_of_a_late_nice_is_niced_as_much),
		MACHINE_TEST(a_child_of_a_niced_program_that_another_has_replaced_is_niced_as_much),
		MACHINE_TEST(a_grandchild_of_a_niced_program_is_niced_as_much),
		MACHINE_TEST(a_grandchild_born_late_is_niced_as_much),
		MACHINE_TEST(nice_within_nice_adds_to_it),
		MACHINE_TEST(a_replaced_program_s_child_is_looked_at_after_a_nice_of_old),
		MACHINE_TEST(a_child_born_before_its_parent_was_reniced_does_not_get_that),
		MACHINE_TEST(but_one_born_after_it_does),
		MACHINE_TEST(what_was_taken_long_ago_is_not_what_a_child_was_born_with),
		MACHINE_TEST(a_child_born_before_its_parent_went_real_time_is_ours),
		MACHINE_TEST(a_child_born_real_time_loses_our_clamp_as_well),
		MACHINE_TEST(an_unheard_child_without_anything_of_ours_gets_nothing_of_its_parent_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
