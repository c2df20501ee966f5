/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When to read a queue whose events can wait: the first events wake us, each; while more follow closely, the queue is
 * read at the ticks of a timer, so that a storm does not wake us for each event. In between it costs no system call to
 * wait.
 */
#pragma once

#include <stdint.h>

#include <systemd/sd-event.h>

struct pace_limits {
	unsigned burst;	  /* how many within some 10 ms may wake us, each */
	uint32_t tick_us; /* so long the others may wait */
};

struct pace {
	sd_event_source *source; /* used while events are rare; NULL: closed */
	sd_event_source *ticks;	 /* used while many arrive; owns timer */
	int timer;
	uint32_t tick_us;     /* 0: events are rare */
	unsigned ticks_alike; /* in a row, with few events or none */
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

/* Does nothing if it is closed or zeroed. */
void pace_close(struct pace *pace);
