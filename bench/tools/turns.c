/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures how the CPUs of a virtual machine take turns: one thread of real-time priority on each CPU reads the clock
 * in a loop, beside one that sleeps for a millisecond at a time. It begins once all spin: while only two of four CPUs
 * are busy, QEMU 7 may let one stand still for 0.1 s. Prints two percentages: the share of the time that the worst
 * CPU spends in pauses of over 0.3 ms, and the speed of the slowest CPU relative to the fastest.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "bench.h"

#define CPUS_MAX    64
#define DURATION_NS UINT64_C(200000000)
#define PRIORITY    50

/* Less than half of the shortest slice of the mappings. */
#define LONG_NS 300000

struct cpu {
	uint64_t readings, still_ns;
};

static atomic_uint n_spinning;
static _Atomic uint64_t end_ns; /* 0 until all spin */
static struct cpu cpus_of_guest[CPUS_MAX];

static void *spin(void *argument)
{
	struct cpu *cpu = argument;
	uint64_t last, now;

	n_spinning++;
	while (!end_ns)
		;
	for (last = now_ns(); last < end_ns; last = now) {
		now = now_ns();
		cpu->readings++;
		if (now - last > LONG_NS)
			cpu->still_ns += now - last;
	}
	return NULL;
}

static void *sleep_often(void *argument)
{
	while (!end_ns || now_ns() < end_ns)
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
	const struct sched_param above_all = { .sched_priority = PRIORITY + 2 };
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t spinners[CPUS_MAX], sleepers[CPUS_MAX];
	uint64_t still_ns = 0, least = UINT64_MAX, most = 0;

	/* Otherwise the first threads would keep us from starting the others. */
	if (sched_setscheduler(0, SCHED_FIFO, &above_all) < 0)
		die("sched_setscheduler");
	if (cpus > CPUS_MAX)
		cpus = CPUS_MAX;
	for (unsigned i = 0; i < cpus; i++) {
		start(&sleepers[i], sleep_often, NULL, i, PRIORITY + 1);
		start(&spinners[i], spin, &cpus_of_guest[i], i, PRIORITY);
	}
	while (n_spinning < cpus)
		usleep(1000);
	end_ns = now_ns() + DURATION_NS;
	for (unsigned i = 0; i < cpus; i++) {
		const struct cpu *cpu = &cpus_of_guest[i];

		pthread_join(spinners[i], NULL);
		pthread_join(sleepers[i], NULL);
		still_ns = cpu->still_ns > still_ns ? cpu->still_ns : still_ns;
		least = cpu->readings < least ? cpu->readings : least;
		most = cpu->readings > most ? cpu->readings : most;
	}
	printf("%" PRIu64 " %" PRIu64 "\n", 100 * still_ns / DURATION_NS, most ? 100 * least / most : 0);
	return 0;
}
