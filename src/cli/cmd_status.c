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

static void put_problems(const cJSON *status)
{
	const cJSON *item;

	cJSON_ArrayForEach (item, cJSON_GetObjectItem(status, "problems"))
		printf(LABEL "%.0f x %s\n", "problem", item->valuedouble, item->string);
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

/* Ends the line of events by those that are heard only if something asks for them. */
static void put_traced(const cJSON *status)
{
	if (member_is(status, "cgroup_moves", "heard"))
		printf(", move %" PRIu64, member_count(status, "moves"));
	if (member_is(status, "attribute_changes", "heard"))
		printf(", change %" PRIu64, member_count(status, "changes"));
	printf("\n");
	if (member_is(status, "cgroup_moves", "polled"))
		printf(LABEL "between cgroups are not heard: see doctor\n", "moves");
	if (member_is(status, "attribute_changes", "polled"))
		printf(LABEL "by others are not heard, so what is enforced is looked at once a second: see doctor\n", "changes");
}

/* What goes by the service manager, on which the daemon itself has no hold. */
static void put_units(const cJSON *status)
{
	const uint64_t classes = member_count(status, "unit_classes");

	if (!cJSON_GetObjectItem(status, "weights")) {
		printf(LABEL "units have none: no \"schedqos weights\" runs, or its manager does not answer\n", "weights");
		return;
	}
	printf(LABEL "%" PRIu64 " units have one", "weights", member_count(status, "weights"));
	if (classes)
		printf(", %" PRIu64 " give a class", classes);
	printf("\n");
}

static void put_work(const cJSON *status)
{
	printf(LABEL "%" PRIu64 " known\n", "tasks", member_count(status, "tasks"));
	put_members(status, "tasks_by_class", "classes");
	put_members(status, "tasks_by_reason", "because");
	put_if_any(status, "tasks_limited", "limited", "of them by a group or an override");
	put_if_any(status, "overrides", "overrides", "in force, asked for at run time");
	put_units(status);
	printf(LABEL "fork %" PRIu64 ", exec %" PRIu64 ", rename %" PRIu64, "events", member_count(status, "forks"),
	       member_count(status, "execs"), member_count(status, "renames"));
	put_traced(status);
	printf(LABEL "set %" PRIu64 ", too late %" PRIu64 ", not kept %" PRIu64 "\n", "actions", member_count(status, "set"),
	       member_count(status, "races"), member_count(status, "not_kept"));
	put_if_any(status, "put_back", "put back", "times, what somebody had changed on a task that is enforced");
	put_members(status, "refused", "refused");
	printf(LABEL "%" PRIu64 " times, scans %" PRIu64 "\n", "lost", member_count(status, "lost"), member_count(status, "scans"));
	put_if_any(status, "unread", "unread", "processes keep whoever reads their arguments waiting");
	put_if_any(status, "foreign", "foreign", "datagrams that are not the kernel's");
	put_if_any(status, "log_lost", "log", "lines lost, since nobody took them");
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
		{ member_count(status, "receive_errors"), "events could not be received" },
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

	put_verdict(status);
	put_running(status);
	put_members(status, "features", "kernel");
	printf(LABEL "%" PRIu64 " in force\n", "rules", member_count(status, "rules"));
	printf(LABEL "%s (%s)\n", "mapping", member_text(status, "mapping"), member_text(status, "mapping_source"));
	put_lines(status, "config_files", "files");
	put_lines(status, "pending_users", "not known");
	put_work(status);
	printf(LABEL "%" PRIu64 " done, %" PRIu64 " refused\n", "reloads", member_count(status, "reloads"),
	       member_count(status, "reloads_failed"));
	if (*error)
		printf(LABEL "%s\n", "", error);
	printf(LABEL "%s\n", "profile", *profile ? profile : "(none)");
	put_lines(status, "knob_refusals", "refused");
	if (!member_flag(status, "crash_safe"))
		printf(LABEL "no\n", "crash-safe");
	put_problems(status);
	printf(LABEL "%.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n", "cost", (double)member_count(status, "cpu_usec") / 1e6,
	       (double)member_count(status, "resident_bytes") / 1048576, (double)member_count(status, "table_bytes") / 1024);
}

/* ---- OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec) ---- */

/*
 * Types are those that the older Prometheus text format has as well, since that is what node_exporter's textfile
 * collector reads. A name that ends in a unit is of that unit; seconds are microseconds in the status.
 */
static const struct metric {
	const char *name, *key;
	const char *label; /* of texts and of counts by name; NULL: a number, or whether it is so */
	const char *help;
} gauges[] = {
	{ "version", "version", "version", "The daemon's version." },
	{ "mapping", "mapping", "mapping", "The mapping in force." },
	{ "sched_profile", "sched_profile", "profile", "The sched profile that is applied." },
	{ "start_time_seconds", "since_usec", NULL, "When the daemon was ready, since 1970." },
	{ "rules", "rules", NULL, "Rules in force." },
	{ "tasks_known", "tasks", NULL, "Tasks known, those that are left alone included." },
	{ "tasks_limited", "tasks_limited", NULL,
	  "Tasks in a lower class than their rule's, since a group or an override says so." },
	{ "overrides", "overrides", NULL, "Classes and limits asked for at run time." },
	{ "unit_weights", "weights", NULL, "Units that have a cpu weight of ours." },
	{ "unread_processes", "unread", NULL, "Processes whose arguments cannot be read." },
	{ "resident_bytes", "resident_bytes", NULL, "Memory of the daemon." },
	{ "table_bytes", "table_bytes", NULL, "Memory of the daemon's table of tasks." },
	{ "crash_safe", "crash_safe", NULL, "Whether a crash could be repaired now." },
	{ "last_reload_refused", "reload_error", NULL, "Whether the last reload was refused." },
	{ "tasks", "tasks_by_class", "class", "Tasks by the class that they carry." },
	{ "tasks_by_reason", "tasks_by_reason", "reason", "Tasks by why they are in their class, or left alone." },
}, counters[] = {
	{ "cpu_seconds", "cpu_usec", NULL, "Processor time of the daemon." },
	{ "forks", "forks", NULL, "Forks heard of." },
	{ "execs", "execs", NULL, "Execs heard of." },
	{ "renames", "renames", NULL, "Renames heard of." },
	{ "moves", "moves", NULL, "Moves between cgroups heard of." },
	{ "changes", "changes", NULL, "Changes of attributes by others heard of." },
	{ "put_back", "put_back", NULL, "Changes by others that were put back on tasks that are enforced." },
	{ "lost", "lost", NULL, "Times that the kernel dropped events." },
	{ "receive_errors", "receive_errors", NULL, "Times that receiving events failed in another way." },
	{ "rename_floods", "rename_floods", NULL, "Times that renames were left unheard for a while." },
	{ "scans", "scans", NULL, "Times that every task was looked at." },
	{ "set", "set", NULL, "Times that attributes were set and read back as wanted." },
	{ "races", "races", NULL, "Times that a task was gone before it could be changed." },
	{ "not_kept", "not_kept", NULL, "Times that something else was read back than was set." },
	{ "foreign_datagrams", "foreign", NULL, "Datagrams that did not come from the kernel." },
	{ "log_lines_lost", "log_lost", NULL, "Lines of the log that nobody took." },
	{ "reloads", "reloads", NULL, "Reloads done." },
	{ "reloads_refused", "reloads_failed", NULL, "Reloads refused." },
	{ "refused", "refused", "error", "Times that the kernel refused attributes, by the error." },
	{ "problems", "problems", "problem", "Problems, by what went wrong last of their kind." },
};

static bool ends_in(const char *text, const char *end)
{
	const size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && strcmp(text + len - end_len, end) == 0;
}

static void put_head(const char *name, const char *type, const char *help)
{
	printf("# TYPE schedqos_%s %s\n", name, type);
	if (ends_in(name, "_seconds") || ends_in(name, "_bytes"))
		printf("# UNIT schedqos_%s %s\n", name, strrchr(name, '_') + 1);
	printf("# HELP schedqos_%s %s\n", name, help);
}

/* In a label's value the quote, the backslash and the newline are escaped. */
static void put_labelled(const char *name, const char *suffix, const char *label, const char *text, double value)
{
	printf("schedqos_%s%s{%s=\"", name, suffix, label);
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", stdout);
		else
			printf("%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
	}
	printf("\"} %.0f\n", value);
}

/* A text, where a number is wanted, counts as whether there is one. */
static double value_of(const cJSON *item)
{
	return cJSON_IsString(item) ? *item->valuestring != '\0' : cJSON_IsNumber(item) ? item->valuedouble : cJSON_IsTrue(item);
}

static void put_metrics(const cJSON *status, const char *type, const char *suffix, const struct metric *metrics, size_t n)
{
	for (const struct metric *metric = metrics; metric < metrics + n; metric++) {
		const cJSON *item = cJSON_GetObjectItem(status, metric->key), *one;

		put_head(metric->name, type, metric->help);
		if (metric->label && cJSON_IsString(item))
			put_labelled(metric->name, suffix, metric->label, item->valuestring, 1);
		else if (metric->label)
			cJSON_ArrayForEach (one, item)
				put_labelled(metric->name, suffix, metric->label, one->string, one->valuedouble);
		else if (ends_in(metric->name, "_seconds"))
			printf("schedqos_%s%s %.6f\n", metric->name, suffix, value_of(item) / 1e6);
		else
			printf("schedqos_%s%s %.0f\n", metric->name, suffix, value_of(item));
	}
}

/* Whoever collects the metrics should be told that there is no daemon. */
static int print_metrics(void)
{
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	_cleanup_(cJSON_Deletep) cJSON *status = NULL;
	int r = client_open(&bus);

	if (r == 0)
		status = status_read(bus);
	if (!status && r != -ENOENT && r != -ECONNREFUSED)
		return EXIT_FAILURE;
	put_head("up", "gauge", "Whether the daemon runs.");
	printf("schedqos_up %d\n", status != NULL);
	if (status) {
		put_metrics(status, "gauge", "", gauges, array_size(gauges));
		put_metrics(status, "counter", "_total", counters, array_size(counters));
	}
	printf("# EOF\n");
	return status ? 0 : EXIT_FAILURE;
}

/* ---- in all forms ---- */

int cmd_status(const struct command *command)
{
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(cJSON_Deletep) cJSON *status = NULL;
	const char *json;

	if (option_given(command, OPTION_METRICS))
		return option_given(command, OPTION_JSON) ?
			       usage_error(command->verb, "--json and --metrics exclude each other") :
			       print_metrics();
	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	if (!option_given(command, OPTION_JSON)) {
		status = status_read(bus);
		if (status)
			print_status(status);
		return status ? 0 : EXIT_FAILURE;
	}
	if (client_call(bus, BUS_INTERFACE, "Status", &reply, "") || sd_bus_message_read(reply, "s", &json) < 0)
		return EXIT_FAILURE;
	return fputs(json, stdout) < 0 ? EXIT_FAILURE : 0;
}
