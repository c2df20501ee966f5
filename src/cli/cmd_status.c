/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "status_json.h"
#include "verb.h"

DEFINE_CLEANUP(cJSON, cJSON_Delete)

/* All properties as one object. Returns NULL after saying what went wrong. */
static cJSON *read_status(sd_bus *bus)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	cJSON *json = NULL;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, "org.freedesktop.DBus.Properties", "GetAll",
				   &error, &reply, "s", BUS_STATUS_INTERFACE);

	if (r >= 0)
		r = status_json(reply, &json);
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

/* What is nothing to mention as long as there is none. */
static void print_if_any(const cJSON *json, const char *key, const char *label, const char *what)
{
	if (number(json, key) > 0)
		printf("%-10s %.0f %s\n", label, number(json, key), what);
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
	print_lines(json, "pending_users", "not known");
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
	print_if_any(json, "unread", "unread", "processes keep whoever reads their arguments waiting: see doctor");
	print_if_any(json, "foreign", "foreign", "datagrams that are not the kernel's");
	print_if_any(json, "log_lost", "log", "lines lost, since nobody took them");
	printf("%-10s %.0f done, %.0f refused\n", "reloads", number(json, "reloads"),
	       number(json, "reloads_failed"));
	if (text(json, "reload_error")[0])
		printf("%-10s %s\n", "", text(json, "reload_error"));
	printf("%-10s %s\n", "profile",
	       text(json, "sched_profile")[0] ? text(json, "sched_profile") : "(none)");
	print_lines(json, "knob_refusals", "refused");
	if (!cJSON_IsTrue(cJSON_GetObjectItem(json, "crash_safe")))
		printf("%-10s no\n", "crash-safe");
	cJSON_ArrayForEach (problem, cJSON_GetObjectItem(json, "problems"))
		printf("%-10s %.0f x %s\n", "problem", problem->valuedouble, problem->string);
	printf("%-10s %.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n", "cost",
	       number(json, "cpu_usec") / 1e6, number(json, "resident_bytes") / 1048576,
	       number(json, "table_bytes") / 1024);
}

static int show(sd_bus *bus, bool as_json)
{
	_cleanup_(cJSON_Deletep) cJSON *json = read_status(bus), *numbers = NULL;
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
