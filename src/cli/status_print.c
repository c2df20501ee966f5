/* SPDX-License-Identifier: GPL-2.0-only */
/* The status for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "status_reply.h"
#include "status_verdict.h"
#include "status_view.h"

/* Prints a dictionary of numbers as "name 12, name 3". */
static void put_counts(FILE *out, sd_bus_message *reply, const char *property, const char *label)
{
	const char *name, *separator = "";
	uint64_t value;

	if (!status_seek(reply, property, "a{st}") || sd_bus_message_at_end(reply, 0))
		return;
	fprintf(out, "%-10s ", label);
	for (; sd_bus_message_read(reply, "{st}", &name, &value) > 0; separator = ", ")
		fprintf(out, "%s%s %" PRIu64, separator, name, value);
	fprintf(out, "\n");
}

static void put_features(FILE *out, sd_bus_message *reply)
{
	const char *name, *separator = "";
	int has;

	if (!status_seek(reply, "Features", "a{sb}"))
		return;
	fprintf(out, "%-10s ", "kernel");
	for (; sd_bus_message_read(reply, "{sb}", &name, &has) > 0; separator = ", ")
		fprintf(out, "%s%s %s", separator, name, has ? "yes" : "no");
	fprintf(out, "\n");
}

static void put_problems(FILE *out, sd_bus_message *reply)
{
	const char *what;
	uint64_t times;

	if (!status_seek(reply, "Problems", "a{st}"))
		return;
	while (sd_bus_message_read(reply, "{st}", &what, &times) > 0)
		fprintf(out, "%-10s %" PRIu64 " x %s\n", "problem", times, what);
}

static void put_lines(FILE *out, sd_bus_message *reply, const char *property, const char *label)
{
	const char *line;

	if (!status_seek(reply, property, "as"))
		return;
	for (; sd_bus_message_read(reply, "s", &line) > 0; label = "")
		fprintf(out, "%-10s %s\n", label, line);
}

/* For a count that is worth a line only when it is not zero. */
static void put_if_any(FILE *out, sd_bus_message *reply, const char *property, const char *label,
		       const char *what)
{
	if (status_count(reply, property))
		fprintf(out, "%-10s %" PRIu64 " %s\n", label, status_count(reply, property), what);
}

static void put_running(FILE *out, sd_bus_message *reply)
{
	time_t since = (time_t)(status_count(reply, "SinceUsec") / 1000000);
	uint32_t pid = 0;
	struct tm local;
	char stamp[64];

	if (status_seek(reply, "Pid", "u"))
		sd_bus_message_read(reply, "u", &pid);
	localtime_r(&since, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	fprintf(out, "%-10s pid %u, version %s, since %s\n", "running", pid,
		status_text(reply, "Version"), stamp);
}

static bool is_said(sd_bus_message *reply, const char *property, const char *value)
{
	return strcmp(status_text(reply, property), value) == 0;
}

/* Ends the line of events by those that are heard only if something asks for them. */
static void put_traced(FILE *out, sd_bus_message *reply)
{
	if (is_said(reply, "CgroupMoves", "heard"))
		fprintf(out, ", move %" PRIu64, status_count(reply, "Moves"));
	if (is_said(reply, "AttributeChanges", "heard"))
		fprintf(out, ", change %" PRIu64, status_count(reply, "Changes"));
	fprintf(out, "\n");
	if (is_said(reply, "CgroupMoves", "polled"))
		fprintf(out, "%-10s between cgroups are not heard: see doctor\n", "moves");
	if (is_said(reply, "AttributeChanges", "unheard"))
		fprintf(out, "%-10s by others are not heard, so what is enforced has to wait: see doctor\n", "changes");
}

static void put_work(FILE *out, sd_bus_message *reply)
{
	fprintf(out, "%-10s %" PRIu64 " known\n", "tasks", status_count(reply, "Tasks"));
	put_counts(out, reply, "TasksByClass", "classes");
	put_counts(out, reply, "TasksByReason", "because");
	put_if_any(out, reply, "TasksLimited", "limited", "of them by a group or an override");
	put_if_any(out, reply, "Overrides", "overrides", "in force, asked for at run time");
	fprintf(out, "%-10s fork %" PRIu64 ", exec %" PRIu64 ", rename %" PRIu64, "events",
		status_count(reply, "Forks"), status_count(reply, "Execs"),
		status_count(reply, "Renames"));
	put_traced(out, reply);
	fprintf(out, "%-10s set %" PRIu64 ", too late %" PRIu64 ", not kept %" PRIu64 "\n",
		"actions", status_count(reply, "Set"), status_count(reply, "Races"),
		status_count(reply, "NotKept"));
	put_if_any(out, reply, "PutBack", "put back", "times, what somebody had changed on a task that is enforced");
	put_counts(out, reply, "PutBackFrom", "by");
	put_if_any(out, reply, "Fights", "fights", "times a task was left for 10 s to who changed it again and again");
	put_counts(out, reply, "Refused", "refused");
	fprintf(out, "%-10s %" PRIu64 " times, scans %" PRIu64 "\n", "lost",
		status_count(reply, "Lost"), status_count(reply, "Scans"));
	put_if_any(out, reply, "Unread", "unread",
		   "processes keep whoever reads their arguments waiting: see doctor");
	put_if_any(out, reply, "Foreign", "foreign", "datagrams that are not the kernel's");
	put_if_any(out, reply, "LogLost", "log", "lines lost, since nobody took them");
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

static void put_verdict(FILE *out, sd_bus_message *reply)
{
	struct status_summary summary = {
		.lost = status_count(reply, "Lost"),
		.refused = status_sum(reply, "Refused", NULL),
		.not_kept = status_count(reply, "NotKept"),
		.receive_errors = status_count(reply, "ReceiveErrors"),
		.unread = status_count(reply, "Unread"),
		.log_lost = status_count(reply, "LogLost"),
		.unknown_users = count_lines(reply, "PendingUsers"),
		.knobs_refused = count_lines(reply, "KnobRefusals"),
		.reload_refused = *status_text(reply, "ReloadError"),
		.suspended = status_flag(reply, "Suspended"),
		.crash_safe = status_flag(reply, "CrashSafe"),
	};
	char verdict[512];

	summary.tasks = status_sum(reply, "TasksByClass", &summary.classes);
	status_sum(reply, "Problems", &summary.problems);
	fprintf(out, "%s\n", status_verdict(&summary, verdict, sizeof(verdict)));
}

void status_print(FILE *out, sd_bus_message *reply)
{
	const char *error, *profile;

	put_verdict(out, reply);
	put_running(out, reply);
	put_features(out, reply);
	fprintf(out, "%-10s %" PRIu64 " in force\n", "rules", status_count(reply, "Rules"));
	fprintf(out, "%-10s %s\n", "mapping", status_text(reply, "Mapping"));
	put_lines(out, reply, "ConfigFiles", "files");
	put_lines(out, reply, "PendingUsers", "not known");
	put_work(out, reply);
	fprintf(out, "%-10s %" PRIu64 " done, %" PRIu64 " refused\n", "reloads",
		status_count(reply, "Reloads"), status_count(reply, "ReloadsFailed"));
	error = status_text(reply, "ReloadError");
	if (*error)
		fprintf(out, "%-10s %s\n", "", error);
	profile = status_text(reply, "SchedProfile");
	fprintf(out, "%-10s %s\n", "profile", *profile ? profile : "(none)");
	put_lines(out, reply, "KnobRefusals", "refused");
	if (!status_flag(reply, "CrashSafe"))
		fprintf(out, "%-10s no\n", "crash-safe");
	put_problems(out, reply);
	fprintf(out, "%-10s %.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n", "cost",
		(double)status_count(reply, "CpuUsec") / 1e6,
		(double)status_count(reply, "ResidentBytes") / 1048576,
		(double)status_count(reply, "TableBytes") / 1024);
}
