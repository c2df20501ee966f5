/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work that is due again and again: a compositor's frames, a sound server's buffers, the keys that
 * somebody types into a shell. Measures from the time when it was due, by the clock, until it runs
 * and until it is done. What is due while the work before is not done yet is left out and counted,
 * as a compositor leaves out a frame.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pty.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "histogram.h"
#include "iterations.h"

/* Not counted: until then its class is there, and its pages are; and while others that began with it end. */
#define WARM_UP_NS   500000000ULL
#define COOL_DOWN_NS 500000000ULL

/* Between two looks at the CPU time used; at most so much too long is the work. */
#define STEPS 2000

#define NS_PER_US 1000
#define NS_PER_S  1000000000ULL

struct loop {
	uint64_t period_ns, work_ns;
	bool iterates;	/* in the lab: work is counted in iterations, not in CPU time */
	uint64_t iterations; /* that are the work on this machine; 0: it is by CPU time */
	uint64_t state; /* of the numbers by which the lengths vary in the lab */
	int terminal;	/* of the shell; -1: the work is our own */
	int marker;	/* of ftrace, for waits that are longer than all before; -1: none */
	uint64_t left_out;
	struct histogram wakeup, done;
};

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

/*
 * Works for calibrated iterations, so that it is the same work whatever runs beside it, or for a CPU time; in the lab
 * for iterations of its own, a tenth more or less.
 */
static void work(struct loop *loop)
{
	uint64_t end, us = loop->work_ns / NS_PER_US;

	if (loop->iterates) {
		iterate(us * 9 / 10 + random_below(&loop->state, us / 5 + 1));
		return;
	}
	if (loop->iterations) {
		iterate(loop->iterations);
		return;
	}
	end = cpu_ns() + loop->work_ns;
	while (cpu_ns() < end) {
		for (volatile int i = 0; i < STEPS; i++)
			;
	}
}

static void __attribute__((noreturn)) run_shell(int fd, struct loop *loop, pid_t parent)
{
	char key;

	end_with(parent);
	while (read(fd, &key, 1) == 1) {
		work(loop);
		if (write(fd, &key, 1) != 1)
			break;
	}
	_exit(0);
}

/* The terminal's end of a pty, with a shell at the other that answers each key after its work. */
static int start_shell(struct loop *loop)
{
	int terminal, shell;
	struct termios raw;
	pid_t self = getpid(), pid;

	if (openpty(&terminal, &shell, NULL, NULL, NULL) < 0 || tcgetattr(shell, &raw) < 0)
		die("pty");
	cfmakeraw(&raw);
	if (tcsetattr(shell, TCSANOW, &raw) < 0)
		die("pty");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		run_shell(shell, loop, self);
	close(shell);
	return terminal;
}

static void type_key(int terminal)
{
	char key = 'x';

	if (write(terminal, &key, 1) != 1 || read(terminal, &key, 1) != 1)
		die("pty");
}

static void sleep_until(uint64_t ns)
{
	struct timespec then = { .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == EINTR)
		;
}

/* Marks the end of a wait in the trace if it is the longest so far. */
static void mark_longest(const struct loop *loop, uint64_t waited_ns)
{
	char text[64];
	int n;

	if (loop->marker < 0 || waited_ns <= loop->wakeup.max)
		return;
	n = snprintf(text, sizeof(text), "%s waited %" PRIu64 " ns\n", program_invocation_short_name, waited_ns);
	if (write(loop->marker, text, (size_t)n) < 0)
		die("trace_marker");
}

/* Returns when the next is due. */
static uint64_t run_once(struct loop *loop, uint64_t due, bool counts)
{
	uint64_t awake, done, behind;

	sleep_until(due);
	awake = now_ns();
	if (counts)
		mark_longest(loop, awake - due);
	if (loop->terminal >= 0)
		type_key(loop->terminal);
	else
		work(loop);
	done = now_ns();
	behind = (done - due) / loop->period_ns;
	if (counts) {
		histogram_add(&loop->wakeup, awake - due);
		histogram_add(&loop->done, done - due);
		loop->left_out += behind;
	}
	return due + (behind + 1) * loop->period_ns;
}

static void print(const struct loop *loop)
{
	printf("{\"left_out\": %" PRIu64 ", \"wakeup\": ", loop->left_out);
	histogram_print(&loop->wakeup, stdout);
	printf(", \"done\": ");
	histogram_print(&loop->done, stdout);
	printf("}\n");
}

/*
 * Moves to a CPU that depends on the seed and the program's name, and may leave it again. A task that seldom has to
 * wait stays for seconds where it begins; without this, that would depend on what ran before.
 */
static void begin_somewhere(uint64_t seed)
{
	uint64_t state = seed + 1000 * (uint64_t)program_invocation_short_name[0];
	cpu_set_t all, one;
	uint32_t skip;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all) < 0 || CPU_COUNT(&all) < 2)
		return;
	skip = (uint32_t)random_below(&state, (uint64_t)CPU_COUNT(&all));
	for (; !CPU_ISSET(cpu, &all) || skip; cpu++)
		skip -= CPU_ISSET(cpu, &all) ? 1 : 0;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0 || sched_setaffinity(0, sizeof(all), &all) < 0)
		die("sched_setaffinity");
}

/* Takes "-s SEED", which has the loop begin at a random phase and CPU, and count its work in iterations. */
static void parse_seed(struct loop *loop, int *argc, char ***argv)
{
	if (*argc < 3 || strcmp((*argv)[1], "-s") != 0)
		return;
	loop->iterates = true;
	loop->state = parse_number((*argv)[2], UINT32_MAX);
	begin_somewhere(loop->state);
	*argc -= 2;
	*argv += 2;
}

/* Takes "-i ITERATIONS". */
static void parse_iterations(struct loop *loop, int *argc, char ***argv)
{
	if (*argc < 3 || strcmp((*argv)[1], "-i") != 0)
		return;
	loop->iterations = parse_number((*argv)[2], UINT32_MAX);
	*argc -= 2;
	*argv += 2;
}

/* Prints how many iterations take a millisecond of CPU time: the most of many tries, of which others disturb some. */
static int calibrate(void)
{
	uint64_t most = 0;

	for (int try = 0; try < 100; try++) {
		uint64_t end = cpu_ns() + 1000 * NS_PER_US, count = 0;

		for (; cpu_ns() < end; count += 100)
			iterate(100);
		if (count > most)
			most = count;
	}
	printf("%" PRIu64 "\n", most);
	return 0;
}

int main(int argc, char **argv)
{
	static struct loop loop; /* too large for a stack */
	const char *marker = getenv("BENCH_MARKER");
	uint64_t start, end, due;
	bool has_shell;

	if (argc == 2 && strcmp(argv[1], "calibrate") == 0)
		return calibrate();
	parse_seed(&loop, &argc, &argv);
	parse_iterations(&loop, &argc, &argv);
	has_shell = argc == 5 && strcmp(argv[4], "pty") == 0;
	if (argc != 4 && !has_shell) {
		fprintf(stderr, "usage: %s [-s SEED | -i ITERATIONS] PERIOD_US WORK_US SECONDS [pty] | calibrate\n", program_invocation_short_name);
		return 2;
	}
	loop.period_ns = parse_number(argv[1], 10000000) * NS_PER_US;
	loop.work_ns = parse_number(argv[2], 10000000) * NS_PER_US;
	if (!loop.period_ns) {
		errno = EINVAL;
		die(argv[1]);
	}
	/* The next frame is announced by an interrupt, as from a display or a sound card. */
	prctl(PR_SET_TIMERSLACK, 1);
	loop.terminal = has_shell ? start_shell(&loop) : -1;
	loop.marker = marker ? open(marker, O_WRONLY | O_CLOEXEC) : -1;
	if (marker && loop.marker < 0)
		die(marker);
	start = now_ns() + WARM_UP_NS;
	end = start + parse_number(argv[3], 86400) * NS_PER_S;
	due = now_ns() + loop.period_ns;
	if (loop.iterates)
		due += random_below(&loop.state, loop.period_ns);
	while (due < end + COOL_DOWN_NS)
		due = run_once(&loop, due, due >= start && due < end);
	print(&loop);
	return 0;
}
