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

/* Completes the first line, after the number of tasks. Counts are since the daemon's start. */
static void print_faults(const cJSON *status)
{
	if (member_flag(status, "well"))
		printf(", nothing lost, nothing refused");
	if (member_holds(status, "reload_error"))
		printf(", the last reload was refused");
	if (member_holds(status, "lost"))
		printf(", events were lost (%" PRIu64 " x)", member_count(status, "lost"));
	if (member_holds(status, "refused"))
		printf(", the kernel refused some attributes, see below");
	if (member_holds(status, "not_kept"))
		printf(", the kernel did not keep what was set (%" PRIu64 " x)", member_count(status, "not_kept"));
	if (member_holds(status, "pending_users"))
		printf(", a user named in rules is not known yet");
	if (member_holds(status, "log_lost"))
		printf(", a line of the log was lost (%" PRIu64 " x)", member_count(status, "log_lost"));
	/* No faults: any user can cause these. */
	if (member_holds(status, "unread"))
		printf("; a process cannot be read (%" PRIu64 " x)", member_count(status, "unread"));
	if (member_holds(status, "problems"))
		printf("%s there is a problem, see below", member_flag(status, "well") ? ";" : ",");
	/* No fault: few machines have every knob of a profile. */
	if (member_holds(status, "knob_refusals"))
		printf("; some knobs of the profile could not be set");
}

/* Prints a line with the value of the member, if that holds. */
static void print_value(const cJSON *status, const char *label, const char *key)
{
	if (!member_holds(status, key))
		return;
	words_line(label, "%s", "");
	words_value(member(status, key));
}

/* Prints a line with a count, if there is one. */
static void print_count(const cJSON *status, const char *label, const char *key, const char *text)
{
	if (member_holds(status, key))
		words_line(label, "%" PRIu64 " %s", member_count(status, key), text);
}

/* Prints the lines after the one with the start time. */
static void print_details(const cJSON *status)
{
	print_value(status, "kernel", "features");
	words_line("rules", "%" PRIu64 " in force", member_count(status, "rules"));
	words_line("mapping", "%s (%s)", member_text(status, "mapping"), member_text(status, "mapping_source"));
	print_value(status, "files", "config_files");
	print_value(status, "not known", "pending_users");
	words_line("tasks", "%" PRIu64 " known", member_count(status, "tasks"));
	print_value(status, "classes", "tasks_by_class");
	print_value(status, "because", "tasks_by_reason");
	print_count(status, "limited", "tasks_limited", "tasks, by a group, an override or hidden windows");
	print_count(status, "focused", "apps_focused", "apps, or games");
	print_count(status, "hidden", "apps_hidden", "apps");
	print_count(status, "overrides", "overrides", "in force, requested at run time");
	words_line("events",
		   "fork %" PRIu64 ", exec %" PRIu64 ", rename %" PRIu64 ", move %" PRIu64 ", change %" PRIu64
		   "; lost %" PRIu64 " times, scans %" PRIu64,
		   member_count(status, "forks"), member_count(status, "execs"), member_count(status, "renames"),
		   member_count(status, "moves"), member_count(status, "changes"), member_count(status, "lost"),
		   member_count(status, "scans"));
	words_line("actions", "set %" PRIu64 ", too late %" PRIu64 ", not kept %" PRIu64, member_count(status, "set"),
		   member_count(status, "races"), member_count(status, "not_kept"));
	if (member_holds(status, "accounting"))
		words_line("counted",
			   "the use of each class, by living tasks and %" PRIu64 " that ended; records lost %" PRIu64
			   " times",
			   member_count(status, "ended"), member_count(status, "ended_lost"));
	print_count(status, "put back", "put_back", "times, after others had changed tasks of rules that enforce");
	print_value(status, "refused", "refused");
	if (member_holds(status, "reload_error"))
		words_line("reload", "refused: %s", member_text(status, "reload_error"));
	words_line("profile", "%s",
		   member_holds(status, "sched_profile") ? member_text(status, "sched_profile") : "(none)");
	print_value(status, "knobs", "knob_refusals");
}

static void print_status(const cJSON *status)
{
	const uint64_t tasks = member_sum(status, "tasks_by_class");
	const int n_classes = cJSON_GetArraySize(member(status, "tasks_by_class"));
	time_t since = (time_t)(member_count(status, "since_usec") / 1000000);
	const cJSON *problem;
	struct tm local;
	char stamp[64];

	printf("%s: %" PRIu64 " task%s in %d class%s",
	       !member(status, "well")	     ? "a daemon of an earlier version"
	       : member_flag(status, "well") ? "well"
					     : "not well",
	       tasks, tasks == 1 ? "" : "s", n_classes, n_classes == 1 ? "" : "es");
	print_faults(status);
	localtime_r(&since, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	words_line("running", "pid %" PRIu64 ", version %s, since %s", member_count(status, "pid"),
		   member_text(status, "version"), stamp);
	print_details(status);
	cJSON_ArrayForEach (problem, member(status, "problems"))
		words_line("problem", "%.0f x %s", problem->valuedouble, problem->string);
	words_line("cost", "%.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n",
		   (double)member_count(status, "cpu_usec") / 1e6,
		   (double)member_count(status, "resident_bytes") / 1048576,
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
static bool put_class_counters(const cJSON *item)
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
		if (put_class_counters(item))
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
	if (r < 0 && r != -ENOENT && r != -ECONNREFUSED)
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
		return option_given(command, OPTION_JSON)
			       ? usage_error(command->verb, "--json and --metrics cannot be combined")
			       : print_metrics();
	if (!option_given(command, OPTION_JSON)) {
		status = status_read();
		if (status)
			print_status(status);
		return status ? 0 : EXIT_FAILURE;
	}
	if (client_call(BUS_INTERFACE, "Status", &reply, "") || sd_bus_message_read(reply, "s", &json) < 0)
		return EXIT_FAILURE;
	return client_print_json(json);
}
