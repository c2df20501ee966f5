/* SPDX-License-Identifier: GPL-2.0-only */
#include "state_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/merge.h>

/* FNV-1a: this detects writes that were cut short, not tampering. */
uint64_t state_tags_sum(const struct state_tags *tags)
{
	const unsigned char *bytes = (const unsigned char *)tags;
	uint64_t sum = 0xcbf29ce484222325ULL;

	for (size_t i = sizeof(tags->sum); i < sizeof(*tags); i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ULL;
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
	       attr->util_max <= UTIL_FULL;
}

bool state_record_is_sound(const struct task *task)
{
	return task->tid > 0 && task->tgid > 0 && is_sound_attr(&task->had) && is_sound_attr(&task->known) &&
	       is_sound_attr(&task->before) && task->state <= TASK_UNDONE && task->due <= DUE_ENDED;
}

static size_t record_bytes(const struct state_header *header)
{
	return header->version == STATE_VERSION_1 ? sizeof(struct state_record_1) : sizeof(struct task);
}

static int check_header(struct state_header *header, size_t size, const char *boot_id)
{
	if (memcmp(header->magic, STATE_MAGIC, sizeof(header->magic)) != 0)
		return -EBADMSG;
	if (header->version != STATE_VERSION && header->version != STATE_VERSION_1)
		return -EPROTONOSUPPORT;
	if (header->record_bytes != record_bytes(header) || header->chunk_records != TASKS_CHUNK ||
	    !state_newer_tags(header))
		return -EBADMSG;
	if ((size - STATE_HEADER_BYTES) % (TASKS_CHUNK * record_bytes(header)) != 0)
		return -EBADMSG;
	return memcmp(header->boot_id, boot_id, BOOT_ID_SIZE - 1) == 0 ? 0 : -ESTALE;
}

static int copy_tags(const struct state_tags *from, struct state_legacy *ret)
{
	ret->tags = calloc(from->count + 1, sizeof(*ret->tags));
	if (!ret->tags)
		return -ENOMEM;
	memcpy(ret->tags, from->tags, from->count * sizeof(*ret->tags));
	ret->n_tags = from->count;
	return 0;
}

/*
 * The previous version kept only the records of tasks that it had changed, and wrote them after the call that set the
 * attributes: so its last record of a task is uncertain.
 */
static struct task from_version_1(const struct state_record_1 *old)
{
	if (!old->tid || !(old->flags & STATE_OWNED_1))
		return (struct task){ 0 };
	return (struct task){
		.tid = old->tid,
		.tgid = old->tgid,
		.start = old->start,
		.had = old->had,
		.known = old->known,
		.before = old->known,
		.tag = TAG_NONE,
		.state = TASK_TAGGED,
		.flags = TASK_UNCERTAIN,
	};
}

static struct task nth_record(const struct state_header *header, const char *records, size_t n)
{
	struct state_record_1 old;
	struct task task;

	if (header->version == STATE_VERSION) {
		memcpy(&task, records + n * sizeof(task), sizeof(task));
		return task;
	}
	memcpy(&old, records + n * sizeof(old), sizeof(old));
	return from_version_1(&old);
}

static int copy_records(const struct state_header *header, const char *records, size_t count,
			struct state_legacy *ret)
{
	ret->records = calloc(count + 1, sizeof(*ret->records));
	if (!ret->records)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct task task = nth_record(header, records, i);

		if (!task.tid)
			continue;
		if (!state_record_is_sound(&task))
			return -EBADMSG;
		ret->n_changed += attr_difference(&task.known, &task.had) != 0;
		ret->records[ret->n_records++] = task;
	}
	return 0;
}

int state_parse(void *bytes, size_t size, const char *boot_id, struct state_legacy *ret)
{
	struct state_header *header = bytes;
	int r;

	*ret = (struct state_legacy){ 0 };
	if (size < STATE_HEADER_BYTES || size > STATE_FILE_MAX)
		return -EBADMSG;
	r = check_header(header, size, boot_id);
	if (r == -ESTALE)
		return 0;
	if (r == 0)
		r = copy_tags(state_newer_tags(header), ret);
	if (r == 0)
		r = copy_records(header, (const char *)bytes + STATE_HEADER_BYTES,
				 (size - STATE_HEADER_BYTES) / record_bytes(header), ret);
	ret->start = header->start;
	return r;
}
