/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that nobody climbs in ways that need more than the scripts of test_plan_climb.c. */
#include "fake_daemon.h"

#include <errno.h>

#define ALICE 1000

/* ---- when a thread execs, the process takes over its attributes, but they do not become what the process had ---- */

#define RT   "'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 10 }, "
#define FAST "'schedqos': { 'default': 'none' }, 'app': { 'thread_qos': { 'fast': 'QOS_USER_INTERACTIVE' } }"

/* The thread lowered itself below its class, and no look has found that. */
MACHINE_TEST(a_real_time_thread_that_execs_does_not_climb)
{
	start_and_run(m, RT "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'rt': 'QOS_RT' } }", "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "rt");
	assert_int_equal(living(m, 101)->attr.policy, POLICY_FIFO);
	chrt(m, 101, POLICY_FIFO, 7);
	execs(m, 101, "/bin/app");
	stop(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_NORMAL);
}

MACHINE_TEST(a_process_returns_to_idle_though_its_thread_that_execs_was_raised)
{
	start(m, "'app': { 'thread_qos': { 'fast': 'QOS_USER_INTERACTIVE' }, 'yield': false }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "fast");
	assert_int_equal(living(m, 100)->attr.policy, POLICY_IDLE);
	assert_carries(m, 101, INTERACTIVE);
	renice(m, 101, -3);
	execs(m, 101, "/bin/other");
	stop(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_IDLE);
}

MACHINE_TEST(a_real_time_thread_whose_exec_is_lost_does_not_climb)
{
	start_and_run(m, RT "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'rt': 'QOS_RT' } }", "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "rt");
	m->lossy = true;
	execs(m, 101, "/bin/app");
	m->lossy = false;
	scan(m);
	stop(m);
	assert_int_equal(living(m, 100)->attr.policy, POLICY_NORMAL);
}

MACHINE_TEST(a_thread_that_execs_after_a_crash_does_not_climb)
{
	start_and_run(m, FAST, "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "fast");
	crash(m);
	m->lossy = true;
	execs(m, 101, "/bin/app");
	m->lossy = false;
	start(m, FAST);
	stop(m);
	assert_in_range(living(m, 100)->attr.nice + 20, 20, 40);
}

/* The child copies the record of the leader, which never had a class. */
MACHINE_TEST(a_child_of_a_thread_s_thread_does_not_climb)
{
	start_and_run(m, FAST, "/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "fast");
	assert_carries(m, 101, INTERACTIVE);
	assert_carries(m, 100, PRISTINE);
	m->deaf = true;
	clones(m, 101, 102);
	renames(m, 102, "other");
	forks(m, 102, 103);
	renice(m, 103, -3);
	m->deaf = false;
	hear(m);
	renice(m, 103, -2);
	scan(m);
	stop(m);
	assert_in_range(living(m, 103)->attr.nice + 20, 20, 40);
}

/*
 * The leader is lowered before it makes a thread. A rule raises the thread; no look has found that the leader was
 * lowered.
 */
static void a_thread_is_raised_beside_a_lowered_leader(struct machine *m)
{
	start_and_run(m,
		      "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' },"
		      " 'yield': false }",
		      "/bin/app");
	renice(m, 100, 10);
	clones(m, 100, 101);
	renames(m, 101, "bg");
	renames(m, 101, "fg");
	assert_carries(m, 101, INTERACTIVE);
	assert_int_equal(record(m, 101)->had.nice, 10);
}

MACHINE_TEST(a_process_stays_lowered_though_its_thread_that_execs_was_raised)
{
	a_thread_is_raised_beside_a_lowered_leader(m);
	execs(m, 101, "/bin/app");
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 10");
}

MACHINE_TEST(a_thread_made_by_a_raised_thread_is_lowered_again_at_the_stop)
{
	a_thread_is_raised_beside_a_lowered_leader(m);
	clones(m, 101, 102);
	stop(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 10");
}

/* The leader is looked at between the two, and each of them is compared with the other's record. */
MACHINE_TEST(so_are_two_that_are_booked_before_their_leader_is_looked_at)
{
	a_thread_is_raised_beside_a_lowered_leader(m);
	m->deaf = true;
	renames(m, 100, "bg");
	clones(m, 101, 102);
	clones(m, 101, 103);
	m->deaf = false;
	hear(m);
	stop(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 10");
	assert_carries(m, 103, "SCHED_NORMAL nice 10");
}

/*
 * The thread was lowered and raised again. A look has found that, but not that the leader was lowered. The clone fits
 * no record exactly, because the thread was due when it made it.
 */
MACHINE_TEST(a_clone_of_a_lowered_thread_does_not_get_what_its_leader_had)
{
	start_and_run(m,
		      "'QOS_HOT': { 'sched_nice': -7 }, 'app': { 'qos': 'QOS_USER_INTERACTIVE', 'yield': false,"
		      " 'thread_qos': { 'hot': 'QOS_HOT', 'bg': 'QOS_BACKGROUND' } }",
		      "/bin/app");
	renames(m, 100, "hot");
	clones(m, 100, 101);
	renames(m, 101, "fg");
	renice(m, 100, 15);
	renice(m, 101, 15);
	renames(m, 101, "bg");
	renames(m, 101, "fg");
	m->deaf = true;
	m->pace = 1;
	renames(m, 101, "bg");
	clones(m, 101, 102);
	living(m, 101)->attr.nice = living(m, 101)->without.nice = 16;
	m->deaf = false;
	hear(m);
	stop(m);
	assert_in_range(living(m, 102)->attr.nice + 20, 35, 40);
}

/* The fork began before the limit, and the child's own slice hides which class it copied. */
MACHINE_TEST(a_fork_under_way_does_not_get_round_a_limit)
{
	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }", "/bin/app");
	living(m, 100)->attr.slice_ns = living(m, 100)->without.slice_ns = 7 * MS;
	begins_fork(m, 100, 101);
	asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.class = "QOS_BACKGROUND" }, 100);
	ends_fork(m, 101);
	assert_carries(m, 101, BACKGROUND);
	stops_without_trace(m);
}

/* The rule gives the class of the limit, but it yields, because somebody lowered the task before. */
MACHINE_TEST(a_task_returns_to_idle_when_root_s_class_ends_under_a_limit)
{
	uint16_t number;

	start(m, "'app': { 'qos': 'QOS_BACKGROUND', 'yield': true }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	number = asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_USER_INTERACTIVE" }, 100);
	assert_carries(m, 100, INTERACTIVE);
	living(m, 100)->attr.policy = POLICY_BATCH;
	asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.class = "QOS_BACKGROUND" }, 100);
	assert_carries(m, 100, BACKGROUND);
	ends(m, number);
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	stops_without_trace(m);
}

/* Root's class raises a task from SCHED_IDLE. The same class does not keep it raised if a rule or a user gives it. */
static void roots_class_comes_and_goes(struct machine *m)
{
	const uint16_t number = asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_BACKGROUND" }, 100);

	assert_carries(m, 100, BACKGROUND);
	living(m, 100)->attr.policy = POLICY_NORMAL;
	ends(m, number);
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	stops_without_trace(m);
}

MACHINE_TEST(a_task_returns_to_idle_when_a_rule_gives_the_class_that_root_s_gave)
{
	start(m, "'app': { 'qos': 'QOS_BACKGROUND' }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	roots_class_comes_and_goes(m);
}

MACHINE_TEST(a_task_returns_to_idle_when_a_user_gives_the_class_that_root_s_gave)
{
	start(m, "'schedqos': { 'default': 'none' }");
	forks(m, INIT, 100);
	living(m, 100)->uid = ALICE;
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/bin/app");
	asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_BACKGROUND", .uid = ALICE }, 100);
	assert_carries(m, 100, "SCHED_IDLE nice 4 util 0..256");
	roots_class_comes_and_goes(m);
}

/* The process cannot be matched at that moment, because there are no file descriptors left. */
MACHINE_TEST(the_end_of_the_focus_lowers_threads_though_their_process_cannot_be_matched)
{
	uint16_t number;

	start(m, "'x': { 'qos': 'QOS_BACKGROUND' }");
	forks(m, INIT, 100);
	living(m, 100)->uid = ALICE;
	execs(m, 100, "/usr/bin/helper");
	clones(m, 100, 101);
	number = asks(m, (struct override){ .kind = OVERRIDE_SHOWN, .uid = ALICE, .visibility.shown = SHOWN_FOCUSED },
		      100);
	assert_task(m, 101, INITIATED, REASON_DEFAULT);
	m->missing = FACT_EXE;
	m->why_missing = EMFILE;
	ends(m, number);
	m->missing = 0;
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	forks(m, 101, 102);
	stops_without_trace(m);
}

MACHINE_TEST(a_task_that_never_had_a_class_keeps_its_nice_value)
{
	start(m, "'schedqos': { 'default': 'none' }, 'QOS_HOT': { 'sched_nice': -7, 'io_class': 'realtime', 'io_priority': 4 }");
	forks(m, INIT, 100);
	ionice(m, 100, IO_CLASS_REALTIME, 6);
	execs(m, 100, "/usr/bin/vi");
	assert_carries(m, 100, PRISTINE);
	renice(m, 100, -2);
	scan(m);
	living(m, 100)->without.io_priority = 0;
	stops_without_trace(m);
}

/* Arguments cannot be read, so the name could be that of a script. */
MACHINE_TEST(the_name_of_a_task_is_not_taken_for_a_path)
{
	m->unread = true;
	start(m, "'/usr/bin/Xorg': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	execs(m, 100, "/home/user/evil");
	renames(m, 100, "/usr/bin/Xorg");
	crash(m);
	start(m, "'/usr/bin/Xorg': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(a_program_called_like_a_glob_does_not_match_it)
{
	start(m, "'[ab]x': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	execs(m, 100, "/home/user/[ab]x");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
}
