/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies when the arguments of a process are asked for that was decided about without them. */
#include "test.h"

#include <unistd.h>

#include <schedqos/kernel/procfs.h>

#include "../../src/tagging/deferred.h"

/* No process has this id: it is above the kernel's limit, 2^22. */
#define GONE ((pid_t)(1 << 22) + 1)

static struct deferred deferred;
static struct arguments arguments;

static int set_up(void **state)
{
	(void)state;
	deferred = (struct deferred){ 0 };
	arguments_init(&arguments, procfs_open());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(arguments.proc);
	arguments_free(&arguments);
	return 0;
}

#define TEST_DEFERRED(name) TEST_IN(name, set_up, tear_down)

TEST_DEFERRED(arguments_are_asked_for_after_a_while)
{
	uint32_t ms;

	assert_false(deferred_next(&deferred, &arguments, &ms));
	assert_true(deferred_note(&deferred, getpid(), "program", 1000));
	assert_true(deferred_next(&deferred, &arguments, &ms));
	assert_int_equal(ms, 1050);
	deferred_ask(&deferred, &arguments, 1019, false);
	assert_int_equal(arguments.count, 0);
	deferred_ask(&deferred, &arguments, 1020, false);
	assert_int_equal(arguments.count, 1);
	assert_false(deferred_next(&deferred, &arguments, &ms));
}

TEST_DEFERRED(a_drain_asks_at_once)
{
	assert_true(deferred_note(&deferred, getpid(), "program", 1000));
	deferred_ask(&deferred, &arguments, 1000, true);
	assert_int_equal(arguments.count, 1);
}

TEST_DEFERRED(nobody_asks_about_a_process_that_has_ended)
{
	assert_true(deferred_note(&deferred, GONE, "program", 1000));
	assert_true(deferred_note(&deferred, getpid(), "program", 1000));
	assert_true(deferred_note(&deferred, GONE + 1, "program", 1015));
	deferred_ask(&deferred, &arguments, 1020, false);
	assert_int_equal(arguments.count, 1);
	/* The last one's time has not come. */
	assert_int_equal(deferred.count, 2);
	deferred_ask(&deferred, &arguments, 1035, false);
	assert_int_equal(deferred.count, 1);
}

/* Otherwise a shell's wait would count for the program that replaces it. */
TEST_DEFERRED(another_exec_begins_the_time_anew)
{
	assert_true(deferred_note(&deferred, getpid(), "sh", 1000));
	assert_true(deferred_note(&deferred, getpid(), "program", 1015));
	assert_int_equal(deferred.count, 1);
	deferred_ask(&deferred, &arguments, 1025, false);
	assert_int_equal(arguments.count, 0);
	deferred_forget(&deferred, getpid());
	deferred_ask(&deferred, &arguments, 1035, false);
	assert_int_equal(arguments.count, 0);
}

TEST_DEFERRED(the_time_may_wrap)
{
	assert_true(deferred_note(&deferred, getpid(), "program", UINT32_MAX - 5));
	deferred_ask(&deferred, &arguments, UINT32_MAX, false);
	assert_int_equal(arguments.count, 0);
	deferred_ask(&deferred, &arguments, 14, false);
	assert_int_equal(arguments.count, 1);
}

TEST_DEFERRED(there_is_room_for_so_many)
{
	char name[DEFERRED_NAME_MAX + 1] = { 0 };

	memset(name, 'x', DEFERRED_NAME_MAX);
	assert_false(deferred_note(&deferred, 1, name, 1000));
	for (pid_t tgid = 1; tgid <= DEFERRED_MAX; tgid++) {
		assert_true(deferred_has_room(&deferred));
		assert_true(deferred_note(&deferred, tgid, name + 1, 1000));
	}
	assert_false(deferred_has_room(&deferred));
	assert_false(deferred_note(&deferred, DEFERRED_MAX + 1, "program", 1000));
}
