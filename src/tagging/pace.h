/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When to read a queue whose events can wait: while they are rare each wakes us, while they are many the queue is read
 * at the ticks of a timer, at which some share a wake-up. In between it costs no system call to wait.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

struct pace_limits {
	unsigned many;	     /* more than so many within 10 ms */
	unsigned share;	     /* a tick is so long that about this many come in it, at the present rate ... */
	uint32_t longest_us; /* ... but no longer than this */
};

struct pace {
	sd_event_source *source; /* used while events are rare; NULL: closed */
	sd_event_source *ticks;	 /* used while many arrive; owns timer */
	int timer;
	uint32_t tick_us;      /* 0: events are rare */
	bool is_paused;
	const uint64_t *count; /* of all events received so far */
	uint64_t count_then;   /* ... when we began to count */
	uint64_t since_us;     /* CLOCK_MONOTONIC of that */
	struct pace_limits limits;
	void (*read)(void *context);
	void *context;
};

/* count: the counter of the events that read receives. The queue is closed at first. */
void pace_init(struct pace *pace, const uint64_t *count, struct pace_limits limits, void (*read)(void *context),
	       void *context);

/*
 * Has the event loop call read when there is something to read from fd, which must stay open until pace_close. Returns
 * 0 or a negative errno.
 */
int pace_open(struct pace *pace, sd_event *event, int fd);

/* Has the queue left alone until pace_resume is called. Both do nothing if it is closed. */
void pace_pause(struct pace *pace);
void pace_resume(struct pace *pace);

/* Does nothing if it is closed or zeroed. */
void pace_close(struct pace *pace);
