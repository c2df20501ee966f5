/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides when to read a queue whose events can wait. While events are rare, each wakes us. While there are many, the
 * queue is read at the ticks of a timer, so that several share a wake-up. In between waiting costs no system call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

struct pace_limits {
	unsigned many; /* events are many if more than this arrive within 10 ms */
	/* number of events that should share a tick, at the present rate */
	unsigned share;
	uint32_t longest_us; /* longest tick */
};

struct pace {
	sd_event_source *source; /* used while events are rare; NULL while closed */
	sd_event_source *ticks;	 /* used while many arrive; owns timer */
	int timer;
	uint32_t tick_us; /* 0 while events are rare */
	bool is_paused;
	const uint64_t *count; /* number of events received so far */
	uint64_t count_then;   /* *count when we began to count */
	uint64_t since_us;     /* CLOCK_MONOTONIC of that time */
	struct pace_limits limits;
	void (*read)(void *context);
	void *context;
};

/* Initializes a closed queue. count points to the number of events that read() has received. */
void pace_init(struct pace *pace, const uint64_t *count, struct pace_limits limits, void (*read)(void *context),
	       void *context);

/*
 * Has the event loop call read() when fd is readable. fd must stay open until pace_close. Returns 0 or a negative
 * errno.
 */
int pace_open(struct pace *pace, sd_event *event, int fd);

/* Stop and resume reading the queue. Do nothing while it is closed. */
void pace_pause(struct pace *pace);
void pace_resume(struct pace *pace);

/* Closes the queue. Does nothing if it is closed or zeroed. */
void pace_close(struct pace *pace);
