/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When to read a queue whose events need no answer at once: the first one wakes us; those that follow closely are not waited
 * for but looked for from time to time, so that a storm does not wake us for each.
 */
#pragma once

#include <stdint.h>

#include <systemd/sd-event.h>

struct pace {
	sd_event_source *source; /* waits for an event, while they are rare; NULL: closed */
	sd_event_source *timer;	 /* looks for them, while they pour in */
	const uint64_t *heard;	 /* how many ever were */
	uint64_t heard_then;	 /* ... when the queue was last read */
	uint64_t read_us;	 /* CLOCK_MONOTONIC of that */
	void (*read)(void *context);
	void *context;
};

/* heard: counts the events that read finds. The queue is closed at first. */
void pace_init(struct pace *pace, const uint64_t *heard, void (*read)(void *context), void *context);

/*
 * Has the event loop call read when there is something to read from fd, which must stay open until pace_close. Returns
 * 0 or a negative errno.
 */
int pace_open(struct pace *pace, sd_event *event, int fd);

/* Of a zeroed one, too. */
void pace_close(struct pace *pace);
