/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A build without files, for the lab: "make" keeps JOBS of "gcc" running, each of which runs "cc1" and then "as". Each
 * program is this one under another name, and works for as long as the recorded one did.
 *
 * Recorded once: make -j2 of 31 files of this repository, each program under a wrapper that logged its rusage. The
 * driver and make's own part took some 3 ms, in which the driver slept 12 times; cc1 and as slept once. Here
 * these are 2 ms and ten times.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "iterations.h"

#define JOBS_MAX  256
#define MAKE_US	  1000
#define DRIVER_US 1000
#define STEP_US	  1000

/* Microseconds of CPU time at 0, 10, 50, 90 and 100 % of the recorded processes. */
static const uint64_t cc1_us[] = { 80000, 90000, 217000, 333000, 394000 };
static const uint64_t as_us[] = { 6000, 7400, 12700, 19200, 23300 };

/* Where the processes add up their work, so that it can be told how much was done. */
static volatile uint64_t *done_us;

static uint64_t draw(uint64_t *state, const uint64_t *times)
{
	static const uint64_t permille[] = { 0, 100, 500, 900, 1000 };
	uint64_t at = random_below(state, 1000);
	unsigned i = 0;

	while (at >= permille[i + 1])
		i++;
	return times[i] + (times[i + 1] - times[i]) * (at - permille[i]) / (permille[i + 1] - permille[i]);
}

static void work(uint64_t us)
{
	for (; us > STEP_US; us -= STEP_US) {
		iterate(STEP_US);
		__atomic_add_fetch(done_us, STEP_US, __ATOMIC_RELAXED);
	}
	iterate(us);
	__atomic_add_fetch(done_us, us, __ATOMIC_RELAXED);
}

static void open_counter(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*done_us)) < 0)
		die(path);
	done_us = mmap(NULL, sizeof(*done_us), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (done_us == MAP_FAILED)
		die(path);
	close(fd);
}

/* Starts a program of the same folder. Its arguments: the counter, and how long it and those that it starts work. */
static pid_t start(const char *folder, const char *name, char *counter, const uint64_t us[3])
{
	char path[256], numbers[3][24];
	char *argv[] = { path, counter, numbers[0], numbers[1], numbers[2], NULL };
	pid_t self = getpid(), pid;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (int i = 0; i < 3; i++)
		snprintf(numbers[i], sizeof(numbers[i]), "%" PRIu64, us[i]);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		end_with(self);
		execv(path, argv);
		_exit(127);
	}
	return pid;
}

static void run(const char *folder, const char *name, char *counter, uint64_t us)
{
	const uint64_t each[3] = { us, 0, 0 };
	pid_t pid = start(folder, name, counter, each);

	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void compile(const char *folder, char **argv)
{
	const struct timespec pause = { .tv_nsec = 100000 };

	for (int i = 0; i < 10; i++) {
		work(DRIVER_US / 10);
		nanosleep(&pause, NULL);
	}
	run(folder, "cc1", argv[1], parse_number(argv[3], UINT32_MAX));
	run(folder, "as", argv[1], parse_number(argv[4], UINT32_MAX));
}

static void __attribute__((noreturn)) make(const char *folder, char **argv)
{
	unsigned jobs = (unsigned)parse_number(argv[2], JOBS_MAX), running = 0;
	uint64_t state = parse_number(argv[3], UINT32_MAX);

	for (;;) {
		for (; running < jobs; running++) {
			uint64_t us[3] = { DRIVER_US, draw(&state, cc1_us), draw(&state, as_us) };

			work(MAKE_US);
			start(folder, "gcc", argv[1], us);
		}
		if (wait(NULL) > 0)
			running--;
	}
}

/* The folder of the program, and its name. */
static const char *split(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash) {
		errno = EINVAL;
		die(path);
	}
	*slash = '\0';
	return slash + 1;
}

int main(int argc, char **argv)
{
	const char *name;

	if (argc < 4) {
		fprintf(stderr, "usage: FOLDER/make COUNTER JOBS SEED\n");
		return 2;
	}
	name = split(argv[0]);
	open_counter(argv[1]);
	if (strcmp(name, "make") == 0)
		make(argv[0], argv);
	if (strcmp(name, "gcc") == 0)
		compile(argv[0], argv);
	else
		work(parse_number(argv[2], UINT32_MAX));
	return 0;
}
