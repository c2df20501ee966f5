/* SPDX-License-Identifier: GPL-2.0-only */
/* Users named in rules who could not be looked up yet: their rules match nothing until they are known. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-event.h>

struct config;
struct daemon;
struct rule_user;

/* ---- one lookup ---- */

/*
 * Looks up users by a helper (helper.h), one at a time: where a network is asked for them (sssd, LDAP) it may take
 * minutes, and getpwnam cannot be interrupted. Returns a descriptor, which is readable when there is an answer, or -errno.
 */
int user_lookup_begin(const char *name);

/*
 * Reads the answer, if there is one, and ends the lookup, without waiting. Returns 0, the uid, and the gid of his own group,
 * either of which may be NULL; -ENOENT: there is no such user; -ETIMEDOUT: there is no answer yet; or another -errno: the
 * name service has failed.
 */
int user_lookup_end(uid_t *ret, gid_t *ret_gid);

/* Looks the name up, and waits up to timeout_ms for the answer. Returns as user_lookup_end does. */
int user_lookup_wait(const char *name, int timeout_ms, uid_t *ret, gid_t *ret_gid);

/* ---- all of a configuration ---- */

struct users {
	struct rule_user *asked; /* the one being looked up, of the configuration in force; NULL: none */
	sd_event_source *timer;	 /* ends the wait for an answer; NULL: none is to be looked up */
	uint64_t wait_us;
};

/*
 * Starts looking up the pending users of daemon->config, after users_end. Until there is an answer they keep the uid that
 * they have in before, the previous configuration (or NULL).
 */
void users_begin(struct daemon *daemon, const struct config *before);

/* Call it before the configuration is freed. */
void users_end(struct daemon *daemon);
