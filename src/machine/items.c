/* SPDX-License-Identifier: GPL-2.0-only */
#include "items.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include <schedqos/kernel/host.h>
#include <schedqos/policy/config.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/json_writer.h>

#define FORMAT_VERSION 3
#define SIZE_MAX_BYTES (16 * 1024 * 1024)
#define NEW	       "." STATE_KNOBS ".new"

/* The texts of an item with their keys in the file. */
static const struct field {
	const char *key;
	size_t offset;
} fields[] = {
	{ "path", offsetof(struct item, path) },
	{ "before", offsetof(struct item, before) },
	{ "set", offsetof(struct item, set) },
};

static char **item_field(const struct item *item, size_t field)
{
	return (char **)((char *)item + fields[field].offset);
}

bool copy_text(const char *text, char **ret)
{
	char *copy = text ? strdup(text) : NULL;

	free(*ret);
	*ret = copy;
	return !text || copy;
}

static void item_clear(struct item *item)
{
	for (size_t i = 0; i < array_size(fields); i++)
		free(*item_field(item, i));
}

void items_clear(struct items *items)
{
	for (size_t i = 0; i < items->count; i++)
		item_clear(&items->items[i]);
	free(items->items);
	free(items->profile);
	*items = (struct items){ 0 };
}

struct item *items_find_or_add(struct items *items, enum knob_tree tree, const char *path)
{
	struct item item = { .tree = tree }, *all;

	for (size_t i = 0; i < items->count; i++) {
		if (items->items[i].tree == tree && strcmp(items->items[i].path, path) == 0)
			return &items->items[i];
	}
	all = reallocarray(items->items, items->count + 1, sizeof(*all));
	if (all)
		items->items = all;
	if (!all || !copy_text(path, &item.path))
		return NULL;
	all[items->count] = item;
	return &all[items->count++];
}

void items_end_run(struct items *items)
{
	size_t count = 0;

	for (size_t i = 0; i < items->count; i++) {
		struct item *item = &items->items[i];

		if (item->is_recorded)
			items->items[count++] = (struct item){
				.tree = item->tree, .path = item->path, .is_recorded = true,
				.is_deferred = item->is_deferred, .before = item->before, .set = item->set,
			};
		else
			item_clear(item);
	}
	items->count = count;
}

/* ---- as text ---- */

static void put_item_json(struct json_writer *json, const struct item *item)
{
	/* An item that is about to be written has no last field, `set`. */
	const size_t n = array_size(fields) - item->is_due;

	json_begin(json, NULL, '{');
	json_put_text(json, "tree", knob_tree_name(item->tree));
	for (size_t i = 0; i < n; i++)
		json_put_text(json, fields[i].key, *item_field(item, i));
	json_end(json, '}');
}

char *items_text(const struct items *items, const char *boot_now)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	json_put_number(&json, "version", FORMAT_VERSION);
	json_put_text(&json, "boot_id", boot_now);
	json_put_text(&json, "profile", items->profile);
	json_begin(&json, "knobs", '[');
	for (size_t i = 0; i < items->count; i++) {
		if (items->items[i].is_recorded || items->items[i].is_due)
			put_item_json(&json, &items->items[i]);
	}
	json_end(&json, ']');
	json_end(&json, '}');
	return json_take(&json);
}

static const cJSON *get_member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static int add_parsed(const cJSON *object, struct items *items)
{
	const char *name = cJSON_GetStringValue(get_member(object, "tree")),
		   *path = cJSON_GetStringValue(get_member(object, "path"));
	struct item *item;
	int tree = 0;

	while (tree < KNOB_TREES && (!name || strcmp(knob_tree_name(tree), name) != 0))
		tree++;
	if (tree == KNOB_TREES || !path || !*path || !cJSON_IsString(get_member(object, "before")))
		return -EBADMSG;
	item = items_find_or_add(items, tree, path);
	if (!item)
		return -ENOMEM;
	item->is_recorded = true;
	for (size_t i = 0; i < array_size(fields); i++) {
		const cJSON *value = get_member(object, fields[i].key);

		if (value && !cJSON_IsString(value))
			return -EBADMSG;
		if (!copy_text(cJSON_GetStringValue(value), item_field(item, i)))
			return -ENOMEM;
	}
	return 0;
}

static int from_json(const cJSON *json, const char *boot_now, struct items *ret)
{
	const cJSON *item, *list = get_member(json, "knobs"), *version = get_member(json, "version"),
			   *profile = get_member(json, "profile");
	const char *boot_then = cJSON_GetStringValue(get_member(json, "boot_id"));
	int r = 0;

	if (!boot_then || !cJSON_IsNumber(version))
		return -EBADMSG;
	/* Only a record of this boot is of use. */
	if (strcmp(boot_then, boot_now) != 0)
		return -ESTALE;
	if (version->valuedouble != FORMAT_VERSION)
		return -EPROTONOSUPPORT;
	if (!cJSON_IsArray(list) || (profile && !cJSON_IsString(profile)))
		return -EBADMSG;
	if (!copy_text(cJSON_GetStringValue(profile), &ret->profile))
		return -ENOMEM;
	for (item = list->child; item && r == 0; item = item->next)
		r = add_parsed(item, ret);
	return r;
}

int items_parse(const char *text, size_t size, const char *boot_now, struct items *ret)
{
	cJSON *json;
	int r;

	*ret = (struct items){ 0 };
	/* cJSON takes a NUL for the end, whatever follows. */
	if (memchr(text, '\0', size))
		return -EBADMSG;
	errno = 0;
	json = cJSON_ParseWithLengthOpts(text, size + 1, NULL, true);
	r = !json && errno == ENOMEM ? -ENOMEM : from_json(json, boot_now, ret);
	cJSON_Delete(json);
	if (r < 0)
		items_clear(ret);
	return r;
}

/* ---- as a file ---- */

int items_read(int folder, struct items *ret)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	char boot_now[BOOT_ID_SIZE];
	size_t size = 0;
	int r;

	*ret = (struct items){ 0 };
	fd = state_file_open(folder, STATE_KNOBS, &size);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (size > SIZE_MAX_BYTES)
		return -EBADMSG;
	r = read_text(fd, size, &text, &size);
	if (r == 0)
		r = host_boot_id(boot_now);
	return r < 0 ? r : items_parse(text, size, boot_now, ret);
}

int items_write(int folder, const struct items *items)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	char boot_now[BOOT_ID_SIZE];
	int r;

	if (!items->count && !items->profile)
		return state_file_remove(folder, STATE_KNOBS);
	r = host_boot_id(boot_now);
	if (r < 0)
		return r;
	text = items_text(items, boot_now);
	if (!text)
		return -ENOMEM;
	/* An earlier run may have been killed while writing the file. */
	r = state_file_remove(folder, NEW);
	if (r < 0)
		return r;
	fd = openat(folder, NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_full(fd, text, strlen(text));
	return r == 0 && renameat(folder, NEW, folder, STATE_KNOBS) < 0 ? -errno : r;
}
