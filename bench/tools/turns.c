/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures how long a CPU of a virtual machine stands still while the others run: one thread of real-time priority on
 * each CPU reads the clock in a loop, beside one that sleeps for a millisecond at a time. Prints the longest gap
 * between two readings in ns.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "bench.h"

#define CPUS_MAX    64
#define DURATION_NS 200000000ULL
#define PRIORITY    50

static uint64_t end_ns, longest[CPUS_MAX];

static void *spin(void *argument)
{
	uint64_t *ret = argument, last = now_ns(), now;

	for (; last < end_ns; last = now) {
		now = now_ns();
		if (now - last > *ret)
			*ret = now - last;
	}
	return NULL;
}

static void *sleep_often(void *argument)
{
	while (now_ns() < end_ns)
		usleep(1000);
	return argument;
}

static void start(pthread_t *thread, void *(*function)(void *), void *argument, unsigned cpu, int priority)
{
	struct sched_param parameters = { .sched_priority = priority };
	pthread_attr_t attr;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &parameters);
	pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	errno = pthread_create(thread, &attr, function, argument);
	if (errno)
		die("pthread_create");
}

int main(void)
{
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t spinners[CPUS_MAX], sleepers[CPUS_MAX];
	uint64_t worst = 0;

	end_ns = now_ns() + DURATION_NS;
	for (unsigned i = 0; i < cpus && i < CPUS_MAX; i++) {
		start(&sleepers[i], sleep_often, NULL, i, PRIORITY + 1);
		start(&spinners[i], spin, &longest[i], i, PRIORITY);
	}
	for (unsigned i = 0; i < cpus && i < CPUS_MAX; i++) {
		pthread_join(spinners[i], NULL);
		pthread_join(sleepers[i], NULL);
		if (longest[i] > worst)
			worst = longest[i];
	}
	printf("%" PRIu64 "\n", worst);
	return 0;
}
