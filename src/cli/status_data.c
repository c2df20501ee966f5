/* SPDX-License-Identifier: GPL-2.0-only */
/* The status for programs: JSON and OpenMetrics. */
#include "status.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>

/* ---- JSON ---- */

/* The JSON key of a property: tasks_by_class for TasksByClass. */
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

static int put_value(sd_bus_message *message, struct json_writer *json, const char *key);

/* A dictionary (a{s?}) becomes an object, any other array a list. */
static int put_array(sd_bus_message *message, struct json_writer *json, const char *key, const char *contents)
{
	bool object = contents[0] == '{';
	int r = sd_bus_message_enter_container(message, 'a', contents);

	json_begin(json, key, object ? '{' : '[');
	while (r >= 0 && !sd_bus_message_at_end(message, 0)) {
		const char *name = NULL;

		if (object)
			r = sd_bus_message_enter_container(message, 'e', NULL);
		if (r >= 0 && object)
			r = sd_bus_message_read(message, "s", &name);
		if (r >= 0)
			r = put_value(message, json, name);
		if (r >= 0 && object)
			r = sd_bus_message_exit_container(message);
	}
	json_end(json, object ? '}' : ']');
	return r < 0 ? r : sd_bus_message_exit_container(message);
}

static int put_value(sd_bus_message *message, struct json_writer *json, const char *key)
{
	union {
		const char *s;
		uint64_t t;
		uint32_t u;
		int b;
	} value;
	const char *contents;
	char type;
	int r = sd_bus_message_peek_type(message, &type, &contents);

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	if (type == 'a')
		return put_array(message, json, key, contents);
	if (!strchr("stub", type)) {
		json_put_null(json, key);
		return sd_bus_message_skip(message, NULL);
	}
	r = sd_bus_message_read_basic(message, type, &value);
	if (r < 0)
		return r;
	if (type == 's')
		json_put_text(json, key, value.s);
	else if (type == 'b')
		json_put_bool(json, key, value.b);
	else
		json_put_count(json, key, type == 't' ? value.t : value.u);
	return 0;
}

static int put_property(sd_bus_message *reply, struct json_writer *json)
{
	const char *name, *contents;
	char key[64];
	int r = sd_bus_message_read(reply, "s", &name);

	if (r >= 0)
		r = sd_bus_message_peek_type(reply, NULL, &contents);
	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'v', contents);
	if (r < 0)
		return r;
	snake_case(name, key, sizeof(key));
	r = put_value(reply, json, key);
	return r < 0 ? r : sd_bus_message_exit_container(reply);
}

int status_json(sd_bus_message *reply, char **ret)
{
	struct json_writer json = { 0 };
	char *text;
	int r = sd_bus_message_enter_container(reply, 'a', "{sv}");

	json_begin(&json, NULL, '{');
	while (r >= 0 && (r = sd_bus_message_enter_container(reply, 'e', "sv")) > 0) {
		r = put_property(reply, &json);
		if (r >= 0)
			r = sd_bus_message_exit_container(reply);
	}
	json_end(&json, '}');
	text = json_take(&json);
	if (r < 0 || !text) {
		free(text);
		return r < 0 ? r : -ENOMEM;
	}
	*ret = text;
	return 0;
}

/* ---- OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec) ---- */

/*
 * Types are those that the older Prometheus text format has as well, since that is what node_exporter's textfile
 * collector reads.
 */
static void put_head(FILE *out, const char *name, const char *type, const char *unit,
		     const char *help)
{
	fprintf(out, "# TYPE schedqos_%s %s\n", name, type);
	if (unit)
		fprintf(out, "# UNIT schedqos_%s %s\n", name, unit);
	fprintf(out, "# HELP schedqos_%s %s\n", name, help);
}

/* In a label's value the quote, the backslash and the newline are escaped. */
static void put_label(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
}

/* One sample for each entry of a dictionary of counts. */
static void put_entries(FILE *out, sd_bus_message *reply, const char *property, const char *sample,
			const char *label)
{
	const char *name;
	uint64_t value;

	if (!status_seek(reply, property, "a{st}"))
		return;
	while (sd_bus_message_read(reply, "{st}", &name, &value) > 0) {
		fprintf(out, "schedqos_%s{%s=\"", sample, label);
		put_label(out, name);
		fprintf(out, "\"} %" PRIu64 "\n", value);
	}
}

static void put_up(FILE *out, bool up)
{
	put_head(out, "up", "gauge", NULL, "Whether the daemon runs.");
	fprintf(out, "schedqos_up %d\n", up);
}

/* Texts as labels of a value that is always 1. */
static void put_texts(FILE *out, sd_bus_message *reply)
{
	static const struct {
		const char *name, *label, *property, *help;
	} texts[] = {
		{ "version", "version", "Version", "The daemon's version." },
		{ "mapping", "mapping", "Mapping", "The mapping in force." },
		{ "sched_profile", "profile", "SchedProfile",
		  "The sched profile that is applied." },
	};

	for (size_t i = 0; i < array_size(texts); i++) {
		put_head(out, texts[i].name, "gauge", NULL, texts[i].help);
		fprintf(out, "schedqos_%s{%s=\"", texts[i].name, texts[i].label);
		put_label(out, status_text(reply, texts[i].property));
		fputs("\"} 1\n", out);
	}
}

static void put_gauges(FILE *out, sd_bus_message *reply)
{
	static const struct {
		const char *name, *unit, *property, *help;
	} gauges[] = {
		{ "rules", NULL, "Rules", "Rules in force." },
		{ "tasks_known", NULL, "Tasks",
		  "Tasks known, those that are left alone included." },
		{ "tasks_limited", NULL, "TasksLimited",
		  "Tasks in a lower class than their rule's, since a group or an override says so." },
		{ "overrides", NULL, "Overrides", "Classes and limits asked for at run time." },
		{ "unread_processes", NULL, "Unread", "Processes whose arguments cannot be read." },
		{ "resident_bytes", "bytes", "ResidentBytes", "Memory of the daemon." },
		{ "table_bytes", "bytes", "TableBytes", "Memory of the daemon's table of tasks." },
	};

	for (size_t i = 0; i < array_size(gauges); i++) {
		put_head(out, gauges[i].name, "gauge", gauges[i].unit, gauges[i].help);
		fprintf(out, "schedqos_%s %" PRIu64 "\n", gauges[i].name,
			status_count(reply, gauges[i].property));
	}
	put_head(out, "crash_safe", "gauge", NULL, "Whether a crash could be repaired now.");
	fprintf(out, "schedqos_crash_safe %d\n", status_flag(reply, "CrashSafe"));
	put_head(out, "last_reload_refused", "gauge", NULL, "Whether the last reload was refused.");
	fprintf(out, "schedqos_last_reload_refused %d\n",
		*status_text(reply, "ReloadError") != '\0');
	put_head(out, "tasks", "gauge", NULL, "Tasks by the class that they carry.");
	put_entries(out, reply, "TasksByClass", "tasks", "class");
	put_head(out, "tasks_by_reason", "gauge", NULL,
		 "Tasks by why they are in their class, or left alone.");
	put_entries(out, reply, "TasksByReason", "tasks_by_reason", "reason");
}

static void put_counters(FILE *out, sd_bus_message *reply)
{
	static const struct {
		const char *name, *property, *help;
	} counters[] = {
		{ "forks", "Forks", "Forks heard of." },
		{ "execs", "Execs", "Execs heard of." },
		{ "renames", "Renames", "Renames heard of." },
		{ "moves", "Moves", "Moves between cgroups heard of." },
		{ "changes", "Changes", "Changes of attributes by others heard of." },
		{ "put_back", "PutBack", "Changes by others that were put back on tasks that are enforced." },
		{ "lost", "Lost", "Times that the kernel dropped events." },
		{ "receive_errors", "ReceiveErrors",
		  "Times that receiving events failed in another way." },
		{ "rename_floods", "RenameFloods",
		  "Times that renames were left unheard for a while." },
		{ "scans", "Scans", "Times that every task was looked at." },
		{ "set", "Set", "Times that attributes were set and read back as wanted." },
		{ "races", "Races", "Times that a task was gone before it could be changed." },
		{ "not_kept", "NotKept", "Times that something else was read back than was set." },
		{ "foreign_datagrams", "Foreign", "Datagrams that did not come from the kernel." },
		{ "log_lines_lost", "LogLost", "Lines of the log that nobody took." },
		{ "reloads", "Reloads", "Reloads done." },
		{ "reloads_refused", "ReloadsFailed", "Reloads refused." },
	};

	for (size_t i = 0; i < array_size(counters); i++) {
		put_head(out, counters[i].name, "counter", NULL, counters[i].help);
		fprintf(out, "schedqos_%s_total %" PRIu64 "\n", counters[i].name,
			status_count(reply, counters[i].property));
	}
	put_head(out, "refused", "counter", NULL,
		 "Times that the kernel refused attributes, by the error.");
	put_entries(out, reply, "Refused", "refused_total", "error");
	put_head(out, "problems", "counter", NULL,
		 "Problems, by what went wrong last of their kind.");
	put_entries(out, reply, "Problems", "problems_total", "problem");
}

/* Of microseconds. */
static void put_seconds(FILE *out, const char *sample, uint64_t us)
{
	fprintf(out, "schedqos_%s %" PRIu64 ".%06" PRIu64 "\n", sample, us / 1000000, us % 1000000);
}

void status_metrics(FILE *out, sd_bus_message *reply)
{
	put_up(out, reply);
	if (reply) {
		put_texts(out, reply);
		put_gauges(out, reply);
		put_counters(out, reply);
		put_head(out, "start_time_seconds", "gauge", "seconds",
			 "When the daemon was ready, since 1970.");
		put_seconds(out, "start_time_seconds", status_count(reply, "SinceUsec"));
		put_head(out, "cpu_seconds", "counter", "seconds", "Processor time of the daemon.");
		put_seconds(out, "cpu_seconds_total", status_count(reply, "CpuUsec"));
	}
	fprintf(out, "# EOF\n");
}
