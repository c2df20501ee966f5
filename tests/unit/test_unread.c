/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies when processes with unread arguments are tried again, and whose processes are not tried for a while. */

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

static struct unread unread;

static int begin(void **state)
{
	(void)state;
	unread = (struct unread){ 0 };
	return 0;
}

#define TEST_UNREAD_TEST(name) TEST_IN(name, begin, NULL)

TEST_UNREAD_TEST(each_try_in_vain_doubles_the_wait_up_to_a_minute)
{
	uint32_t ms = BEGAN, wait = 100, next_ms;

	unread_note(&unread, 5, ms);
	for (int i = 0; i < 20; i++) {
		assert_true(unread_next(&unread, &next_ms));
		assert_int_equal(next_ms, ms + wait);
		assert_int_equal(unread_retry(&unread, ms + wait - 1), 0);
		assert_int_equal(unread_retry(&unread, ms + wait), 5);
		/* A process that already waits does not wait longer. */
		unread_note(&unread, 5, ms + wait + 50);
		ms += wait;
		wait = wait * 2 > MINUTE ? MINUTE : wait * 2;
	}
	unread_forget(&unread, 5);
	assert_false(unread_has(&unread, 5));
	assert_false(unread_next(&unread, &next_ms));
	unread_note(&unread, 5, ms);
	assert_int_equal(unread_retry(&unread, ms + 100), 5);
}

TEST_UNREAD_TEST(processes_are_tried_again_one_at_a_time)
{
	uint32_t ms;

	assert_false(unread_next(&unread, &ms));
	unread_note(&unread, 6, BEGAN);
	unread_note(&unread, 7, BEGAN + 10);
	unread_note(&unread, 8, BEGAN - 10);
	assert_true(unread_next(&unread, &ms));
	assert_int_equal(ms, BEGAN + 90);
	assert_int_equal(unread_retry(&unread, BEGAN + 120), 8);
	assert_true(unread_next(&unread, &ms));
	assert_int_equal(ms, BEGAN + 170);
	assert_int_equal(unread_retry(&unread, ms - 1), 0);
	assert_int_equal(unread_retry(&unread, ms), 6);
	assert_int_equal(unread_retry(&unread, ms), 0);
	assert_int_equal(unread_retry(&unread, ms + 50), 7);
	unread_forget(&unread, 99);
	assert_true(unread_has(&unread, 6));
}

TEST_UNREAD_TEST(the_number_of_unread_processes_is_limited)
{
	for (int i = 0; i < UNREAD_MAX; i++)
		unread_note(&unread, 100 + i, BEGAN);
	unread_note(&unread, 5, BEGAN);
	assert_false(unread_has(&unread, 5));
	unread_forget(&unread, 200);
	unread_note(&unread, 5, BEGAN);
	assert_true(unread_has(&unread, 5));
	assert_true(unread_has(&unread, 100 + UNREAD_MAX - 1));
	/* A process that was tried in vain gives way. */
	assert_int_equal(unread_retry(&unread, BEGAN + 100), 100);
	unread_note(&unread, 6, BEGAN + 100);
	assert_true(unread_has(&unread, 6));
	assert_false(unread_has(&unread, 100));
}

TEST_UNREAD_TEST(after_a_process_hangs_its_user_s_are_not_read_for_a_while)
{
	for (uint32_t ms = 1000; ms != 3000; ms += 100) {
		assert_false(unread_is_off(&unread, 1000, ms));
		unread_hung(&unread, 1000, ms);
		assert_true(unread_is_off(&unread, 1000, ms + 99));
		assert_false(unread_is_off(&unread, 1000, ms + 100));
		assert_false(unread_is_off(&unread, 1001, ms));
	}
	/* The wait is over for as long as 32 bits can tell, which is almost 49 days. */
	for (uint32_t ms = 100; ms < UINT32_MAX - 100000; ms += 100000)
		assert_false(unread_is_off(&unread, 1000, 2900 + ms));
}

/* Waits for all answers. Each call waits only a few milliseconds, which may be too short on a busy machine. */
static void waits_for_answers(struct arguments *arguments)
{
	while (!arguments_exchange(arguments, true))
		;
}

/* The kernel may have killed the helper for lack of memory. */
TEST_UNREAD_TEST(the_end_of_a_helper_is_not_blamed_on_a_user)
{
	static struct arguments arguments;
	const int proc = procfs_open();
	pid_t first;

	arguments_init(&arguments, proc);
	first = arguments.reader.now.pid;
	kill(first, SIGKILL);
	waitid(P_PID, (id_t)first, NULL, WEXITED | WNOWAIT);
	assert_int_equal(arguments_want(&arguments, getpid()), -EINPROGRESS);
	waits_for_answers(&arguments);
	assert_int_not_equal(arguments.reader.now.pid, first);
	assert_int_equal(arguments.unread.last_hung_ms, 0);
	arguments_free(&arguments);
	close(proc);
}

/* A task that also waits for the answer about another one must not be decided about again and again meanwhile. */
TEST_UNREAD_TEST(a_kept_answer_does_not_cause_another_decision)
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
TEST_UNREAD_TEST(a_question_that_an_exec_has_overtaken_is_asked_again)
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
