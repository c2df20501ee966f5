/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how the plan treats the base slice, which the kernel reports for a task without a custom slice. */
#include "fake_daemon.h"

#define CHROME "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"
#define NONE   "'schedqos': { 'default': 'none' }"

MACHINE_TEST(a_changed_base_slice_is_not_taken_for_a_choice)
{
	start_and_run(m, NONE "," CHROME, "/usr/bin/cmd");
	m->kernel.base_slice_ns = 4 * MS;
	count_from_here(m);
	execs(m, 100, "/usr/bin/other");
	assert_true(m->fetched & FACT_BASE);
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
	assert_true(task_attr_is_pristine(&record(m, 100)->known));
	reload(m, CHROME);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
}

/* The kernel reports a former base slice for a while, namely for a task that has not run since the change. */
MACHINE_TEST(a_former_base_slice_is_not_taken_for_a_choice)
{
	start_and_run(m, NONE "," CHROME, "/usr/bin/cmd");
	for (uint32_t base = 4; base <= 22; base++) {
		m->kernel.base_slice_ns = base * MS;
		scan(m);
	}
	for (uint32_t base = 7; base <= 22; base++) {
		machine_task(m, 100)->attr.slice_ns = base * MS;
		scan(m);
		assert_true(task_attr_is_pristine(&record(m, 100)->known));
	}
	machine_task(m, 100)->attr.slice_ns = 23 * MS;
	scan(m);
	assert_int_equal(record(m, 100)->had.slice_ns, 23 * MS);
}

/* A slice that a class set counts as the class's, though it was the base slice once. */
MACHINE_TEST(a_class_may_set_a_slice_that_was_the_base_slice)
{
	m->kernel.base_slice_ns = 8 * MS;
	start(m, CHROME);
	m->kernel.base_slice_ns = 3 * MS;
	scan(m);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_int_equal(record(m, 100)->known.slice_ns, 8 * MS);
	/* While the base slice equals the class's slice, nobody can see whether a task cleared its slice. */
	m->kernel.base_slice_ns = 8 * MS;
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(the_base_slice_is_read_only_when_needed)
{
	start_and_run(m, CHROME, "/usr/bin/chrome");
	execs(m, 100, "/usr/bin/cmd");
	scan(m);
	assert_false(m->fetched & FACT_BASE);
}
