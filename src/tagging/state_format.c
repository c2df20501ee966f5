/* SPDX-License-Identifier: GPL-2.0-only */
#include "state_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/merge.h>

/* FNV-1a: this detects writes that were cut short, not tampering. */
uint64_t state_tags_sum(const void *tags, size_t bytes)
{
	const unsigned char *at = tags;
	uint64_t sum = 0xcbf29ce484222325ULL;

	for (size_t i = sizeof(sum); i < bytes; i++)
		sum = (sum ^ at[i]) * 0x100000001b3ULL;
	return sum;
}

static bool is_whole(const struct state_tags_head *tags, size_t bytes)
{
	return tags->count <= STATE_TAGS_MAX && tags->sum == state_tags_sum(tags, bytes);
}

/* The valid one of the two of any version, or NULL. */
static void *newer_tags(void *both, size_t bytes)
{
	struct state_tags_head *a = both, *b = (void *)((char *)both + bytes);

	if (!is_whole(a, bytes) || !is_whole(b, bytes))
		return is_whole(a, bytes) ? a : is_whole(b, bytes) ? b : NULL;
	return a->sequence > b->sequence ? a : b;
}

struct state_tags *state_newer_tags(struct state_header *header)
{
	return newer_tags(header->tags, sizeof(header->tags[0]));
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
	       is_sound_attr(&task->before) && task->state <= TASK_UNDONE && task->due <= DUE_ENDED;
}

/* ---- the versions ---- */

static struct qos_attr tag_from_version_2(const struct state_tag_2 *old)
{
	return (struct qos_attr){
		.has = old->has,
		.policy = old->policy,
		.nice = old->nice,
		.priority = old->priority,
		.util_min = old->util_min,
		.util_max = old->util_max,
		.runtime = old->runtime,
		.deadline = old->deadline,
		.period = old->period,
	};
}

/* What does not fit into the narrower fields becomes something that is not sound. */
static struct task_attr attr_from_version_2(const struct state_attr_2 *old)
{
	return (struct task_attr){
		.policy = old->policy < 15 ? old->policy : 15,
		.reset_on_fork = old->reset_on_fork < 15 ? old->reset_on_fork : 15,
		.nice = old->nice,
		.rt_priority = old->rt_priority,
		.slice_ns = old->slice_ns,
		.util_min = old->util_min,
		.util_max = old->util_max,
	};
}

/* The rule and the class are numbers of a configuration that is gone: see plan_adopt. */
static struct task record_from_version_2(const struct state_record_2 *old)
{
	return (struct task){
		.tid = old->tid,
		.tgid = old->tgid,
		.start = old->start,
		.changed_ms = old->changed_ms,
		.matched_ms = old->matched_ms,
		.had = attr_from_version_2(&old->had),
		.known = attr_from_version_2(&old->known),
		.before = attr_from_version_2(&old->before),
		.tag = TAG_NONE,
		.state = old->state,
		.theirs = old->theirs,
		.flags = old->flags,
		/* There was one kind more, between the first two and the others. */
		.due = old->due < 2 ? old->due : old->due - 1,
	};
}

static void read_tag(const void *tags, size_t n, struct qos_attr *ret)
{
	const struct state_tags *now = tags;

	*ret = now->tags[n];
}

static void read_tag_2(const void *tags, size_t n, struct qos_attr *ret)
{
	const struct state_tags_2 *old = tags;

	*ret = tag_from_version_2(&old->tags[n]);
}

static void read_record(const char *at, struct task *ret)
{
	memcpy(ret, at, sizeof(*ret));
}

static void read_record_3(const char *at, struct task *ret)
{
	*ret = (struct task){ 0 };
	memcpy(ret, at, STATE_RECORD_3_BYTES);
}

static void read_record_2(const char *at, struct task *ret)
{
	struct state_record_2 old;

	memcpy(&old, at, sizeof(old));
	*ret = record_from_version_2(&old);
}

struct version {
	uint32_t number;
	size_t header_bytes, tags_bytes, record_bytes;
	void (*read_tag)(const void *tags, size_t n, struct qos_attr *ret);
	void (*read_record)(const char *at, struct task *ret);
};

static const struct version versions[] = {
	{ STATE_VERSION, STATE_HEADER_BYTES, sizeof(struct state_tags), sizeof(struct task), read_tag, read_record },
	{ STATE_VERSION_3, STATE_HEADER_BYTES, sizeof(struct state_tags), STATE_RECORD_3_BYTES, read_tag, read_record_3 },
	{ STATE_VERSION_2, STATE_HEADER_BYTES_2, sizeof(struct state_tags_2), sizeof(struct state_record_2), read_tag_2,
	  read_record_2 },
};

static const struct version *find_version(uint32_t number)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (versions[i].number == number)
			return &versions[i];
	}
	return NULL;
}

/* ---- the file ---- */

static int check_header(struct state_header *header, size_t size, const char *boot_id, const struct version **ret)
{
	const struct version *version = find_version(header->version);

	if (memcmp(header->magic, STATE_MAGIC, sizeof(header->magic)) != 0)
		return -EBADMSG;
	if (!version)
		return -EPROTONOSUPPORT;
	if (size < version->header_bytes || header->record_bytes != version->record_bytes ||
	    header->chunk_records != TASKS_CHUNK || !newer_tags(header->tags, version->tags_bytes))
		return -EBADMSG;
	if ((size - version->header_bytes) % (TASKS_CHUNK * version->record_bytes) != 0)
		return -EBADMSG;
	*ret = version;
	return memcmp(header->boot_id, boot_id, BOOT_ID_SIZE - 1) == 0 ? 0 : -ESTALE;
}

static int copy_tags(const struct version *version, const void *from, struct state_legacy *ret)
{
	const struct state_tags_head *head = from;

	ret->tags = calloc(head->count + 1, sizeof(*ret->tags));
	if (!ret->tags)
		return -ENOMEM;
	for (size_t i = 0; i < head->count; i++)
		version->read_tag(from, i, &ret->tags[i]);
	ret->n_tags = head->count;
	return 0;
}

static int copy_records(const struct version *version, const char *records, size_t count, struct state_legacy *ret)
{
	ret->records = calloc(count + 1, sizeof(*ret->records));
	if (!ret->records)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct task task;

		version->read_record(records + i * version->record_bytes, &task);
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
	const struct version *version;
	int r;

	*ret = (struct state_legacy){ 0 };
	if (size < STATE_FILE_MIN || size > STATE_FILE_MAX)
		return -EBADMSG;
	r = check_header(header, size, boot_id, &version);
	if (r == -ESTALE)
		return 0;
	if (r == 0)
		r = copy_tags(version, newer_tags(header->tags, version->tags_bytes), ret);
	if (r == 0)
		r = copy_records(version, (const char *)bytes + version->header_bytes,
				 (size - version->header_bytes) / version->record_bytes, ret);
	ret->start = header->start;
	return r;
}
