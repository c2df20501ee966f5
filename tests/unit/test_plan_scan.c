/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how the plan treats tasks that a scan finds in /proc, at the start and after a loss of events. */
#include "fake_daemon.h"

#include <errno.h>

#define CHROME "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"
#define MAKE   "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }"

/* ---- the first scan ---- */

MACHINE_TEST(tasks_that_ran_before_the_start_get_their_class)
{
	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/vi");
	start(m, CHROME);
	assert_ptr_equal(plan_config(m->plan), m->config);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 200, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, INIT, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(parents_come_first_so_that_children_inherit)
{
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	spawns(m, 101, 90, "/usr/bin/as");
	start(m, MAKE);
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
	assert_task(m, 90, BACKGROUND, REASON_INHERITED);
}

MACHINE_TEST(a_scan_sees_each_task_once)
{
	spawns(m, INIT, 100, "/usr/bin/chrome");
	start(m, CHROME);
	assert_true(plan_is_seen(m->plan, 100));
	assert_false(plan_is_seen(m->plan, 101));
	forks(m, 100, 101);
	assert_true(plan_is_seen(m->plan, 101));
	plan_scan_begin(m->plan);
	assert_false(plan_is_seen(m->plan, 100));
	/* The scan has not found its parent yet, so it has not found the child, either. */
	forks(m, 100, 102);
	assert_false(plan_is_seen(m->plan, 102));
}

MACHINE_TEST(a_process_without_an_executable_is_left_out)
{
	spawns(m, INIT, 100, "");
	start(m, "");
	assert_unknown(m, 100);
}

/* ---- after a loss ---- */

MACHINE_TEST(threads_of_a_process_without_a_readable_executable_are_left_alone_with_it)
{
	spawns(m, INIT, 100, "/usr/bin/secret");
	clones(m, 100, 101);
	m->missing = FACT_EXE;
	m->why_missing = EACCES;
	start(m, "");
	assert_unknown(m, 100);
	assert_unknown(m, 101);
	assert_carries(m, 101, PRISTINE);
}

MACHINE_TEST(a_thread_that_is_heard_before_its_process_is_found_belongs_to_it)
{
	start(m, CHROME);
	m->lossy = true;
	forks(m, INIT, 100);
	m->lossy = false;
	clones(m, 100, 101);
	scan(m);
	assert_ptr_equal(tasks_next_thread(plan_tasks(m->plan), record(m, 100)), record(m, 101));
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(a_missed_exec_is_found)
{
	start_and_run(m, CHROME, "/usr/bin/vi");
	m->lossy = true;
	execs(m, 100, "/usr/bin/chrome");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

MACHINE_TEST(a_leader_keeps_its_choice_after_its_threads_have_ended)
{
	start_and_run(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }",
		      "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	clones(m, 100, 102);
	exits(m, 101);
	exits(m, 102);
	/* The sweep after a scan does this. */
	plan_exited(m->plan, 101);
	plan_exited(m->plan, 102);
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .slice_ns = 15 * MS, .util_max = 1024, .nice = 19 });
	m->lossy = true;
	scan(m);
	m->lossy = false;
	stop(m);
	assert_carries(m, 100, "SCHED_BATCH nice 19 slice 15 ms");
}

MACHINE_TEST(another_start_is_another_task)
{
	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 5);
	start(m, CHROME);
	assert_task(m, 100, "SCHED_NORMAL nice 5 slice 8 ms", REASON_RULE);
	m->lossy = true;
	exits(m, 100);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	scan(m);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

MACHINE_TEST(tasks_whose_birth_we_missed_get_their_class)
{
	start_and_run(m, CHROME "," MAKE, "/usr/bin/make");
	m->lossy = true;
	forks(m, 100, 101);
	clones(m, 101, 102);
	spawns(m, 101, 103, "/usr/bin/as");
	m->lossy = false;
	count_from_here(m);
	scan(m);
	assert_no_action(m);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	assert_task(m, 103, BACKGROUND, REASON_INHERITED);
	stop(m);
	for (pid_t tid = 100; tid <= 103; tid++)
		assert_carries(m, tid, PRISTINE);
}

/* It does not carry the slice of its parent's class, so it has not copied the class. */
MACHINE_TEST(a_nice_value_of_its_parent_s_class_without_the_slice_is_its_choice)
{
	start_and_run(m, "'schedqos': { 'default': 'none' }," MAKE, "/usr/bin/vi");
	m->lossy = true;
	forks(m, 100, 101);
	renice(m, 101, 4);
	m->lossy = false;
	execs(m, 100, "/usr/bin/make");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	scan(m);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 4");
}

/* No class gives this slice, so the slice is a choice, and the rest is taken for the parent's class. */
MACHINE_TEST(a_nice_value_of_its_parent_s_class_beside_a_chosen_slice_is_ours)
{
	start_and_run(m, CHROME "," MAKE, "/usr/bin/make");
	m->lossy = true;
	forks(m, 100, 101);
	living(m, 101)->attr.slice_ns = living(m, 101)->without.slice_ns = 7 * MS;
	m->lossy = false;
	scan(m);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 4 slice 7 ms");
}

/* A rule has raised another task from SCHED_IDLE, which limits the had of orphans. These two are no orphans. */
MACHINE_TEST(a_missed_child_or_thread_of_a_task_that_lowered_itself_is_no_orphan)
{
	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'yield': false }");
	spawns(m, INIT, 200, "/usr/bin/sh");
	chrt(m, 200, POLICY_IDLE, 0);
	execs(m, 200, "/usr/bin/app");
	spawns(m, INIT, 300, "/usr/bin/app");
	forks(m, 300, 302);
	renice(m, 300, 9);
	m->lossy = true;
	forks(m, 300, 301);
	clones(m, 302, 303);
	renice(m, 303, 9);
	m->lossy = false;
	scan(m);
	stop(m);
	assert_carries(m, 301, "SCHED_NORMAL nice 9");
	assert_carries(m, 303, "SCHED_NORMAL nice 9");
}

/* Otherwise the class that its parent got meanwhile would pass for the origin of the child's own nice value. */
MACHINE_TEST(a_missed_child_that_fits_nobody_does_not_get_back_what_it_lowered)
{
	start_and_run(m, "'sh': { 'qos': 'QOS_UTILITY' }, 'make': { 'qos': 'QOS_BACKGROUND' }", "/usr/bin/sh");
	m->lossy = true;
	forks(m, 100, 101);
	renice(m, 101, 4);
	m->lossy = false;
	execs(m, 100, "/usr/bin/make");
	assert_carries(m, 100, BACKGROUND);
	forks(m, 100, 102);
	scan(m);
	stop(m);
	assert_int_equal(living(m, 101)->attr.nice, 4);
}

MACHINE_TEST(a_missed_child_that_lowered_itself_keeps_only_its_nice_value)
{
	start_and_run(m, CHROME, "/usr/bin/chrome");
	m->lossy = true;
	forks(m, 100, 101);
	renice(m, 101, 19);
	execs(m, 101, "/usr/bin/vi");
	m->lossy = false;
	scan(m);
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
}

/* ---- tasks that carry a class's attributes for an unknown reason ---- */

static const struct task_attr interactive = {
	.nice = -4,
	.slice_ns = 8 * MS,
	.util_max = UTIL_FULL,
};

MACHINE_TEST(an_orphan_born_after_the_start_keeps_only_its_slice)
{
	start(m, CHROME);
	m->lossy = true;
	begins_fork(m, KTHREADD, 100);
	machine_task(m, 100)->parent = 99; /* a process without a record */
	sets(m, 100, interactive);
	execs(m, 100, "/usr/bin/vi");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 0 slice 8 ms", REASON_CHOSEN);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 0 slice 8 ms");
}

MACHINE_TEST(a_task_from_before_the_start_has_chosen_the_attributes_of_a_class)
{
	spawns(m, INIT, 100, "/usr/bin/vi");
	sets(m, 100, interactive);
	start(m, CHROME);
	assert_task(m, 100, INTERACTIVE, REASON_CHOSEN);
	stop(m);
	assert_carries(m, 100, INTERACTIVE);
}

MACHINE_TEST(an_orphan_with_nothing_but_the_nice_value_of_a_class_has_chosen_it)
{
	start(m, "'QOS_NICE': { 'sched_nice': 5 }, 'cc': { 'qos': 'QOS_NICE' }");
	m->lossy = true;
	begins_fork(m, KTHREADD, 100);
	machine_task(m, 100)->parent = 99;
	renice(m, 100, 5);
	execs(m, 100, "/usr/bin/vi");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 5", REASON_CHOSEN);
}

/*
 * Any process may have been its parent, and somebody may have lowered that one. A child of init is no exception, even
 * if it carries the same as init.
 */
MACHINE_TEST(an_orphan_had_no_more_than_any_task_that_a_rule_raised)
{
	start(m,
	      "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'yield': false }, 'sh': { 'qos': 'QOS_DEFAULT', 'yield': false }");
	spawns(m, INIT, 300, "/usr/lib/systemd/systemd");
	spawns(m, 300, 100, "/usr/bin/sh");
	renice(m, 100, 10);
	execs(m, 100, "/usr/bin/app");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	m->lossy = true;
	forks(m, 100, 101);
	execs(m, 100, "/usr/bin/sh");
	m->lossy = false;
	scan(m);
	m->lossy = true;
	forks(m, 100, 102);
	exits(m, 100);
	machine_task(m, 101)->parent = 300;
	m->lossy = false;
	scan(m);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 10");
	assert_carries(m, 102, "SCHED_NORMAL nice 10");
}

/* Any task may have made it. That init carries the same says nothing, because init adopts all orphans. */
MACHINE_TEST(an_orphan_whose_birth_we_missed_does_not_climb)
{
	start(m, "'schedqos': { 'default': 'none' }," MAKE);
	spawns(m, INIT, 100, "/bin/cmd");
	renice(m, 100, 3);
	scan(m);
	m->lossy = true;
	forks(m, 100, 101);
	forks(m, 101, 102);
	sets(m, 102, (struct task_attr){ POLICY_BATCH, .nice = 4, .slice_ns = 20 * MS, .util_max = 256 });
	exits(m, 101);
	m->lossy = false;
	scan(m);
	stop(m);
	assert_int_equal(living(m, 102)->attr.nice, 4);
}

/* It chose the slice that its new parent carries. */
MACHINE_TEST(an_orphan_of_a_subreaper_stays_lowered)
{
	start(m, "'manager': { 'qos': 'QOS_UTILITY' }, 'backup': { 'qos': 'QOS_BACKGROUND', 'yield': false }");
	spawns(m, INIT, 100, "/bin/manager");
	spawns(m, 100, 200, "/bin/sh");
	chrt(m, 200, POLICY_IDLE, 0);
	execs(m, 200, "/bin/backup");
	assert_carries(m, 200, BACKGROUND);
	m->lossy = true;
	forks(m, 200, 201);
	forks(m, 201, 202);
	exits(m, 201);
	living(m, 202)->parent = 100;
	living(m, 202)->attr.slice_ns = living(m, 202)->without.slice_ns = 16 * MS;
	m->lossy = false;
	scan(m);
	stop(m);
	assert_int_equal(living(m, 202)->attr.policy, POLICY_IDLE);
}

/* The leader was set meanwhile, but that does not tell what another thread had. */
MACHINE_TEST(a_leader_s_record_does_not_decide_about_a_thread_that_another_thread_made)
{
	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }", "/usr/bin/app");
	clones(m, 100, 101);
	scan(m);
	sets(m, 101, (struct task_attr){ .policy = POLICY_BATCH, .nice = 4, .slice_ns = 20 * MS, .util_max = 256 });
	m->lossy = true;
	clones(m, 101, 102);
	m->lossy = false;
	scan(m);
	stop(m);
	assert_int_equal(living(m, 101)->attr.nice, 4);
	assert_int_equal(living(m, 102)->attr.nice, 4);
}
