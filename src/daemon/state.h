/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each task had before us, kept where it outlives us: the table of tasks lies in a file in /run that is mapped, so
 * keeping it costs the event path nothing. After a crash the next start, or `schedqos restore`, takes it over.
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
 * Reads and checks what is there. Returns 0 with nothing in it when there is no file, or one of an earlier boot; -EBADMSG
 * for one that is torn, not root's alone, or of another version; or -errno.
 */
int state_read(struct state_legacy *ret);
void state_legacy_clear(struct state_legacy *legacy);

/* A new file, not yet in the place of the old one. start: as in the legacy. Returns 0 or -errno. */
int state_new(uint64_t start, struct state **ret);

/* What plan_new is to be given. Records for which there is no room in /run are kept on the heap: see state_is_whole. */
struct tasks_memory state_memory(struct state *state);
bool state_is_whole(const struct state *state);

/* Notes what classes give, beside what was noted before. */
void state_note_tags(struct state *state, const struct given *given);

/* Puts the new file in the place of the old one. Returns 0 or -errno. */
int state_publish(void);

/* Frees it, and leaves the file. */
void state_free(struct state *state);

/* Removes a file that has been taken care of, or must not be believed. */
void state_remove(void);
