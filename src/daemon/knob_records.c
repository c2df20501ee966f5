/* SPDX-License-Identifier: GPL-2.0-only */
#include "knob_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#define FORMAT_VERSION 1

void knob_record_clear(struct knob_record *record)
{
	free(record->path);
	free(record->word);
	free(record->cause);
	free(record->before);
	free(record->set);
	*record = (struct knob_record){ 0 };
}

void knob_records_clear(struct knob_records *records)
{
	for (size_t i = 0; i < records->count; i++)
		knob_record_clear(&records->items[i]);
	free(records->items);
	free(records->profile);
	*records = (struct knob_records){ 0 };
}

bool copy_text(const char *text, char **ret)
{
	free(*ret);
	*ret = text ? strdup(text) : NULL;
	return !text || *ret;
}

int knob_records_add(struct knob_records *records, const struct knob_record *record)
{
	struct knob_record copy = { .tree = record->tree, .writing = record->writing };
	struct knob_record *items =
		reallocarray(records->items, records->count + 1, sizeof(*items));

	if (items)
		records->items = items;
	if (!items || !copy_text(record->path, &copy.path) ||
	    !copy_text(record->word, &copy.word) || !copy_text(record->cause, &copy.cause) ||
	    !copy_text(record->before, &copy.before) || !copy_text(record->set, &copy.set)) {
		knob_record_clear(&copy);
		return -ENOMEM;
	}
	items[records->count++] = copy;
	return 0;
}

/* Leaves a text that is NULL out. */
static bool add_text(cJSON *object, const char *key, const char *text)
{
	return !text || cJSON_AddStringToObject(object, key, text);
}

static bool add_record(cJSON *list, const struct knob_record *record)
{
	cJSON *object = cJSON_CreateObject();

	if (!object || !cJSON_AddItemToArray(list, object)) {
		cJSON_Delete(object);
		return false;
	}
	return add_text(object, "tree", knob_tree_name(record->tree)) &&
	       add_text(object, "path", record->path) && add_text(object, "word", record->word) &&
	       add_text(object, "cause", record->cause) &&
	       add_text(object, "before", record->before) && add_text(object, "set", record->set) &&
	       (!record->writing || cJSON_AddTrueToObject(object, "writing"));
}

cJSON *knob_records_to_json(const struct knob_records *records)
{
	cJSON *json = cJSON_CreateObject(), *list = NULL;
	bool good = json && cJSON_AddNumberToObject(json, "version", FORMAT_VERSION) &&
		    add_text(json, "profile", records->profile);

	if (good)
		list = cJSON_AddArrayToObject(json, "knobs");
	good = good && list;
	for (size_t i = 0; i < records->count && good; i++)
		good = add_record(list, &records->items[i]);
	if (!good) {
		cJSON_Delete(json);
		return NULL;
	}
	return json;
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

/* NULL for none; anything but a string is a fault. */
static char *text_of(const cJSON *object, const char *key, bool *good)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);

	if (value && !cJSON_IsString(value))
		*good = false;
	return cJSON_GetStringValue(value);
}

/* The texts stay the JSON's. */
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

int knob_records_from_json(const cJSON *json, struct knob_records *ret)
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
