/* SPDX-License-Identifier: GPL-2.0-only */
#include "pace.h"

#include <sys/epoll.h>

/*
 * An exec has to wait for the events before it to be booked, 1 us each: so about so many of them are to be found
 * each time.
 */
#define EVENTS_AT_ONCE 16
#define PERIOD_MIN_US  1000
#define PERIOD_MAX_US  10000

/* Has the arrival of the next event wake us. */
static void wait_for_one(struct pace *pace)
{
	sd_event_source_set_enabled(pace->timer, SD_EVENT_OFF);
	sd_event_source_set_enabled(pace->source, SD_EVENT_ON);
}

/* Has the clock wake us, when at the pace of late so many events have come that it is worth it. */
static void wait_for_many(struct pace *pace, uint64_t heard, uint64_t elapsed_us)
{
	uint64_t period = elapsed_us * EVENTS_AT_ONCE / heard;

	if (period < PERIOD_MIN_US)
		period = PERIOD_MIN_US;
	if (period > PERIOD_MAX_US)
		period = PERIOD_MAX_US;
	sd_event_source_set_enabled(pace->source, SD_EVENT_OFF);
	sd_event_source_set_time_relative(pace->timer, period);
	sd_event_source_set_enabled(pace->timer, SD_EVENT_ONESHOT);
}

static void read_and_wait(struct pace *pace)
{
	uint64_t heard, now, elapsed;

	pace->read(pace->context);
	/* What was read may have had the queue closed. */
	if (!pace->source)
		return;
	heard = *pace->heard - pace->heard_then;
	sd_event_now(sd_event_source_get_event(pace->source), CLOCK_MONOTONIC, &now);
	elapsed = now - pace->read_us;
	pace->read_us = now;
	pace->heard_then = *pace->heard;
	if (heard && elapsed < heard * PERIOD_MAX_US / 2)
		wait_for_many(pace, heard, elapsed);
	else
		wait_for_one(pace);
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

void pace_init(struct pace *pace, const uint64_t *heard, void (*read)(void *context), void *context)
{
	*pace = (struct pace){ .heard = heard, .read = read, .context = context };
}

int pace_open(struct pace *pace, sd_event *event, int fd)
{
	int r = sd_event_add_io(event, &pace->source, fd, EPOLLIN, on_event, pace);

	pace->heard_then = *pace->heard;
	pace->read_us = 0;
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
