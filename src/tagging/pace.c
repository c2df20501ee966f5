/* SPDX-License-Identifier: GPL-2.0-only */
#include "pace.h"

#include <sys/epoll.h>

/*
 * An exec has to wait until the events before it are booked, at 1 us each: so aim at about this many for each read.
 */
#define EVENTS_AT_ONCE 16
#define PERIOD_MIN_US  1000
#define PERIOD_MAX_US  10000

/* The next event is to wake us. */
static void wait_for_one(struct pace *pace)
{
	sd_event_source_set_enabled(pace->timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(pace->source, SD_EVENT_ON);
}

/* The timer is to wake us when, at the present rate, enough events have arrived to be worth it. */
static void wait_for_many(struct pace *pace, uint64_t count, uint64_t elapsed_us)
{
	uint64_t period = elapsed_us * EVENTS_AT_ONCE / count;

	if (period < PERIOD_MIN_US)
		period = PERIOD_MIN_US;
	if (period > PERIOD_MAX_US)
		period = PERIOD_MAX_US;
	sd_event_source_set_enabled(pace->source, SD_EVENT_OFF);
	sd_event_source_set_time_relative(pace->timer, period);
	sd_event_source_set_enabled(pace->timer, SD_EVENT_ONESHOT);
}

/* From now on events are counted anew. */
static void start_counting(struct pace *pace, uint64_t now)
{
	pace->since_us = now;
	pace->count_then = *pace->count;
}

static void read_and_wait(struct pace *pace)
{
	uint64_t count, now, elapsed;

	pace->read(pace->context);
	/* A flood of renames closes the queue. */
	if (!pace->source)
		return;
	count = *pace->count - pace->count_then;
	sd_event_now(sd_event_source_get_event(pace->source), CLOCK_MONOTONIC, &now);
	elapsed = now - pace->since_us;
	if (count > pace->burst && elapsed < count * PERIOD_MAX_US / 2) {
		wait_for_many(pace, count, elapsed);
		start_counting(pace, now);
		return;
	}
	wait_for_one(pace);
	if (elapsed >= PERIOD_MAX_US)
		start_counting(pace, now);
}

static int on_event(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)fd;
	(void)revents;
	read_and_wait(userdata);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	read_and_wait(userdata);
	return 0;
}

void pace_init(struct pace *pace, const uint64_t *count, unsigned burst, void (*read)(void *context), void *context)
{
	*pace = (struct pace){ .count = count, .burst = burst, .read = read, .context = context };
}

int pace_open(struct pace *pace, sd_event *event, int fd)
{
	int r = sd_event_add_io(event, &pace->source, fd, EPOLLIN, on_event, pace);

	start_counting(pace, 0);
	if (r >= 0)
		r = sd_event_source_set_priority(pace->source, SD_EVENT_PRIORITY_NORMAL + 1);
	if (r >= 0)
		r = sd_event_add_time(event, &pace->timer, CLOCK_MONOTONIC, 0, 1, on_timer, pace);
	if (r >= 0)
		r = sd_event_source_set_enabled(pace->timer, SD_EVENT_OFF);
	if (r < 0)
		pace_close(pace);
	return r < 0 ? r : 0;
}

void pace_close(struct pace *pace)
{
	pace->source = sd_event_source_disable_unref(pace->source);
	pace->timer = sd_event_source_disable_unref(pace->timer);
}
