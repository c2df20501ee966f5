/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that were decided about without a fact that could not be read, with the time of the next try. Time is an
 * argument: CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/util/clock.h>

/* Maximum number of processes; a further one takes the place of one that has been tried most often. */
#define RETRIES_MAX 1024

struct retry {
	pid_t pid;
	uint32_t next_ms; /* time of the next try */
	uint32_t wait_ms; /* doubles with each try */
};

/* Starts as all zeroes. */
struct retries {
	struct retry all[RETRIES_MAX]; /* tried again only by retries_take */
	size_t count;
	pid_t tried; /* the process tried last */
};

/* Adds a process that could not be read, unless it is there already, or all places are taken by untried ones. */
void retries_note(struct retries *retries, pid_t pid, uint32_t ms);

/* Removes a process that has been read, is gone, or has called exec. */
void retries_forget(struct retries *retries, pid_t pid);

bool retries_has(const struct retries *retries, pid_t pid);

/* Returns a process to try again now, or 0. Only one at a time, so that no task waits long for these reads. */
pid_t retries_take(struct retries *retries, uint32_t ms);

/* Stores when to call retries_take next. Returns false if there is no process to try again. */
bool retries_next(const struct retries *retries, uint32_t *ret_ms);
