/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how a helper process reads arguments, also if it hangs or ends. */
#include "test.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include <sys/wait.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/helper.h>

/* Time for a helper that answers, on a busy machine. */
#define PATIENCE_MS 10000

static struct helper reader;
static char expected[4096];
static ssize_t expected_size;
static const char *text;

/* Asks for our own arguments, for those of a task that does not exist, and for ours again. Returns 0 or -errno. */
static int ask(void)
{
	const struct reader_question questions[] = {
		{ .tid = getpid(), .number = 7, .place = 5 },
		{ .tid = INT32_MAX, .number = 8, .place = READER_QUESTIONS_MAX - 1 },
		{ .tid = getpid(), .number = 9, .place = 0 },
	};

	return reader_ask(&reader, questions, 3);
}

/* Returns whether all answers came in time. If not, leaves the helper behind. */
static bool is_answered(uint32_t patience_ms)
{
	reader_wait(&reader, patience_ms * 1000);
	for (uint32_t number = 7; number <= 9; number++) {
		const struct reader_question *answer = reader_take(&reader, &text);

		if (!answer) {
			assert_int_equal(reader_current(&reader)->number, number);
			helper_leave(&reader);
			return false;
		}
		assert_int_equal(answer->number, number);
		assert_int_equal(answer->size, number == 8 ? -ESRCH : expected_size);
		if (number != 8)
			assert_memory_equal(text, expected, (size_t)expected_size);
	}
	assert_null(reader_take(&reader, &text));
	assert_null(reader_current(&reader));
	return true;
}

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
	/* A failed test may have left them stopped. */
	for (size_t i = 0; i < reader.n_left; i++)
		kill(reader.left[i], SIGKILL);
	helper_close(&reader);
	/* The leash ends all helpers. */
	while (waitpid(-1, NULL, 0) > 0)
		;
	reader = (struct helper){ 0 };
	return 0;
}

static void reads_our_own(void)
{
	assert_int_equal(ask(), 0);
	assert_true(is_answered(PATIENCE_MS));
}

#define TEST_READER_TEST(name) TEST_IN(name, begin, end)

TEST_READER_TEST(the_helper_reads_the_same_as_we_would)
{
	pid_t first;

	assert_int_equal(reader_ask(&reader, NULL, 0), 0);
	first = reader.now.pid;
	/* The texts are larger in all than the room for answers. */
	for (int i = 0; i < READER_QUESTIONS_MAX; i++)
		reads_our_own();
	assert_int_equal(reader.now.pid, first);
}

TEST_READER_TEST(all_questions_that_fit_are_answered)
{
	struct reader_question questions[READER_QUESTIONS_MAX] = { 0 };

	assert_int_equal(reader_ask(&reader, questions, READER_QUESTIONS_MAX), 0);
	reader_wait(&reader, PATIENCE_MS * 1000);
	assert_int_equal(ask(), -EAGAIN);
	for (int i = 0; i < READER_QUESTIONS_MAX; i++)
		assert_non_null(reader_take(&reader, &text));
	reads_our_own();
}

/*
 * A stopped helper stands for one in a wait that no signal ends. Another one takes its place; the first is still ended.
 */
TEST_READER_TEST(a_helper_that_does_not_answer_is_left_behind)
{
	pid_t stopped[HELPERS_LEFT_MAX];

	for (int i = 0; i < HELPERS_LEFT_MAX; i++) {
		reads_our_own();
		stopped[i] = reader.now.pid;
		/* SIGIO does not end a stopped process. */
		kill(stopped[i], SIGSTOP);
		waitpid(stopped[i], NULL, WUNTRACED);
		assert_int_equal(ask(), 0);
		assert_false(is_answered(1));
	}
	assert_int_equal(reader.n_left, HELPERS_LEFT_MAX);
	assert_int_equal(ask(), -EAGAIN);
	kill(stopped[3], SIGCONT);
	waitid(P_PID, (id_t)stopped[3], NULL, WEXITED | WNOWAIT);
	reads_our_own();
	assert_int_equal(reader.n_left, HELPERS_LEFT_MAX - 1);
	for (int i = 0; i < HELPERS_LEFT_MAX; i++)
		kill(stopped[i], SIGCONT);
}

/* Returns on how many of the first 1,024 CPUs the process may run; 0 if it is gone. */
static int cpus_of(pid_t pid)
{
	cpu_set_t cpus;

	return sched_getaffinity(pid, sizeof(cpus), &cpus) < 0 ? 0 : CPU_COUNT(&cpus);
}

/* Skips if a CPU came or went: others may switch one. Our parent's CPUs are the ones that are online. */
static void skip_unless_online(int cpus)
{
	if (cpus_of(getppid()) != cpus)
		skip();
}

/* A late helper may run on all CPUs on which we may run, and on no other. */
static void is_let_go_when_late(int online)
{
	cpu_set_t cpus, ours;
	pid_t pid;
	int before;

	reads_our_own();
	pid = reader.now.pid;
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	assert_int_equal(ask(), 0);
	before = cpus_of(pid);
	reader_wait(&reader, 2000);
	CPU_ZERO(&cpus);
	sched_getaffinity(pid, sizeof(cpus), &cpus);
	kill(pid, SIGCONT);
	helper_leave(&reader);
	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	skip_unless_online(online);
	assert_int_equal(before, 1);
	assert_true(CPU_EQUAL(&cpus, &ours));
}

TEST_READER_TEST(a_helper_runs_on_our_cpu_until_it_is_late)
{
	const int online = cpus_of(getppid());
	cpu_set_t ours, fewer;
	int r;

	if (cpus_of(0) < 2)
		skip();
	is_let_go_when_late(online);
	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	CPU_ZERO(&fewer);
	CPU_SET((size_t)sched_getcpu(), &fewer);
	r = sched_setaffinity(0, sizeof(fewer), &fewer);
	skip_unless_online(online);
	assert_int_equal(r, 0);
	is_let_go_when_late(online);
	r = sched_setaffinity(0, sizeof(ours), &ours);
	skip_unless_online(online);
	assert_int_equal(r, 0);
}

static _Noreturn void spin(int fd)
{
	(void)fd;
	for (;;)
		;
}

static bool await_state(const struct helper *helper, int proc, char wanted)
{
	for (int i = 0; i < PATIENCE_MS && helper_state(helper, proc) != wanted; i++)
		usleep(1000);
	return helper_state(helper, proc) == wanted;
}

TEST_READER_TEST(a_helper_that_waits_for_a_cpu_or_has_ended_is_not_taken_for_one_that_hangs)
{
	struct helper helper = { .serve = spin };
	const int proc = procfs_open();

	assert_true(helper_need(&helper) >= 0);
	assert_true(await_state(&helper, proc, 'R'));
	kill(helper.now.pid, SIGKILL);
	assert_true(await_state(&helper, proc, 'Z'));
	helper_close(&helper);
	assert_int_equal(helper_state(&helper, proc), 'Z');
	reads_our_own();
	assert_true(await_state(&reader, proc, 'S'));
	close(proc);
}
