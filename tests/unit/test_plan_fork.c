/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies how the plan makes the record of a task at its birth, and when it looks at the task because the record may
 * be wrong.
 */
#include "fake_daemon.h"

/* But for the first one after a set, which shows that no fork is older than that. */
MACHINE_TEST(a_fork_needs_no_action_and_no_facts)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	count_from_here(m);
	forks(m, 100, 104);
	assert_int_equal(m->fetched, FACT_ATTR);
	count_from_here(m);
	forks(m, 104, 105);
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

MACHINE_TEST(a_fork_by_a_thread_copies_the_thread)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "
		 "'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	forks(m, 101, 103);
	count_from_here(m);
	forks(m, 101, 102);
	assert_no_fetch(m);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
}

MACHINE_TEST(a_fork_by_an_unknown_thread_copies_the_leader)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->lossy = true;
	clones(m, 100, 101);
	m->lossy = false;
	forks(m, 101, 102);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
}

MACHINE_TEST(a_fork_under_a_known_tid_is_another_task)
{
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

MACHINE_TEST(a_child_born_before_its_parent_was_tagged_is_tagged)
{
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

MACHINE_TEST(a_child_may_take_a_while_to_be_announced)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "
		 "'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	begins_fork(m, 100, 101);
	m->deaf = true;
	renames(m, 100, "bg");
	/* It copied what is on record, and so proves nothing of what is set now. */
	forks(m, 100, 102);
	m->deaf = false;
	hear(m);
	ends_fork(m, 101);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
}

/*
 * A child, or thread, born with the class before of its origin. Its higher nice value is a class's if that still is as
 * we know it; else the child may have chosen it, and the stop leaves it.
 */
MACHINE_TEST(whom_its_origin_vouches_for_is_ours)
{
	static void (*const begins[])(struct machine *m, pid_t parent, pid_t child) = { begins_fork, begins_clone };
	enum { AS_KNOWN, LOST, CHANGED, ENDED } origin;

	start(m, "'schedqos': { 'default': 'none' }, 'chrome': { 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	for (int is_thread = 0; is_thread < 2; is_thread++) {
		for (origin = AS_KNOWN; origin <= (is_thread ? CHANGED : ENDED); origin += 1 + is_thread) {
			const pid_t pid = 100 + 100 * is_thread + 10 * (pid_t)origin, child = pid + 1;

			spawns(m, INIT, pid, "/usr/bin/chrome");
			renames(m, pid, "bg");
			begins[is_thread](m, pid, child);
			renames(m, pid, "ui");
			if (origin == CHANGED)
				renice(m, pid, 9);
			m->deaf = true;
			m->lossy = origin == LOST;
			ends_fork(m, child);
			if (origin == ENDED)
				exits(m, pid);
			m->deaf = m->lossy = false;
			if (origin == LOST)
				scan(m);
			hear(m);
		}
	}
	stop(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 111, PRISTINE);
	assert_carries(m, 121, "SCHED_NORMAL nice 4");
	assert_carries(m, 131, "SCHED_NORMAL nice 4");
	assert_carries(m, 201, PRISTINE);
	assert_carries(m, 221, "SCHED_NORMAL nice 4");
}

/* What no class gives nobody has to vouch for, though its origin was lowered further meanwhile. */
MACHINE_TEST(what_no_class_gives_a_child_has_chosen)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	m->deaf = true;
	spawns(m, INIT, 100, "/usr/bin/chrome");
	forks(m, 100, 101);
	forks(m, 100, 102);
	renice(m, 101, 9);
	chrt(m, 102, POLICY_IDLE, 0);
	renice(m, 100, 16);
	hear(m);
	assert_int_equal(record(m, 100)->had.nice, 16);
	assert_int_equal(living(m, 101)->attr.nice, 9);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 16");
	assert_carries(m, 101, "SCHED_NORMAL nice 9");
	assert_carries(m, 102, "SCHED_IDLE nice 0");
}

/* ---- what the event does not tell: who the creator was ---- */

MACHINE_TEST(a_thread_of_a_thread_that_somebody_changed_has_that_from_it)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	sets(m, 101,
	     (struct task_attr){ .policy = POLICY_BATCH, .nice = 9, .slice_ns = 5 * MS, .util_max = UTIL_FULL });
	scan(m);
	assert_task(m, 101, "SCHED_BATCH nice 9 slice 5 ms", REASON_CHANGED);
	clones(m, 101, 102);
	assert_task(m, 102, "SCHED_BATCH nice 9 slice 5 ms", REASON_CHANGED);
	clones(m, 100, 103);
	assert_task(m, 103, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(so_has_the_process_after_its_exec)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	clones(m, 100, 102);
	renice(m, 101, 9);
	scan(m);
	execs(m, 101, "/usr/bin/vi");
	assert_task(m, 100, "SCHED_NORMAL nice 9", REASON_CHOSEN);
	assert_unknown(m, 101);
	assert_unknown(m, 102);
	stops_without_trace(m);
}

/* Nobody can tell it from one that lowered itself. */
MACHINE_TEST(but_a_nice_above_zero_stays_on_it)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/gcc");
	forks_for_parent(m, 100, 101);
	scan(m);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 4 slice 20 ms util 0..256");
}

/* ---- reset-on-fork ---- */

MACHINE_TEST(a_parent_with_reset_on_fork_has_children_to_be_tagged)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	machine_task(m, 100)->attr.reset_on_fork = 1;
	count_from_here(m);
	execs(m, 100, "/usr/bin/chrome");
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

/* What the child lost by it is thought to be its choice, unless all is as without us; and what it kept as well. */
MACHINE_TEST(one_that_was_given_it_unseen)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }, 'gcc': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/gcc");
	for (pid_t pid = 100; pid <= 200; pid += 100) {
		machine_task(m, pid)->attr.reset_on_fork = machine_task(m, pid)->without.reset_on_fork = 1;
		forks(m, pid, pid + 1);
		forks(m, pid, pid + 2);
		execs(m, pid + 2, machine_task(m, pid)->exe);
	}
	scan(m);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	assert_task(m, 201, "SCHED_BATCH nice 4", REASON_CHANGED);
	assert_task(m, 202, BACKGROUND, REASON_RULE);
	stop(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 201, "SCHED_NORMAL nice 4");
}

MACHINE_TEST(a_negative_nice_is_not_what_such_a_child_had)
{
	spawns(m, INIT, 100, "/usr/bin/chrome");
	sets(m, 100, (struct task_attr){ .nice = -5, .reset_on_fork = 1, .util_max = UTIL_FULL });
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, 100, 101);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice -5");
	assert_carries(m, 101, PRISTINE);
}
