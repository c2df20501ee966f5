/* SPDX-License-Identifier: GPL-2.0-only */
/* The overrides in force, which the tagger has: how many there may be, and what ends them. */
#pragma once

#include <schedqos/policy/overrides.h>

struct daemon;

/* The overrides that one client can hold, and those that nobody holds. */
#define HELD_MAX 128
#define HELD_BY_NOBODY_MAX 512

/* What one user has asked for, and as many apps of his that are visible; of that, apps with the focus; and all users together. */
#define HELD_BY_USER_MAX 64
#define HELD_FOCUSED_MAX 8
#define HELD_BY_USERS_MAX 4096

/*
 * Puts an override in force, which ends with the holder's connection, unless nobody holds it. In any case it ends with its
 * process or cgroup; the process's start need not be filled in. It takes the place of the same holder's, or same user's, for
 * the same target. Returns 0 when the tasks carry it, or -errno: -ENOENT: no such class; -ESRCH: no such process, or one that
 * is never touched; -EPERM: a user's is for a process that is not his, or not his alone; -ENOTDIR: no such cgroup; -EDQUOT: the
 * client or user holds too many; -EACCES: a user's would raise the process, and does not say so.
 */
int held_put(struct daemon *daemon, struct override override);

/* Ends those of the same kind and target that are the same user's, or anybody's if it is root's. Returns their number. */
size_t held_end(struct daemon *daemon, const struct override *like);

/* Whether it is the client's, and if there is a name that one's. */
bool is_held_by(const struct holder *holder, const struct holder *whom);

/* Ends what the client holds, or if there is a name for whom. Call it before its connection is closed. */
void held_drop(struct daemon *daemon, const struct holder *whom);

/* Ends those whose class the configuration lacks, and logs it. */
void held_reloaded(struct daemon *daemon);

/* Nothing tells of their end any more; the tasks are left. */
void held_leave(struct daemon *daemon);
