/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moves processes to and fro between two cgroups, and measures how long each takes to get the attributes that go with
 * the cgroup: one at a time, with random pauses, and then all at once. Prints the results as JSON.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define PROCESSES_MAX 100000
#define SAMPLES_MAX   100000

/* The first ones pay for cold caches. */
#define WARM_UP 3

struct cgroup {
	int procs; /* its file cgroup.procs */
	struct bench_attr attr;
};

struct moves {
	unsigned processes, samples, pause_us, seed;
	struct cgroup cgroups[2];
	pid_t *pids;
	unsigned timeouts;
};

static struct cgroup open_cgroup(const char *folder, const char *attr)
{
	struct cgroup cgroup = { .attr = parse_attr(attr) };
	char path[4096];

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	cgroup.procs = open(path, O_WRONLY | O_CLOEXEC);
	if (cgroup.procs < 0)
		die(path);
	return cgroup;
}

static void move(pid_t pid, const struct cgroup *cgroup)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%d", (int)pid);

	if (write(cgroup->procs, text, (size_t)n) != n)
		die("moving");
}

static void start_processes(struct moves *moves)
{
	const pid_t self = getpid();

	moves->pids = calloc(moves->processes, sizeof(*moves->pids));
	if (!moves->pids)
		die("calloc");
	for (unsigned i = 0; i < moves->processes; i++) {
		moves->pids[i] = fork();
		if (moves->pids[i] < 0)
			die("fork");
		if (moves->pids[i] == 0) {
			end_with(self);
			for (;;)
				pause();
		}
	}
}

static void end_processes(const struct moves *moves)
{
	for (unsigned i = 0; i < moves->processes; i++)
		kill(moves->pids[i], SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* One after the other, since the last one is right soon after the first ones. Returns when that was. */
static uint64_t await_all(struct moves *moves, const struct cgroup *cgroup)
{
	for (unsigned i = 0; i < moves->processes; i++)
		moves->timeouts += !attr_await(moves->pids[i], &cgroup->attr);
	return now_ns();
}

static void print_number(const char *separator, uint64_t number)
{
	printf("%s%" PRIu64, separator, number);
}

/* The whole time from just before the move. */
static void measure_single(struct moves *moves)
{
	printf("\"single\": [");
	for (unsigned i = 0; i < moves->samples + WARM_UP; i++) {
		const struct cgroup *to = &moves->cgroups[(i + 1) % 2];
		uint64_t start;

		usleep((unsigned)rand_r(&moves->seed) % (moves->pause_us + 1));
		start = now_ns();
		move(moves->pids[0], to);
		moves->timeouts += !attr_await(moves->pids[0], &to->attr);
		if (i >= WARM_UP)
			print_number(i > WARM_UP ? ", " : "", now_ns() - start);
	}
	printf("], ");
}

/* There and back. From just before the first move, and from after the last. */
static void measure_all(struct moves *moves)
{
	uint64_t start, moved, right;

	for (int i = 1; i >= 0; i--) {
		const struct cgroup *to = &moves->cgroups[i];

		start = now_ns();
		for (unsigned k = 0; k < moves->processes; k++)
			move(moves->pids[k], to);
		moved = now_ns();
		right = await_all(moves, to);
		printf("\"all_%s\": %" PRIu64 ", \"all_%s_after\": %" PRIu64 ", ", i ? "down" : "up", right - start,
		       i ? "down" : "up", right - moved);
	}
}

int main(int argc, char **argv)
{
	struct moves moves = { 0 };

	if (argc != 9) {
		fprintf(stderr, "usage: %s PROCESSES SAMPLES MAX_PAUSE_US SEED FOLDER ATTR FOLDER ATTR\n", argv[0]);
		return 2;
	}
	moves.processes = (unsigned)parse_number(argv[1], PROCESSES_MAX);
	moves.samples = (unsigned)parse_number(argv[2], SAMPLES_MAX);
	moves.pause_us = (unsigned)parse_number(argv[3], 1000000);
	moves.seed = (unsigned)parse_number(argv[4], UINT32_MAX);
	for (int i = 0; i < 2; i++)
		moves.cgroups[i] = open_cgroup(argv[5 + 2 * i], argv[6 + 2 * i]);
	if (!moves.processes)
		return 2;
	start_processes(&moves);
	for (unsigned i = 0; i < moves.processes; i++)
		move(moves.pids[i], &moves.cgroups[0]);
	await_all(&moves, &moves.cgroups[0]);
	moves.timeouts = 0;
	printf("{");
	measure_single(&moves);
	/* An odd number of moves has left it below. */
	move(moves.pids[0], &moves.cgroups[0]);
	await_all(&moves, &moves.cgroups[0]);
	measure_all(&moves);
	printf("\"timeouts\": %u}\n", moves.timeouts);
	end_processes(&moves);
	return 0;
}
