/* SPDX-License-Identifier: GPL-2.0-only */
/* The overrides in force: who holds each of them, and what ends it. */
#pragma once

#include <systemd/sd-bus.h>

#include <schedqos/policy/overrides.h>

struct daemon;
struct held_override;

/* Begins with zeros. */
struct held {
	struct held_override **all;
	size_t count, size;
};

/* A cgroup, or if that is NULL a process. */
struct held_target {
	const char *cgroup; /* path; begins with a slash */
	pid_t pid;
	uint64_t start; /* of the process, in ticks since boot; 0: not known */
};

/* The overrides that one client can hold, and those that nobody holds. */
#define HELD_MAX 128
#define HELD_BY_NOBODY_MAX 512

/*
 * Those that one ordinary user can have, and all ordinary users together: fewer than can hold for one process, so that
 * root's always can.
 */
#define HELD_BY_USER_MAX 64
#define HELD_BY_USERS_MAX 192

/*
 * Puts an override in force, which ends with the client's connection; holder NULL: it does not. In any case it ends
 * with its process or cgroup. If the same holder has one of this kind for the target, that one is changed. is_tree: see
 * struct override. Returns 0 when the tasks carry it, or -errno: -ENOENT: no such class; -ESRCH: no such process, or one
 * that is never touched; -ENOTDIR: no such cgroup; -EDQUOT: the client holds too many.
 */
int held_put(struct daemon *daemon, sd_bus *holder, enum override_kind kind, bool is_tree,
	     const struct held_target *target, const char *qos);

/*
 * Gives a process a class because an ordinary user wants it, until the process ends or he resets it. Whether he may is up
 * to the caller. If he has done so before, that is changed. Returns as held_put does.
 */
int held_put_for_user(struct daemon *daemon, uid_t uid, bool is_tree, const struct held_target *target, const char *qos);

/* Ends what this user has put in force for the process. Returns how many that were. */
size_t held_end_for_user(struct daemon *daemon, uid_t uid, const struct held_target *target);

/* Ends those of a kind that are for this target, whoever holds them. Returns their number. */
size_t held_end(struct daemon *daemon, enum override_kind kind, const struct held_target *target);

/* Ends what the client holds. Call it before its connection is closed. */
void held_drop(struct daemon *daemon, const sd_bus *holder);

/* Ends those whose class the configuration lacks, and logs it. */
void held_reloaded(struct daemon *daemon);

/*
 * Asks again for what nobody holds of a daemon that this one replaces in the same program (see takeover.h); its
 * configuration must be in force here. Logs what ends.
 */
void held_take_over(struct daemon *daemon, const struct daemon *before);

/* How many the client holds. */
size_t held_count(const struct daemon *daemon, const sd_bus *holder);

/* Frees the list; the tasks are left. */
void held_free(struct daemon *daemon);
