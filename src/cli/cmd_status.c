/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "status_json.h"
#include "verb.h"

/* All properties. NULL after logging what went wrong. */
static sd_bus_message *read_status(sd_bus *bus)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	int r = sd_bus_call_method(bus, NULL, BUS_PATH, "org.freedesktop.DBus.Properties", "GetAll",
				   &error, &reply, "s", BUS_STATUS_INTERFACE);

	if (r < 0)
		log_error("asking the daemon: %s", error.message ? error.message : strerror(-r));
	sd_bus_error_free(&error);
	return reply;
}

/* Moves to a property's value, an array's first item, for the next read. False if there is no such property. */
static bool seek_property(sd_bus_message *reply, const char *property, const char *type)
{
	const char *name;

	if (sd_bus_message_rewind(reply, true) < 0 || sd_bus_message_enter_container(reply, 'a', "{sv}") < 0)
		return false;
	while (sd_bus_message_enter_container(reply, 'e', "sv") > 0 && sd_bus_message_read(reply, "s", &name) > 0) {
		if (strcmp(name, property) == 0)
			return sd_bus_message_enter_container(reply, 'v', type) > 0 &&
			       (*type != 'a' || sd_bus_message_enter_container(reply, 'a', type + 1) > 0);
		if (sd_bus_message_skip(reply, "v") < 0 || sd_bus_message_exit_container(reply) < 0)
			break;
	}
	return false;
}

static unsigned long long count(sd_bus_message *reply, const char *property)
{
	uint64_t value = 0;

	if (seek_property(reply, property, "t"))
		sd_bus_message_read(reply, "t", &value);
	return value;
}

static const char *text(sd_bus_message *reply, const char *property)
{
	const char *value = "";

	if (seek_property(reply, property, "s"))
		sd_bus_message_read(reply, "s", &value);
	return value;
}

/* Prints a dictionary of numbers as "name 12, name 3". */
static void print_counts(sd_bus_message *reply, const char *property, const char *label)
{
	const char *name, *separator = "";
	uint64_t value;

	if (!seek_property(reply, property, "a{st}") || sd_bus_message_at_end(reply, 0))
		return;
	printf("%-10s ", label);
	for (; sd_bus_message_read(reply, "{st}", &name, &value) > 0; separator = ", ")
		printf("%s%s %" PRIu64, separator, name, value);
	printf("\n");
}

static void print_features(sd_bus_message *reply)
{
	const char *name, *separator = "";
	int has;

	if (!seek_property(reply, "Features", "a{sb}"))
		return;
	printf("%-10s ", "kernel");
	for (; sd_bus_message_read(reply, "{sb}", &name, &has) > 0; separator = ", ")
		printf("%s%s %s", separator, name, has ? "yes" : "no");
	printf("\n");
}

static void print_problems(sd_bus_message *reply)
{
	const char *what;
	uint64_t times;

	if (!seek_property(reply, "Problems", "a{st}"))
		return;
	while (sd_bus_message_read(reply, "{st}", &what, &times) > 0)
		printf("%-10s %" PRIu64 " x %s\n", "problem", times, what);
}

static void print_lines(sd_bus_message *reply, const char *property, const char *label)
{
	const char *line;

	if (!seek_property(reply, property, "as"))
		return;
	for (; sd_bus_message_read(reply, "s", &line) > 0; label = "")
		printf("%-10s %s\n", label, line);
}

/* For a count that is worth a line only when it is not zero. */
static void print_if_any(sd_bus_message *reply, const char *property, const char *label, const char *what)
{
	if (count(reply, property))
		printf("%-10s %llu %s\n", label, count(reply, property), what);
}

static void print_running(sd_bus_message *reply)
{
	time_t since = (time_t)(count(reply, "SinceUsec") / 1000000);
	uint32_t pid = 0;
	struct tm local;
	char stamp[64];

	if (seek_property(reply, "Pid", "u"))
		sd_bus_message_read(reply, "u", &pid);
	localtime_r(&since, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	printf("%-10s pid %u, version %s, since %s\n", "running", pid, text(reply, "Version"), stamp);
}

static bool is_said(sd_bus_message *reply, const char *property, const char *value)
{
	return strcmp(text(reply, property), value) == 0;
}

/* Ends the line of events by those that are heard only if something asks for them. */
static void print_traced(sd_bus_message *reply)
{
	if (is_said(reply, "CgroupMoves", "heard"))
		printf(", move %llu", count(reply, "Moves"));
	if (is_said(reply, "AttributeChanges", "heard"))
		printf(", change %llu", count(reply, "Changes"));
	printf("\n");
	if (is_said(reply, "CgroupMoves", "polled"))
		printf("%-10s between cgroups are not heard: see doctor\n", "moves");
	if (is_said(reply, "AttributeChanges", "unheard"))
		printf("%-10s by others are not heard, so what is enforced has to wait: see doctor\n", "changes");
}

static void print_work(sd_bus_message *reply)
{
	printf("%-10s %llu known\n", "tasks", count(reply, "Tasks"));
	print_counts(reply, "TasksByClass", "classes");
	print_counts(reply, "TasksByReason", "because");
	print_if_any(reply, "TasksLimited", "limited", "of them by their cgroup");
	printf("%-10s fork %llu, exec %llu, rename %llu", "events", count(reply, "Forks"), count(reply, "Execs"),
	       count(reply, "Renames"));
	print_traced(reply);
	printf("%-10s set %llu, too late %llu, not kept %llu\n", "actions", count(reply, "Set"), count(reply, "Races"),
	       count(reply, "NotKept"));
	print_if_any(reply, "PutBack", "put back", "times, what somebody had changed on a task that is enforced");
	print_counts(reply, "PutBackFrom", "by");
	print_if_any(reply, "Fights", "fights", "times a task was left for 10 s to who changed it again and again");
	print_counts(reply, "Refused", "refused");
	printf("%-10s %llu times, scans %llu\n", "lost", count(reply, "Lost"), count(reply, "Scans"));
	print_if_any(reply, "Unread", "unread", "processes keep whoever reads their arguments waiting: see doctor");
	print_if_any(reply, "Foreign", "foreign", "datagrams that are not the kernel's");
	print_if_any(reply, "LogLost", "log", "lines lost, since nobody took them");
}

static void print_status(sd_bus_message *reply)
{
	const char *error, *profile;
	int crash_safe = 0, suspended = 0;

	print_running(reply);
	print_features(reply);
	printf("%-10s %llu in force\n", "rules", count(reply, "Rules"));
	print_lines(reply, "ConfigFiles", "files");
	print_lines(reply, "PendingUsers", "not known");
	print_work(reply);
	printf("%-10s %llu done, %llu refused\n", "reloads", count(reply, "Reloads"), count(reply, "ReloadsFailed"));
	error = text(reply, "ReloadError");
	if (*error)
		printf("%-10s %s\n", "", error);
	profile = text(reply, "SchedProfile");
	printf("%-10s %s\n", "profile", *profile ? profile : "(none)");
	print_lines(reply, "KnobRefusals", "refused");
	if (seek_property(reply, "CrashSafe", "b"))
		sd_bus_message_read(reply, "b", &crash_safe);
	if (seek_property(reply, "Suspended", "b"))
		sd_bus_message_read(reply, "b", &suspended);
	if (suspended)
		printf("%-10s for a client: every task has what it had\n", "suspended");
	if (!crash_safe)
		printf("%-10s no\n", "crash-safe");
	print_problems(reply);
	printf("%-10s %.3f s of CPU, %.1f MiB resident, %.0f KiB for tasks\n", "cost",
	       (double)count(reply, "CpuUsec") / 1e6, (double)count(reply, "ResidentBytes") / 1048576,
	       (double)count(reply, "TableBytes") / 1024);
}

static int print_json(sd_bus_message *reply)
{
	_cleanup_free_ char *json = NULL;
	int r = status_json(reply, &json);

	if (r < 0)
		log_error("what the daemon says: %s", strerror(-r));
	return r < 0 || fputs(json, stdout) < 0 ? EXIT_FAILURE : 0;
}

int cmd_status(const struct command *command)
{
	sd_bus_message *reply;
	int status = EXIT_FAILURE;
	sd_bus *bus;

	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	reply = read_status(bus);
	if (reply && option_given(command, OPTION_JSON))
		status = print_json(reply);
	else if (reply) {
		print_status(reply);
		status = 0;
	}
	sd_bus_message_unref(reply);
	sd_bus_flush_close_unref(bus);
	return status;
}
