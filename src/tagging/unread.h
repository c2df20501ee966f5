/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes whose arguments could not be read: which ones, when to try again; and the users for whom that has taken long
 * of late, whose processes are not tried for a while. Time is an argument: CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* If there are more, a later scan has to find them. */
#define UNREAD_MAX 1024

/* If there are more, the one whose processes may be tried soonest is forgotten. */
#define UNREAD_USERS_MAX 16

/* Stands for all users of other user namespaces, where anybody may have many ids. */
#define UNREAD_OTHER_NAMESPACE ((uid_t)-1)

struct unread_process {
	pid_t pid;
	uint32_t next_ms; /* when to try again */
	uint32_t wait_ms; /* since the last try: doubles */
	bool is_tried;	  /* its retry is under way */
};

struct unread_user {
	uid_t user;
	uint32_t until_ms; /* so long its processes are not tried */
	uint32_t wait_ms;  /* since one hung: doubles if another does soon after */
};

/* Starts as all zeroes. */
struct unread {
	struct unread_process processes[UNREAD_MAX];
	size_t count;
	struct unread_user users[UNREAD_USERS_MAX];
	size_t n_users;
	uint32_t retried_ms;
};

/* Adds the process, or puts its next try off. Returns false if the list is full. */
bool unread_note(struct unread *unread, pid_t pid, uint32_t ms);

/* The process has been read, is gone, or has called exec. */
void unread_forget(struct unread *unread, pid_t pid);

/* Whether it has been noted, and not been read since. */
bool unread_has(const struct unread *unread, pid_t pid);

/* Whether the process could not be read and it is too early to try again. */
bool unread_is_waiting(const struct unread *unread, pid_t pid, uint32_t ms);

/*
 * A process that is to be tried again now, or 0: one at a time, so that nobody waits long for those. If it is not noted once more, since it is gone or no rule asks for its
 * arguments any more, it is forgotten.
 */
pid_t unread_retry(struct unread *unread, uint32_t ms);

/* When to call that next. False: there is nobody to be tried again. */
bool unread_next(const struct unread *unread, uint32_t *ret_ms);

/* Somebody waited in vain for a process of this user. */
void unread_hung(struct unread *unread, uid_t user, uint32_t ms);

/* Whether processes of this user are not to be tried now; and of any at all. */
bool unread_is_off(const struct unread *unread, uid_t user, uint32_t ms);
bool unread_any_off(const struct unread *unread, uint32_t ms);
