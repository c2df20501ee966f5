/* SPDX-License-Identifier: GPL-2.0-only */
/* The format of the state file and its validation, apart from the I/O, so that each can be tested. */
#pragma once

#include <schedqos/kernel/host.h>

#include "state.h"

#define STATE_MAGIC	    "schedqos"
#define STATE_VERSION	    7

/* Only this many tags are recognised after a crash; the announcement's mapping makes five. */
#define STATE_TAGS_MAX 480

/* Room for far more tasks than a machine can have. */
#define STATE_FILE_MAX ((off_t)1 << 30)

/* There are two; the one with a correct sum and the higher sequence is valid, the other may be half written. */
struct state_tags {
	uint64_t sum;
	uint64_t sequence;
	uint32_t count;
	uint32_t unused;
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

#define STATE_FILE_MIN STATE_HEADER_BYTES

uint64_t state_tags_sum(const struct state_tags *tags);

/* The valid one of the two, or NULL if neither is complete. */
struct state_tags *state_newer_tags(struct state_header *header);

/* Whether a task can have this record; with one that it cannot have, the whole file is refused. */
bool state_record_is_sound(const struct task *task);

/*
 * Parses a file of this size in memory, which must be aligned for a header; boot_id: of this boot. Returns as
 * state_read does, with ret->start cut to 32 bits; *ret must be cleared even on failure.
 */
int state_parse(void *bytes, size_t size, const char *boot_id, struct state_legacy *ret);
