/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures the tagging latency from inside the task: from just before execve, and from just before
 * a thread names itself, until its attributes are those of its class. Alternates between the two, with random pauses.
 */
#include "probe.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define SAMPLES_MAX 100000

/* The first ones pay for cold caches, and for our own tagging. */
#define WARM_UP 3

struct options {
	unsigned samples;
	unsigned pause_us; /* the longest */
	unsigned seed;
	char *program;
	char *exec_attr;
	/* A thread's names, and the attributes that their rules give. */
	const char *names[2];
	struct bench_attr attrs[2];
};

struct results {
	uint64_t *exec, *exec_main, *rename;
	unsigned exec_timeouts, rename_timeouts;
};

static void run_probed(const struct options *options, int fd)
{
	char start[32], descriptor[16];
	char *argv[] = { (char *)"bench-probed", start, options->exec_attr, descriptor, NULL };

	snprintf(descriptor, sizeof(descriptor), "%d", fd);
	snprintf(start, sizeof(start), "%" PRIu64, now_ns());
	execv(options->program, argv);
	_exit(127);
}

static void probe_exec(const struct options *options, struct results *results, unsigned n)
{
	struct probe_sample sample;
	pid_t pid, self = getpid();
	int ends[2];

	if (pipe(ends) < 0)
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		end_with(self);
		run_probed(options, ends[1]);
	}
	close(ends[1]);
	if (read(ends[0], &sample, sizeof(sample)) != sizeof(sample)) {
		errno = ENOEXEC;
		die(options->program);
	}
	close(ends[0]);
	waitpid(pid, NULL, 0);
	results->exec[n] = sample.tagged_ns - sample.start_ns;
	results->exec_main[n] = sample.main_ns - sample.start_ns;
	results->exec_timeouts += sample.timed_out;
}

static void probe_rename(const struct options *options, struct results *results, unsigned n)
{
	uint64_t start = now_ns();

	prctl(PR_SET_NAME, options->names[n % 2]);
	results->rename_timeouts += !attr_await(0, &options->attrs[n % 2]);
	results->rename[n] = now_ns() - start;
}

struct run {
	const struct options *options;
	struct results *results;
};

/* In a thread, for whose names there are rules. */
static void *run_probes(void *argument)
{
	const struct run *run = argument;
	struct options const *options = run->options;
	unsigned seed = options->seed;

	for (unsigned n = 0; n < options->samples + WARM_UP; n++) {
		usleep((unsigned)rand_r(&seed) % (options->pause_us + 1));
		probe_exec(options, run->results, n);
		usleep((unsigned)rand_r(&seed) % (options->pause_us + 1));
		probe_rename(options, run->results, n);
		if (n + 1 == WARM_UP)
			run->results->exec_timeouts = run->results->rename_timeouts = 0;
	}
	return NULL;
}

static void print_list(const char *name, const uint64_t *list, unsigned count)
{
	printf("\"%s\": [", name);
	for (unsigned i = 0; i < count; i++)
		printf("%s%" PRIu64, i ? ", " : "", list[WARM_UP + i]);
	printf("], ");
}

static void print_results(const struct options *options, const struct results *results)
{
	printf("{");
	print_list("exec", results->exec, options->samples);
	print_list("exec_main", results->exec_main, options->samples);
	print_list("rename", results->rename, options->samples);
	printf("\"exec_timeouts\": %u, \"rename_timeouts\": %u}\n", results->exec_timeouts,
	       results->rename_timeouts);
}

static uint64_t *new_list(const struct options *options)
{
	uint64_t *list = calloc(options->samples + WARM_UP, sizeof(*list));

	if (!list)
		die("calloc");
	return list;
}

int main(int argc, char **argv)
{
	struct results results = { 0 };
	struct options options = { 0 };
	struct run run = { &options, &results };
	pthread_t thread;

	if (argc != 10) {
		fprintf(stderr,
			"usage: %s SAMPLES MAX_PAUSE_US SEED PROGRAM ATTR NAME ATTR NAME ATTR\n",
			argv[0]);
		return 2;
	}
	options.samples = (unsigned)parse_number(argv[1], SAMPLES_MAX);
	options.pause_us = (unsigned)parse_number(argv[2], 1000000);
	options.seed = (unsigned)parse_number(argv[3], UINT32_MAX);
	options.program = argv[4];
	options.exec_attr = argv[5];
	for (int i = 0; i < 2; i++) {
		options.names[i] = argv[6 + 2 * i];
		options.attrs[i] = parse_attr(argv[7 + 2 * i]);
	}
	results.exec = new_list(&options);
	results.exec_main = new_list(&options);
	results.rename = new_list(&options);
	errno = pthread_create(&thread, NULL, run_probes, &run);
	if (errno)
		die("pthread_create");
	pthread_join(thread, NULL);
	print_results(&options, &results);
	return 0;
}
