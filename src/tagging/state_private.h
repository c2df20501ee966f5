/* SPDX-License-Identifier: GPL-2.0-only */
/* The form of the state file, and what of it is believed: apart from the file itself, so that both
 * can be tested. */
#pragma once

#include <schedqos/kernel/host.h>

#include "state.h"

#define STATE_MAGIC	    "schedqos"
#define STATE_VERSION	    2

/* The version before: the same header, and records of its own kind. */
#define STATE_VERSION_1	    1
struct state_record_1 {
	int32_t tid, tgid;
	uint32_t start;
	uint32_t unused[5];
	struct task_attr had, known;
	uint16_t tag;
	uint8_t reason, error, flags; /* flags: STATE_OWNED_1 */
	uint8_t unused_bytes[3];
};
_Static_assert(sizeof(struct state_record_1) == 64, "as it was written");
#define STATE_OWNED_1 0x01

/* More tags than this, and only these are recognised after a crash; the announcement's mapping
 * makes five. */
#define STATE_TAGS_MAX 480

/* Far more tasks than a machine can have. */
#define STATE_FILE_MAX ((off_t)1 << 30)

/* Two, of which the one with the higher sequence and a good sum counts: the other may be half
 * written. */
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
#define STATE_HEADER_BYTES \
	((sizeof(struct state_header) + STATE_PAGE - 1) / STATE_PAGE * STATE_PAGE)
_Static_assert(TASKS_CHUNK_BYTES % 4096 == 0, "chunks are mapped");

uint64_t state_tags_sum(const struct state_tags *tags);

/* Of the two, the one that counts, or NULL when neither is whole. */
struct state_tags *state_newer_tags(struct state_header *header);

/* Whether a record makes sense; with one that does not, the whole file is refused. */
bool state_record_is_sound(const struct task *task);

/*
 * What is in a file of this size, which lies in memory that is aligned for a header; boot_id: of
 * this boot. Returns as state_read does, with ret->start cut to 32 bits; *ret may hold something even if it failed.
 */
int state_parse(void *bytes, size_t size, const char *boot_id, struct state_legacy *ret);
