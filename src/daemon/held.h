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

/* The overrides that one client can hold, and those that nobody holds. */
#define HELD_MAX 128
#define HELD_BY_NOBODY_MAX 512

/*
 * Puts an override in force, which ends with the client's connection; holder NULL: it does not. In any case it ends with its
 * process or cgroup; the process's start need not be filled in. It takes the place of the same holder's for the same
 * target. Returns 0 when the tasks carry it, or -errno: -ENOENT: no such class; -ESRCH: no such process, or one that is
 * never touched; -ENOTDIR: no such cgroup; -EDQUOT: the client holds too many.
 */
int held_put(struct daemon *daemon, sd_bus *holder, const struct override *override);

/* Ends those of the same kind and target, whoever holds them. Returns their number. */
size_t held_end(struct daemon *daemon, const struct override *like);

/* Ends what the client holds. Call it before its connection is closed. */
void held_drop(struct daemon *daemon, const sd_bus *holder);

/* Ends those whose class the configuration lacks, and logs it. */
void held_reloaded(struct daemon *daemon);

/* How many the client holds. */
size_t held_count(const struct daemon *daemon, const sd_bus *holder);

/* Frees the list; the tasks are left. */
void held_free(struct daemon *daemon);
