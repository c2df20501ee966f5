/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies how the plan treats policies that it leaves alone, and a kernel that lacks, refuses or does not keep
 * attributes.
 */
#include "fake_daemon.h"

#include <errno.h>

/* ---- other policies ---- */

#define BUDGET                                                                         \
	"'QOS_BUDGET': { 'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 5000000, " \
	"'sched_deadline': 10000000, 'sched_period': 16666666 }, "                     \
	"'mixer': { 'qos': 'QOS_BUDGET' }"

MACHINE_TEST(a_deadline_class_comes_with_its_budget)
{
	start(m, BUDGET);
	spawns(m, INIT, 100, "/usr/bin/mixer");
	assert_task(m, 100, "SCHED_DEADLINE", REASON_RULE);
	assert_int_equal(m->last.deadline->runtime, 5000000);
	assert_int_equal(m->last.deadline->deadline, 10000000);
	assert_int_equal(m->last.deadline->period, 16666666);
	/* Without reset-on-fork, it could not fork. */
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 1);
	stop(m);
	assert_carries(m, 100, PRISTINE);
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 0);
}

MACHINE_TEST(a_task_that_leaves_a_deadline_class_loses_its_reset_on_fork)
{
	start(m, BUDGET);
	spawns(m, INIT, 100, "/usr/bin/mixer");
	execs(m, 100, "/usr/bin/vi");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	assert_int_equal(machine_task(m, 100)->attr.reset_on_fork, 0);
}

MACHINE_TEST(a_child_of_a_deadline_task_is_not_born_in_its_class)
{
	start(m, BUDGET);
	spawns(m, INIT, 100, "/usr/bin/mixer");
	spawns(m, 100, 101, "/usr/bin/vi");
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	stop(m);
	assert_carries(m, 101, PRISTINE);
}

MACHINE_TEST(tasks_that_are_not_fair_are_left_alone)
{
	static const struct {
		enum task_policy policy;
		int priority;
		const char *text;
	} cases[] = {
		{ POLICY_FIFO, 10, "SCHED_FIFO priority 10" },
		{ POLICY_RR, 20, "SCHED_RR priority 20" },
		{ POLICY_DEADLINE, 0, "SCHED_DEADLINE" },
		{ POLICY_EXT, 0, "SCHED_EXT" },
	};

	spawns(m, INIT, 90, "/usr/bin/chrome");
	chrt(m, 90, POLICY_FIFO, 50);
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true }, "
		 "'schedqos': { 'default': 'all' }");
	assert_task(m, 90, "SCHED_FIFO priority 50", REASON_NOT_FAIR);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t tid = (pid_t)(100 + i);

		forks(m, INIT, tid);
		sets(m, tid, (struct task_attr){ .policy = cases[i].policy,
						 .rt_priority = (uint8_t)cases[i].priority,
						 .reset_on_fork = cases[i].policy == POLICY_DEADLINE,
						 .util_max = UTIL_FULL });
		execs(m, tid, "/usr/bin/chrome");
		renames(m, tid, "other");
		assert_task(m, tid, cases[i].text, REASON_NOT_FAIR);
	}
	stops_without_trace(m);
}

/* The kernel does not report a slice for real-time tasks. */
MACHINE_TEST(a_chosen_slice_outlasts_a_real_time_class)
{
	start(m, "'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 }, 'jackd': { 'qos': 'QOS_RT' }");
	forks(m, INIT, 100);
	sets(m, 100, (struct task_attr){ .slice_ns = 5 * MS, .util_max = UTIL_FULL });
	execs(m, 100, "/usr/bin/jackd");
	scan(m);
	assert_task(m, 100, "SCHED_FIFO priority 5", REASON_RULE);
	chrt(m, 100, POLICY_BATCH, 0);
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice 0 slice 5 ms", REASON_CHANGED);
	stops_without_trace(m);
}

/* Its nice value is left alone, too, though a class could have set such a value. */
MACHINE_TEST(a_real_time_task_s_nice_value_is_left_alone)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	chrt(m, 100, POLICY_FIFO, 1);
	execs(m, 100, "/usr/bin/jackd");
	assert_int_equal(living(m, 100)->attr.nice, 0);
	renice(m, 100, -3);
	execs(m, 100, "/usr/bin/jackd");
	scan(m);
	assert_int_equal(living(m, 100)->attr.nice, -3);
}

MACHINE_TEST(a_kernel_thread_gets_nothing_of_a_task_that_had_its_id)
{
	start(m, "'make': { 'qos': 'QOS_BACKGROUND' }");
	for (pid_t pid = 100; pid <= 101; pid++) {
		spawns(m, INIT, pid, "/usr/bin/make");
		exits(m, pid);
		/* The kernel thread 101 is found by a scan. */
		m->lossy = pid == 101;
		forks(m, KTHREADD, pid);
		if (m->lossy)
			scan(m);
		assert_unknown(m, pid);
	}
}

MACHINE_TEST(kernel_threads_are_left_alone)
{
	forks(m, KTHREADD, 40);
	start(m, "'schedqos': { 'default': 'all' }");
	forks(m, KTHREADD, 41);
	forks(m, KTHREADD, 42);
	assert_no_fetch(m);
	scan(m);
	assert_unknown(m, KTHREADD);
	assert_unknown(m, 40);
	assert_unknown(m, 41);
	assert_carries(m, 40, PRISTINE);
	assert_carries(m, 42, PRISTINE);
}

MACHINE_TEST(schedqos_leaves_itself_alone)
{
	spawns(m, INIT, DAEMON, "/usr/bin/schedqos");
	renice(m, DAEMON, -20);
	start(m, "'schedqos': { 'default': 'all' }");
	execs(m, DAEMON, "/usr/bin/schedqos");
	clones(m, DAEMON, 51);
	forks(m, DAEMON, 52);
	assert_no_fetch(m);
	scan(m);
	assert_unknown(m, DAEMON);
	assert_unknown(m, 51);
	assert_unknown(m, 52);
	assert_carries(m, DAEMON, "SCHED_NORMAL nice -20");
	assert_carries(m, 51, "SCHED_NORMAL nice -20");
}

/* ---- a kernel that lacks, refuses or does not keep attributes ---- */

MACHINE_TEST(a_kernel_without_slices_gets_the_rest)
{
	m->kernel.slice = false;
	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, "SCHED_BATCH nice 4 util 0..256", REASON_RULE);
	count_from_here(m);
	scan(m);
	assert_no_action(m);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

MACHINE_TEST(a_refusal_is_on_record_and_tried_again_at_exec)
{
	start(m, "'schedqos': { 'default': 'none' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	m->refuse = EPERM;
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, PRISTINE, REASON_REFUSED);
	forks(m, 100, 101);
	assert_task(m, 101, PRISTINE, REASON_REFUSED);
	m->refuse = 0;
	execs(m, 100, "/usr/bin/gcc");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
}

MACHINE_TEST(a_rename_is_no_reason_to_try_again)
{
	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	m->refuse = EPERM;
	spawns(m, INIT, 100, "/usr/bin/gcc");
	m->refuse = 0;
	count_from_here(m);
	renames(m, 100, "cc1");
	assert_no_fetch(m);
}

MACHINE_TEST(a_refused_task_still_has_something_to_undo)
{
	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/vi");
	m->refuse = EPERM;
	execs(m, 100, "/usr/bin/gcc");
	assert_task(m, 100, BY_DEFAULT, REASON_REFUSED);
	m->refuse = 0;
	/* The refused class would give this nice value, but somebody else chose it. */
	renice(m, 100, 4);
	scan(m);
	stops_without_trace(m);
}

MACHINE_TEST(a_refused_undo_ends)
{
	start(m, "");
	m->refuse = EPERM;
	stop(m);
	assert_int_equal(m->result, PLAN_REFUSED);
	/* The record still has the attributes to put back, for a restore. */
	assert_task(m, INIT, BY_DEFAULT, REASON_UNDONE);
	assert_true(task_attr_is_pristine(&record(m, INIT)->had));
	assert_false(task_attr_is_pristine(&record(m, INIT)->known));
	m->refuse = 0;
	looks_again(m);
	stop(m);
	assert_carries(m, INIT, PRISTINE);
}

MACHINE_TEST(a_task_whose_attributes_are_not_kept_is_not_tagged)
{
	start(m, "'schedqos': { 'default': 'none' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	m->ignore = true;
	spawns(m, INIT, 100, "/usr/bin/gcc");
	assert_task(m, 100, PRISTINE, REASON_NOT_KEPT);
	assert_nothing_to_undo(m, 100);
}

/* Under a real-time policy the kernel hides the slice, and on the way from there to SCHED_IDLE it cannot be set. */
MACHINE_TEST(a_real_time_task_keeps_its_slice_under_sched_idle)
{
	start_and_run(m, "'QOS_RT': { 'sched_policy': 'SCHED_RR', 'sched_priority': 3 }, 'app': { 'qos': 'QOS_RT' }, "
			 "'QOS_IDLE': { 'sched_policy': 'SCHED_IDLE' }", "/bin/app");
	asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_IDLE" }, 100);
	assert_int_equal(m->last.want.policy, POLICY_IDLE);
	assert_int_equal(m->last.want.slice_ns, 16 * MS);
	assert_int_equal(m->result, PLAN_KEPT);
	stops_without_trace(m);
}

MACHINE_TEST(an_exit_removes_the_record)
{
	const struct task_attr pristine = task_attr_pristine;

	start(m, "");
	forks(m, INIT, 100);
	plan_exited(m->plan, 100);
	plan_exited(m->plan, 100);
	assert_unknown(m, 100);
	/* A report about the action of an ended task changes nothing. */
	assert_int_equal(plan_applied(m->plan, &(struct plan_action){ .tid = 100 }, 0, &pristine),
			 PLAN_GONE);
	assert_unknown(m, 100);
}

MACHINE_TEST(a_clamp_that_cannot_be_put_back_makes_no_task_ours)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_RR, 7);
	m->refuse = 1;
	execs(m, 100, "/usr/bin/cmd");
	m->refuse = 0;
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, "SCHED_RR priority 7", REASON_NOT_FAIR);
	stop(m);
	assert_carries(m, 100, "SCHED_RR priority 7");
}

/* The task leaves real time between the look and the set. The set does not put the policy back. */
MACHINE_TEST(a_task_that_leaves_real_time_during_a_set_is_looked_at_again)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_RR, 7);
	m->hold = true;
	execs(m, 100, "/usr/bin/cmd");
	chrt(m, 100, POLICY_NORMAL, 0);
	carry_out(m);
	assert_int_equal(m->result, PLAN_CHANGED);
	assert_carries(m, 100, "SCHED_NORMAL nice 2 slice 16 ms util 0..512");
	hear(m);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}
