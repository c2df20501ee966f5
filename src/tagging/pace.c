/* SPDX-License-Identifier: GPL-2.0-only */
/* Switches a queue between waking us for each event and being read at the ticks of a timer. */
#include "pace.h"

#include <errno.h>
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

/* Has epoll report the pace when the descriptor is readable. Returns 0 or -errno. */
static int watch(struct pace *pace, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = pace };

	return epoll_ctl(pace->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* Stops waiting for the queue and starts the ticks. That costs two system calls, and so does the way back. */
static void wait_for_many(struct pace *pace)
{
	epoll_ctl(pace->epoll, EPOLL_CTL_DEL, pace->fd, NULL);
	set_ticks(pace, pace->limits.longest_us);
}

static void wait_for_one(struct pace *pace)
{
	/* If epoll cannot add the descriptor, for lack of memory, keep reading at ticks. */
	set_ticks(pace, watch(pace, pace->fd) < 0 ? pace->limits.longest_us : 0);
}

/* Returns the tick for which, at this rate of events, as many share a wake-up as the limits say. */
static uint32_t tick_for(const struct pace *pace, uint64_t count, uint64_t elapsed_us)
{
	const uint64_t us = elapsed_us * pace->limits.share / count;

	if (us < TICK_MIN_US)
		return TICK_MIN_US;
	return us < pace->limits.longest_us ? (uint32_t)us : pace->limits.longest_us;
}

bool pace_begin(struct pace *pace)
{
	uint64_t expirations;

	pace->count_before = *pace->count;
	/* A periodic timer goes on only if it is read (timerfd_read_iter in fs/timerfd.c). */
	return !pace->tick_us || read(pace->timer, &expirations, sizeof(expirations)) > 0;
}

void pace_end(struct pace *pace, uint64_t now_us)
{
	const int64_t elapsed_us = (int64_t)(now_us - pace->since_us);
	const uint64_t count = *pace->count - pace->count_then;

	/* In a flood, the queue is closed or paused while it is handled. */
	if (!pace->is_open || pace->is_paused)
		return;
	if (elapsed_us >= COUNT_US) {
		if (pace->tick_us && count > pace->limits.many / 2)
			set_ticks(pace, tick_for(pace, count, (uint64_t)elapsed_us));
		else if (pace->tick_us)
			wait_for_one(pace);
		pace->since_us = now_us;
		pace->count_then = pace->tick_us ? *pace->count : pace->count_before;
	}
	if (!pace->tick_us && *pace->count - pace->count_then > pace->limits.many)
		wait_for_many(pace);
}

void pace_init(struct pace *pace, const uint64_t *count, struct pace_limits limits)
{
	*pace = (struct pace){ .count = count, .limits = limits };
}

int pace_open(struct pace *pace, int epoll, int fd)
{
	int r;

	pace->epoll = epoll;
	pace->fd = fd;
	pace->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (pace->timer < 0)
		return -errno;
	pace->is_open = true;
	r = watch(pace, pace->timer);
	if (r == 0)
		r = watch(pace, fd);
	if (r < 0)
		pace_close(pace);
	return r;
}

void pace_pause(struct pace *pace)
{
	if (!pace->is_open)
		return;
	pace->is_paused = true;
	set_ticks(pace, 0);
	epoll_ctl(pace->epoll, EPOLL_CTL_DEL, pace->fd, NULL);
}

void pace_resume(struct pace *pace)
{
	if (!pace->is_open)
		return;
	pace->is_paused = false;
	wait_for_one(pace);
}

void pace_close(struct pace *pace)
{
	if (!pace->is_open)
		return;
	epoll_ctl(pace->epoll, EPOLL_CTL_DEL, pace->fd, NULL);
	close(pace->timer);
	pace->tick_us = 0;
	pace->is_open = pace->is_paused = false;
}
