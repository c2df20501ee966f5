/* SPDX-License-Identifier: GPL-2.0-only */
#include "tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "detached_mount.h"

#define FORMAT_MAX 4096

int tracefs_open(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	struct statfs fs;

	for (size_t i = 0; i < array_size(paths); i++) {
		_cleanup_close_ int fd = open(paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		/* Where it is to be mounted when it is first looked into. */
		_cleanup_close_ int inside = fd < 0 ? -1 : openat(fd, "events", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (inside >= 0 && fstatfs(inside, &fs) == 0 && fs.f_type == TRACEFS_MAGIC)
			return openat(inside, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	return detached_mount("tracefs");
}

static int read_file(int tracefs, const char *name, const char *file, char *buf, size_t size)
{
	char path[256];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "events/%s/%s", name, file);
	fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return 0;
}

/* "	field:unsigned short common_type;	offset:0;	size:2;	signed:0;" */
int tracefs_parse_field(const char *format, const char *name, struct tracefs_field *ret)
{
	const size_t length = strlen(name);
	unsigned offset, size, is_signed;

	for (const char *line = format; line; line = strchr(line, '\n')) {
		const char *end;

		line += *line == '\n';
		end = strchr(line, ';');
		if (strncmp(line, "\tfield:", 7) != 0 || !end || (size_t)(end - line) <= length ||
		    strncmp(end - length, name, length) != 0 || end[-1 - (ptrdiff_t)length] != ' ')
			continue;
		if (sscanf(end, "; offset:%u; size:%u; signed:%u;", &offset, &size, &is_signed) != 3 ||
		    offset > UINT16_MAX || (size != 1 && size != 2 && size != 4 && size != 8))
			return -EBADMSG;
		*ret = (struct tracefs_field){ (uint16_t)offset, (uint8_t)size, is_signed != 0 };
		return 0;
	}
	return -EBADMSG;
}

int64_t tracefs_read_field(const struct tracefs_field *field, const void *record, size_t size)
{
	const char *at = (const char *)record + field->offset;
	union {
		int8_t s8;
		int16_t s16;
		int32_t s32;
		int64_t s64;
	} value = { 0 };

	if ((size_t)field->offset + field->size > size)
		return 0;
	memcpy(&value, at, field->size);
	switch (field->size) {
	case 1:
		return field->is_signed ? value.s8 : (uint8_t)value.s8;
	case 2:
		return field->is_signed ? value.s16 : (uint16_t)value.s16;
	case 4:
		return field->is_signed ? value.s32 : (int64_t)(uint32_t)value.s32;
	default:
		return value.s64;
	}
}

int tracefs_look_up(int tracefs, const struct tracepoint *wanted, struct tracefs_format *ret)
{
	char text[FORMAT_MAX];
	uint64_t id;
	int r = read_file(tracefs, wanted->name, "id", text, sizeof(text));

	if (r < 0)
		return r;
	text[strcspn(text, "\n")] = '\0';
	if (parse_u64(text, strlen(text), UINT32_MAX, &id) < 0)
		return -EBADMSG;
	ret->id = (uint32_t)id;
	r = read_file(tracefs, wanted->name, "format", text, sizeof(text));
	if (r == 0)
		r = tracefs_parse_field(text, "common_type", &ret->type);
	if (r == 0)
		r = tracefs_parse_field(text, "common_pid", &ret->tid);
	for (size_t i = 0; r == 0 && i < TRACEPOINT_FIELDS_MAX && wanted->fields[i]; i++) {
		r = tracefs_parse_field(text, wanted->fields[i], &ret->fields[i]);
		ret->n_fields = i + 1;
	}
	return r;
}
