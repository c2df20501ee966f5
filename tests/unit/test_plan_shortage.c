/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies that a task which cannot be looked at, for lack of file descriptors or memory, is not taken for one that
 * has ended.
 */
#include "fake_daemon.h"

#include <errno.h>

#define RULES "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }"

static void fails_with(struct machine *m, enum fact fact, int error)
{
	m->missing = fact;
	m->why_missing = error;
}

MACHINE_TEST(a_process_that_cannot_be_looked_at_after_its_exec_keeps_what_it_had)
{
	static const enum fact facts[] = { FACT_EXE, FACT_ARGV };

	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	for (pid_t i = 0; i < 2; i++) {
		forks(m, 100, 101 + i);
		fails_with(m, facts[i], EMFILE);
		execs(m, 101 + i, "/usr/bin/vi");
		assert_carries(m, 101 + i, INTERACTIVE);
		assert_non_null(record(m, 101 + i));
	}
	m->missing = 0;
	execs(m, 102, "/usr/bin/vi");
	assert_carries(m, 102, BY_DEFAULT);
	stop(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 102, PRISTINE);
}

MACHINE_TEST(a_process_that_could_not_be_looked_at_is_decided_about_by_the_next_scan)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/vi");
	forks(m, 100, 101);
	fails_with(m, FACT_ARGV, EMFILE);
	execs(m, 101, "/usr/bin/chrome");
	scan(m);
	assert_carries(m, 101, BY_DEFAULT);
	m->missing = 0;
	scan(m);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
}

MACHINE_TEST(thousands_of_tasks_may_be_due_at_once)
{
	struct plan_mark mark;

	start(m, RULES);
	for (pid_t tid = 1000; tid < 4000; tid++)
		plan_book(m->plan, &(struct task_event){ .what = EVENT_EXEC, .tid = tid, .tgid = tid });
	for (pid_t tid = 1000; plan_next(m->plan, &mark); tid++)
		assert_int_equal(mark.tid, tid);
	assert_int_equal(mark.tid, 3999);
}

/* As in a storm of execs that is faster than the decisions. */
MACHINE_TEST(tasks_stay_in_order_in_a_queue_that_is_never_empty)
{
	struct plan_mark mark;
	pid_t next = 1000;

	start(m, RULES);
	for (pid_t tid = 1000; tid < 9000; tid++) {
		plan_book(m->plan, &(struct task_event){ .what = EVENT_EXEC, .tid = tid, .tgid = tid });
		if (tid < 1100)
			continue;
		assert_true(plan_next(m->plan, &mark));
		assert_int_equal(mark.tid, next++);
	}
	assert_int_equal(next, 8900);
	while (plan_has_next(m->plan)) {
		assert_true(plan_next(m->plan, &mark));
		assert_int_equal(mark.tid, next++);
	}
	assert_int_equal(next, 9000);
}

MACHINE_TEST(a_process_that_has_ended_is_not_set)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/vi");
	count_from_here(m);
	fails_with(m, FACT_ARGV, ESRCH);
	execs(m, 100, "/usr/bin/chrome");
	assert_no_action(m);
}
