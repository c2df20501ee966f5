/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies how the plan makes the record of a task at its birth, and when it looks at the task because the record may
 * be wrong.
 */
#include "fake_daemon.h"

/* The first child after a set is looked at, because it shows that no older fork is under way. */
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

/* The parent is looked at before the fork is booked. */
MACHINE_TEST(a_choice_after_a_fork_is_not_the_child_s)
{
	start(m, "'a': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 100, "/bin/vi");
	m->deaf = true;
	execs(m, 100, "/bin/a");
	forks(m, 100, 101);
	renice(m, 100, 7);
	hear_first(m, 1);
	m->deaf = false;
	hear(m);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_int_equal(record(m, 100)->had.nice, 7);
	assert_int_equal(record(m, 101)->had.nice, 0);
	stops_without_trace(m);
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

MACHINE_TEST(a_fork_by_a_thread_without_a_record_copies_the_leader)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->lossy = true;
	clones(m, 100, 101);
	m->lossy = false;
	forks(m, 101, 102);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
}

MACHINE_TEST(a_fork_that_reuses_an_id_gets_a_new_record)
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

MACHINE_TEST(a_child_whose_fork_began_before_the_set_is_set)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "
		 "'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	begins_fork(m, 100, 101);
	m->deaf = true;
	renames(m, 100, "bg");
	/* It copied the attributes on record, so it does not show that no older fork is under way. */
	forks(m, 100, 102);
	m->deaf = false;
	hear(m);
	ends_fork(m, 101);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
}

/*
 * A child or thread is born with the former class of its origin. If the origin carries what we know, then the child's
 * higher nice value came from that class. Otherwise the child may have chosen the value, and the stop leaves it.
 */
MACHINE_TEST(a_child_s_former_class_is_ours_if_its_origin_carries_what_we_know)
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

/* No class gives these values, so they are choices whatever the origin carries. It was lowered further meanwhile. */
MACHINE_TEST(a_value_that_no_class_gives_is_the_child_s_choice)
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

/* ---- the event does not tell which task made the new one ---- */

MACHINE_TEST(a_thread_has_the_choices_of_the_thread_that_made_it)
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

MACHINE_TEST(a_process_has_the_choices_of_its_thread_that_called_exec)
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

/* Nobody can tell this child from one that lowered itself. */
MACHINE_TEST(a_child_made_with_clone_parent_keeps_a_nice_value_above_zero)
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

MACHINE_TEST(children_of_a_parent_with_reset_on_fork_are_tagged)
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

/* Values that the child lost or kept count as its choice, unless it carries exactly what it would carry without us. */
MACHINE_TEST(a_child_born_with_reset_on_fork_that_no_look_found_seems_to_have_chosen)
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

MACHINE_TEST(a_child_born_with_reset_on_fork_had_no_negative_nice_value)
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
