/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows the daemon's status: in words, as the JSON that it sends, or as OpenMetrics. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "verb.h"
#include "words.h"

/* ---- words ---- */

#define WELL "!reload_error !lost !refused !not_kept !pending_users !unread !log_lost crash_safe !problems"

static const struct sentence whether_well[] = {
	{ WELL, NULL, "well: " },
	{ "else", NULL, "not well: " },
	{ 0 },
};

/* The rest of the first line, after the number of tasks. Counts are since the daemon's start. */
static const struct sentence what_is_wrong[] = {
	{ WELL, NULL, ", nothing lost, nothing refused" },
	{ "reload_error", NULL, ", the last reload was refused" },
	{ "lost", NULL, ", events were lost (<lost> x)" },
	{ "refused", NULL, ", the kernel refused what is named below" },
	{ "not_kept", NULL, ", the kernel did not keep what was set (<not_kept> x)" },
	{ "pending_users", NULL, ", a user is not known" },
	{ "unread", NULL, ", a process cannot be read (<unread> x)" },
	{ "log_lost", NULL, ", a line of the log was lost (<log_lost> x)" },
	{ "!crash_safe", NULL, ", a crash could not be repaired" },
	{ "problems", NULL, ", there is a problem, see below" },
	/* No fault: few machines have every knob of a profile. */
	{ "knob_refusals", NULL, "; some knobs of the profile could not be set" },
	{ 0 },
};

/* The lines after the one with the start time. */
static const struct sentence details[] = {
	{ "features", "kernel", "<features>" },
	{ "pid", "rules", "<rules> in force" },
	{ "pid", "mapping", "<mapping> (<mapping_source>)" },
	{ "config_files", "files", "<config_files>" },
	{ "pending_users", "not known", "<pending_users>" },
	{ "pid", "tasks", "<tasks> known" },
	{ "tasks_by_class", "classes", "<tasks_by_class>" },
	{ "tasks_by_reason", "because", "<tasks_by_reason>" },
	{ "tasks_limited", "limited", "<tasks_limited> of them by a group or an override, or hidden" },
	{ "apps_focused", "focused", "<apps_focused> apps, or played" },
	{ "apps_hidden", "hidden", "<apps_hidden> apps" },
	{ "overrides", "overrides", "<overrides> in force, asked for at run time" },
	{ "pid", "events",
	  "fork <forks>, exec <execs>, rename <renames>, move <moves>, change <changes>; lost <lost> times, scans <scans>" },
	{ "pid", "actions", "set <set>, too late <races>, not kept <not_kept>" },
	{ "accounting", "counted", "what classes use, of living tasks and <ended> that ended; records lost <ended_lost> times" },
	{ "put_back", "put back", "<put_back> times, what somebody had changed on a task that is enforced" },
	{ "refused", "refused", "<refused>" },
	{ "reload_error", "reload", "refused: <reload_error>" },
	{ "sched_profile", "profile", "<sched_profile>" },
	{ "else", "profile", "(none)" },
	{ "knob_refusals", "refused", "<knob_refusals>" },
	{ 0 },
};

static void print_status(const cJSON *status)
{
	const struct about about = { { status } };
	const uint64_t tasks = member_sum(status, "tasks_by_class");
	const int n_classes = cJSON_GetArraySize(member(status, "tasks_by_class"));
	time_t since = (time_t)(member_count(status, "since_usec") / 1000000);
	const cJSON *problem;
	struct tm local;
	char stamp[64];

	words_say(&about, whether_well);
	printf("%" PRIu64 " task%s in %d class%s", tasks, tasks == 1 ? "" : "s", n_classes, n_classes == 1 ? "" : "es");
	words_say(&about, what_is_wrong);
	localtime_r(&since, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	printf("\n" LABEL "pid %" PRIu64 ", version %s, since %s", "running", member_count(status, "pid"),
	       member_text(status, "version"), stamp);
	words_say(&about, details);
	cJSON_ArrayForEach (problem, member(status, "problems"))
		printf("\n" LABEL "%.0f x %s", "problem", problem->valuedouble, problem->string);
	printf("\n" LABEL "%.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n", "cost",
	       (double)member_count(status, "cpu_usec") / 1e6, (double)member_count(status, "resident_bytes") / 1048576,
	       (double)member_count(status, "table_bytes") / 1024);
}

/*
 * ---- OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec): keys of the JSON are names of metrics ----
 */

/* Prints a label, and escapes the quote, the backslash and the newline in its value. */
static void put_label(const char *label, const char *value)
{
	printf("{%s=\"", label);
	for (const char *p = value; *p; p++) {
		if (*p == '\n')
			fputs("\\n", stdout);
		else
			printf("%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
	}
	printf("\"}");
}

/* Prints one metric. name is the value of its label; NULL for none. */
static void put_metric(const char *key, const char *name, double value)
{
	printf("schedqos_%s", key);
	if (name)
		put_label("name", name);
	printf(" %.0f\n", value);
}

/* Prints the use of classes as counters in seconds. Returns false for any other key. */
static bool put_counters(const cJSON *item)
{
	static const struct {
		const char *key, *name, *help;
	} counters[] = {
		{ "cpu_usec_by_class", "cpu", "CPU time of tasks, ended ones included." },
		{ "delay_usec_by_class", "delay", "Time that tasks were ready to run but waited for a CPU." },
	};
	const cJSON *class;

	for (size_t i = 0; i < array_size(counters); i++) {
		if (strcmp(item->string, counters[i].key) != 0)
			continue;
		printf("# TYPE schedqos_%s_seconds counter\n# UNIT schedqos_%s_seconds seconds\n", counters[i].name,
		       counters[i].name);
		printf("# HELP schedqos_%s_seconds %s\n", counters[i].name, counters[i].help);
		cJSON_ArrayForEach (class, item) {
			printf("schedqos_%s_seconds_total", counters[i].name);
			put_label("class", class->string);
			printf(" %.6f\n", class->valuedouble / 1e6);
		}
		return true;
	}
	return false;
}

static double value_of(const cJSON *item)
{
	return cJSON_IsNumber(item) ? item->valuedouble : cJSON_IsTrue(item);
}

static void put_metrics(const cJSON *status)
{
	const cJSON *item, *one;

	cJSON_ArrayForEach (item, status) {
		if (put_counters(item))
			continue;
		if (cJSON_IsString(item) && *item->valuestring)
			put_metric(item->string, item->valuestring, 1);
		else if (cJSON_IsNumber(item) || cJSON_IsBool(item))
			put_metric(item->string, NULL, value_of(item));
		else if (cJSON_IsObject(item))
			cJSON_ArrayForEach (one, item)
				put_metric(item->string, one->string, value_of(one));
	}
}

/* Prints all metrics. Reports also that no daemon runs, as `up`. */
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

/* ---- the verb ---- */

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
