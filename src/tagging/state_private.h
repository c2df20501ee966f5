/* SPDX-License-Identifier: GPL-2.0-only */
/* The format of the state file and its validation, apart from the I/O, so that each can be tested. */
#pragma once

#include <schedqos/kernel/host.h>

#include "state.h"

#define STATE_MAGIC	    "schedqos"
#define STATE_VERSION	    4

/* Only this many tags are recognised after a crash; the announcement's mapping makes five. */
#define STATE_TAGS_MAX 480

/* Room for far more tasks than a machine can have. */
#define STATE_FILE_MAX ((off_t)1 << 30)

/* There are two; the one with a correct sum and the higher sequence is valid, the other may be half written. */
struct state_tags_head {
	uint64_t sum;
	uint64_t sequence;
	uint32_t count;
	uint32_t unused;
};

struct state_tags {
	struct state_tags_head head;
	struct qos_attr tags[STATE_TAGS_MAX];
};

struct state_header {
	char magic[8];
	uint32_t version;
	uint32_t record_bytes;
	uint32_t chunk_records;
	uint32_t start;
	char boot_id[BOOT_ID_SIZE + 3];
	struct state_tags tags[2];
};

#define STATE_PAGE ((size_t)4096)
#define STATE_WHOLE_PAGES(bytes) (((bytes) + STATE_PAGE - 1) / STATE_PAGE * STATE_PAGE)
#define STATE_HEADER_BYTES STATE_WHOLE_PAGES(sizeof(struct state_header))
_Static_assert(TASKS_CHUNK_BYTES % 4096 == 0, "chunks are mapped");

/* The previous version: without overrides, which stand last in a record. */
#define STATE_VERSION_3 3
#define STATE_RECORD_3_BYTES offsetof(struct task, override)

/* The one before that: without I/O priorities. The header is the same up to the tags. */
#define STATE_VERSION_2 2

struct state_tag_2 {
	uint8_t has, policy;
	int8_t nice;
	uint8_t priority;
	uint16_t util_min, util_max;
	uint64_t runtime, deadline, period;
};

struct state_tags_2 {
	struct state_tags_head head;
	struct state_tag_2 tags[STATE_TAGS_MAX];
};

struct state_attr_2 {
	uint8_t policy;
	int8_t nice;
	uint8_t rt_priority, reset_on_fork;
	uint32_t slice_ns;
	uint16_t util_min, util_max;
};

struct state_record_2 {
	int32_t tid, tgid;
	uint32_t start, changed_ms, matched_ms;
	uint32_t unused[6];
	struct state_attr_2 had, known, before;
	uint16_t tag;
	uint8_t assigned_by, state, theirs, flags, due, scan;
};
_Static_assert(STATE_RECORD_3_BYTES == 92 && sizeof(struct state_tag_2) == 32 && sizeof(struct state_record_2) == 88, "as they were written");

#define STATE_HEADER_BYTES_2 STATE_WHOLE_PAGES(offsetof(struct state_header, tags) + 2 * sizeof(struct state_tags_2))

/* Every version's header is at least as long. */
#define STATE_FILE_MIN STATE_PAGE

/* tags: a struct state_tags, or what an earlier version had in its place. */
uint64_t state_tags_sum(const void *tags, size_t bytes);

/* The valid one of the two, or NULL if neither is complete. */
struct state_tags *state_newer_tags(struct state_header *header);

/* Whether a task can have this record; with one that it cannot have, the whole file is refused. */
bool state_record_is_sound(const struct task *task);

/*
 * Parses a file of this size in memory, which must be aligned for a header; boot_id: of this boot. Returns as
 * state_read does, with ret->start cut to 32 bits; *ret must be cleared even on failure.
 */
int state_parse(void *bytes, size_t size, const char *boot_id, struct state_legacy *ret);
