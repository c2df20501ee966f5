/* SPDX-License-Identifier: GPL-2.0-only */
#include "state_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a: this detects writes that were cut short, not tampering. */
uint64_t state_tags_sum(const struct state_tags *tags)
{
	const unsigned char *at = (const unsigned char *)tags;
	uint64_t sum = 0xcbf29ce484222325ULL;

	for (size_t i = sizeof(sum); i < sizeof(*tags); i++)
		sum = (sum ^ at[i]) * 0x100000001b3ULL;
	return sum;
}

static bool is_whole(const struct state_tags *tags)
{
	return tags->count <= STATE_TAGS_MAX && tags->sum == state_tags_sum(tags);
}

struct state_tags *state_newer_tags(struct state_header *header)
{
	struct state_tags *a = &header->tags[0], *b = &header->tags[1];

	if (!is_whole(a) || !is_whole(b))
		return is_whole(a) ? a : is_whole(b) ? b : NULL;
	return a->sequence > b->sequence ? a : b;
}

static bool is_sound_attr(const struct task_attr *attr)
{
	return attr->policy <= POLICY_EXT && attr->nice >= -20 && attr->nice <= 19 &&
	       attr->rt_priority <= 99 && attr->reset_on_fork <= 1 && attr->util_min <= UTIL_FULL &&
	       attr->util_max <= UTIL_FULL && (!attr->io_priority || IO_CLASS(attr->io_priority) != IO_CLASS_NONE);
}

bool state_record_is_sound(const struct task *task)
{
	return task->tid > 0 && task->tgid > 0 && is_sound_attr(&task->had) && is_sound_attr(&task->known) &&
	       task->state <= TASK_UNDONE;
}

static int check_header(struct state_header *header, size_t size, const char *boot_id)
{
	if (memcmp(header->magic, STATE_MAGIC, sizeof(header->magic)) != 0)
		return -EBADMSG;
	if (header->version != STATE_VERSION)
		return -EPROTONOSUPPORT;
	if (size < STATE_FILE_MIN || header->record_bytes != sizeof(struct task) || header->chunk_records != TASKS_CHUNK ||
	    (size - STATE_HEADER_BYTES) % TASKS_CHUNK_BYTES != 0 || !state_newer_tags(header))
		return -EBADMSG;
	return memcmp(header->boot_id, boot_id, BOOT_ID_SIZE - 1) == 0 ? 0 : -ESTALE;
}

static int copy_tags(const struct state_tags *tags, struct state_legacy *ret)
{
	ret->tags = calloc(tags->count + 1, sizeof(*ret->tags));
	if (!ret->tags)
		return -ENOMEM;
	memcpy(ret->tags, tags->tags, tags->count * sizeof(*ret->tags));
	ret->n_tags = tags->count;
	return 0;
}

static int copy_records(const struct task *records, size_t count, struct state_legacy *ret)
{
	ret->records = calloc(count + 1, sizeof(*ret->records));
	if (!ret->records)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!records[i].tid)
			continue;
		if (!state_record_is_sound(&records[i]))
			return -EBADMSG;
		ret->n_changed += attr_difference(&records[i].known, &records[i].had) != 0;
		ret->records[ret->n_records++] = records[i];
	}
	return 0;
}

int state_parse(void *bytes, size_t size, const char *boot_id, struct state_legacy *ret)
{
	struct state_header *header = bytes;
	int r;

	*ret = (struct state_legacy){ 0 };
	if (size < STATE_PAGE || size > STATE_FILE_MAX)
		return -EBADMSG;
	r = check_header(header, size, boot_id);
	if (r == -ESTALE)
		return 0;
	if (r == 0)
		r = copy_tags(state_newer_tags(header), ret);
	if (r == 0)
		r = copy_records((const struct task *)((const char *)bytes + STATE_HEADER_BYTES),
				 (size - STATE_HEADER_BYTES) / sizeof(struct task), ret);
	ret->start = header->start;
	return r;
}
