/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Renames: subscribed to if a rule can use them, except in a flood. A thread can rename itself three million times a
 * second, which costs a listener more than the thread. So in a flood all renames are ignored for a while, and then the
 * names that rules can use are read from /proc.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pace.h"

struct tagger;

struct flood {
	uint32_t since_ms; /* when the counting began; CLOCK_MONOTONIC, cut to 32 bits */
	uint32_t count;	   /* since then */
	pid_t tgid;	   /* the process with more than half of them, if there is one */
	uint32_t lead;	   /* the counter of the majority vote */
	bool is_on;	   /* it makes names_check begin a pause */
};

/* This many a second are a flood: each costs us some 2 us, and its author less. */
#define FLOOD_RATE 5000

struct names {
	struct pace pace;
	struct flood flood;
	sd_event_source *timer; /* owned by the loop: ends a pause */
	bool is_paused;		/* renames are ignored until the timer fires */
	uint64_t reading_us;	/* how long reading names took last time */
};

/* events.c: counts a rename of one of the process's threads at ms. Returns whether this makes a flood; then it starts over. */
bool flood_count(struct flood *flood, pid_t tgid, uint32_t ms);

/* Subscribes to renames if a rule in force can use them, else unsubscribes. Call it when that may have changed. */
void names_update(struct tagger *tagger);

/* Unsubscribes, and ends a pause. */
void names_close(struct tagger *tagger);

/* Pauses in a flood. */
void names_check(struct tagger *tagger);

/* Ends a pause: subscribes again or, if that fails, starts another one. */
void names_resume(struct tagger *tagger);

/* Reads the present names, and books them in place of the renames that were missed. */
void names_read(struct tagger *tagger);
