/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking up a user by name may take minutes, where a network is asked for it (sssd, LDAP), and cannot be interrupted:
 * another process does it.
 */
#pragma once

#include <sys/types.h>

struct user_lookup {
	int fd; /* readable when there is an answer; -1: nothing is looked up */
	pid_t pid;
};

/* Begins to look up the name. 0 or -errno. */
int user_lookup_begin(const char *name, struct user_lookup *ret);

/*
 * Takes the answer and ends the lookup, without waiting for either. Returns 0 and the uid; -ENOENT: there is no
 * such user; -ETIMEDOUT: there is no answer up to now; or another -errno: it cannot be told now.
 */
int user_lookup_end(struct user_lookup *lookup, uid_t *ret);

/* Looks the name up, and waits for the answer this long. Returns as user_lookup_end. */
int user_lookup_wait(const char *name, int timeout_ms, uid_t *ret);
