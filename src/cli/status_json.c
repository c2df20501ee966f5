/* SPDX-License-Identifier: GPL-2.0-only */
#include "status_json.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/json_writer.h>

/* The JSON key of a property: tasks_by_class for TasksByClass. */
static void snake_case(const char *name, char *buf, size_t size)
{
	size_t used = 0;

	for (const char *p = name; *p && used + 2 < size; p++) {
		if (isupper((unsigned char)*p) && p > name)
			buf[used++] = '_';
		buf[used++] = (char)tolower((unsigned char)*p);
	}
	buf[used] = '\0';
}

static int put_value(sd_bus_message *message, struct json_writer *json, const char *key);

/* A dictionary (a{s?}) becomes an object, any other array a list. */
static int put_array(sd_bus_message *message, struct json_writer *json, const char *key, const char *contents)
{
	bool object = contents[0] == '{';
	int r = sd_bus_message_enter_container(message, 'a', contents);

	json_begin(json, key, object ? '{' : '[');
	while (r >= 0 && !sd_bus_message_at_end(message, 0)) {
		const char *name = NULL;

		if (object)
			r = sd_bus_message_enter_container(message, 'e', NULL);
		if (r >= 0 && object)
			r = sd_bus_message_read(message, "s", &name);
		if (r >= 0)
			r = put_value(message, json, name);
		if (r >= 0 && object)
			r = sd_bus_message_exit_container(message);
	}
	json_end(json, object ? '}' : ']');
	return r < 0 ? r : sd_bus_message_exit_container(message);
}

static int put_value(sd_bus_message *message, struct json_writer *json, const char *key)
{
	union {
		const char *s;
		uint64_t t;
		uint32_t u;
		int b;
	} value;
	const char *contents;
	char type;
	int r = sd_bus_message_peek_type(message, &type, &contents);

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	if (type == 'a')
		return put_array(message, json, key, contents);
	if (!strchr("stub", type)) {
		json_put_null(json, key);
		return sd_bus_message_skip(message, NULL);
	}
	r = sd_bus_message_read_basic(message, type, &value);
	if (r < 0)
		return r;
	if (type == 's')
		json_put_text(json, key, value.s);
	else if (type == 'b')
		json_put_bool(json, key, value.b);
	else
		json_put_count(json, key, type == 't' ? value.t : value.u);
	return 0;
}

static int put_property(sd_bus_message *reply, struct json_writer *json)
{
	const char *name, *contents;
	char key[64];
	int r = sd_bus_message_read(reply, "s", &name);

	if (r >= 0)
		r = sd_bus_message_peek_type(reply, NULL, &contents);
	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'v', contents);
	if (r < 0)
		return r;
	snake_case(name, key, sizeof(key));
	r = put_value(reply, json, key);
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

int status_json(sd_bus_message *reply, char **ret)
{
	struct json_writer json = { 0 };
	char *text;
	int r = sd_bus_message_enter_container(reply, 'a', "{sv}");

	json_begin(&json, NULL, '{');
	while (r >= 0 && (r = sd_bus_message_enter_container(reply, 'e', "sv")) > 0) {
		r = put_property(reply, &json);
		if (r >= 0)
			r = sd_bus_message_exit_container(reply);
	}
	json_end(&json, '}');
	text = json_take(&json);
	if (r < 0 || !text) {
		free(text);
		return r < 0 ? r : -ENOMEM;
	}
	*ret = text;
	return 0;
}
