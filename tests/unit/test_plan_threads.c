/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which class threads get by their names, and which class descendants inherit. */
#include "fake_daemon.h"

/* ---- threads ---- */

#define CHROME                                                                         \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "                                  \
	"'thread_qos': { 'bg': 'QOS_BACKGROUND', 'pool*': 'QOS_UTILITY', 'pool-hot': " \
	"'QOS_USER_INITIATED' } }"

MACHINE_TEST(a_rename_without_thread_rules_costs_nothing)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/vi");
	count_from_here(m);
	renames(m, 100, "vi");
	renames(m, 200, "chrome");
	assert_no_fetch(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 200, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(a_rename_within_a_class_costs_nothing)
{
	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "pool-1");
	count_from_here(m);
	renames(m, 101, "pool-2");
	assert_no_fetch(m);
	assert_task(m, 101, UTILITY, REASON_THREAD);
}

MACHINE_TEST(a_rename_of_a_task_without_a_record_costs_nothing)
{
	start(m, CHROME);
	m->lossy = true;
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->lossy = false;
	count_from_here(m);
	renames(m, 100, "bg");
	assert_no_fetch(m);
	assert_unknown(m, 100);
}

MACHINE_TEST(a_new_thread_is_looked_at_if_the_threads_of_its_process_differ)
{
	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	/* No event tells which thread made it. It has copied its maker's name, too. */
	clones(m, 101, 102);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
	clones(m, 100, 103);
	assert_task(m, 103, INTERACTIVE, REASON_RULE);
	renames(m, 102, "other");
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	stop(m);
	for (pid_t tid = 100; tid <= 103; tid++)
		assert_carries(m, tid, PRISTINE);
}

/* Chromium's new threads lower themselves like this. Only a thread that carries no less can have made such a thread. */
MACHINE_TEST(a_new_thread_is_not_taken_for_a_copy_of_a_lower_thread)
{
	start_and_run(m, CHROME, "/usr/bin/chrome");
	clones(m, 100, 101);
	renice(m, 101, 10);
	scan(m);
	m->deaf = true;
	clones(m, 100, 102);
	renice(m, 102, 0);
	renames(m, 102, "pool-hot");
	m->deaf = false;
	hear(m);
	assert_task(m, 102, INITIATED, REASON_THREAD);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 10");
	assert_carries(m, 102, PRISTINE);
}

/* No other thread carries this nice value, so the thread may be a copy of any of them. */
MACHINE_TEST(a_new_thread_that_fits_no_other_gets_the_least_that_any_of_them_had)
{
	start_and_run(m,
		      "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'yield': false, "
		      "'thread_qos': { 'hot': 'QOS_USER_INITIATED' } }",
		      "/usr/bin/chrome");
	clones(m, 100, 101);
	renice(m, 101, 10);
	scan(m);
	renames(m, 101, "hot");
	assert_task(m, 101, INITIATED, REASON_THREAD);
	m->deaf = true;
	clones(m, 101, 102);
	living(m, 102)->attr.nice = -1;
	m->deaf = false;
	hear(m);
	stop(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 10");
}

MACHINE_TEST(new_threads_are_looked_at_if_only_the_leader_gets_another_class)
{
	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 100, "bg");
	clones(m, 101, 102);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	clones(m, 100, 103);
	assert_task(m, 103, BACKGROUND, REASON_THREAD);
}

/* renice(1) of a process does this: it changes the leader, and no other thread. */
MACHINE_TEST(new_threads_are_looked_at_if_only_the_leader_is_reniced)
{
	start_and_run(
		m,
		"'schedqos': { 'groups': { 'x': { 'max': 'QOS_UTILITY' } } }, 'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }",
		"/usr/bin/chrome");
	clones(m, 100, 101);
	renice(m, 100, 5);
	moves(m, 100, "/user.slice/a");
	clones(m, 101, 102);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 5");
	assert_carries(m, 102, PRISTINE);
}

MACHINE_TEST(new_threads_are_no_longer_looked_at_after_an_exec)
{
	start(m, CHROME ", 'viewer': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	execs(m, 100, "/usr/bin/viewer");
	count_from_here(m);
	clones(m, 100, 102);
	assert_no_fetch(m);
}

/* The thread was born with the former class. Before its birth is booked, the leader gets another class. */
MACHINE_TEST(a_former_class_is_not_a_choice_of_a_thread_that_execs_before_it_is_booked)
{
	start(m, "'a': { 'qos': 'QOS_USER_INTERACTIVE' }, 'b': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/bin/b");
	m->deaf = true;
	execs(m, 100, "/bin/a");
	clones(m, 100, 101);
	hear_first(m, 1);
	execs(m, 101, "/bin/vi");
	m->deaf = false;
	hear(m);
	assert_int_equal(record(m, 100)->had.policy, POLICY_NORMAL);
	stop(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_NORMAL);
}

/* A rule raised the task from SCHED_IDLE, so it returns there. */
MACHINE_TEST(a_thread_that_execs_before_it_is_booked_keeps_no_policy_of_a_rule)
{
	start(m, "'a': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true }");
	spawns(m, INIT, 100, "/bin/vi");
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/a");
	assert_int_equal(living(m, 100)->attr.policy, POLICY_NORMAL);
	m->deaf = true;
	execs(m, 100, "/bin/vi");
	clones(m, 100, 101);
	hear_first(m, 1);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_IDLE);
	execs(m, 101, "/bin/vi");
	m->deaf = false;
	hear(m);
	stop(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_IDLE);
}

/* Reset-on-fork took the nice value that its maker had from the new thread. */
MACHINE_TEST(a_thread_born_with_reset_on_fork_does_not_have_its_maker_s_nice_value)
{
	start_and_run(m, "'chrome': { 'qos': 'QOS_UTILITY', 'enforce': true }", "/usr/bin/chrome");
	renice(m, 100, -7);
	clones(m, 100, 101);
	scan(m);
	living(m, 100)->attr.reset_on_fork = living(m, 100)->without.reset_on_fork = 1;
	scan(m);
	clones(m, 100, 102);
	assert_int_equal(record(m, 102)->had.nice, 0);
	stop(m);
	assert_carries(m, 102, PRISTINE);
}

/* No thread can have called exec while another one lives. */
MACHINE_TEST(a_loss_takes_nothing_that_a_leader_with_threads_had)
{
	start_and_run(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true }", "/usr/bin/chrome");
	clones(m, 100, 101);
	renice(m, 100, -7);
	scan(m);
	assert_carries(m, 100, INTERACTIVE);
	scan(m);
	stops_without_trace(m);
}

/* Its record copies that of the leader, which somebody has lowered; but another thread with a record made it. */
MACHINE_TEST(a_thread_whose_birth_we_missed_is_taken_for_a_copy_of_the_thread_that_fits)
{
	start_and_run(m, CHROME, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	renice(m, 100, 5);
	m->lossy = true;
	clones(m, 101, 102);
	m->lossy = false;
	scan(m);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
	stops_without_trace(m);
}

/* The process 101 is not a copy of its own thread, but of the process that forked it. */
MACHINE_TEST(a_process_that_execs_after_making_a_thread_is_compared_with_its_parent)
{
	start(m, "'make': { 'qos': 'QOS_BACKGROUND' }, 'cargo': { 'qos': 'QOS_USER_INITIATED' }");
	spawns(m, INIT, 100, "/usr/bin/make");
	m->deaf = true;
	execs(m, 100, "/bin/sh");
	begins_fork(m, 100, 101);
	hear(m);
	ends_fork(m, 101);
	clones(m, 101, 102);
	execs(m, 101, "/usr/bin/cargo");
	m->deaf = false;
	hear(m);
	assert_carries(m, 101, INITIATED);
	stops_without_trace(m);
}

MACHINE_TEST(a_renice_of_a_process_without_a_class_outlasts_an_exec)
{
	start_and_run(m, "'schedqos': { 'default': 'none' }", "/usr/bin/app");
	clones(m, 100, 101);
	renice(m, 100, -2);
	execs(m, 100, "/usr/bin/app2");
	assert_carries(m, 100, "SCHED_NORMAL nice -2");
	stops_without_trace(m);
}

MACHINE_TEST(a_thread_keeps_the_clamp_that_its_maker_chose)
{
	start_and_run(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }",
		      "/usr/bin/chrome");
	clones(m, 100, 101);
	living(m, 101)->attr.util_max = living(m, 101)->without.util_max = 300;
	renames(m, 101, "bg");
	assert_carries(m, 101, BACKGROUND);
	clones(m, 101, 102);
	stops_without_trace(m);
}

/* ---- inheritance ---- */

#define MAKE                                                     \
	"'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }, " \
	"'ld': { 'qos': 'QOS_USER_INITIATED' }, "                \
	"'game': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true }"

MACHINE_TEST(descendants_inherit_the_class)
{
	start(m, MAKE);
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	count_from_here(m);
	spawns(m, 101, 102, "/usr/bin/as");
	assert_no_action(m);
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
	assert_task(m, 102, BACKGROUND, REASON_INHERITED);
}

MACHINE_TEST(the_nearest_ancestor_wins)
{
	start(m, MAKE);
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/game");
	spawns(m, 101, 102, "/usr/bin/helper");
	assert_task(m, 102, INTERACTIVE, REASON_INHERITED);
}

MACHINE_TEST(a_rule_can_end_inheritance)
{
	start(m, MAKE ", 'xterm': { 'qos': 'QOS_USER_INITIATED', 'inherit': false }, 'vi': { 'inherit': false }");
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/xterm");
	spawns(m, 101, 102, "/usr/bin/bash");
	assert_task(m, 102, BY_DEFAULT, REASON_DEFAULT);
	spawns(m, 100, 103, "/usr/bin/vi");
	assert_task(m, 103, BY_DEFAULT, REASON_DEFAULT);
	spawns(m, 103, 104, "/usr/bin/bash");
	assert_task(m, 104, BY_DEFAULT, REASON_DEFAULT);
	/* Another inherited rule takes effect beneath. */
	spawns(m, 104, 105, "/usr/bin/make");
	spawns(m, 105, 106, "/usr/bin/sh");
	assert_task(m, 106, BACKGROUND, REASON_INHERITED);
	/* Inheritance also ends if the same process execs such a program. */
	spawns(m, 100, 107, "/usr/bin/bash");
	execs(m, 107, "/usr/bin/vi");
	spawns(m, 107, 108, "/usr/bin/sh");
	assert_task(m, 108, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(a_rule_can_end_inheritance_where_there_is_no_default_class)
{
	start(m, MAKE ", 'schedqos': { 'default': 'none' }, 'vi': { 'inherit': false }");
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/vi");
	spawns(m, 101, 102, "/usr/bin/bash");
	assert_task(m, 102, PRISTINE, REASON_NO_RULE);
}

MACHINE_TEST(a_process_inherits_from_the_program_that_it_ran_before)
{
	start(m, MAKE);
	spawns(m, INIT, 100, "/usr/bin/make");
	execs(m, 100, "/usr/bin/sh");
	assert_task(m, 100, BACKGROUND, REASON_INHERITED);
}

/* The thread's end is booked before its child is decided about, as when a scan comes in between. */
MACHINE_TEST(a_child_of_a_thread_that_has_ended_inherits)
{
	start_and_run(m, MAKE, "/usr/bin/sh");
	m->deaf = true;
	execs(m, 100, "/usr/bin/make");
	clones(m, 100, 101);
	spawns(m, 101, 110, "/usr/bin/as");
	exits(m, 101);
	for (size_t i = 0; i < m->n_queued; i++)
		plan_book(m->plan, &m->queue[i]);
	m->n_queued = 0;
	plan_exited(m->plan, 101);
	hear(m);
	assert_task(m, 110, BACKGROUND, REASON_INHERITED);
}

MACHINE_TEST(an_orphan_keeps_its_inherited_class)
{
	start(m, MAKE);
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	exits(m, 100);
	spawns(m, 101, 102, "/usr/bin/as");
	execs(m, 101, "/usr/bin/as");
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
	assert_task(m, 102, BACKGROUND, REASON_INHERITED);
}

/* The thread that forks was born before the process moved. */
MACHINE_TEST(a_thread_s_child_inherits_from_its_process)
{
	start_and_run(
		m,
		"'app': [ { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true, 'thread_qos': { 'bg': 'QOS_BACKGROUND' },"
		" 'match': { 'cgroup': '/a' } }, { 'qos': 'QOS_UTILITY' } ]",
		"/usr/bin/app");
	clones(m, 100, 101);
	moves(m, 100, "/a");
	/* The first child is always looked at. */
	for (pid_t pid = 110; pid <= 112; pid++)
		forks(m, 101, pid);
	renames(m, 111, "bg");
	assert_task(m, 111, BACKGROUND, REASON_THREAD);
	execs(m, 112, "/usr/bin/other");
	assert_task(m, 112, INTERACTIVE, REASON_INHERITED);
}

/* The user has left the seat. That is noticed when the process is matched the next time. */
MACHINE_TEST(threads_lose_a_class_that_their_process_no_longer_inherits)
{
	start(m, "'schedqos': { 'default': 'none', 'groups': { 'x': { 'max': 'QOS_UTILITY' } } },"
		 "'steam': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true, 'raise': 'seat' }");
	spawns(m, INIT, 100, "/usr/bin/steam");
	spawns(m, 100, 101, "/usr/bin/game");
	clones(m, 101, 102);
	assert_task(m, 102, INTERACTIVE, REASON_INHERITED);
	machine_task(m, 101)->is_elsewhere = true;
	moves(m, 101, "/user.slice/a");
	assert_task(m, 101, PRISTINE, REASON_NO_RULE);
	assert_task(m, 102, PRISTINE, REASON_NO_RULE);
}

MACHINE_TEST(a_rule_with_classes_for_threads_only_ends_inheritance)
{
	start(m, MAKE ", 'sh': { 'thread_qos': { 'bg': 'QOS_USER_INTERACTIVE' } }");
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	renames(m, 101, "bg");
	assert_task(m, 101, INTERACTIVE, REASON_THREAD);
}

/* Its record copies that of the leader, which somebody has made real-time; but another thread with a record made it. */
MACHINE_TEST(a_copy_of_a_real_time_thread_loses_real_time_with_its_class)
{
	start_and_run(m,
		      "'schedqos': { 'default': 'none' },"
		      "'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 },"
		      "'app': { 'thread_qos': { 'rt': 'QOS_RT' } }",
		      "/usr/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "rt");
	assert_task(m, 101, "SCHED_FIFO priority 5", REASON_THREAD);
	chrt(m, 100, POLICY_RR, 6);
	scan(m);
	assert_task(m, 100, "SCHED_RR priority 6", REASON_NOT_FAIR);
	m->deaf = true;
	clones(m, 101, 102);
	renames(m, 102, "other");
	m->deaf = false;
	hear(m);
	assert_task(m, 102, PRISTINE, REASON_NO_RULE);
	stops_without_trace(m);
}
