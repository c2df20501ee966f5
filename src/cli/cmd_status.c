/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "status.h"
#include "verb.h"

/* ---- for people ---- */

/* Prints a dictionary of numbers as "name 12, name 3". */
static void put_counts(sd_bus_message *reply, const char *property, const char *label)
{
	const char *name, *separator = "";
	uint64_t value;

	if (!status_seek(reply, property, "a{st}") || sd_bus_message_at_end(reply, 0))
		return;
	printf("%-10s ", label);
	for (; sd_bus_message_read(reply, "{st}", &name, &value) > 0; separator = ", ")
		printf("%s%s %" PRIu64, separator, name, value);
	printf("\n");
}

static void put_features(sd_bus_message *reply)
{
	const char *name, *separator = "";
	int has;

	if (!status_seek(reply, "Features", "a{sb}"))
		return;
	printf("%-10s ", "kernel");
	for (; sd_bus_message_read(reply, "{sb}", &name, &has) > 0; separator = ", ")
		printf("%s%s %s", separator, name, has ? "yes" : "no");
	printf("\n");
}

static void put_problems(sd_bus_message *reply)
{
	const char *what;
	uint64_t times;

	if (!status_seek(reply, "Problems", "a{st}"))
		return;
	while (sd_bus_message_read(reply, "{st}", &what, &times) > 0)
		printf("%-10s %" PRIu64 " x %s\n", "problem", times, what);
}

static void put_lines(sd_bus_message *reply, const char *property, const char *label)
{
	const char *line;

	if (!status_seek(reply, property, "as"))
		return;
	for (; sd_bus_message_read(reply, "s", &line) > 0; label = "")
		printf("%-10s %s\n", label, line);
}

/* For a count that is worth a line only when it is not zero. */
static void put_if_any(sd_bus_message *reply, const char *property, const char *label,
		       const char *what)
{
	if (status_count(reply, property))
		printf("%-10s %" PRIu64 " %s\n", label, status_count(reply, property), what);
}

static void put_running(sd_bus_message *reply)
{
	time_t since = (time_t)(status_count(reply, "SinceUsec") / 1000000);
	uint32_t pid = 0;
	struct tm local;
	char stamp[64];

	if (status_seek(reply, "Pid", "u"))
		sd_bus_message_read(reply, "u", &pid);
	localtime_r(&since, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	printf("%-10s pid %u, version %s, since %s\n", "running", pid,
		status_text(reply, "Version"), stamp);
}

static bool is_said(sd_bus_message *reply, const char *property, const char *value)
{
	return strcmp(status_text(reply, property), value) == 0;
}

/* Ends the line of events by those that are heard only if something asks for them. */
static void put_traced(sd_bus_message *reply)
{
	if (is_said(reply, "CgroupMoves", "heard"))
		printf(", move %" PRIu64, status_count(reply, "Moves"));
	if (is_said(reply, "AttributeChanges", "heard"))
		printf(", change %" PRIu64, status_count(reply, "Changes"));
	printf("\n");
	if (is_said(reply, "CgroupMoves", "polled"))
		printf("%-10s between cgroups are not heard: see doctor\n", "moves");
	if (is_said(reply, "AttributeChanges", "polled"))
		printf("%-10s by others are not heard, so what is enforced is looked at once a second: see doctor\n",
		       "changes");
}

static void put_work(sd_bus_message *reply)
{
	printf("%-10s %" PRIu64 " known\n", "tasks", status_count(reply, "Tasks"));
	put_counts(reply, "TasksByClass", "classes");
	put_counts(reply, "TasksByReason", "because");
	put_if_any(reply, "TasksLimited", "limited", "of them by a group or an override");
	put_if_any(reply, "Overrides", "overrides", "in force, asked for at run time");
	printf("%-10s fork %" PRIu64 ", exec %" PRIu64 ", rename %" PRIu64, "events",
		status_count(reply, "Forks"), status_count(reply, "Execs"),
		status_count(reply, "Renames"));
	put_traced(reply);
	printf("%-10s set %" PRIu64 ", too late %" PRIu64 ", not kept %" PRIu64 "\n",
		"actions", status_count(reply, "Set"), status_count(reply, "Races"),
		status_count(reply, "NotKept"));
	put_if_any(reply, "PutBack", "put back", "times, what somebody had changed on a task that is enforced");
	put_counts(reply, "Refused", "refused");
	printf("%-10s %" PRIu64 " times, scans %" PRIu64 "\n", "lost",
		status_count(reply, "Lost"), status_count(reply, "Scans"));
	put_if_any(reply, "Unread", "unread",
		   "processes keep whoever reads their arguments waiting");
	put_if_any(reply, "Foreign", "foreign", "datagrams that are not the kernel's");
	put_if_any(reply, "LogLost", "log", "lines lost, since nobody took them");
}

static uint64_t count_lines(sd_bus_message *reply, const char *property)
{
	const char *line;
	uint64_t count = 0;

	if (status_seek(reply, property, "as")) {
		while (sd_bus_message_read(reply, "s", &line) > 0)
			count++;
	}
	return count;
}

/* Whether all is well, in one line. Counts are since the daemon's start. */
static void put_verdict(sd_bus_message *reply)
{
	uint64_t classes, problems;
	const uint64_t tasks = status_sum(reply, "TasksByClass", &classes), refused = status_sum(reply, "Refused", NULL);
	const struct {
		uint64_t count;
		const char *one, *before, *after; /* of several: before, their number, after; NULL: yes or no */
	} wrong[] = {
		{ *status_text(reply, "ReloadError"), "the last reload was refused", NULL, NULL },
		{ status_count(reply, "Lost"), "events were lost once", "events were lost ", " times" },
		{ status_count(reply, "ReceiveErrors"), "events could not be received once",
		  "events could not be received ", " times" },
		{ refused, "the kernel refused once", "the kernel refused ", " times" },
		{ status_count(reply, "NotKept"), "the kernel did not keep what was set once",
		  "the kernel did not keep what was set ", " times" },
		{ count_lines(reply, "PendingUsers"), "1 user is not known", "", " users are not known" },
		{ status_count(reply, "Unread"), "1 process cannot be read", "", " processes cannot be read" },
		{ status_count(reply, "LogLost"), "1 line of the log was lost", "", " lines of the log were lost" },
		{ !status_flag(reply, "CrashSafe"), "a crash could not be repaired", NULL, NULL },
		{ (status_sum(reply, "Problems", &problems), problems), "1 problem below", "", " problems below" },
	};
	bool is_well = true;

	for (size_t i = 0; i < array_size(wrong); i++) {
		if (!wrong[i].count)
			continue;
		printf("%s", is_well ? "not well: " : ", ");
		if (wrong[i].count == 1 || !wrong[i].before)
			printf("%s", wrong[i].one);
		else
			printf("%s%" PRIu64 "%s", wrong[i].before, wrong[i].count, wrong[i].after);
		is_well = false;
	}
	/* Few machines have every knob of a profile, so that is nothing amiss. */
	printf("%s%" PRIu64 " task%s in %" PRIu64 " class%s%s%s\n", is_well ? "well: " : "; ", tasks, tasks == 1 ? "" : "s",
	       classes, classes == 1 ? "" : "es", is_well ? ", nothing lost, nothing refused" : "",
	       count_lines(reply, "KnobRefusals") ? "; some knobs of the profile could not be set" : "");
}

static void print_status(sd_bus_message *reply)
{
	const char *error, *profile;

	put_verdict(reply);
	put_running(reply);
	put_features(reply);
	printf("%-10s %" PRIu64 " in force\n", "rules", status_count(reply, "Rules"));
	printf("%-10s %s", "mapping", status_text(reply, "Mapping"));
	printf(" (%s)\n", status_text(reply, "MappingSource"));
	put_lines(reply, "ConfigFiles", "files");
	put_lines(reply, "PendingUsers", "not known");
	put_work(reply);
	printf("%-10s %" PRIu64 " done, %" PRIu64 " refused\n", "reloads",
		status_count(reply, "Reloads"), status_count(reply, "ReloadsFailed"));
	error = status_text(reply, "ReloadError");
	if (*error)
		printf("%-10s %s\n", "", error);
	profile = status_text(reply, "SchedProfile");
	printf("%-10s %s\n", "profile", *profile ? profile : "(none)");
	put_lines(reply, "KnobRefusals", "refused");
	if (!status_flag(reply, "CrashSafe"))
		printf("%-10s no\n", "crash-safe");
	put_problems(reply);
	printf("%-10s %.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n", "cost",
		(double)status_count(reply, "CpuUsec") / 1e6,
		(double)status_count(reply, "ResidentBytes") / 1048576,
		(double)status_count(reply, "TableBytes") / 1024);
}

/* ---- in all forms ---- */

static int print_json(sd_bus_message *reply)
{
	_cleanup_free_ char *json = NULL;
	int r = status_json(reply, &json);

	if (r < 0)
		log_error("what the daemon says: %s", strerror(-r));
	return r < 0 || fputs(json, stdout) < 0 ? EXIT_FAILURE : 0;
}

/* Whoever collects the metrics should be told that there is no daemon. */
static int print_metrics(void)
{
	sd_bus_message *reply = NULL;
	sd_bus *bus = NULL;
	int r = client_open(&bus);

	if (r == 0)
		reply = status_read(bus);
	if (reply || r == -ENOENT || r == -ECONNREFUSED)
		status_metrics(stdout, reply);
	sd_bus_message_unref(reply);
	sd_bus_flush_close_unref(bus);
	return reply ? 0 : EXIT_FAILURE;
}

static int print_once(bool as_json)
{
	sd_bus_message *reply;
	int status = EXIT_FAILURE;
	sd_bus *bus;

	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	reply = status_read(bus);
	if (reply && as_json)
		status = print_json(reply);
	else if (reply) {
		print_status(reply);
		status = 0;
	}
	sd_bus_message_unref(reply);
	sd_bus_flush_close_unref(bus);
	return status;
}

int cmd_status(const struct command *command)
{
	const bool as_json = option_given(command, OPTION_JSON), as_metrics = option_given(command, OPTION_METRICS);

	if (as_json && as_metrics)
		return usage_error(command->verb, "--json and --metrics exclude each other");
	return as_metrics ? print_metrics() : print_once(as_json);
}
