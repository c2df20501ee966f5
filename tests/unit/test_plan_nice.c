/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: nice COMMAND, chrt COMMAND: just what was asked for. */
#include "fake_daemon.h"

/* The daemon starts, then a shell of the default's class, 100, which forks 101. */
static void shell_forks(struct machine *m, const char *json)
{
	start_and_run(m, json, "/bin/sh");
	forks(m, 100, 101);
}

static void a_niced_command_under_a_tagged_shell_has_just_its_nice(void **state)
{
	struct machine *m = *state;

	shell_forks(m, "");
	renice(m, 101, 19);
	assert_carries(m, 101, "SCHED_BATCH nice 19 slice 16 ms util 0..512");
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
	count_from_here(m);
	scan(m);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 19");
}

static void what_nice_adds_is_the_choice_not_what_it_adds_to(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	runs_nice(m, 100, 10, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice 10", REASON_CHOSEN);
	execs(m, 100, "/usr/bin/other");
	assert_task(m, 100, "SCHED_NORMAL nice 10", REASON_CHOSEN);
	spawns(m, 100, 101, "/usr/bin/child");
	assert_task(m, 101, "SCHED_NORMAL nice 10", REASON_CHOSEN);
	/* Under what somebody chose, it adds to that. */
	runs_nice(m, 101, 5, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 15", REASON_CHOSEN);
}

/* What a command forks before we have come to its nice value was born with ours beside it. */
static void a_child_born_before_its_parent_s_nice_was_seen_has_just_that(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	forks(m, INIT, 200);
	m->deaf = true;
	m->pace = 10;
	renice(m, 100, 19);
	execs(m, 100, "/usr/bin/cmd");
	runs_nice(m, 200, 5, "/usr/bin/cmd");
	spawns(m, 100, 101, "/bin/sh");
	forks(m, 100, 102);
	spawns(m, 200, 201, "/bin/sh");
	assert_carries(m, 101, "SCHED_BATCH nice 19 slice 16 ms util 0..512");
	assert_carries(m, 201, "SCHED_BATCH nice 7 slice 16 ms util 0..512");
	hear(m);
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
	assert_task(m, 102, "SCHED_NORMAL nice 19", REASON_CHOSEN);
	assert_task(m, 200, "SCHED_NORMAL nice 5", REASON_CHOSEN);
	assert_task(m, 201, "SCHED_NORMAL nice 5", REASON_CHOSEN);
}

/* Whatever the class was. */
static void a_child_born_before_its_parent_s_policy_was_seen_has_just_that(void **state)
{
	struct machine *m = *state;

	start_and_run(m, "'sh': { 'qos': 'QOS_USER_INTERACTIVE' }", "/bin/sh");
	forks(m, 100, 101);
	m->deaf = true;
	m->pace = 10;
	chrt(m, 101, POLICY_IDLE, 0);
	execs(m, 101, "/usr/bin/cmd");
	spawns(m, 101, 102, "/usr/bin/other");
	hear(m);
	assert_task(m, 101, "SCHED_IDLE nice 0", REASON_CHOSEN);
	assert_task(m, 102, "SCHED_IDLE nice 0", REASON_CHOSEN);
}

/* Met in /proc, its fork unheard, no less. */
static void whoever_is_met_later_was_born_so_as_well(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 10;
	renice(m, 100, 19);
	execs(m, 100, "/usr/bin/cmd");
	m->lossy = true;
	forks(m, 100, 101);
	m->lossy = false;
	hear(m);
	scan(m);
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
}

static void nor_is_what_it_chose_itself_taken_for_ours(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 10;
	renice(m, 100, 19);
	execs(m, 100, "/usr/bin/cmd");
	forks(m, 100, 101);
	sets(m, 101, (struct task_attr){ .policy = POLICY_BATCH, .nice = 19, .util_max = UTIL_FULL });
	forks(m, INIT, 200);
	sets(m, 200, (struct task_attr){ .policy = POLICY_BATCH, .nice = 7, .slice_ns = 5 * MS, .util_max = UTIL_FULL });
	execs(m, 200, "/usr/bin/cmd");
	forks(m, 200, 201);
	sets(m, 201, (struct task_attr){ .nice = 9, .slice_ns = 5 * MS, .util_max = UTIL_FULL });
	hear(m);
	assert_carries(m, 101, "SCHED_BATCH nice 19");
	assert_task(m, 200, "SCHED_NORMAL nice 7 slice 5 ms", REASON_CHOSEN);
	assert_carries(m, 201, "SCHED_NORMAL nice 9 slice 5 ms");
}

static void what_nice_takes_away_is_the_choice(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	runs_nice(m, 100, -7, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice -7", REASON_CHOSEN);
}

static void nice_at_the_end_of_the_scale_is_the_end_of_the_scale(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	runs_nice(m, 100, 19, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice 19", REASON_CHOSEN);
}

static void nice_in_a_program_of_many_names_is_nice(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	m->deaf = true;
	execs(m, 100, "/bin/nice");
	snprintf(machine_task(m, 100)->exe, 64, "/bin/busybox");
	m->deaf = false;
	hear(m);
	renice(m, 100, 12);
	execs(m, 100, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice 10", REASON_CHOSEN);
}

static void a_command_under_chrt_idle_is_idle_and_nothing_else(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_IDLE nice 0", REASON_CHOSEN);
}

static void a_command_with_a_slice_of_its_own_keeps_it(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	machine_task(m, 100)->attr.slice_ns = 5 * MS;
	execs(m, 100, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice 0 slice 5 ms", REASON_CHOSEN);
}

static void a_command_with_clamps_of_its_own_keeps_them(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	machine_task(m, 100)->attr.util_min = 100;
	machine_task(m, 100)->attr.util_max = 300;
	execs(m, 100, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice 0 util 100..300", REASON_CHOSEN);
}

static void a_nice_that_is_also_a_class_s_is_a_choice_all_the_same(void **state)
{
	struct machine *m = *state;

	/* Where there are no slices, BATCH with nice 4 is all that BACKGROUND is. */
	m->kernel = (struct attr_caps){ 0 };
	shell_forks(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	renice(m, 101, 4);
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 4", REASON_CHOSEN);
}

static void a_niced_task_that_was_there_before_is_left_alone(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/cmd");
	renice(m, 100, 5);
	start(m, "");
	assert_task(m, 100, "SCHED_NORMAL nice 5", REASON_CHOSEN);
	assert_false(record(m, 100)->flags & TASK_OWNED);
}

static void nice_adds_to_what_it_finds_and_what_was_asked_for_counts(void **state)
{
	struct machine *m = *state;

	shell_forks(m, "");
	execs(m, 101, "/usr/bin/nice");
	renice(m, 101, 2 + 7);
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 7", REASON_CHOSEN);
}

static void an_absolute_nice_is_what_it_is(void **state)
{
	struct machine *m = *state;

	shell_forks(m, "");
	renice(m, 101, 9);
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 9", REASON_CHOSEN);
}

/* ---- a nice(1) that is done before anybody looks ---- */

static void a_nice_too_quick_to_be_seen_is_known_by_the_next_exec(void **state)
{
	struct machine *m = *state;

	shell_forks(m, "");
	renice(m, 101, 2 + 7);
	m->execs_again = true;
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 7", REASON_CHOSEN);
}

static void a_nice_that_has_niced_before_its_own_exec_is_looked_at_is_nice(void **state)
{
	struct machine *m = *state;

	shell_forks(m, "");
	m->deaf = true;
	execs(m, 101, "/usr/bin/nice");
	renice(m, 101, 2 + 7);
	hear(m);
	m->deaf = false;
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 7", REASON_CHOSEN);
}

/* /proc shows cmd at the event of nice's exec, and cmd's own is not sent yet. */
static void runs_nice_unseen(struct machine *m, const char *rules)
{
	shell_forks(m, rules);
	m->deaf = true;
	m->pace = 0;
	execs(m, 101, "/usr/bin/nice");
	renice(m, 101, 2 + 7);
	execs(m, 101, "/usr/bin/cmd");
	hear(m);
	m->deaf = false;
}

static void a_program_seen_before_its_exec_is_announced_tells_of_nice(void **state)
{
	struct machine *m = *state;

	runs_nice_unseen(m, "");
	assert_task(m, 101, "SCHED_NORMAL nice 7", REASON_CHOSEN);
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 7", REASON_CHOSEN);
}

static void what_it_tells_of_nice_is_put_back_where_a_rule_wins(void **state)
{
	struct machine *m = *state;

	runs_nice_unseen(m, "'cmd': { 'qos': 'QOS_BACKGROUND' }");
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 7");
}

static void another_program_tells_nothing_of_nice(void **state)
{
	struct machine *m = *state;

	shell_forks(m, "");
	renice(m, 101, 9);
	m->pace = 0;
	execs(m, 101, "/usr/bin/cmd");
	execs(m, 101, "/usr/bin/other");
	assert_task(m, 101, "SCHED_NORMAL nice 9", REASON_CHOSEN);
}

static void nor_does_one_that_execs_itself_anew(void **state)
{
	struct machine *m = *state;

	shell_forks(m, "");
	renice(m, 101, 9);
	execs(m, 101, "/usr/bin/cmd");
	passes(m, 20);
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 9", REASON_CHOSEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_niced_command_under_a_tagged_shell_has_just_its_nice),
		MACHINE_TEST(what_nice_adds_is_the_choice_not_what_it_adds_to),
		MACHINE_TEST(a_child_born_before_its_parent_s_nice_was_seen_has_just_that),
		MACHINE_TEST(a_child_born_before_its_parent_s_policy_was_seen_has_just_that),
		MACHINE_TEST(whoever_is_met_later_was_born_so_as_well),
		MACHINE_TEST(nor_is_what_it_chose_itself_taken_for_ours),
		MACHINE_TEST(what_nice_takes_away_is_the_choice),
		MACHINE_TEST(nice_at_the_end_of_the_scale_is_the_end_of_the_scale),
		MACHINE_TEST(nice_in_a_program_of_many_names_is_nice),
		MACHINE_TEST(a_command_under_chrt_idle_is_idle_and_nothing_else),
		MACHINE_TEST(a_command_with_a_slice_of_its_own_keeps_it),
		MACHINE_TEST(a_command_with_clamps_of_its_own_keeps_them),
		MACHINE_TEST(a_nice_that_is_also_a_class_s_is_a_choice_all_the_same),
		MACHINE_TEST(a_niced_task_that_was_there_before_is_left_alone),
		MACHINE_TEST(nice_adds_to_what_it_finds_and_what_was_asked_for_counts),
		MACHINE_TEST(an_absolute_nice_is_what_it_is),
		MACHINE_TEST(a_nice_too_quick_to_be_seen_is_known_by_the_next_exec),
		MACHINE_TEST(a_nice_that_has_niced_before_its_own_exec_is_looked_at_is_nice),
		MACHINE_TEST(a_program_seen_before_its_exec_is_announced_tells_of_nice),
		MACHINE_TEST(what_it_tells_of_nice_is_put_back_where_a_rule_wins),
		MACHINE_TEST(another_program_tells_nothing_of_nice),
		MACHINE_TEST(nor_does_one_that_execs_itself_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
