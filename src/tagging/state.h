/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state file holds what each task had before us, for use after a crash. The table of tasks is a mapped file in
 * /run, so keeping it costs the event path nothing. After a crash the next start, or `schedqos restore`, takes it over.
 *
 * folder is a descriptor of the runtime folder (see state_folder_open), or the -errno of opening it; the functions then
 * return that.
 */
#pragma once

#include <schedqos/kernel/host.h>
#include <schedqos/policy/plan.h>

struct state;

/* The state of a daemon that has ended. */
struct state_legacy {
	void *bytes; /* the file, which contains the following */
	size_t size;
	const struct task *records;
	size_t n_records, n_changed; /* n_changed of them carry attributes that the daemon set */
	const struct given *given;   /* attributes that its classes gave; NULL without a file */
	/* it had put all of them back, but tasks may have outlasted the stop; only with records */
	bool stopped;
	uint64_t start; /* when the daemon subscribed to events: ticks since boot */
};

/*
 * Reads and checks the file: STATE_TASKS, or else STATE_STOPPED. Returns 0 with nothing in *ret if there is none, or
 * one of an earlier boot; an error for state_file_set_aside if STATE_TASKS can never be used; or another -errno if
 * reading it may succeed later.
 */
int state_read(int folder, struct state_legacy *ret);
void state_legacy_clear(struct state_legacy *legacy);

/*
 * Makes a state, with a file that no reader finds before state_publish. The caller keeps ownership of the folder. start
 * is that of struct state_legacy. Returns 0 or -errno.
 */
int state_new(int folder, uint64_t start, struct state **ret);

/* Returns the memory to pass to plan_new. The memory has no room if the file system has none. */
struct tasks_memory state_memory(struct state *state);

/* Makes it replace an earlier file, once it contains all that the earlier one does. Returns 0 or -errno. */
int state_publish(struct state *state);

/*
 * Call this before all tasks are put back. That needs a record of each task, so from here on there is memory for
 * records even if the file system has no room. Such records are lost if the daemon is killed before its end.
 */
void state_ending(struct state *state);

/* Frees the state and leaves the file. The plan must have been freed. */
void state_free(struct state *state);

/*
 * Renames the file after everything has been put back. Its records tell which tasks existed then: a child whose fork
 * was under way may outlast the stop, and carry attributes that we set on its origin.
 */
#define STATE_STOPPED "stopped"
void state_stopped(int folder);

/*
 * Removes the files. With `all` false, the file of a stop stays until the next start, because a process can hold a fork
 * back for any time.
 */
void state_remove(int folder, bool all);

/* ---- the format, for tests ---- */

#define STATE_MAGIC	    "schedqos"
#define STATE_VERSION	    14

/* Largest size of the file, far more tasks than a machine can have. */
#define STATE_FILE_MAX ((off_t)1 << 30)

struct state_header {
	char magic[8];
	uint32_t version;
	uint32_t record_bytes;
	uint32_t chunk_records;
	uint32_t start;
	char boot_id[BOOT_ID_SIZE + 3];
	struct given given;
};

#define STATE_PAGE ((size_t)4096)
#define STATE_WHOLE_PAGES(bytes) (((bytes) + STATE_PAGE - 1) / STATE_PAGE * STATE_PAGE)
#define STATE_HEADER_BYTES STATE_WHOLE_PAGES(sizeof(struct state_header))

/* Returns whether the record is possible. A file with an impossible one is refused as a whole. */
bool state_record_is_sound(const struct task *task);

/*
 * Parses a file of this size in memory, which must be aligned for a header, and moves its records together. boot_id is
 * that of this boot. Returns as state_read does, with ret->start cut to 32 bits and ret->bytes NULL: the caller keeps
 * the memory.
 */
int state_parse(void *bytes, size_t size, const char *boot_id, struct state_legacy *ret);
