/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state file: what each task had before us, for the time after a crash. The table of tasks is a mapped file in
 * /run, so keeping it costs the event path nothing. After a crash the next start, or `schedqos restore`, takes it
 * over.
 *
 * folder is a descriptor of the runtime folder (see state_folder_open), or the -errno of opening it, which is then
 * returned.
 */
#pragma once

#include <schedqos/kernel/host.h>
#include <schedqos/policy/plan.h>

struct state;

/* The state of a daemon that has ended. */
struct state_legacy {
	struct task *records;
	size_t n_records, n_changed; /* n_changed of them carry something that it set */
	struct qos_attr *tags; /* the attributes of its classes: see struct given */
	size_t n_tags;
	bool stopped;	/* it had put back all of them: what outlasted the stop is not on record */
	uint64_t start; /* when it subscribed to events: ticks since boot */
};

/*
 * Reads and checks the file, STATE_TASKS or STATE_STOPPED. Returns 0 with nothing in *ret if there is none, or one of an earlier boot; an error of
 * state_file_is_void if the file can never be used; or another -errno if reading it may succeed later.
 */
int state_read(int folder, const char *name, struct state_legacy *ret);
void state_legacy_clear(struct state_legacy *legacy);

/*
 * Makes a state, with a file that no reader finds before state_keep. The folder stays the caller's. start: as in struct
 * state_legacy. replaces: the records were taken over from an earlier file, which stays if this one does not hold them all.
 * 0 or -ENOMEM.
 */
int state_new(int folder, uint64_t start, bool replaces, struct state **ret);

/* The memory to pass to plan_new. Records for which the file has no room are kept in anonymous memory. */
struct tasks_memory state_memory(struct state *state);

/*
 * Adds the attributes of classes to the file, and gives that its name. Call it when the records of an earlier file are in
 * the table, and whenever there are more classes. Returns as state_error does.
 */
int state_keep(struct state *state, const struct given *given);

/*
 * 0 if the file holds everything. Else it never will, and this is the first -errno: that of making it or of making room in
 * it; -E2BIG: there were more classes than it has room for.
 */
int state_error(const struct state *state);

/* Frees the state and leaves the file. The plan must have been freed. */
void state_free(struct state *state);

/*
 * All that is on record has been put back. The file stays under its other name, from which it is told who was there then:
 * a fork that was under way may have outlasted that, with what its origin had by us.
 */
#define STATE_STOPPED "stopped"
void state_stopped(int folder);

/* Removes the files; that of a stop less than 20 s ago only if all. */
void state_remove(int folder, bool all);

/* ---- the format, for tests ---- */

#define STATE_MAGIC	    "schedqos"
#define STATE_VERSION	    11

/* Only this many tags are recognised after a crash; the announcement's mapping makes five. */
#define STATE_TAGS_MAX 480

/* Room for far more tasks than a machine can have. */
#define STATE_FILE_MAX ((off_t)1 << 30)

struct state_header {
	char magic[8];
	uint32_t version;
	uint32_t record_bytes;
	uint32_t chunk_records;
	uint32_t start;
	char boot_id[BOOT_ID_SIZE + 3];
	uint32_t n_tags; /* is written after the tag that it counts */
	struct qos_attr tags[STATE_TAGS_MAX];
};

#define STATE_PAGE ((size_t)4096)
#define STATE_WHOLE_PAGES(bytes) (((bytes) + STATE_PAGE - 1) / STATE_PAGE * STATE_PAGE)
#define STATE_HEADER_BYTES STATE_WHOLE_PAGES(sizeof(struct state_header))
_Static_assert(TASKS_CHUNK_BYTES % 4096 == 0, "chunks are mapped");

/* Whether a task can have this record; with one that it cannot have, the whole file is refused. */
bool state_record_is_sound(const struct task *task);

/*
 * Parses a file of this size in memory, which must be aligned for a header; boot_id: of this boot. Returns as
 * state_read does, with ret->start cut to 32 bits; *ret must be cleared even on failure.
 */
int state_parse(void *bytes, size_t size, const char *boot_id, struct state_legacy *ret);
