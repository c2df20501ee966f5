/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes whose arguments could not be read, because whoever reads them has to wait for the process: which ones, when
 * to try again, and how much time may go into trying. Time is an argument: CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* For more than these a later scan has to do. */
#define UNREAD_MAX 1024

/* Users that had one of late; of more than these at a time the one longest ago is forgotten. */
#define UNREAD_USERS_MAX 16

/* So much time may be lost in vain at once, beside one part in twenty of all time. */
#define UNREAD_BUDGET_US 100000
#define UNREAD_PATIENCE_MS 20

/* In place of a user: a process of another user namespace, where anybody may have many ids. */
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

/* Starts as all zeroes but for what unread_init sets. */
struct unread {
	struct unread_process processes[UNREAD_MAX];
	size_t count;
	struct unread_user users[UNREAD_USERS_MAX];
	size_t n_users;
	int64_t budget_us; /* below 0: spent */
	uint32_t budget_ms; /* as of when */
};

void unread_init(struct unread *unread, uint32_t ms);

/* Adds the process, or puts the next try off. Returns false if there is no place for one more. */
bool unread_note(struct unread *unread, pid_t pid, uint32_t ms);

/* It has been read, is gone, or has become another program. */
void unread_forget(struct unread *unread, pid_t pid);

/* Whether it could not be read, and it is too early to try again. */
bool unread_is_waiting(const struct unread *unread, pid_t pid, uint32_t ms);

/* The one to try again first, or NULL. */
const struct unread_process *unread_first(const struct unread *unread);

/* A try took so long in vain, for a process of this user. */
void unread_spend(struct unread *unread, uid_t user, uint64_t us, uint32_t ms);

/*
 * How long to wait for a process: UNREAD_PATIENCE_MS, and the less the more has been lost of late. 0: what may be lost
 * is used up; then the processes of suspects, users who have lost us time in the last minute, are not to be tried.
 */
uint32_t unread_patience_ms(struct unread *unread, uint32_t ms);
bool unread_is_suspect(const struct unread *unread, uid_t user, uint32_t ms);
