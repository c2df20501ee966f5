/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps processes that were decided about without a fact that could not be read, with the time of the next try; and
 * users for whose processes a read has hung lately, which are not tried for a while. Time is an argument:
 * CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <schedqos/util/clock.h>

/* Maximum number of processes; a further one takes the place of one that has been tried most often. */
#define UNREAD_MAX 1024

/* Number of entries for users. Users whose ids are equal modulo this share one. */
#define UNREAD_USERS 256

struct unread_process {
	pid_t pid;
	uint32_t next_ms; /* time of the next try */
	uint32_t wait_ms; /* doubles with each try */
};

/* Starts as all zeroes. */
struct unread {
	struct unread_process processes[UNREAD_MAX]; /* tried again only by unread_retry */
	size_t count;
	pid_t tried; /* the process tried last */
	/* when a read last hung for a process of these users */
	uint32_t hung_ms[UNREAD_USERS];
	uint32_t last_hung_ms; /* when a read last hung for any process */
};

/* Adds a process that could not be read, unless it is there already, or all places are taken by untried ones. */
void unread_note(struct unread *unread, pid_t pid, uint32_t ms);

/* Removes a process that has been read, is gone, or has called exec. */
void unread_forget(struct unread *unread, pid_t pid);

bool unread_has(const struct unread *unread, pid_t pid);

/* Returns a process to try again now, or 0. Only one at a time, so that no task waits long for these reads. */
pid_t unread_retry(struct unread *unread, uint32_t ms);

/* Stores when to call unread_retry next. Returns false if there is no process to try again. */
bool unread_next(const struct unread *unread, uint32_t *ret_ms);

/* Notes that a read has hung for a process of this user. */
void unread_hung(struct unread *unread, uid_t user, uint32_t ms);

/* Return whether processes of some user, or of this one, are not read at present. */
bool unread_any_is_off(const struct unread *unread, uint32_t ms);
bool unread_is_off(const struct unread *unread, uid_t user, uint32_t ms);
