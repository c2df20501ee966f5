/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which class a task gets at an exec. */
#include "fake_daemon.h"

MACHINE_TEST(an_exec_that_changes_nothing_sets_nothing)
{
	start(m, "'sh': { 'qos': 'QOS_BACKGROUND' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/sh");
	count_from_here(m);
	execs(m, 100, "/usr/bin/gcc");
	assert_no_action(m);
	assert_int_equal(m->fetched, FACT_EXE | FACT_ARGV | FACT_ATTR);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
}

#define CHOSEN "'vi': { 'qos': 'QOS_BACKGROUND', 'match': { 'argv': 'chosen' } }"

MACHINE_TEST(the_name_decides_about_a_program_until_its_arguments_can_be_read)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, " CHOSEN);
	m->unread = true;
	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/vi chosen");
	clones(m, 200, 201);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 200, BY_DEFAULT, REASON_DEFAULT);
	m->unread = false;
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 200, BACKGROUND, REASON_RULE);
	assert_task(m, 201, BACKGROUND, REASON_RULE);
}

MACHINE_TEST(a_rule_found_by_arguments_stays_while_they_cannot_be_read)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, " CHOSEN);
	spawns(m, INIT, 200, "/usr/bin/vi chosen");
	m->unread = true;
	scan(m);
	assert_task(m, 200, BACKGROUND, REASON_RULE);
	reload(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, " CHOSEN);
	assert_task(m, 200, BACKGROUND, REASON_RULE);
	execs(m, 200, "/usr/bin/chrome");
	assert_task(m, 200, INTERACTIVE, REASON_RULE);
}

/* The daemon asks this before it decides. */
MACHINE_TEST(arguments_are_asked_for_only_if_a_rule_of_a_due_process_needs_them)
{
	const struct plan_mark process = { .tid = 100, .tgid = 100 }, thread = { .tid = 101, .tgid = 100 };

	start_and_run(m, "", "/usr/bin/vi");
	assert_false(plan_asks_argv(m->plan, &(struct plan_mark){ .tid = 999, .tgid = 999 }));
	reload(m, CHOSEN);
	assert_true(plan_asks_argv(m->plan, &(struct plan_mark){ .tid = 999, .tgid = 999 }));
	clones(m, 100, 101);
	assert_false(plan_asks_argv(m->plan, &process));
	record(m, 100)->due = record(m, 101)->due = DUE_MATCH;
	assert_true(plan_asks_argv(m->plan, &process));
	assert_false(plan_asks_argv(m->plan, &thread));
	plan_undo_begin(m->plan);
	record(m, 100)->due = DUE_MATCH;
	assert_false(plan_asks_argv(m->plan, &process));
}

MACHINE_TEST(an_exec_makes_a_record_of_a_task_that_has_none)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	m->lossy = true;
	forks(m, INIT, 100);
	m->lossy = false;
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(a_task_for_which_there_is_no_memory_gets_no_record)
{
	m->no_memory = true;
	start(m, "");
	forks(m, INIT, 100);
	execs(m, 100, "/usr/bin/vi");
	assert_unknown(m, 100);
	assert_no_action(m);
	/* The three: init in the scan, the fork, and the exec of a task without a record. */
	assert_int_equal(plan_failed(m->plan), 3);
	plan_free(NULL);
}

/* The events were queued, so the child's record copied its parent's before the parent was decided about. */
MACHINE_TEST(a_child_inherits_the_class_that_its_parent_s_queued_exec_brought)
{
	start(m, "'steam': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true }, "
		 "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }");
	spawns(m, INIT, 100, "/usr/bin/steam");
	spawns(m, 100, 101, "/usr/bin/sh");
	m->deaf = true;
	execs(m, 101, "/usr/bin/make");
	forks(m, 101, 102);
	execs(m, 102, "/usr/bin/cc");
	m->deaf = false;
	hear(m);
	assert_task(m, 102, BACKGROUND, REASON_INHERITED);
	stops_without_trace(m);
}
