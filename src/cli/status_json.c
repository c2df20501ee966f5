/* SPDX-License-Identifier: GPL-2.0-only */
#include "status_json.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* A property's name as the JSON has it: TasksByClass becomes tasks_by_class. */
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

static cJSON *read_value(sd_bus_message *message);

/* In all its digits, which cJSON would cut to fifteen. */
static cJSON *whole_number(uint64_t number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	return cJSON_CreateRaw(digits);
}

/* a{s?} becomes an object, any other array an array. */
static cJSON *read_array(sd_bus_message *message, const char *contents)
{
	cJSON *json = contents[0] == '{' ? cJSON_CreateObject() : cJSON_CreateArray();

	if (sd_bus_message_enter_container(message, 'a', contents) < 0)
		return json;
	while (!sd_bus_message_at_end(message, 0)) {
		const char *key;

		if (contents[0] != '{') {
			cJSON_AddItemToArray(json, read_value(message));
			continue;
		}
		if (sd_bus_message_enter_container(message, 'e', NULL) < 0 ||
		    sd_bus_message_read(message, "s", &key) < 0)
			break;
		cJSON_AddItemToObject(json, key, read_value(message));
		sd_bus_message_exit_container(message);
	}
	sd_bus_message_exit_container(message);
	return json;
}

static cJSON *read_value(sd_bus_message *message)
{
	const char *contents, *text;
	cJSON *json = NULL;
	uint64_t number;
	uint32_t small;
	int flag;
	char type;

	if (sd_bus_message_peek_type(message, &type, &contents) <= 0)
		return cJSON_CreateNull();
	switch (type) {
	case 's':
		if (sd_bus_message_read(message, "s", &text) >= 0)
			json = cJSON_CreateString(text);
		break;
	case 't':
		if (sd_bus_message_read(message, "t", &number) >= 0)
			json = whole_number(number);
		break;
	case 'u':
		if (sd_bus_message_read(message, "u", &small) >= 0)
			json = cJSON_CreateNumber(small);
		break;
	case 'b':
		if (sd_bus_message_read(message, "b", &flag) >= 0)
			json = cJSON_CreateBool(flag);
		break;
	case 'a':
		json = read_array(message, contents);
		break;
	default:
		sd_bus_message_skip(message, NULL);
		break;
	}
	return json ? json : cJSON_CreateNull();
}

int status_json(sd_bus_message *reply, cJSON **ret)
{
	int r = sd_bus_message_enter_container(reply, 'a', "{sv}");
	cJSON *json;

	if (r < 0)
		return r;
	json = cJSON_CreateObject();
	if (!json)
		return -ENOMEM;
	while (sd_bus_message_enter_container(reply, 'e', "sv") > 0) {
		const char *name, *contents;
		char key[64];

		if (sd_bus_message_read(reply, "s", &name) < 0 ||
		    sd_bus_message_peek_type(reply, NULL, &contents) < 0 ||
		    sd_bus_message_enter_container(reply, 'v', contents) < 0)
			break;
		snake_case(name, key, sizeof(key));
		cJSON_AddItemToObject(json, key, read_value(reply));
		sd_bus_message_exit_container(reply);
		sd_bus_message_exit_container(reply);
	}
	*ret = json;
	return 0;
}
