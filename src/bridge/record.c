/* SPDX-License-Identifier: GPL-2.0-only */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/text.h>

#define NAME	       "weights"
#define NEW	       "." NAME ".new"
#define VERSION_LINE   "schedqos weights 1\n"
#define SIZE_MAX_BYTES (4 * 1024 * 1024)

static void clear(struct weight_record *record)
{
	for (size_t i = 0; i < record->count; i++)
		free(record->items[i].unit);
	free(record->items);
	record->items = NULL;
	record->count = 0;
}

void weight_record_close(struct weight_record *record)
{
	if (!record)
		return;
	clear(record);
	if (record->folder >= 0)
		close(record->folder);
	free(record);
}

static int append(struct weight_record *record, const char *unit, uint64_t before, uint64_t set)
{
	struct kept_weight *items = reallocarray(record->items, record->count + 1, sizeof(*items));
	char *copy = strdup(unit);

	if (items)
		record->items = items;
	if (!items || !copy) {
		free(copy);
		return -ENOMEM;
	}
	items[record->count++] = (struct kept_weight){ .unit = copy, .before = before, .set = set };
	return 0;
}

static int parse(struct weight_record *record, const char *text)
{
	const size_t begin = strlen(VERSION_LINE);
	int r = 0;

	if (strncmp(text, VERSION_LINE, begin) != 0)
		return -EPROTONOSUPPORT;
	for (const char *line = text + begin; *line && r == 0; line = strchr(line, '\n') + 1) {
		uint64_t before, set;
		char unit[256];
		int end = 0;

		if (sscanf(line, "%255s %" SCNu64 " %" SCNu64 "%n", unit, &before, &set, &end) != 3 || line[end] != '\n')
			return -EBADMSG;
		r = append(record, unit, before, set);
	}
	return r;
}

static int read_record(struct weight_record *record)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r;

	fd = state_file_open(record->folder, NAME, &size);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (size > SIZE_MAX_BYTES)
		return -EBADMSG;
	r = read_text(fd, size, &text, &size);
	return r < 0 ? r : parse(record, text);
}

static int lock_and_read(struct weight_record *record, const char *path)
{
	int r = record->folder = path ? folder_open(path, 0700) : state_folder_open();

	if (r < 0)
		return r;
	if (flock(record->folder, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	r = read_record(record);
	if (!state_file_is_void(r))
		return r;
	clear(record);
	state_file_log_set_aside("the record of cpu weights", NAME, r, state_file_set_aside(record->folder, NAME));
	return 0;
}

int weight_record_open(const char *path, struct weight_record **ret)
{
	struct weight_record *record = calloc(1, sizeof(*record));
	int r = record ? lock_and_read(record, path) : -ENOMEM;

	if (r < 0)
		weight_record_close(record);
	else
		*ret = record;
	return r;
}

static int write_record(const struct weight_record *record)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	struct text_buf buf = { 0 };
	int r;

	if (!record->count)
		return state_file_remove(record->folder, NAME);
	text_buf_printf(&buf, VERSION_LINE);
	for (size_t i = 0; i < record->count; i++)
		text_buf_printf(&buf, "%s %" PRIu64 " %" PRIu64 "\n", record->items[i].unit, record->items[i].before,
				record->items[i].set);
	text = text_buf_take(&buf);
	if (!text)
		return -ENOMEM;
	/* An earlier run may have been killed while writing it. */
	r = state_file_remove(record->folder, NEW);
	if (r < 0)
		return r;
	fd = openat(record->folder, NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_full(fd, text, strlen(text));
	return r == 0 && renameat(record->folder, NEW, record->folder, NAME) < 0 ? -errno : r;
}

struct kept_weight *weight_record_find(const struct weight_record *record, const char *unit)
{
	for (size_t i = 0; i < record->count; i++) {
		if (strcmp(record->items[i].unit, unit) == 0)
			return &record->items[i];
	}
	return NULL;
}

static void take_out(struct weight_record *record, struct kept_weight *kept)
{
	free(kept->unit);
	record->count--;
	memmove(kept, kept + 1, (record->items + record->count - kept) * sizeof(*kept));
}

int weight_record_add(struct weight_record *record, const char *unit, uint64_t before, uint64_t set)
{
	int r = append(record, unit, before, set);

	if (r < 0)
		return r;
	r = write_record(record);
	if (r < 0)
		take_out(record, &record->items[record->count - 1]);
	return r;
}

int weight_record_remove(struct weight_record *record, struct kept_weight *kept)
{
	take_out(record, kept);
	return write_record(record);
}
