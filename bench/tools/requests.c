/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shape of schbench, for the lab: a thread sends messages to workers, each of which waits for one, thinks for a
 * moment, computes, and asks for the next. Measures how late a worker wakes up after its message, and how long a
 * request takes. Work is counted in iterations.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "histogram.h"
#include "iterations.h"

#define WORKERS_MAX 256
#define THINK_NS    100000
#define WORK_US	    3000
#define WARM_UP_NS  500000000ULL

struct worker {
	pthread_t thread;
	sem_t message;
	uint64_t sent_ns, state;
	struct histogram wakeup, request;
};

static struct worker *workers;
static unsigned n_workers;
static uint64_t start_ns, end_ns;
static sem_t asked;
static unsigned queue[WORKERS_MAX];
static unsigned asked_next, served_next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void ask(unsigned number)
{
	pthread_mutex_lock(&lock);
	queue[asked_next++ % WORKERS_MAX] = number;
	pthread_mutex_unlock(&lock);
	sem_post(&asked);
}

static void await(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0 && errno == EINTR)
		;
}

static void *work(void *argument)
{
	const struct timespec think = { .tv_nsec = THINK_NS };
	struct worker *worker = argument;
	uint64_t woken, now = now_ns();

	while (now < end_ns) {
		ask((unsigned)(worker - workers));
		await(&worker->message);
		woken = now_ns();
		nanosleep(&think, NULL);
		iterate(WORK_US * 9 / 10 + random_below(&worker->state, WORK_US / 5));
		now = now_ns();
		if (worker->sent_ns < start_ns)
			continue;
		histogram_add(&worker->wakeup, woken - worker->sent_ns);
		histogram_add(&worker->request, now - woken);
	}
	return NULL;
}

static void *send_messages(void *argument)
{
	for (;;) {
		unsigned number;

		await(&asked);
		pthread_mutex_lock(&lock);
		number = queue[served_next++ % WORKERS_MAX];
		pthread_mutex_unlock(&lock);
		workers[number].sent_ns = now_ns();
		sem_post(&workers[number].message);
	}
	return argument;
}

static void add(struct histogram *sum, const struct histogram *part)
{
	if (!part->count)
		return;
	if (!sum->count || part->min < sum->min)
		sum->min = part->min;
	if (part->max > sum->max)
		sum->max = part->max;
	sum->sum += part->sum;
	sum->count += part->count;
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++)
		sum->bins[i] += part->bins[i];
}

int main(int argc, char **argv)
{
	static struct histogram wakeup, request;
	pthread_t sender;

	if (argc != 4) {
		fprintf(stderr, "usage: %s WORKERS SECONDS SEED\n", argv[0]);
		return 2;
	}
	n_workers = (unsigned)parse_number(argv[1], WORKERS_MAX);
	workers = calloc(n_workers + 1, sizeof(*workers));
	if (!workers)
		die("calloc");
	start_ns = now_ns() + WARM_UP_NS;
	end_ns = start_ns + parse_number(argv[2], 86400) * 1000000000;
	sem_init(&asked, 0, 0);
	errno = pthread_create(&sender, NULL, send_messages, NULL);
	for (unsigned i = 0; i < n_workers && !errno; i++) {
		workers[i].state = parse_number(argv[3], UINT32_MAX) * WORKERS_MAX + i;
		sem_init(&workers[i].message, 0, 0);
		errno = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	if (errno)
		die("pthread_create");
	for (unsigned i = 0; i < n_workers; i++) {
		pthread_join(workers[i].thread, NULL);
		add(&wakeup, &workers[i].wakeup);
		add(&request, &workers[i].request);
	}
	printf("{\"wakeup\": ");
	histogram_print(&wakeup, stdout);
	printf(", \"request\": ");
	histogram_print(&request, stdout);
	printf("}\n");
	return 0;
}
