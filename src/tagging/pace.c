/* SPDX-License-Identifier: GPL-2.0-only */
#include "pace.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Over such a time is counted how many events there are. */
#define COUNT_US 10000

/*
 * In a storm. An exec has to wait until the events before it are booked, at 1 us each, and 64 events in a tick are more
 * than enough for it.
 */
#define STORM_TICK_US 1000
#define STORM_AT_ONCE 64

/* After so many ticks without an event the next one is to wake us. */
#define IDLE_TICKS 2

static void set_ticks(struct pace *pace, uint32_t us)
{
	const struct timespec period = { .tv_nsec = us * 1000L };
	const struct itimerspec timer = { period, period };

	timerfd_settime(pace->timer, 0, &timer, NULL);
	pace->tick_us = us;
	pace->ticks_alike = 0;
}

/* The queue is no longer waited for: it is read at each tick. That costs two system calls, and so does the way back. */
static void wait_for_many(struct pace *pace)
{
	sd_event_source_set_enabled(pace->source, SD_EVENT_OFF);
	set_ticks(pace, pace->limits.tick_us);
}

static void wait_for_one(struct pace *pace)
{
	set_ticks(pace, 0);
	sd_event_source_set_enabled(pace->source, SD_EVENT_ON);
}

/* Returns how many events have been received, and counts anew. */
static uint64_t count_anew(struct pace *pace, uint64_t now_us)
{
	const uint64_t count = *pace->count - pace->count_then;

	pace->since_us = now_us;
	pace->count_then = *pace->count;
	return count;
}

static int on_event(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct pace *pace = userdata;
	uint64_t count, now_us, elapsed_us;

	(void)fd;
	(void)revents;
	sd_event_now(sd_event_source_get_event(source), CLOCK_MONOTONIC, &now_us);
	pace->read(pace->context);
	/* A flood of renames closes the queue. */
	if (!pace->source)
		return 0;
	count = *pace->count - pace->count_then;
	elapsed_us = now_us - pace->since_us;
	if (count > pace->limits.burst && elapsed_us < count * COUNT_US / 2)
		wait_for_many(pace);
	else if (elapsed_us < COUNT_US)
		return 0;
	count_anew(pace, now_us);
	return 0;
}

static int on_tick(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct pace *pace = userdata;
	const bool is_storm = pace->tick_us == STORM_TICK_US;
	const unsigned storm_ticks = pace->limits.tick_us / STORM_TICK_US;
	uint64_t expirations, count;

	(void)source;
	(void)revents;
	/* Only reading it has a periodic timer go on (timerfd_read_iter in fs/timerfd.c). */
	if (read(fd, &expirations, sizeof(expirations)) < 0)
		return 0;
	pace->read(pace->context);
	if (!pace->source || !pace->tick_us)
		return 0;
	count = count_anew(pace, 0);
	if (!is_storm && count > STORM_AT_ONCE) {
		set_ticks(pace, STORM_TICK_US);
		return 0;
	}
	/* It is over when there is too little for some time. */
	if (count > (is_storm ? STORM_AT_ONCE / storm_ticks : 0))
		pace->ticks_alike = 0;
	else if (++pace->ticks_alike == (is_storm ? storm_ticks : IDLE_TICKS))
		is_storm ? set_ticks(pace, pace->limits.tick_us) : wait_for_one(pace);
	return 0;
}

void pace_init(struct pace *pace, const uint64_t *count, struct pace_limits limits, void (*read)(void *context),
	       void *context)
{
	*pace = (struct pace){ .count = count, .limits = limits, .read = read, .context = context };
}

int pace_open(struct pace *pace, sd_event *event, int fd)
{
	int r = sd_event_add_io(event, &pace->source, fd, EPOLLIN, on_event, pace);

	count_anew(pace, 0);
	if (r >= 0)
		r = sd_event_source_set_priority(pace->source, SD_EVENT_PRIORITY_NORMAL + 1);
	if (r >= 0) {
		pace->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		r = pace->timer < 0 ? -errno
				    : sd_event_add_io(event, &pace->ticks, pace->timer, EPOLLIN, on_tick, pace);
		if (pace->timer >= 0 && r < 0)
			close(pace->timer);
	}
	if (r >= 0)
		r = sd_event_source_set_io_fd_own(pace->ticks, true);
	if (r < 0)
		pace_close(pace);
	return r < 0 ? r : 0;
}

void pace_close(struct pace *pace)
{
	pace->source = sd_event_source_disable_unref(pace->source);
	pace->ticks = sd_event_source_disable_unref(pace->ticks);
	pace->tick_us = 0;
}
