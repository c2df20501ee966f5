/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moves between cgroups: subscribed to if a rule or group can use them. Desktops put a program into its cgroup after it
 * has called exec. Where moves cannot be heard, a process whose cgroup matters is looked at again some times after its
 * exec, and later moves are missed.
 */
#pragma once

#include <stddef.h>

#include <schedqos/tagging/tagger.h>

#include "pace.h"

#define MOVES_LOOKS 3 /* after an exec */

/* Processes to be looked at again, in the order of time. */
struct moves_queue {
	struct moves_entry {
		pid_t tgid;
		uint32_t ms; /* of its exec; CLOCK_MONOTONIC, cut to 32 bits */
	} *entries;
	size_t first, count, size;
};

struct moves {
	enum tagger_moves how;
	struct pace pace;
	struct moves_queue queues[MOVES_LOOKS];
	sd_event_source *timer; /* owned by the loop: the next look */
};

/* Subscribes if a rule or group in force can use moves, else unsubscribes. Call it when that may have changed. */
void moves_update(struct tagger *tagger);

/* Subscribes anew, if it is subscribed. What moves meanwhile has to be found. */
void moves_renew(struct tagger *tagger);

/* Unsubscribes, and forgets whom to look at again. */
void moves_close(struct tagger *tagger);

/* MOVES_POLLED: the cgroup of a new process, or of one that has called exec, was read at ms. */
void moves_look_again(struct tagger *tagger, pid_t tgid, uint32_t ms);

/* Books a move for each process that is to be looked at now. */
void moves_book_due(struct tagger *tagger);
