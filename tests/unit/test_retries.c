/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies when processes that could not be read are tried again, and whose processes are not tried for a while. */

#include "test.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <sys/wait.h>

#include <schedqos/kernel/procfs.h>

#include "../../src/tagging/arguments.h"

/* Times wrap around in between. */
#define BEGAN (UINT32_MAX - 1000)

#define MINUTE 60000

static struct retries retries;
static struct hung_users hung_users;

static int begin(void **state)
{
	(void)state;
	retries = (struct retries){ 0 };
	hung_users = (struct hung_users){ 0 };
	return 0;
}

#define RETRIES_TEST(name) TEST_IN(name, begin, NULL)

RETRIES_TEST(each_try_in_vain_doubles_the_wait_up_to_a_minute)
{
	uint32_t ms = BEGAN, wait = 100, next_ms;

	retries_note(&retries, 5, ms);
	for (int i = 0; i < 20; i++) {
		assert_true(retries_next(&retries, &next_ms));
		assert_int_equal(next_ms, ms + wait);
		assert_int_equal(retries_take(&retries, ms + wait - 1), 0);
		assert_int_equal(retries_take(&retries, ms + wait), 5);
		/* A process that already waits does not wait longer. */
		retries_note(&retries, 5, ms + wait + 50);
		ms += wait;
		wait = wait * 2 > MINUTE ? MINUTE : wait * 2;
	}
	retries_forget(&retries, 5);
	assert_false(retries_has(&retries, 5));
	assert_false(retries_next(&retries, &next_ms));
	retries_note(&retries, 5, ms);
	assert_int_equal(retries_take(&retries, ms + 100), 5);
}

RETRIES_TEST(processes_are_tried_again_one_at_a_time)
{
	uint32_t ms;

	assert_false(retries_next(&retries, &ms));
	retries_note(&retries, 6, BEGAN);
	retries_note(&retries, 7, BEGAN + 10);
	retries_note(&retries, 8, BEGAN - 10);
	assert_true(retries_next(&retries, &ms));
	assert_int_equal(ms, BEGAN + 90);
	assert_int_equal(retries_take(&retries, BEGAN + 120), 8);
	assert_true(retries_next(&retries, &ms));
	assert_int_equal(ms, BEGAN + 170);
	assert_int_equal(retries_take(&retries, ms - 1), 0);
	assert_int_equal(retries_take(&retries, ms), 6);
	assert_int_equal(retries_take(&retries, ms), 0);
	assert_int_equal(retries_take(&retries, ms + 50), 7);
	retries_forget(&retries, 99);
	assert_true(retries_has(&retries, 6));
}

RETRIES_TEST(the_number_of_processes_is_limited)
{
	for (int i = 0; i < RETRIES_MAX; i++)
		retries_note(&retries, 100 + i, BEGAN);
	retries_note(&retries, 5, BEGAN);
	assert_false(retries_has(&retries, 5));
	retries_forget(&retries, 200);
	retries_note(&retries, 5, BEGAN);
	assert_true(retries_has(&retries, 5));
	assert_true(retries_has(&retries, 100 + RETRIES_MAX - 1));
	/* A process that was tried in vain gives way. */
	assert_int_equal(retries_take(&retries, BEGAN + 100), 100);
	retries_note(&retries, 6, BEGAN + 100);
	assert_true(retries_has(&retries, 6));
	assert_false(retries_has(&retries, 100));
}

RETRIES_TEST(after_a_process_hangs_its_user_s_are_not_read_for_a_while)
{
	for (uint32_t ms = 1000; ms != 3000; ms += 100) {
		assert_false(hung_users_has(&hung_users, 1000, ms));
		hung_users_note(&hung_users, 1000, ms);
		assert_true(hung_users_has(&hung_users, 1000, ms + 99));
		assert_false(hung_users_has(&hung_users, 1000, ms + 100));
		assert_false(hung_users_has(&hung_users, 1001, ms));
	}
	/* The wait is over for as long as 32 bits can tell, which is almost 49 days. */
	for (uint32_t ms = 100; ms < UINT32_MAX - 100000; ms += 100000)
		assert_false(hung_users_has(&hung_users, 1000, 2900 + ms));
}

/* Waits for all answers. Each call waits only a few milliseconds, which may be too short on a busy machine. */
static void waits_for_answers(struct arguments *arguments)
{
	while (!arguments_exchange(arguments, true))
		;
}

/* The kernel may have killed the helper for lack of memory. */
RETRIES_TEST(the_end_of_a_helper_is_not_blamed_on_a_user)
{
	static struct arguments arguments;
	const int proc = procfs_open();
	pid_t first;

	arguments_init(&arguments, proc);
	arguments_start_helper(&arguments);
	first = arguments.reader.now.pid;
	kill(first, SIGKILL);
	waitid(P_PID, (id_t)first, NULL, WEXITED | WNOWAIT);
	assert_int_equal(arguments_want(&arguments, getpid()), -EINPROGRESS);
	waits_for_answers(&arguments);
	assert_int_not_equal(arguments.reader.now.pid, first);
	assert_int_equal(arguments.hung_users.last_hung_ms, 0);
	arguments_free(&arguments);
	close(proc);
}

/* A task that also waits for the answer about another one must not be decided about again and again meanwhile. */
RETRIES_TEST(a_kept_answer_does_not_cause_another_decision)
{
	static struct arguments arguments;
	const int proc = procfs_open();

	arguments_init(&arguments, proc);
	assert_int_equal(arguments_want(&arguments, getpid()), -EINPROGRESS);
	waits_for_answers(&arguments);
	arguments_keep(&arguments, getpid());
	arguments_end_round(&arguments);
	assert_int_equal(arguments_want(&arguments, getpid()), 0);
	assert_false(arguments_exchange(&arguments, false));
	arguments_end_round(&arguments);
	assert_int_equal(arguments_want(&arguments, getpid()), -EINPROGRESS);
	arguments_free(&arguments);
	close(proc);
}

/* The exec was booked after the decision had been put off, so the question has to be asked again. */
RETRIES_TEST(a_question_that_an_exec_has_overtaken_is_asked_again)
{
	static struct arguments arguments;
	const int proc = procfs_open();

	arguments_init(&arguments, proc);
	assert_int_equal(arguments_want(&arguments, getpid()), -EINPROGRESS);
	arguments_changed(&arguments, getpid());
	arguments_keep(&arguments, getpid());
	arguments_end_round(&arguments);
	waits_for_answers(&arguments);
	assert_int_equal(arguments_want(&arguments, getpid()), -EINPROGRESS);
	waits_for_answers(&arguments);
	assert_int_equal(arguments_want(&arguments, getpid()), 0);
	arguments_free(&arguments);
	close(proc);
}
