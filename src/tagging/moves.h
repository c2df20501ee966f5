/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moves between cgroups: subscribed to if a rule or group can use them. Desktops put a program into its cgroup after it
 * has called exec. Where moves cannot be heard, a process is looked at again some times while it is young, and later moves
 * are missed.
 */
#pragma once

#include <schedqos/tagging/tagger.h>

#include "pace.h"

struct moves {
	enum tagger_moves how;
	struct pace pace;
	sd_event_source *timer; /* owned by the loop: MOVES_POLLED, while processes may be young */
	uint64_t looked_ticks;	/* clock ticks since boot at the last look */
	uint64_t forks;		/* so many had been heard then */
	unsigned quiet;		/* looks since the last fork */
};

/* Subscribes if a rule or group in force can use moves, else unsubscribes. Call it when that may have changed. */
void moves_update(struct tagger *tagger);

/* Subscribes anew, if it is subscribed. What moves meanwhile has to be found. */
void moves_renew(struct tagger *tagger);

/* Unsubscribes. */
void moves_close(struct tagger *tagger);

/* MOVES_POLLED: starts the timer if there was a fork. */
void moves_check(struct tagger *tagger);

/* Books a move for each process that is to be looked at now. */
void moves_book_due(struct tagger *tagger);
