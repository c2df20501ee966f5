/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks up a user by name in a helper process, because a name service on a network (sssd, LDAP) may take minutes, and
 * getpwnam cannot be interrupted.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include <schedqos/kernel/helper.h>

/* Starts as USER_LOOKUP_INIT. Holds at most one question: a new one drops the one before. */
struct user_lookup {
	struct helper helper;
	bool is_asked;
};

void user_lookup_serve(int fd);
#define USER_LOOKUP_INIT                                \
	{                                               \
		.helper = {.serve = user_lookup_serve } \
	}

/*
 * Waits for the answer. Returns 0 with the uid and the gid of the user's own group; -ENOENT if there is no such user;
 * -ETIMEDOUT if there is no answer yet; or another -errno if the name service has failed.
 */
int user_lookup(struct user_lookup *lookup, const char *name, int timeout_ms, uid_t *ret, gid_t *ret_gid);

/* Asks without waiting. Returns 0 or -errno. */
int user_lookup_begin(struct user_lookup *lookup, const char *name);

/*
 * Takes the answer to the last question without waiting, and drops the question if there is no answer. Returns the same
 * as user_lookup; -ETIMEDOUT also if the question was dropped before.
 */
int user_lookup_end(struct user_lookup *lookup, uid_t *ret, gid_t *ret_gid);

/* Drops the question if there is one. */
void user_lookup_drop(struct user_lookup *lookup);
