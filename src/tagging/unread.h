/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that were decided about without something that could not be read then, each with the time at which to try
 * again; and users for whom a read has hung of late, whose processes are not tried for a while. Time is an argument:
 * CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

static inline bool is_before(uint32_t a_ms, uint32_t b_ms)
{
	return (int32_t)(a_ms - b_ms) < 0;
}

/* If there are more, a later scan has to find them. */
#define UNREAD_MAX 1024

/* Users whose ids are the same modulo this share a place. */
#define UNREAD_USERS 256

struct unread_process {
	pid_t pid;
	uint32_t next_ms; /* when to try again */
	uint32_t wait_ms; /* doubles with each try */
};

/* Starts as all zeroes. */
struct unread {
	struct unread_process processes[UNREAD_MAX]; /* not to be tried but by unread_retry */
	size_t count;
	pid_t tried;			/* the last of them that was */
	uint32_t hung_ms[UNREAD_USERS]; /* when somebody last waited in vain for a process of theirs ... */
	uint32_t last_hung_ms;		/* ... and for anybody's */
};

/* The process could not be read: adds it, if there is room and it is not there. */
void unread_note(struct unread *unread, pid_t pid, uint32_t ms);

/* The process has been read, is gone, or has called exec. */
void unread_forget(struct unread *unread, pid_t pid);

bool unread_has(const struct unread *unread, pid_t pid);

/* Returns a process that is to be tried again now, or 0: one at a time, so that nobody waits long for those. */
pid_t unread_retry(struct unread *unread, uint32_t ms);

/* When to call that next. False: there is nobody to be tried again. */
bool unread_next(const struct unread *unread, uint32_t *ret_ms);

/* Somebody waited in vain for a process of this user. */
void unread_hung(struct unread *unread, uid_t user, uint32_t ms);

/* Whether processes of any user are not to be tried now; and whether this one's are. */
bool unread_any_is_off(const struct unread *unread, uint32_t ms);
bool unread_is_off(const struct unread *unread, uid_t user, uint32_t ms);
