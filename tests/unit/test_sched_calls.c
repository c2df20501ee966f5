/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that change what a task carries: their begin and their end are put together. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include <schedqos/kernel/sched_calls.h>

enum { SETATTR, SETSCHEDULER, SETPARAM, SETPRIORITY, IOPRIO_SET, ENDS };

static struct sched_calls calls;
static struct sched_call call;

static int set_up(void **state)
{
	(void)state;
	calls = (struct sched_calls){ 0 };
	call = (struct sched_call){ 0 };
	return 0;
}

static bool begins(pid_t caller, size_t which, int64_t first, int64_t second)
{
	const struct trace_event event = { .point = which, .tid = caller, .ns = 7, .fields = { first, second } };

	return sched_calls_pair(&calls, &event, &call);
}

static bool ends(pid_t caller, size_t which, int64_t result)
{
	const struct trace_event event = { .point = ENDS + which, .tid = caller, .ns = 7, .fields = { result } };

	return sched_calls_pair(&calls, &event, &call);
}

static void assert_call(pid_t caller, pid_t task)
{
	assert_int_equal(call.caller, caller);
	assert_int_equal(call.task, task);
	assert_int_equal(call.ns, 7);
}

static void whom_a_call_means(void **state)
{
	static const struct {
		size_t which;
		int64_t first, second;
		pid_t task;
	} cases[] = {
		{ SETATTR, 5, 0, 5 },
		{ SETATTR, 0, 0, 100 },
		{ SETSCHEDULER, 5, 0, 5 },
		{ SETPARAM, 0, 0, 100 },
		/* What else is in the register does not count. */
		{ SETPARAM, INT64_C(0x100000005), 0, 5 },
		{ SETPRIORITY, PRIO_PROCESS, 5, 5 },
		{ SETPRIORITY, PRIO_PROCESS, 0, 100 },
		{ SETPRIORITY, PRIO_PGRP, 5, 0 },
		{ SETPRIORITY, PRIO_USER, 0, 0 },
		{ IOPRIO_SET, 1, 5, 5 },
		{ IOPRIO_SET, 1, 0, 100 },
		{ IOPRIO_SET, 2, 5, 0 },
		{ IOPRIO_SET, 3, 5, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* That one is about to change any is of no use. */
		assert_int_equal(begins(100, cases[i].which, cases[i].first, cases[i].second), cases[i].task != 0);
		assert_false(call.has_ended);
		if (cases[i].task)
			assert_call(100, cases[i].task);
		assert_true(ends(100, cases[i].which, 0));
		assert_true(call.has_ended);
		assert_call(100, cases[i].task);
	}
}

static void a_call_that_fails(void **state)
{
	(void)state;
	/* It was announced, so its end is, too. */
	begins(100, SETATTR, 5, 0);
	assert_true(ends(100, SETATTR, -EPERM));
	assert_call(100, 5);
	begins(100, SETPRIORITY, 7, 5);
	assert_true(ends(100, SETPRIORITY, -EINVAL));
	assert_call(100, SCHED_CALL_NOBODY);
	begins(100, IOPRIO_SET, 2, 5);
	assert_true(ends(100, IOPRIO_SET, -ESRCH));
	assert_call(100, SCHED_CALL_NOBODY);
	/* Of many it has changed some, until it met one that it must not change. */
	begins(100, SETPRIORITY, PRIO_USER, 5);
	assert_true(ends(100, SETPRIORITY, -EPERM));
	assert_call(100, 0);
}

static void calls_at_the_same_time(void **state)
{
	(void)state;
	begins(100, SETATTR, 5, 0);
	begins(101, SETATTR, 6, 0);
	assert_true(ends(100, SETATTR, 0));
	assert_call(100, 5);
	assert_true(ends(101, SETATTR, 0));
	assert_call(101, 6);
}

static void an_end_without_its_begin_may_mean_anybody(void **state)
{
	(void)state;
	assert_true(ends(100, SETATTR, 0));
	assert_call(100, 0);
	/* Displaced by one with a like id. */
	begins(100, SETATTR, 5, 0);
	begins(100 + SCHED_CALLS_MAX, SETATTR, 6, 0);
	assert_true(ends(100, SETATTR, 0));
	assert_call(100, 0);
	assert_true(ends(100 + SCHED_CALLS_MAX, SETATTR, 0));
	assert_call(100 + SCHED_CALLS_MAX, 6);
	/* The next is not taken for it. */
	assert_true(ends(100 + SCHED_CALLS_MAX, SETATTR, 0));
	assert_call(100 + SCHED_CALLS_MAX, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whom_a_call_means, set_up),
		cmocka_unit_test_setup(a_call_that_fails, set_up),
		cmocka_unit_test_setup(calls_at_the_same_time, set_up),
		cmocka_unit_test_setup(an_end_without_its_begin_may_mean_anybody, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
