/* SPDX-License-Identifier: GPL-2.0-only */
#include "json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int json_integer(const cJSON *node, int64_t min, int64_t max, int64_t *ret)
{
	long long value;

	if (strpbrk(node->valuestring, ".eE"))
		return -EINVAL;
	errno = 0;
	value = strtoll(node->valuestring, NULL, 10);
	if (errno == ERANGE || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

static bool is_plain_key(const char *key)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_+-";

	return *key && key[strspn(key, plain)] == '\0';
}

void json_path_put_key(struct text_buf *path, const char *key)
{
	if (!is_plain_key(key))
		text_buf_printf(path, "[\"%s\"]", key);
	else
		text_buf_printf(path, "%s%s", path->len ? "." : "", key);
}

static void put_path(const struct json_doc *doc, const struct json_place *place,
		     struct text_buf *path)
{
	const char *key = place->node->string;

	if (place->node == doc->root)
		return;
	put_path(doc, &doc->places[place->parent], path);
	if (!key)
		text_buf_printf(path, "[%u]", place->item);
	else
		json_path_put_key(path, key);
}

char *json_path(const struct json_doc *doc, const cJSON *node)
{
	struct text_buf path = { 0 };

	put_path(doc, json_place(doc, node), &path);
	return text_buf_take(&path);
}

const char *json_type_name(const cJSON *node)
{
	if (cJSON_IsObject(node))
		return "an object";
	if (cJSON_IsArray(node))
		return "a list";
	if (cJSON_IsString(node))
		return "a string";
	if (cJSON_IsNumber(node))
		return "a number";
	return cJSON_IsBool(node) ? "true or false" : "null";
}
