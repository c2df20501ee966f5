/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each task had before us, kept where it outlives us: the table of tasks lies in a file in /run that is mapped, so
 * keeping it costs the event path nothing. After a crash the next start, or `schedqos restore`, takes it over.
 *
 * folder is a descriptor of the runtime folder (see state_folder_open), or the -errno for want of one, which is then
 * returned.
 */
#pragma once

#include <schedqos/policy/plan.h>

struct state;

/* What a killed daemon left behind. */
struct state_legacy {
	struct task *records;
	size_t n_records, n_changed; /* of which so many carry something of ours */
	struct qos_attr *tags; /* what its classes gave: see struct given */
	size_t n_tags;
	uint64_t start; /* since when it had listened: ticks since boot */
};

/*
 * Reads and checks what is there. Returns 0 with nothing in it when there is no file, or one of an earlier boot;
 * an error of state_file_is_void for one that will never be of use; or another -errno: it may be read another
 * time.
 */
int state_read(int folder, struct state_legacy *ret);
void state_legacy_clear(struct state_legacy *legacy);

/*
 * A place for records, with no file yet: see state_keep. The folder stays the caller's. start: as in the legacy.
 * replaces: there is a file with records that these go on from; it stays until the new file holds them all. 0 or
 * -ENOMEM.
 */
int state_new(int folder, uint64_t start, bool replaces, struct state **ret);

/* What plan_new is to be given. Records for which there is no room in the file yet are kept in memory. */
struct tasks_memory state_memory(struct state *state);

/*
 * Has the file hold all that there is, and what classes give: makes it, if there is none, moves into it the
 * records for which there was no room (their addresses stay), and puts it in the place of an earlier one. Returns
 * 0, or -errno, and can then be called again: -E2BIG if there are more tags than it has room for, which will stay
 * so.
 */
int state_keep(struct state *state, const struct given *given);

/* 0 if all is in the file; else why not: as state_keep, or -EAGAIN before its first call. */
int state_error(const struct state *state);

/* Frees it, and leaves the file. The plan must have been freed. */
void state_free(struct state *state);

/* Removes a file that has been taken care of. */
void state_remove(int folder);
