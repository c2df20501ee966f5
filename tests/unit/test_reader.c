/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments by way of another process, whatever becomes of that one. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <sys/wait.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/reader.h>

/* For who answers, however busy the machine is. */
#define PATIENCE_MS 10000

static struct reader reader;
static char expected[4096], buf[4096];
static ssize_t expected_size;

static int begin(void **state)
{
	int proc = procfs_open();

	(void)state;
	if (proc < 0)
		return -1;
	expected_size = procfs_argv(proc, getpid(), expected, sizeof(expected));
	close(proc);
	return expected_size > 0 ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	reader_close(&reader);
	/* It ends, but on a busy machine only after reader_close has stopped waiting for it. */
	for (size_t i = 0; i < reader.n_lost; i++)
		waitid(P_PID, (id_t)reader.lost[i], NULL, WEXITED | WNOWAIT);
	reader_close(&reader);
	/* Nobody is left behind. */
	return reader.pid == 0 && reader.n_lost == 0 && waitpid(-1, NULL, WNOHANG) < 0 ? 0 : -1;
}

static void reads_our_own(void)
{
	memset(buf, 'x', sizeof(buf));
	assert_int_equal(reader_argv(&reader, getpid(), PATIENCE_MS, buf, sizeof(buf)), expected_size);
	assert_memory_equal(buf, expected, (size_t)expected_size);
}

static void it_reads_what_we_would(void **state)
{
	pid_t first;

	(void)state;
	reads_our_own();
	first = reader.pid;
	reads_our_own();
	assert_int_equal(reader.pid, first);
	assert_int_equal(reader_argv(&reader, getpid(), PATIENCE_MS, buf, 3), 3);
	assert_memory_equal(buf, expected, 2);
	assert_int_equal(buf[2], 0);
	assert_int_equal(reader_argv(&reader, INT32_MAX, PATIENCE_MS, buf, sizeof(buf)), -ESRCH);
}

static void one_that_was_killed_is_replaced(void **state)
{
	(void)state;
	reads_our_own();
	kill(reader.pid, SIGKILL);
	reads_our_own();
}

/* As one in a wait that no signal ends: another takes its place, and it is not forgotten. */
static void one_that_does_not_answer_is_left_behind(void **state)
{
	pid_t stopped[READERS_LOST_MAX];

	(void)state;
	for (int i = 0; i < READERS_LOST_MAX; i++) {
		reads_our_own();
		stopped[i] = reader.pid;
		kill(stopped[i], SIGSTOP);
		waitpid(stopped[i], NULL, WUNTRACED);
		assert_int_equal(reader_argv(&reader, getpid(), 1, buf, sizeof(buf)), -EAGAIN);
	}
	assert_int_equal(reader.n_lost, READERS_LOST_MAX);
	assert_int_equal(reader_argv(&reader, getpid(), 1, buf, sizeof(buf)), -EAGAIN);
	for (int i = 0; i < READERS_LOST_MAX; i++)
		kill(stopped[i], SIGKILL);
	for (int i = 0; i < READERS_LOST_MAX; i++)
		waitid(P_PID, (id_t)stopped[i], NULL, WEXITED | WNOWAIT);
	reads_our_own();
	assert_int_equal(reader.n_lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_reads_what_we_would, begin, end),
		cmocka_unit_test_setup_teardown(one_that_was_killed_is_replaced, begin, end),
		cmocka_unit_test_setup_teardown(one_that_does_not_answer_is_left_behind, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
