/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that were decided about by their program alone. Their arguments are read some time later, and only if they
 * could lead to another rule is the process matched again. Most programs have ended by then: reading arguments at once
 * would make an exec cost 1.6 times as much (schedqos-bench lab costs). Time is CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "arguments.h"

/* Maximum number of processes, enough for 5,000 execs a second. */
#define DEFERRED_MAX 256

/* Maximum size of a program's base name, including the NUL. */
#define DEFERRED_NAME_MAX 48

struct deferred_process {
	pid_t tgid;
	uint32_t since_ms;
	char exe[DEFERRED_NAME_MAX]; /* the program's base name */
};

/* Starts as all zeroes. */
struct deferred {
	struct deferred_process all[DEFERRED_MAX];
	size_t count, n_asked; /* the first n_asked are asked about; the others are sorted by time */
};

bool deferred_has_room(const struct deferred *deferred);

/* Adds a process, in place of an earlier entry of it. Returns false if there is no room, or the name is too long. */
bool deferred_note(struct deferred *deferred, pid_t tgid, const char *exe, uint32_t ms);

/* Removes a process that runs another program, or whose id belongs to another process. */
void deferred_forget(struct deferred *deferred, pid_t tgid);

/* Removes all, for example because the rules have changed, and every task is matched again. */
void deferred_reset(struct deferred *deferred);

/* Asks for the arguments of processes whose time has come, or of all at_once. */
void deferred_ask(struct deferred *deferred, struct arguments *arguments, uint32_t ms, bool at_once);

/*
 * Removes the next process whose arguments are there; buf gets them, *ret_size is their size. Returns false if there is
 * none. One whose arguments cannot be had is tried again later, like any other.
 */
bool deferred_take(struct deferred *deferred, struct arguments *arguments, char buf[READER_BYTES],
		   struct deferred_process *ret, size_t *ret_size);

/* Stores when to wake up to ask, if nothing else wakes us. Returns false if nobody is to be asked about. */
bool deferred_next(const struct deferred *deferred, const struct arguments *arguments, uint32_t *ret_ms);
