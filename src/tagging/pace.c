/* SPDX-License-Identifier: GPL-2.0-only */
/* Switches a queue between waking us for each event and being read at the ticks of a timer. */
#include "pace.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Time over which events are counted. */
#define COUNT_US 10000

/* Shortest tick; a wake-up costs about 20 us. */
#define TICK_MIN_US 250

static void set_ticks(struct pace *pace, uint32_t us)
{
	const struct timespec period = { .tv_nsec = us * 1000L };
	const struct itimerspec timer = { period, period };

	if (us == pace->tick_us)
		return;
	timerfd_settime(pace->timer, 0, &timer, NULL);
	pace->tick_us = us;
}

static void count_anew(struct pace *pace, uint64_t now_us)
{
	pace->since_us = now_us;
	pace->count_then = *pace->count;
}

/* Stops waiting for the queue and starts the ticks. That costs two system calls, and so does the way back. */
static void wait_for_many(struct pace *pace)
{
	sd_event_source_set_enabled(pace->source, SD_EVENT_OFF);
	set_ticks(pace, pace->limits.longest_us);
}

/* Adapts the ticks to the number of events in that time. */
static void adapt(struct pace *pace, uint64_t count, uint64_t elapsed_us)
{
	const uint64_t us = elapsed_us * pace->limits.share / count;

	set_ticks(pace, us < TICK_MIN_US	       ? TICK_MIN_US
			: us < pace->limits.longest_us ? (uint32_t)us
						       : pace->limits.longest_us);
}

static void wait_for_one(struct pace *pace)
{
	set_ticks(pace, 0);
	sd_event_source_set_enabled(pace->source, SD_EVENT_ON);
}

static uint64_t now_of(sd_event_source *source)
{
	uint64_t now_us = 0;

	sd_event_now(sd_event_source_get_event(source), CLOCK_MONOTONIC, &now_us);
	return now_us;
}

static int on_event(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct pace *pace = userdata;
	const uint64_t now_us = now_of(source);

	(void)fd;
	(void)revents;
	if (now_us - pace->since_us >= COUNT_US)
		count_anew(pace, now_us);
	pace->read(pace->context);
	/* read() may have closed or paused the queue, in a flood. */
	if (pace->source && !pace->is_paused && *pace->count - pace->count_then > pace->limits.many)
		wait_for_many(pace);
	return 0;
}

static int on_tick(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct pace *pace = userdata;
	const uint64_t now_us = now_of(source);
	uint64_t expirations, count;

	(void)revents;
	/* A periodic timer goes on only if it is read (timerfd_read_iter in fs/timerfd.c). */
	if (read(fd, &expirations, sizeof(expirations)) < 0)
		return 0;
	pace->read(pace->context);
	if (!pace->source || pace->is_paused || now_us - pace->since_us < COUNT_US)
		return 0;
	count = *pace->count - pace->count_then;
	if (count <= pace->limits.many / 2)
		wait_for_one(pace);
	else
		adapt(pace, count, now_us - pace->since_us);
	count_anew(pace, now_us);
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
	return r;
}

void pace_pause(struct pace *pace)
{
	if (!pace->source)
		return;
	pace->is_paused = true;
	set_ticks(pace, 0);
	sd_event_source_set_enabled(pace->source, SD_EVENT_OFF);
}

void pace_resume(struct pace *pace)
{
	if (!pace->source)
		return;
	pace->is_paused = false;
	wait_for_one(pace);
}

void pace_close(struct pace *pace)
{
	pace->source = sd_event_source_disable_unref(pace->source);
	pace->ticks = sd_event_source_disable_unref(pace->ticks);
	pace->tick_us = 0;
	pace->is_paused = false;
}
