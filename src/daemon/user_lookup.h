/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks up users by a helper (helper.h), one at a time: where a network is asked for them (sssd, LDAP) it may take
 * minutes, and getpwnam cannot be interrupted.
 */
#pragma once

#include <sys/types.h>

struct user_lookup {
	int fd; /* readable when there is an answer */
};

/* Starts a lookup of the name. 0 or -errno. */
int user_lookup_begin(const char *name, struct user_lookup *ret);

/*
 * Reads the answer, if there is one, and ends the lookup, without waiting. Returns 0 and the uid; -ENOENT: there is
 * no such user; -ETIMEDOUT: there is no answer yet; or another -errno: the name service has failed.
 */
int user_lookup_end(struct user_lookup *lookup, uid_t *ret);

/* Looks the name up, and waits up to timeout_ms for the answer. Returns as user_lookup_end does. */
int user_lookup_wait(const char *name, int timeout_ms, uid_t *ret);
