/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a storm: workers that do operations in parallel. It starts at "go" on its standard input and ends at the end of
 * file; without -n it runs until "stop". It prints "ready", then its results as JSON. Its tasks are killed when its
 * parent ends, however that happens.
 */
#include "storm.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define WORKERS_MAX 64

struct worker {
	uint64_t done;
};

struct storm {
	uint64_t operations; /* of each worker */
	unsigned pause_us;   /* before each operation */
	unsigned n_workers;
	const char *program;
	int go[2], done[2]; /* pipes */
	pid_t pids[WORKERS_MAX];
	/* Shared with the workers. */
	volatile bool *stop;
	struct worker *workers;
};

static void *share(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

/* At least one operation, however soon it is told to stop. */
static void work(const struct storm *storm, struct worker *worker)
{
	for (uint64_t n = 0; n < storm->operations && !(n && *storm->stop); n++) {
		if (storm->pause_us)
			usleep(storm->pause_us);
		storm_pass(storm->program, n);
		worker->done++;
	}
}

static void run_worker(struct storm *storm, unsigned i)
{
	char byte;

	close(storm->go[1]);
	while (read(storm->go[0], &byte, 1) < 0 && errno == EINTR)
		;
	work(storm, &storm->workers[i]);
	if (write(storm->done[1], "", 1) != 1)
		die("write");
	for (;;)
		pause();
}

static void start_workers(struct storm *storm)
{
	pid_t self = getpid();

	if (pipe(storm->go) < 0 || pipe(storm->done) < 0)
		die("pipe");
	for (unsigned i = 0; i < storm->n_workers; i++) {
		storm->pids[i] = fork();
		if (storm->pids[i] < 0)
			die("fork");
		if (storm->pids[i] == 0) {
			end_with(self);
			run_worker(storm, i);
		}
	}
	close(storm->go[0]);
}

static void end_workers(struct storm *storm)
{
	for (unsigned i = 0; i < storm->n_workers; i++)
		kill(storm->pids[i], SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/*
 * Reads a command, which is a line, and no byte more: on a busy machine the next one may wait behind it already. False
 * at the end of file.
 */
static bool read_command(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1)
		if (byte == '\n')
			return true;
	return false;
}

/* A worker that dies has printed why; its remaining operations would never be done. */
static bool is_worker_dead(void)
{
	return waitpid(-1, NULL, WNOHANG) > 0;
}

/* Waits until all workers are done. False when the storm is to end early. */
static bool await_workers(struct storm *storm)
{
	struct pollfd polls[] = {
		{ .fd = storm->done[0], .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
	};
	unsigned n_done = 0;
	char bytes[WORKERS_MAX];

	while (n_done < storm->n_workers) {
		if (poll(polls, 2, 1000) == 0 && is_worker_dead())
			return false;
		if (polls[0].revents)
			n_done += (unsigned)read(storm->done[0], bytes, sizeof(bytes));
		if (polls[1].revents) {
			*storm->stop = true;
			if (!read_command())
				return false;
		}
	}
	return true;
}

static void print_result(const struct storm *storm, uint64_t ns)
{
	uint64_t done = 0;

	for (unsigned i = 0; i < storm->n_workers; i++)
		done += storm->workers[i].done;
	printf("{\"ops\": %" PRIu64 ", \"ns\": %" PRIu64 "}\n", done, ns);
	fflush(stdout);
}

static void parse(struct storm *storm, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:w:p:x:")) != -1) {
		switch (option) {
		case 'n':
			storm->operations = parse_number(optarg, UINT64_MAX);
			break;
		case 'w':
			storm->n_workers = (unsigned)parse_number(optarg, WORKERS_MAX);
			break;
		case 'p':
			storm->pause_us = (unsigned)parse_number(optarg, 1000000);
			break;
		case 'x':
			storm->program = optarg;
			break;
		default:
			optind = argc + 1;
		}
	}
	if (optind != argc || !storm->n_workers || storm_needs_program != !!storm->program) {
		fprintf(stderr, "usage: %s [-n OPERATIONS] [-w WORKERS] [-p PAUSE_US]%s\n",
			program_invocation_short_name, storm_needs_program ? " -x PROGRAM" : "");
		exit(2);
	}
	if (storm->operations != UINT64_MAX)
		storm->operations = (storm->operations + storm->n_workers - 1) / storm->n_workers;
}

int main(int argc, char **argv)
{
	struct storm storm = { .operations = UINT64_MAX, .n_workers = 2 };
	bool completed = false;
	uint64_t start;

	parse(&storm, argc, argv);
	storm.stop = share(sizeof(*storm.stop));
	storm.workers = share(storm.n_workers * sizeof(*storm.workers));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	start_workers(&storm);
	puts("ready");
	fflush(stdout);
	if (read_command()) {
		start = now_ns();
		close(storm.go[1]);
		completed = await_workers(&storm);
		if (completed)
			print_result(&storm, now_ns() - start);
		while (completed && read_command())
			;
	}
	end_workers(&storm);
	return completed ? 0 : 1;
}
