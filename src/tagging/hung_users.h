/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users for one of whose processes a read has hung lately: none of theirs is read for 100 ms. On a busy machine the
 * holder of a process's memory lock may wait for a CPU, so this happens to honest users, too. Ten tries a second cost
 * little. Time is an argument: CLOCK_MONOTONIC in ms, cut to 32 bits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Number of entries. Users whose ids are equal modulo this share one. */
#define HUNG_USERS 256

/* Starts as all zeroes. */
struct hung_users {
	uint32_t hung_ms[HUNG_USERS]; /* when a read last hung for a process of these users */
	uint32_t last_hung_ms;	      /* when a read last hung for any process */
};

/* Notes that a read has hung for a process of this user. */
void hung_users_note(struct hung_users *users, uid_t user, uint32_t ms);

/* Return whether processes of some user, or of this one, are not read at present. */
bool hung_users_any(const struct hung_users *users, uint32_t ms);
bool hung_users_has(const struct hung_users *users, uid_t user, uint32_t ms);
