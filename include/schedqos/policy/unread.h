/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes whose arguments could not be read, because reading them means waiting for the process: which ones, when
 * to try again, and how much time may be spent on trying. Time is an argument: CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* If there are more, a later scan has to find them. */
#define UNREAD_MAX 1024

/* Users that had such a process recently. If there are more, the least recent is forgotten. */
#define UNREAD_USERS_MAX 16

/* Time that may be wasted at once, on top of one part in twenty of all time. */
#define UNREAD_BUDGET_US 100000
#define UNREAD_PATIENCE_MS 20

/* Stands for all users of other user namespaces, where anybody may have many ids. */
#define UNREAD_OTHER_NAMESPACE ((uid_t)-1)

struct unread_process {
	pid_t pid;
	uint32_t next_ms; /* when to try again */
	uint32_t wait_ms; /* since the last try: doubles */
};

struct unread_user {
	uid_t user;
	uint32_t ms; /* when the last of its processes could not be read */
};

/* To be set up with unread_init. */
struct unread {
	struct unread_process processes[UNREAD_MAX];
	size_t count;
	struct unread_user users[UNREAD_USERS_MAX];
	size_t n_users;
	int64_t budget_us; /* negative: overspent */
	uint32_t budget_ms; /* when budget_us was last updated */
};

void unread_init(struct unread *unread, uint32_t ms);

/* Adds the process, or puts its next try off. Returns false if the list is full. */
bool unread_note(struct unread *unread, pid_t pid, uint32_t ms);

/* The process has been read, is gone, or has called exec. */
void unread_forget(struct unread *unread, pid_t pid);

/* Whether the process could not be read and it is too early to try again. */
bool unread_is_waiting(const struct unread *unread, pid_t pid, uint32_t ms);

/* The process to try again first, or NULL. */
const struct unread_process *unread_first(const struct unread *unread);

/* Reports a failed try on a process of this user, which took so long. */
void unread_spend(struct unread *unread, uid_t user, uint64_t us, uint32_t ms);

/*
 * How long to wait for a process: UNREAD_PATIENCE_MS, or less the more time was wasted recently. 0: the budget is
 * used up; then do not try processes of suspects, the users who have cost us time in the last minute.
 */
uint32_t unread_patience_ms(struct unread *unread, uint32_t ms);
bool unread_is_suspect(const struct unread *unread, uid_t user, uint32_t ms);
