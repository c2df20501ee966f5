/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holds many sleeping tasks: processes of so many threads each, the leader included. Prints how many there are as JSON,
 * and ends them at the end of its standard input.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define PROCESSES_MAX 100000
#define THREADS_MAX   100000

static void *sleep_for_good(void *argument)
{
	for (;;)
		pause();
	return argument;
}

/* All stacks in one mapping: vm.max_map_count would not allow so many. Returns the number of threads made. */
static unsigned make_threads(unsigned count)
{
	size_t stack = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	char *stacks = mmap(NULL, stack * (count + 1), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	if (stacks == MAP_FAILED)
		return 0;
	pthread_attr_init(&attr);
	for (unsigned i = 0; i < count; i++) {
		pthread_attr_setstack(&attr, stacks + i * stack, stack);
		if (pthread_create(&thread, &attr, sleep_for_good, NULL))
			return i;
	}
	return count;
}

static void run_process(unsigned threads, int report)
{
	unsigned made = 1 + make_threads(threads - 1);

	if (write(report, &made, sizeof(made)) != sizeof(made))
		die("write");
	sleep_for_good(NULL);
}

int main(int argc, char **argv)
{
	unsigned processes, threads, started = 0, made, tasks = 0;
	pid_t self = getpid(), *pids;
	int report[2];
	char byte;

	if (argc != 3) {
		fprintf(stderr, "usage: %s PROCESSES THREADS_OF_EACH\n", argv[0]);
		return 2;
	}
	processes = (unsigned)parse_number(argv[1], PROCESSES_MAX);
	threads = (unsigned)parse_number(argv[2], THREADS_MAX);
	pids = calloc(processes + 1, sizeof(*pids));
	if (!pids || !threads || pipe(report) < 0)
		die("preparing");
	for (; started < processes; started++) {
		pids[started] = fork();
		if (pids[started] < 0)
			break;
		if (pids[started] == 0) {
			end_with(self);
			run_process(threads, report[1]);
		}
		if (read(report[0], &made, sizeof(made)) == sizeof(made))
			tasks += made;
	}
	printf("{\"tasks\": %u}\n", tasks);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	for (unsigned i = 0; i < started; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	free(pids);
	return 0;
}
