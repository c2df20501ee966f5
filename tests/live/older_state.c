/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a daemon of the previous release would have left behind: older_state FILE rewrites the state
 * file of a daemon that was killed in version 2 of the format.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/tagging/state_private.h"

static struct state_attr_2 older_attr(const struct task_attr *attr)
{
	return (struct state_attr_2){
		.policy = attr->policy,
		.nice = attr->nice,
		.rt_priority = attr->rt_priority,
		.reset_on_fork = attr->reset_on_fork,
		.slice_ns = attr->slice_ns,
		.util_min = attr->util_min,
		.util_max = attr->util_max,
	};
}

static struct state_record_2 older_record(const struct task *task)
{
	return (struct state_record_2){
		.tid = task->tid,
		.tgid = task->tgid,
		.start = task->start,
		.changed_ms = task->changed_ms,
		.matched_ms = task->matched_ms,
		.had = older_attr(&task->had),
		.known = older_attr(&task->known),
		.before = older_attr(&task->before),
		.tag = task->tag,
		.assigned_by = task->assigned_by,
		.state = task->state,
		.theirs = task->theirs,
		.flags = task->flags,
		/* One kind has gone since. */
		.due = task->due < 2 ? task->due : task->due + 1,
		.scan = task->scan,
	};
}

/* FNV-1a, as every version has it. */
static uint64_t sum_of(const struct state_tags_2 *tags)
{
	const unsigned char *at = (const unsigned char *)tags;
	uint64_t sum = 0xcbf29ce484222325ULL;

	for (size_t i = sizeof(sum); i < sizeof(*tags); i++)
		sum = (sum ^ at[i]) * 0x100000001b3ULL;
	return sum;
}

static void convert_tags(const struct state_header *from, struct state_tags_2 *to)
{
	const struct state_tags *tags =
		&from->tags[from->tags[1].head.sequence > from->tags[0].head.sequence];

	to->head = tags->head;
	for (uint32_t i = 0; i < tags->head.count && i < STATE_TAGS_MAX; i++) {
		const struct qos_attr *tag = &tags->tags[i];

		to->tags[i] = (struct state_tag_2){
			.has = tag->has & 0xff,
			.policy = tag->policy,
			.nice = tag->nice,
			.priority = tag->priority,
			.util_min = tag->util_min,
			.util_max = tag->util_max,
			.runtime = tag->runtime,
			.deadline = tag->deadline,
			.period = tag->period,
		};
	}
	to->head.sum = sum_of(to);
}

/* Returns the new file's bytes, and how many these are. */
static char *convert(const char *bytes, size_t size, size_t *ret_size)
{
	const struct state_header *from = (const struct state_header *)bytes;
	const char *records = bytes + STATE_HEADER_BYTES;
	size_t n = (size - STATE_HEADER_BYTES) / from->record_bytes;
	struct state_header *to;
	struct state_record_2 *older;

	*ret_size = STATE_HEADER_BYTES_2 + n * sizeof(*older);
	to = calloc(1, *ret_size);
	if (!to)
		err(1, "memory");
	memcpy(to, from, offsetof(struct state_header, tags));
	to->version = STATE_VERSION_2;
	to->record_bytes = sizeof(*older);
	convert_tags(from, (struct state_tags_2 *)to->tags);
	older = (struct state_record_2 *)((char *)to + STATE_HEADER_BYTES_2);
	for (size_t i = 0; i < n; i++)
		older[i] = older_record((const struct task *)(records + i * from->record_bytes));
	return (char *)to;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	struct stat stat;
	char *bytes, *older;
	size_t size;

	if (fd < 0 || fstat(fd, &stat) < 0 || (size_t)stat.st_size < STATE_HEADER_BYTES)
		err(1, "%s", argc == 2 ? argv[1] : "usage: older_state FILE");
	bytes = malloc(stat.st_size);
	if (!bytes || pread(fd, bytes, stat.st_size, 0) != stat.st_size)
		err(1, "%s", argv[1]);
	if (((struct state_header *)bytes)->version != STATE_VERSION)
		errx(1, "%s: not of this version", argv[1]);
	older = convert(bytes, stat.st_size, &size);
	if (pwrite(fd, older, size, 0) != (ssize_t)size || ftruncate(fd, (off_t)size) < 0 ||
	    close(fd) < 0)
		err(1, "%s", argv[1]);
	free(older);
	free(bytes);
	return 0;
}
