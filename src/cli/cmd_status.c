/* SPDX-License-Identifier: GPL-2.0-only */
/* What the daemon says of itself: for people, as it comes (JSON), or as OpenMetrics. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "verb.h"

#define LABEL "%-10s "

/* ---- for people ---- */

/* Prints an object of numbers, or of yes and no, as "name 12, name 3"; nothing if it is empty. */
static void put_members(const cJSON *status, const char *key, const char *label)
{
	const cJSON *item, *object = cJSON_GetObjectItem(status, key);

	if (!cJSON_GetArraySize(object))
		return;
	printf(LABEL, label);
	cJSON_ArrayForEach (item, object) {
		printf("%s%s ", item == object->child ? "" : ", ", item->string);
		if (cJSON_IsBool(item))
			printf("%s", cJSON_IsTrue(item) ? "yes" : "no");
		else
			printf("%.0f", item->valuedouble);
	}
	printf("\n");
}

static void put_lines(const cJSON *status, const char *key, const char *label)
{
	const cJSON *item;

	cJSON_ArrayForEach (item, cJSON_GetObjectItem(status, key)) {
		printf(LABEL "%s\n", label, item->valuestring);
		label = "";
	}
}

/* For a count that is worth a line only when it is not zero. */
static void put_if_any(const cJSON *status, const char *key, const char *label, const char *what)
{
	const uint64_t count = member_count(status, key);

	if (count)
		printf(LABEL "%" PRIu64 " %s\n", label, count, what);
}

static void put_running(const cJSON *status)
{
	time_t since = (time_t)(member_count(status, "since_usec") / 1000000);
	struct tm local;
	char stamp[64];

	localtime_r(&since, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	printf(LABEL "pid %" PRIu64 ", version %s, since %s\n", "running", member_count(status, "pid"),
	       member_text(status, "version"), stamp);
}

static void put_work(const cJSON *status)
{
	printf(LABEL "%" PRIu64 " known\n", "tasks", member_count(status, "tasks"));
	put_members(status, "tasks_by_class", "classes");
	put_members(status, "tasks_by_reason", "because");
	put_if_any(status, "tasks_limited", "limited", "of them by a group or an override, or hidden");
	put_if_any(status, "apps_focused", "focused", "apps, or played");
	put_if_any(status, "apps_hidden", "hidden", "apps");
	put_if_any(status, "overrides", "overrides", "in force, asked for at run time");
	printf(LABEL "fork %" PRIu64 ", exec %" PRIu64 ", rename %" PRIu64 ", move %" PRIu64 ", change %" PRIu64 "; lost %" PRIu64
		     " times, scans %" PRIu64 "\n", "events", member_count(status, "forks"), member_count(status, "execs"),
	       member_count(status, "renames"), member_count(status, "moves"), member_count(status, "changes"),
	       member_count(status, "lost"), member_count(status, "scans"));
	printf(LABEL "set %" PRIu64 ", too late %" PRIu64 ", not kept %" PRIu64 "\n", "actions", member_count(status, "set"),
	       member_count(status, "races"), member_count(status, "not_kept"));
	put_if_any(status, "put_back", "put back", "times, what somebody had changed on a task that is enforced");
	put_members(status, "refused", "refused");
}

/* Whether all is well, in one line. Counts are since the daemon's start. */
static void put_verdict(const cJSON *status)
{
	const cJSON *classes = cJSON_GetObjectItem(status, "tasks_by_class");
	const uint64_t tasks = member_sum(status, "tasks_by_class");
	const int n_classes = cJSON_GetArraySize(classes);
	const struct {
		uint64_t count;
		const char *words; /* a number follows if there are several */
	} wrong[] = {
		{ *member_text(status, "reload_error") != '\0', "the last reload was refused" },
		{ member_count(status, "lost"), "events were lost" },
		{ member_sum(status, "refused"), "the kernel refused" },
		{ member_count(status, "not_kept"), "the kernel did not keep what was set" },
		{ cJSON_GetArraySize(cJSON_GetObjectItem(status, "pending_users")), "a user is not known" },
		{ member_count(status, "unread"), "a process cannot be read" },
		{ member_count(status, "log_lost"), "a line of the log was lost" },
		{ !member_flag(status, "crash_safe"), "a crash could not be repaired" },
		{ cJSON_GetArraySize(cJSON_GetObjectItem(status, "problems")), "there is a problem, see below" },
	};
	bool is_well = true;

	for (size_t i = 0; i < array_size(wrong); i++) {
		if (!wrong[i].count)
			continue;
		printf("%s%s", is_well ? "not well: " : ", ", wrong[i].words);
		if (wrong[i].count > 1)
			printf(" (%" PRIu64 " x)", wrong[i].count);
		is_well = false;
	}
	/* Few machines have every knob of a profile, so that is nothing amiss. */
	printf("%s%" PRIu64 " task%s in %d class%s%s%s\n", is_well ? "well: " : "; ", tasks, tasks == 1 ? "" : "s", n_classes,
	       n_classes == 1 ? "" : "es", is_well ? ", nothing lost, nothing refused" : "",
	       cJSON_GetArraySize(cJSON_GetObjectItem(status, "knob_refusals")) ? "; some knobs of the profile could not be set" :
										   "");
}

static void print_status(const cJSON *status)
{
	const char *error = member_text(status, "reload_error"), *profile = member_text(status, "sched_profile");
	const cJSON *problem;

	put_verdict(status);
	put_running(status);
	put_members(status, "features", "kernel");
	printf(LABEL "%" PRIu64 " in force\n", "rules", member_count(status, "rules"));
	printf(LABEL "%s (%s)\n", "mapping", member_text(status, "mapping"), member_text(status, "mapping_source"));
	put_lines(status, "config_files", "files");
	put_lines(status, "pending_users", "not known");
	put_work(status);
	if (*error)
		printf(LABEL "refused: %s\n", "reload", error);
	printf(LABEL "%s\n", "profile", *profile ? profile : "(none)");
	put_lines(status, "knob_refusals", "refused");
	cJSON_ArrayForEach (problem, cJSON_GetObjectItem(status, "problems"))
		printf(LABEL "%.0f x %s\n", "problem", problem->valuedouble, problem->string);
	printf(LABEL "%.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n", "cost", (double)member_count(status, "cpu_usec") / 1e6,
	       (double)member_count(status, "resident_bytes") / 1048576, (double)member_count(status, "table_bytes") / 1024);
}

/* ---- OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec), without types: a key of the JSON is a name ---- */

/* name: of a label, in which the quote, the backslash and the newline are escaped; NULL: there is none. */
static void put_metric(const char *key, const char *name, double value)
{
	printf("schedqos_%s", key);
	if (name)
		printf("{name=\"");
	for (const char *p = name; p && *p; p++) {
		if (*p == '\n')
			fputs("\\n", stdout);
		else
			printf("%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
	}
	printf("%s %.0f\n", name ? "\"}" : "", value);
}

static double value_of(const cJSON *item)
{
	return cJSON_IsNumber(item) ? item->valuedouble : cJSON_IsTrue(item);
}

static void put_metrics(const cJSON *status)
{
	const cJSON *item, *one;

	cJSON_ArrayForEach (item, status) {
		if (cJSON_IsString(item) && *item->valuestring)
			put_metric(item->string, item->valuestring, 1);
		else if (cJSON_IsNumber(item) || cJSON_IsBool(item))
			put_metric(item->string, NULL, value_of(item));
		else if (cJSON_IsObject(item))
			cJSON_ArrayForEach (one, item)
				put_metric(item->string, one->string, value_of(one));
	}
}

/* Whoever collects the metrics should be told that there is no daemon. */
static int print_metrics(void)
{
	_cleanup_(cJSON_Deletep) cJSON *status = NULL;
	int r = client_open();

	if (r == 0)
		status = status_read();
	if (!status && r != -ENOENT && r != -ECONNREFUSED)
		return EXIT_FAILURE;
	put_metric("up", NULL, status != NULL);
	put_metrics(status);
	printf("# EOF\n");
	return status ? 0 : EXIT_FAILURE;
}

/* ---- in all forms ---- */

int cmd_status(const struct command *command)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(cJSON_Deletep) cJSON *status = NULL;
	const char *json;

	if (option_given(command, OPTION_METRICS))
		return option_given(command, OPTION_JSON) ?
			       usage_error(command->verb, "--json and --metrics exclude each other") :
			       print_metrics();
	if (!option_given(command, OPTION_JSON)) {
		status = status_read();
		if (status)
			print_status(status);
		return status ? 0 : EXIT_FAILURE;
	}
	if (client_call(BUS_INTERFACE, "Status", &reply, "") || sd_bus_message_read(reply, "s", &json) < 0)
		return EXIT_FAILURE;
	return fputs(json, stdout) < 0 ? EXIT_FAILURE : 0;
}
