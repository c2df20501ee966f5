/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Renames: subscribed to if a rule can use them, except in a flood. A thread can rename itself three million times a
 * second, which costs a listener more than the thread. So in a flood all renames are ignored for a while, and then the
 * names that rules can use are read from /proc.
 */
#pragma once

#include "pace.h"
#include "flood.h"

struct tagger;

struct names {
	struct pace pace;
	struct flood flood;
	sd_event_source *timer; /* owned by the loop: ends a pause */
	bool is_paused;		/* renames are ignored until the timer fires */
	uint64_t reading_us;	/* how long reading names took last time */
};

/* Subscribes to renames if a rule in force can use them, else unsubscribes. Call it when that may have changed. */
void names_update(struct tagger *tagger);

/* Unsubscribes, and ends a pause. */
void names_close(struct tagger *tagger);

/* Counts a rename that one of the process's threads made at ms. Too many start a pause. */
void names_count(struct tagger *tagger, pid_t tgid, uint32_t ms);

/* The kernel has dropped renames: starts a pause. */
void names_lost(struct tagger *tagger);

/* Ends a pause: subscribes again or, if that fails, starts another one. */
void names_resume(struct tagger *tagger);

/* Reads the present names, and books them in place of the renames that were missed. */
void names_read(struct tagger *tagger);
