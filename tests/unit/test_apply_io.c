/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which calls set I/O priorities, and how the kernel's numbers are read. */
#include "fake_kernel.h"

#include <errno.h>

/* I/O priorities in the kernel's format. */
#define KERNEL_BE_7	   0x4007
#define KERNEL_IDLE	   0x6000
#define KERNEL_BE_4_HINT_3 0x401c

static const struct given given = { .has_io_priority = true };

KERNEL_TEST(no_io_priority_is_read_until_it_is_used)
{
	const struct plan_action action = action_to((struct task_attr){ .nice = 4, .util_max = UTIL_FULL });
	struct task_attr now;

	kernel.io = KERNEL_BE_7;
	assert_int_equal(applier_read(&applier, 7, &now), 0);
	assert_int_equal(now.io_priority, 0);
	apply(&action);
	assert_int_equal(kernel.n_io_gets, 0);
	assert_int_equal(kernel.io_set, -1);
	applier_enable_io_priority(&applier, &given);
	assert_int_equal(applier_read(&applier, 7, &now), 0);
	assert_int_equal(now.io_priority, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7));
}

KERNEL_TEST(a_kernel_without_io_priorities_is_never_asked_again)
{
	struct task_attr now;

	kernel.io = -ENOSYS;
	applier_enable_io_priority(&applier, &given);
	assert_false(applier.caps.io_priority);
	assert_int_equal(applier_read(&applier, 7, &now), 0);
	assert_int_equal(kernel.n_io_gets, 1);
}

KERNEL_TEST(an_io_priority_alone_takes_one_call)
{
	struct plan_action action = action_to(task_attr_pristine);
	struct task_attr now;

	applier.caps.io_priority = true;
	kernel.io = KERNEL_IDLE;
	action.want.io_priority = IO_PRIORITY(IO_CLASS_IDLE, 0);
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(kernel.n_calls, 0);
	assert_int_equal(kernel.io_set, KERNEL_IDLE);
	assert_int_equal(now.io_priority, action.want.io_priority);
	action.from.io_priority = action.want.io_priority;
	action.want.io_priority = 0;
	apply(&action);
	assert_int_equal(kernel.io_set, 0);
}

/* Somebody set the hint for a disk with limits for the duration of commands. */
KERNEL_TEST(a_hint_is_kept)
{
	struct plan_action action = action_to(task_attr_pristine);
	struct task_attr now;

	applier.caps.io_priority = true;
	kernel.io = KERNEL_BE_4_HINT_3;
	assert_int_equal(applier_read(&applier, 7, &now), 0);
	assert_int_equal(IO_CLASS(now.io_priority), IO_CLASS_BEST_EFFORT);
	assert_int_equal(IO_LEVEL(now.io_priority), 4);
	action.want.io_priority = now.io_priority;
	apply(&action);
	assert_int_equal(kernel.io_set, KERNEL_BE_4_HINT_3);
}

KERNEL_TEST(a_refused_io_priority_is_an_error_if_nothing_else_is_set)
{
	struct plan_action action = action_to(task_attr_pristine);
	struct task_attr now;

	applier.caps.io_priority = true;
	action.want.io_priority = IO_PRIORITY(IO_CLASS_REALTIME, 0);
	kernel.io_result = -EPERM;
	assert_int_equal(applier_apply(&applier, &action, &now), -EPERM);
	action.want.nice = 4;
	assert_int_equal(applier_apply(&applier, &action, &now), 0);
	assert_int_equal(now.io_priority, 0);
	/* The I/O priority is not tried if the other attributes are refused. */
	kernel_on(NULL);
	kernel.refused = 1;
	kernel.why_refused = -EPERM;
	assert_int_equal(applier_apply(&applier, &action, &now), -EPERM);
	assert_int_equal(kernel.io_set, -1);
}

KERNEL_TEST(a_task_gone_before_its_io_priority_is_read_fails)
{
	struct task_attr now;

	applier.caps.io_priority = true;
	kernel.io = -ESRCH;
	assert_int_equal(applier_read(&applier, 7, &now), -ESRCH);
}
