/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/measure/probe.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include <schedqos/kernel/sched_attr.h>
#include <schedqos/measure/stats.h>
#include <schedqos/util/clock.h>

struct probe {
	struct probes *probes;
	pthread_t thread;
	bool is_started;
	sem_t begin, ready, done;
	struct probe_attr attr;
	int error;
	uint32_t *late_us;
	size_t count;
};

struct probes {
	size_t count, room;
	atomic_bool measures, ends;
	struct probe all[];
};

static int take_on(const struct probe_attr *want)
{
	struct ksched_attr attr = {
		.policy = want->policy,
		.priority = want->priority,
		.nice = want->nice,
		.runtime = want->slice_ns,
	};

	return ksched_set(0, &attr);
}

static void measure(struct probe *probe)
{
	uint64_t next = clock_ns(CLOCK_MONOTONIC) + PROBE_PERIOD_NS, now;

	while (atomic_load(&probe->probes->measures) && probe->count < probe->probes->room) {
		const struct timespec until = { (time_t)(next / NS_PER_S),
						(long)(next % NS_PER_S) };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		now = clock_ns(CLOCK_MONOTONIC);
		if (now < next)
			continue;
		probe->late_us[probe->count++] = now - next < UINT32_MAX * 1000ULL
							 ? (uint32_t)((now - next) / 1000)
							 : UINT32_MAX;
		next += PROBE_PERIOD_NS;
		/* Wake-ups that it has slept through are not made up for. */
		if (next <= now)
			next = now + PROBE_PERIOD_NS;
	}
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0 && errno == EINTR)
		;
}

static void *run(void *argument)
{
	struct probe *probe = argument;
	sigset_t all;

	/* Signals are for the thread that waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	/* Else the kernel may wake a fair task 50 us late on purpose. */
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		wait_for(&probe->begin);
		if (atomic_load(&probe->probes->ends))
			return NULL;
		probe->count = 0;
		probe->error = take_on(&probe->attr);
		sem_post(&probe->ready);
		if (!probe->error)
			measure(probe);
		sem_post(&probe->done);
	}
}

static int start(struct probes *probes, struct probe *probe)
{
	int r;

	probe->probes = probes;
	probe->late_us = malloc(probes->room * sizeof(*probe->late_us));
	if (!probe->late_us)
		return -ENOMEM;
	/* So that no page is missing while it measures. */
	memset(probe->late_us, 0xff, probes->room * sizeof(*probe->late_us));
	sem_init(&probe->begin, 0, 0);
	sem_init(&probe->ready, 0, 0);
	sem_init(&probe->done, 0, 0);
	r = -pthread_create(&probe->thread, NULL, run, probe);
	probe->is_started = r == 0;
	return r;
}

int probes_start(size_t n, uint64_t longest_ns, struct probes **ret)
{
	struct probes *probes = calloc(1, sizeof(*probes) + n * sizeof(probes->all[0]));
	int r = 0;

	if (!probes)
		return -ENOMEM;
	probes->count = n;
	probes->room = longest_ns / PROBE_PERIOD_NS + 1;
	for (size_t i = 0; i < n && r == 0; i++)
		r = start(probes, &probes->all[i]);
	if (r < 0) {
		probes_free(probes);
		return r;
	}
	*ret = probes;
	return 0;
}

int probes_begin(struct probes *probes, const struct probe_attr *attrs)
{
	int r = 0;

	atomic_store(&probes->measures, true);
	for (size_t i = 0; i < probes->count; i++) {
		probes->all[i].attr = attrs[i];
		sem_post(&probes->all[i].begin);
	}
	for (size_t i = 0; i < probes->count; i++) {
		wait_for(&probes->all[i].ready);
		if (probes->all[i].error)
			r = probes->all[i].error;
	}
	return r;
}

static struct probe_result result_of(struct probe *probe)
{
	if (!probe->count)
		return (struct probe_result){ 0 };
	stats_sort(probe->late_us, probe->count);
	return (struct probe_result){
		.count = probe->count,
		.p50 = stats_percentile(probe->late_us, probe->count, 50),
		.p99 = stats_percentile(probe->late_us, probe->count, 99),
		.max = probe->late_us[probe->count - 1],
	};
}

void probes_end(struct probes *probes, struct probe_result *results)
{
	atomic_store(&probes->measures, false);
	for (size_t i = 0; i < probes->count; i++)
		wait_for(&probes->all[i].done);
	for (size_t i = 0; i < probes->count; i++)
		results[i] = result_of(&probes->all[i]);
}

void probes_free(struct probes *probes)
{
	if (!probes)
		return;
	atomic_store(&probes->measures, false);
	atomic_store(&probes->ends, true);
	for (size_t i = 0; i < probes->count; i++) {
		struct probe *probe = &probes->all[i];

		if (probe->is_started) {
			sem_post(&probe->begin);
			pthread_join(probe->thread, NULL);
		}
		free(probe->late_us);
	}
	free(probes);
}
