/* SPDX-License-Identifier: GPL-2.0-only */

#include "test.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <schedqos/util/clock.h>

#include "../../src/tagging/pace.h"

#define PATIENCE_MS 10000

struct queue {
	sd_event *event;
	struct pace pace;
	int fd; /* an eventfd: its value is how many events are queued */
	uint64_t count;
};

static void read_queue(void *context)
{
	struct queue *queue = context;
	eventfd_t n;

	if (eventfd_read(queue->fd, &n) == 0)
		queue->count += n;
}

static struct queue *queue_open(struct pace_limits limits)
{
	static struct queue queue;

	queue = (struct queue){ .fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) };
	assert_true(queue.fd >= 0);
	assert_true(sd_event_new(&queue.event) >= 0);
	pace_init(&queue.pace, &queue.count, limits, read_queue, &queue);
	assert_int_equal(pace_open(&queue.pace, queue.event, queue.fd), 0);
	return &queue;
}

static void queue_close(struct queue *queue)
{
	pace_close(&queue->pace);
	sd_event_unref(queue->event);
	close(queue->fd);
}

/* Queues an event and lets the loop run until it has been read. */
static void queue_one(struct queue *queue)
{
	const uint64_t expected = queue->count + 1;
	const uint32_t began = clock_ms();

	eventfd_write(queue->fd, 1);
	while (queue->count < expected && clock_ms() - began < PATIENCE_MS)
		sd_event_run(queue->event, 100000);
	assert_int_equal(queue->count, expected);
}

/* Once the ticks have begun it is they that read, one after the other. */
TEST(a_storm_is_read_at_each_tick)
{
	struct queue *queue = queue_open((struct pace_limits){ .many = 4, .share = 2, .longest_us = 2000 });

	for (int i = 0; i < 100 && !queue->pace.tick_us; i++)
		queue_one(queue);
	assert_true(queue->pace.tick_us > 0);
	for (int i = 0; i < 20; i++)
		queue_one(queue);
	queue_close(queue);
}

/* Then there is no tick any more, and the next event wakes us itself. */
TEST(it_ends_when_nothing_comes)
{
	struct queue *queue = queue_open((struct pace_limits){ .many = 4, .share = 2, .longest_us = 2000 });
	const uint32_t began = clock_ms();

	for (int i = 0; i < 100 && !queue->pace.tick_us; i++)
		queue_one(queue);
	while (queue->pace.tick_us && clock_ms() - began < PATIENCE_MS)
		sd_event_run(queue->event, 100000);
	assert_int_equal(queue->pace.tick_us, 0);
	queue_one(queue);
	queue_close(queue);
}

/* So many that on no machine they are few. */
TEST(a_tick_is_the_shorter_the_more_come)
{
	struct queue *queue = queue_open((struct pace_limits){ .many = 4, .share = 2, .longest_us = 2000 });
	const uint32_t began = clock_ms();

	while ((!queue->pace.tick_us || queue->pace.tick_us == 2000) && clock_ms() - began < PATIENCE_MS) {
		eventfd_write(queue->fd, 1000000);
		sd_event_run(queue->event, 100000);
	}
	assert_in_range(queue->pace.tick_us, 1, 1999);
	queue_close(queue);
}
