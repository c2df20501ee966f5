/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "verb.h"

static void cleanup_json(cJSON **json)
{
	cJSON_Delete(*json);
}

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

/* All properties as one object. Returns NULL after saying what went wrong. */
static cJSON *read_status(sd_bus *bus)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	cJSON *json = NULL;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, "org.freedesktop.DBus.Properties", "GetAll",
				   &error, &reply, "s", BUS_STATUS_INTERFACE);

	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "{sv}");
	if (r >= 0)
		json = cJSON_CreateObject();
	while (json && sd_bus_message_enter_container(reply, 'e', "sv") > 0) {
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
	if (r < 0)
		log_error("asking the daemon: %s", error.message ? error.message : strerror(-r));
	sd_bus_error_free(&error);
	sd_bus_message_unref(reply);
	return json;
}

static double number(const cJSON *json, const char *key)
{
	return cJSON_GetNumberValue(cJSON_GetObjectItem(json, key));
}

static const char *text(const cJSON *json, const char *key)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItem(json, key));

	return value ? value : "";
}

/* "name 12, name 3" of an object of numbers. */
static void print_counts(const cJSON *json, const char *key, const char *label)
{
	const cJSON *item, *object = cJSON_GetObjectItem(json, key);
	const char *separator = "";

	if (!cJSON_GetArraySize(object))
		return;
	printf("%-10s ", label);
	cJSON_ArrayForEach (item, object) {
		printf("%s%s %.0f", separator, item->string, item->valuedouble);
		separator = ", ";
	}
	printf("\n");
}

static void print_features(const cJSON *json)
{
	const cJSON *item;
	const char *separator = "";

	printf("%-10s ", "kernel");
	cJSON_ArrayForEach (item, cJSON_GetObjectItem(json, "features")) {
		printf("%s%s %s", separator, item->string, cJSON_IsTrue(item) ? "yes" : "no");
		separator = ", ";
	}
	printf("\n");
}

static void print_lines(const cJSON *json, const char *key, const char *label)
{
	const cJSON *item;

	cJSON_ArrayForEach (item, cJSON_GetObjectItem(json, key)) {
		printf("%-10s %s\n", label, item->valuestring);
		label = "";
	}
}

static void print_since(double since_us)
{
	time_t since = (time_t)(since_us / 1e6);
	struct tm local;
	char stamp[64];

	localtime_r(&since, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	printf("since %s\n", stamp);
}

static void print_status(const cJSON *json)
{
	const cJSON *problem;

	printf("%-10s pid %.0f, version %s, ", "running", number(json, "pid"),
	       text(json, "version"));
	print_since(number(json, "since_usec"));
	print_features(json);
	printf("%-10s %.0f in force\n", "rules", number(json, "rules"));
	print_lines(json, "config_files", "files");
	printf("%-10s %.0f known\n", "tasks", number(json, "tasks"));
	print_counts(json, "tasks_by_class", "classes");
	print_counts(json, "tasks_by_reason", "because");
	printf("%-10s fork %.0f, exec %.0f, rename %.0f\n", "events", number(json, "forks"),
	       number(json, "execs"), number(json, "renames"));
	printf("%-10s set %.0f, too late %.0f, not kept %.0f\n", "actions", number(json, "set"),
	       number(json, "races"), number(json, "not_kept"));
	print_counts(json, "refused", "refused");
	printf("%-10s %.0f times, scans %.0f\n", "lost", number(json, "lost"),
	       number(json, "scans"));
	printf("%-10s %.0f done, %.0f refused\n", "reloads", number(json, "reloads"),
	       number(json, "reloads_failed"));
	if (text(json, "reload_error")[0])
		printf("%-10s %s\n", "", text(json, "reload_error"));
	printf("%-10s %s\n", "profile",
	       text(json, "sched_profile")[0] ? text(json, "sched_profile") : "(none)");
	print_lines(json, "knob_refusals", "refused");
	cJSON_ArrayForEach (problem, cJSON_GetObjectItem(json, "problems"))
		printf("%-10s %.0f x %s\n", "problem", problem->valuedouble, problem->string);
	printf("%-10s %.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n", "cost",
	       number(json, "cpu_usec") / 1e6, number(json, "resident_bytes") / 1048576,
	       number(json, "table_bytes") / 1024);
}

static int show(sd_bus *bus, bool as_json)
{
	_cleanup_(cleanup_json) cJSON *json = read_status(bus), *numbers = NULL;
	_cleanup_free_ char *printed = json ? cJSON_Print(json) : NULL;

	if (!printed)
		return EXIT_FAILURE;
	if (as_json)
		return puts(printed) >= 0 ? 0 : EXIT_FAILURE;
	/* What was added as digits is a number for who reads it. */
	numbers = cJSON_Parse(printed);
	if (!numbers)
		return EXIT_FAILURE;
	print_status(numbers);
	return 0;
}

int cmd_status(const struct command *command)
{
	sd_bus *bus;
	int status;

	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	status = show(bus, command->json);
	sd_bus_flush_close_unref(bus);
	return status;
}
