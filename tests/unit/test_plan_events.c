/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: which class a task takes at exec and at fork. */
#include "fake_daemon.h"

/* ---- exec ---- */

static void a_program_takes_the_class_of_its_rule(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_false(record(m, 100)->flags & TASK_SCANNED);
}

static void a_program_without_a_rule_takes_the_default(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/vi");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
}

static void every_exec_decides_anew(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	execs(m, 100, "/usr/bin/gcc");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	execs(m, 100, "/usr/bin/vi");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

static void an_exec_that_changes_nothing_sets_nothing(void **state)
{
	struct machine *m = *state;

	start(m, "'sh': { 'qos': 'QOS_BACKGROUND' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/sh");
	count_from_here(m);
	execs(m, 100, "/usr/bin/gcc");
	assert_no_action(m);
	assert_int_equal(m->fetched, FACT_EXE | FACT_ARGV | FACT_ATTR);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
}

static void a_class_of_the_default_s_attributes_is_on_record_all_the_same(void **state)
{
	struct machine *m = *state;

	start(m, "'gcc': { 'qos': 'QOS_UTILITY' }");
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, UTILITY, REASON_RULE);
	assert_int_not_equal(record(m, 100)->tag, TAG_DEFAULT);
}

static void a_period_scales_the_slice(void **state)
{
	struct machine *m = *state;

	start(m, "'pw': { 'qos': 'QOS_USER_INTERACTIVE', 'period': 4000000 }");
	spawns(m, INIT, 100, "/usr/bin/pw");
	assert_task(m, 100, "SCHED_NORMAL nice -4 slice 2 ms", REASON_RULE);
}

static void an_unknown_task_s_exec_makes_it_known(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	m->lossy = true;
	forks(m, KTHREADD, 100);
	m->lossy = false;
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

static void an_unknown_task_that_is_gone_stays_unknown(void **state)
{
	struct machine *m = *state;

	start(m, "");
	m->lossy = m->deaf = true;
	forks(m, INIT, 100);
	m->lossy = false;
	execs(m, 100, "/usr/bin/chrome");
	exits(m, 100);
	hear(m);
	assert_unknown(m, 100);
}

static void a_task_without_an_executable_stays_unknown(void **state)
{
	struct machine *m = *state;

	start(m, "");
	m->lossy = true;
	forks(m, INIT, 100);
	m->lossy = false;
	execs(m, 100, "");
	assert_unknown(m, 100);
}

static void a_program_whose_facts_cannot_be_had_is_left_alone(void **state)
{
	static const enum fact facts[] = { FACT_EXE, FACT_ARGV, FACT_COMM, FACT_ATTR };
	struct machine *m = *state;

	start(m, "'chrome': { 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		pid_t tid = (pid_t)(100 + i);

		forks(m, INIT, tid);
		m->missing = facts[i];
		execs(m, tid, "/usr/bin/chrome");
		m->missing = 0;
	}
	assert_no_action(m);
}

static void a_task_for_which_there_is_no_memory_stays_unknown(void **state)
{
	struct machine *m = *state;

	m->no_memory = true;
	start(m, "");
	forks(m, INIT, 100);
	execs(m, 100, "/usr/bin/vi");
	assert_unknown(m, 100);
	assert_no_action(m);
	plan_free(NULL);
}

/* ---- fork ---- */

static void a_fork_needs_no_action_and_no_facts(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	count_from_here(m);
	forks(m, 100, 101);
	forks(m, 101, 102);
	clones(m, 102, 103);
	assert_no_fetch(m);
	assert_no_action(m);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	assert_task(m, 103, INTERACTIVE, REASON_RULE);
	assert_int_equal(record(m, 103)->tgid, 102);
}

static void a_fork_by_a_thread_copies_the_thread(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "
		 "'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	count_from_here(m);
	forks(m, 101, 102);
	assert_no_fetch(m);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
}

static void a_fork_by_an_unknown_thread_copies_the_leader(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->lossy = true;
	clones(m, 100, 101);
	m->lossy = false;
	forks(m, 101, 102);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
}

static void the_child_of_an_unknown_parent_is_looked_at(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	m->lossy = true;
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->lossy = false;
	forks(m, 100, 101);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_false(record(m, 101)->flags & TASK_SCANNED);
}

static void a_thread_of_an_unknown_process_takes_the_default(void **state)
{
	struct machine *m = *state;

	start(m, "");
	m->lossy = true;
	spawns(m, INIT, 100, "/usr/bin/vi");
	m->lossy = false;
	clones(m, 100, 101);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
}

static void a_fork_under_a_known_tid_is_another_task(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/gcc");
	exits(m, 100);
	forks(m, 200, 100);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	m->lossy = true;
	spawns(m, KTHREADD, 300, "/usr/bin/gcc");
	m->lossy = false;
	exits(m, 100);
	forks(m, 300, 100);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
}

static void a_set_that_lands_on_a_reused_tid_is_taken_back(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 200, "/usr/bin/gcc");
	forks(m, INIT, 100);
	m->hold = true;
	execs(m, 100, "/usr/bin/chrome");
	exits(m, 100);
	m->deaf = true;
	forks(m, 200, 100);
	carry_out(m);
	assert_carries(m, 100, INTERACTIVE);
	hear(m);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void who_had_the_tid_before_leaves_nothing_to_the_next(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 200, "/usr/bin/gcc");
	forks(m, INIT, 100);
	renice(m, 100, 7);
	m->hold = true;
	execs(m, 100, "/usr/bin/chrome");
	exits(m, 100);
	m->deaf = true;
	forks(m, 200, 100);
	carry_out(m);
	hear(m);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void a_child_born_before_its_parent_was_tagged_is_tagged(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 10;
	execs(m, 100, "/usr/bin/chrome");
	forks(m, 100, 101);
	clones(m, 100, 102);
	hear(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 101, PRISTINE);
}

static void a_child_may_take_a_while_to_be_announced(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "
		 "'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	begins_fork(m, 100, 101);
	renames(m, 100, "bg");
	passes(m, 200);
	ends_fork(m, 101);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
}

static void a_newborn_that_is_gone_keeps_its_record(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 10;
	execs(m, 100, "/usr/bin/chrome");
	forks(m, 100, 101);
	exits(m, 101);
	hear(m);
	assert_non_null(tasks_find(plan_tasks(m->plan), 101));
}

static void a_newborn_thread_without_a_name_keeps_its_record(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "
		 "'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	m->missing = FACT_COMM;
	clones(m, 100, 102);
	assert_non_null(tasks_find(plan_tasks(m->plan), 102));
}

static void a_newborn_that_somebody_changed_is_left_to_its_exec(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 10;
	execs(m, 100, "/usr/bin/chrome");
	forks(m, 100, 101);
	renice(m, 101, 19);
	hear(m);
	assert_carries(m, 101, "SCHED_BATCH nice 19 slice 16 ms util 0..512");
	m->deaf = false;
	execs(m, 101, "/usr/bin/vi");
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
}

static void a_child_born_during_a_reload_leaves_the_old_class(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->deaf = true;
	m->pace = 10;
	begins_fork(m, 100, 101);
	set_config(m, "'chrome': { 'qos': 'QOS_BACKGROUND' }");
	scan(m);
	assert_carries(m, 100, BACKGROUND);
	begins_fork(m, 100, 102);
	sets(m, 102, (struct task_attr){ .nice = -4, .slice_ns = 8 * MS, .util_max = UTIL_FULL });
	ends_fork(m, 102);
	hear(m);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	stop(m);
	assert_carries(m, 102, PRISTINE);
}

static void a_parent_with_reset_on_fork_has_children_to_be_tagged(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	machine_task(m, 100)->attr.reset_on_fork = 1;
	execs(m, 100, "/usr/bin/chrome");
	count_from_here(m);
	forks(m, 100, 101);
	assert_int_equal(m->actions, 1);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 1);
	assert_int_equal(machine_task(m, 101)->attr.reset_on_fork, 0);
	stop(m);
	assert_carries(m, 100, PRISTINE);
	assert_carries(m, 101, PRISTINE);
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 1);
}

static void a_negative_nice_is_not_what_such_a_child_had(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	sets(m, 100, (struct task_attr){ .nice = -5, .reset_on_fork = 1, .util_max = UTIL_FULL });
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, 100, 101);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice -5");
	assert_carries(m, 101, PRISTINE);
}

static void a_task_with_reset_on_fork_keeps_it_when_tagged(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	machine_task(m, 100)->attr.reset_on_fork = 1;
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_program_takes_the_class_of_its_rule),
		MACHINE_TEST(a_program_without_a_rule_takes_the_default),
		MACHINE_TEST(every_exec_decides_anew),
		MACHINE_TEST(an_exec_that_changes_nothing_sets_nothing),
		MACHINE_TEST(a_class_of_the_default_s_attributes_is_on_record_all_the_same),
		MACHINE_TEST(a_period_scales_the_slice),
		MACHINE_TEST(an_unknown_task_s_exec_makes_it_known),
		MACHINE_TEST(an_unknown_task_that_is_gone_stays_unknown),
		MACHINE_TEST(a_task_without_an_executable_stays_unknown),
		MACHINE_TEST(a_program_whose_facts_cannot_be_had_is_left_alone),
		MACHINE_TEST(a_task_for_which_there_is_no_memory_stays_unknown),
		MACHINE_TEST(a_fork_needs_no_action_and_no_facts),
		MACHINE_TEST(a_fork_by_a_thread_copies_the_thread),
		MACHINE_TEST(a_fork_by_an_unknown_thread_copies_the_leader),
		MACHINE_TEST(the_child_of_an_unknown_parent_is_looked_at),
		MACHINE_TEST(a_thread_of_an_unknown_process_takes_the_default),
		MACHINE_TEST(a_fork_under_a_known_tid_is_another_task),
		MACHINE_TEST(a_set_that_lands_on_a_reused_tid_is_taken_back),
		MACHINE_TEST(who_had_the_tid_before_leaves_nothing_to_the_next),
		MACHINE_TEST(a_child_born_before_its_parent_was_tagged_is_tagged),
		MACHINE_TEST(a_child_may_take_a_while_to_be_announced),
		MACHINE_TEST(a_newborn_that_is_gone_keeps_its_record),
		MACHINE_TEST(a_newborn_thread_without_a_name_keeps_its_record),
		MACHINE_TEST(a_newborn_that_somebody_changed_is_left_to_its_exec),
		MACHINE_TEST(a_child_born_during_a_reload_leaves_the_old_class),
		MACHINE_TEST(a_parent_with_reset_on_fork_has_children_to_be_tagged),
		MACHINE_TEST(a_negative_nice_is_not_what_such_a_child_had),
		MACHINE_TEST(a_task_with_reset_on_fork_keeps_it_when_tagged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
