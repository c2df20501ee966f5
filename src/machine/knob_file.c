/* SPDX-License-Identifier: GPL-2.0-only */
#include "knob_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/state_folder.h>

#define FORMAT_VERSION 1
#define SIZE_MAX_BYTES (16 * 1024 * 1024)
#define NEW	       "." STATE_KNOBS ".new"

static void put_record(struct json_writer *json, const struct knob_record *record)
{
	json_begin(json, NULL, '{');
	json_put_text(json, "tree", knob_tree_name(record->tree));
	json_put_text(json, "path", record->path);
	json_put_text(json, "word", record->word);
	json_put_text(json, "cause", record->cause);
	json_put_text(json, "before", record->before);
	json_put_text(json, "set", record->set);
	if (record->writing)
		json_put_bool(json, "writing", true);
	json_end(json, '}');
}

static bool parse_tree(const char *name, enum knob_tree *ret)
{
	for (int i = 0; name && i < KNOB_TREES; i++) {
		if (strcmp(knob_tree_name(i), name) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* NULL where the key is missing; clears *good where its value is not a string. */
static char *text_of(const cJSON *object, const char *key, bool *good)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);

	if (value && !cJSON_IsString(value))
		*good = false;
	return cJSON_GetStringValue(value);
}

/* The texts remain owned by the JSON. */
static int parse_record(const cJSON *object, struct knob_record *ret)
{
	bool good = cJSON_IsObject(object);

	ret->path = text_of(object, "path", &good);
	ret->word = text_of(object, "word", &good);
	ret->cause = text_of(object, "cause", &good);
	ret->before = text_of(object, "before", &good);
	ret->set = text_of(object, "set", &good);
	ret->writing = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "writing"));
	good = good && parse_tree(text_of(object, "tree", &good), &ret->tree) && ret->path &&
	       *ret->path && ret->before;
	return good ? 0 : -EBADMSG;
}

static int from_json(const cJSON *json, struct knob_records *ret)
{
	const cJSON *version = cJSON_GetObjectItemCaseSensitive(json, "version");
	const cJSON *item, *list = cJSON_GetObjectItemCaseSensitive(json, "knobs");
	_cleanup_(knob_records_clear) struct knob_records records = { 0 };
	bool good = cJSON_IsArray(list) && cJSON_IsNumber(version);
	const char *profile = text_of(json, "profile", &good);
	int r = good ? 0 : -EBADMSG;

	if (cJSON_IsNumber(version) && version->valuedouble != FORMAT_VERSION)
		r = -EPROTONOSUPPORT;
	if (r == 0 && !copy_text(profile, &records.profile))
		r = -ENOMEM;
	for (item = list ? list->child : NULL; item && r == 0; item = item->next) {
		struct knob_record record;

		r = parse_record(item, &record);
		if (r == 0)
			r = knob_records_add(&records, &record);
	}
	if (r == 0) {
		*ret = records;
		records = (struct knob_records){ 0 };
	}
	return r;
}

/* Only records of this boot are of use. */
static int check_boot(const cJSON *json, const char *boot_now)
{
	const char *boot_then = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "boot_id"));

	if (!cJSON_IsObject(json) || !boot_then)
		return -EBADMSG;
	return strcmp(boot_then, boot_now) == 0 ? 0 : -ESTALE;
}

int knob_file_parse(const char *text, size_t size, const char *boot_now, struct knob_records *ret)
{
	cJSON *json;
	int r;

	/* cJSON takes a NUL for the end, whatever follows it. */
	if (memchr(text, '\0', size))
		return -EBADMSG;
	json = cJSON_ParseWithLengthOpts(text, size + 1, NULL, true);
	r = check_boot(json, boot_now);
	if (r == 0)
		r = from_json(json, ret);
	cJSON_Delete(json);
	return r;
}

char *knob_file_text(const struct knob_records *records, const char *boot_now)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	json_put_number(&json, "version", FORMAT_VERSION);
	json_put_text(&json, "boot_id", boot_now);
	json_put_text(&json, "profile", records->profile);
	json_begin(&json, "knobs", '[');
	for (size_t i = 0; i < records->count; i++)
		put_record(&json, &records->items[i]);
	json_end(&json, ']');
	json_end(&json, '}');
	return json_take(&json);
}

int knob_file_read(int folder, struct knob_records *ret)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	char boot_now[BOOT_ID_SIZE];
	size_t size = 0;
	int r;

	if (folder < 0)
		return folder;
	fd = state_file_open(folder, STATE_KNOBS, &size);
	if (fd < 0)
		return fd;
	if (size > SIZE_MAX_BYTES)
		return -EBADMSG;
	r = read_text(fd, size, &text, &size);
	if (r == 0)
		r = host_boot_id(boot_now);
	return r < 0 ? r : knob_file_parse(text, size, boot_now, ret);
}

/* Atomically: a crash leaves either the old file or the new one. */
static int replace(int folder, const char *text)
{
	_cleanup_close_ int fd = -1;
	int r;

	/* An earlier run may have been killed while writing it. */
	if (unlinkat(folder, NEW, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(folder, NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_full(fd, text, strlen(text));
	if (r == 0 && renameat(folder, NEW, folder, STATE_KNOBS) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(folder, NEW, 0);
	return r;
}

int knob_file_write(int folder, const struct knob_records *records)
{
	_cleanup_free_ char *text = NULL;
	char boot_now[BOOT_ID_SIZE];
	int r;

	if (folder < 0)
		return folder;
	if (!records->count && !records->profile)
		return state_file_remove(folder, STATE_KNOBS);
	r = host_boot_id(boot_now);
	if (r < 0)
		return r;
	text = knob_file_text(records, boot_now);
	return text ? replace(folder, text) : -ENOMEM;
}
