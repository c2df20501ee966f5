/* SPDX-License-Identifier: GPL-2.0-only */

#include "test.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <schedqos/util/clock.h>

#include "../../src/tagging/pace.h"

#define PATIENCE_MS 10000
#define LONGEST_US  2000

struct queue {
	struct pace pace;
	int epoll;
	int fd; /* an eventfd: its value is how many events are queued */
	uint64_t count;
	bool pauses; /* each read begins a pause */
};

/* Waits until the queue is to be read, and reads it. */
static void run(struct queue *queue, int timeout_ms)
{
	struct epoll_event event;
	uint64_t us;
	eventfd_t n;

	if (epoll_wait(queue->epoll, &event, 1, timeout_ms) != 1 || !pace_begin(event.data.ptr))
		return;
	us = clock_ns(CLOCK_MONOTONIC) / 1000;
	if (eventfd_read(queue->fd, &n) == 0)
		queue->count += n;
	if (queue->pauses)
		pace_pause(&queue->pace);
	pace_end(event.data.ptr, us);
}

#define MANY 4

static struct queue *queue_open(void)
{
	static struct queue queue;

	queue = (struct queue){
		.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
		.epoll = epoll_create1(EPOLL_CLOEXEC),
	};
	assert_true(queue.fd >= 0 && queue.epoll >= 0);
	pace_init(&queue.pace, &queue.count,
		  (struct pace_limits){ .many = MANY, .share = 2, .longest_us = LONGEST_US });
	assert_int_equal(pace_open(&queue.pace, queue.epoll, queue.fd), 0);
	return &queue;
}

static void queue_close(struct queue *queue)
{
	pace_close(&queue->pace);
	close(queue->epoll);
	close(queue->fd);
}

/* Queues n events and lets the loop run until they have been read. */
static void queue_some(struct queue *queue, unsigned n)
{
	const uint64_t expected = queue->count + n;
	const uint32_t began = clock_ms();

	eventfd_write(queue->fd, n);
	while (queue->count < expected && clock_ms() - began < PATIENCE_MS)
		run(queue, 100);
	assert_int_equal(queue->count, expected);
}

/* Once ticks have begun, each tick reads the queue, until no more events come. */
TEST(a_storm_is_read_at_each_tick)
{
	struct queue *queue = queue_open();
	uint32_t began;

	queue_some(queue, MANY);
	assert_int_equal(queue->pace.tick_us, 0);
	/* All events come at one time, however slow the machine is. */
	queue_some(queue, MANY + 1);
	assert_int_equal(queue->pace.tick_us, LONGEST_US);
	for (int i = 0; i < 20; i++)
		queue_some(queue, 1);
	began = clock_ms();
	while (queue->pace.tick_us && clock_ms() - began < PATIENCE_MS)
		run(queue, 100);
	assert_int_equal(queue->pace.tick_us, 0);
	/* The next event wakes the loop directly. */
	queue_some(queue, 1);
	queue_close(queue);
}

/* These are many events on any machine. */
TEST(more_events_make_ticks_shorter)
{
	struct queue *queue = queue_open();
	const uint32_t began = clock_ms();

	while ((!queue->pace.tick_us || queue->pace.tick_us == LONGEST_US) && clock_ms() - began < PATIENCE_MS) {
		eventfd_write(queue->fd, 1000000);
		run(queue, 100);
	}
	assert_in_range(queue->pace.tick_us, 1, LONGEST_US - 1);
	queue_close(queue);
}

/* The reader finds a flood, and begins a pause. */
TEST(nothing_is_read_in_a_pause)
{
	struct queue *queue = queue_open();

	queue->pauses = true;
	queue_some(queue, MANY + 1);
	eventfd_write(queue->fd, 1);
	run(queue, 0);
	assert_int_equal(queue->count, MANY + 1);
	pace_resume(&queue->pace);
	run(queue, -1);
	assert_int_equal(queue->count, MANY + 2);
	queue_close(queue);
}
