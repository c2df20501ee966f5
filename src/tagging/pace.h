/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides when to read a queue whose events can wait. While events are rare, each wakes us. While there are many, the
 * queue is read at the ticks of a timer, so that several share a wake-up. Between ticks we make no system call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pace_limits {
	unsigned many; /* events are many if more than this arrive within 10 ms */
	/* number of events that should share a tick, at the present rate */
	unsigned share;
	uint32_t longest_us; /* longest tick */
};

struct pace {
	bool is_open, is_paused;
	int epoll, fd; /* fd is watched while events are rare */
	int timer;     /* ticks while many arrive */
	uint32_t tick_us; /* 0 while events are rare */
	const uint64_t *count; /* number of events received so far */
	uint64_t count_then;   /* *count when we began to count */
	uint64_t count_before; /* *count at pace_begin */
	uint64_t since_us;     /* CLOCK_MONOTONIC at which we began to count */
	struct pace_limits limits;
};

/* Initializes a closed queue. count points to the number of events that were received from it. */
void pace_init(struct pace *pace, const uint64_t *count, struct pace_limits limits);

/*
 * Has the epoll instance report the pace, as data.ptr, when the queue is to be read. fd is readable while events are
 * queued; it and epoll must stay open until pace_close. Returns 0 or -errno.
 */
int pace_open(struct pace *pace, int epoll, int fd);

/* Call this when a pace is reported, before the queue is read. Returns false if it is not to be read after all. */
bool pace_begin(struct pace *pace);

/* Call this once the queue has been read, with the time at which that began: CLOCK_MONOTONIC. */
void pace_end(struct pace *pace, uint64_t now_us);

/* Stop and resume reading the queue. Do nothing while it is closed. */
void pace_pause(struct pace *pace);
void pace_resume(struct pace *pace);

/* Closes the queue. Does nothing if it is closed or zeroed. */
void pace_close(struct pace *pace);
