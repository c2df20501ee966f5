/* SPDX-License-Identifier: GPL-2.0-only */
#include "bus_status.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/proc_connector.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/text.h>

#include "bus_config.h"
#include "bus_getter.h"
#include "bus_heard.h"
#include "daemon_private.h"
#include "log_sink.h"

GETTER(get_version)
{
	UNUSED_GETTER_ARGUMENTS;
	(void)userdata;
	return sd_bus_message_append(reply, "s", VERSION);
}

GETTER(get_pid)
{
	UNUSED_GETTER_ARGUMENTS;
	(void)userdata;
	return sd_bus_message_append(reply, "u", (uint32_t)getpid());
}

static int append_count(sd_bus_message *reply, const char *name, uint64_t count)
{
	return count ? sd_bus_message_append(reply, "{st}", name, count) : 0;
}

/* Appends how many living tasks there are, or how many of them are limited. */
static int append_tasks(sd_bus_message *reply, const struct daemon *daemon, bool limited)
{
	struct tagger_task task;
	uint32_t cursor = 0;
	uint64_t count = 0;

	while (tagger_next_task(daemon->tagger, &cursor, &task))
		count += !limited || task.is_limited;
	return sd_bus_message_append(reply, "t", count);
}

GETTER(get_tasks)
{
	UNUSED_GETTER_ARGUMENTS;
	return append_tasks(reply, userdata, false);
}

GETTER(get_tasks_by_class)
{
	struct daemon *daemon = userdata;
	const struct config *config = daemon->config;
	_cleanup_free_ uint64_t *counts = calloc(config->n_classes, sizeof(*counts));
	size_t n_tags;
	const struct tag *tags = rules_tags(config->rules, &n_tags);
	struct tagger_task task;
	uint32_t cursor = 0;
	int r;

	UNUSED_GETTER_ARGUMENTS;
	if (!counts)
		return -ENOMEM;
	while (tagger_next_task(daemon->tagger, &cursor, &task)) {
		if (task.tag < n_tags)
			counts[tags[task.tag].qos_class]++;
	}
	r = sd_bus_message_open_container(reply, 'a', "{st}");
	for (size_t i = 0; i < config->n_classes && r >= 0; i++)
		r = append_count(reply, config->classes[i].name, counts[i]);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(get_tasks_by_reason)
{
	struct daemon *daemon = userdata;
	uint64_t counts[REASON_COUNT] = { 0 };
	struct tagger_task task;
	uint32_t cursor = 0;
	int r;

	UNUSED_GETTER_ARGUMENTS;
	while (tagger_next_task(daemon->tagger, &cursor, &task))
		counts[task.reason]++;
	r = sd_bus_message_open_container(reply, 'a', "{st}");
	for (int i = 0; i < REASON_COUNT && r >= 0; i++)
		r = append_count(reply, reason_name(i), counts[i]);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(get_refused)
{
	const struct tagger_counters *counters = userdata;
	int r = sd_bus_message_open_container(reply, 'a', "{st}");

	UNUSED_GETTER_ARGUMENTS;
	for (int i = 0; i <= TAGGER_ERRNO_MAX && r >= 0; i++) {
		const char *name = strerrorname_np(i);

		r = append_count(reply, name ? name : "other", counters->refused[i]);
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_problems(sd_bus_message *reply, const struct problem *problems, size_t count)
{
	int r = 0;

	for (size_t i = 0; i < count && r >= 0; i++)
		r = append_count(reply, problems[i].text, problems[i].count);
	return r;
}

GETTER(get_problems)
{
	struct daemon *daemon = userdata;
	size_t count;
	const struct problem *problems = tagger_problems(daemon->tagger, &count);
	int r = sd_bus_message_open_container(reply, 'a', "{st}");

	UNUSED_GETTER_ARGUMENTS;
	if (r >= 0)
		r = append_problems(reply, problems, count);
	if (r >= 0)
		r = append_problems(reply, daemon->problems, DAEMON_PROBLEMS);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(get_features)
{
	struct daemon *daemon = userdata;
	const struct attr_caps *caps = tagger_caps(daemon->tagger);

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "a{sb}", 3, "custom_slice", (int)caps->slice, "util_clamp",
				     (int)caps->util_clamp, "event_filter", (int)proc_connector_has_filter());
}

GETTER(get_crash_safe)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "b", (int)(tagger_crash_error(daemon->tagger) == 0));
}

GETTER(get_sched_profile)
{
	struct daemon *daemon = userdata;
	const char *name = machine_profile(daemon->machine);

	UNUSED_GETTER_ARGUMENTS;
	return bus_append_escaped(reply, name ? name : "");
}

GETTER(get_sched_profiles)
{
	struct daemon *daemon = userdata;
	int r = sd_bus_message_open_container(reply, 'a', "s");

	UNUSED_GETTER_ARGUMENTS;
	for (size_t i = 0; i < daemon->config->n_profiles && r >= 0; i++)
		r = bus_append_escaped(reply, daemon->config->profiles[i].name);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

int bus_append_refusals(sd_bus_message *reply, const struct daemon *daemon)
{
	size_t count;
	const struct refusal *refusals = machine_refusals(daemon->machine, &count);
	int r = sd_bus_message_open_container(reply, 'a', "s");

	for (size_t i = 0; i < count && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", refusals[i].text);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(get_knob_refusals)
{
	UNUSED_GETTER_ARGUMENTS;
	return bus_append_refusals(reply, userdata);
}

GETTER(get_foreign)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "t", tagger_foreign(daemon->tagger));
}

GETTER(get_unread)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "t", tagger_unread(daemon->tagger));
}

GETTER(get_tasks_limited)
{
	UNUSED_GETTER_ARGUMENTS;
	return append_tasks(reply, userdata, true);
}

GETTER(get_overrides)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "t", (uint64_t)daemon->held.count);
}

GETTER(get_suspended)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "b", (int)(daemon->suspended_by != NULL));
}

GETTER(get_log_lost)
{
	UNUSED_GETTER_ARGUMENTS;
	(void)userdata;
	return sd_bus_message_append(reply, "t", log_sink_lost());
}

GETTER(get_cpu_usec)
{
	UNUSED_GETTER_ARGUMENTS;
	(void)userdata;
	return sd_bus_message_append(reply, "t", clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000);
}

GETTER(get_resident_bytes)
{
	struct daemon *daemon = userdata;
	struct procfs_stat stat = { 0 };

	UNUSED_GETTER_ARGUMENTS;
	procfs_stat(daemon->proc, getpid(), &stat);
	return sd_bus_message_append(reply, "t",
				     stat.rss_pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

GETTER(get_table_bytes)
{
	struct daemon *daemon = userdata;

	UNUSED_GETTER_ARGUMENTS;
	return sd_bus_message_append(reply, "t", (uint64_t)tagger_table_bytes(daemon->tagger));
}

/* A counter that sd-bus reads from the struct itself. */
#define COUNTER(name, type, member) SD_BUS_PROPERTY(name, "t", NULL, offsetof(struct type, member), 0)

/* Of a struct daemon. */
static const sd_bus_vtable properties[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Version", "s", get_version, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Pid", "u", get_pid, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	COUNTER("SinceUsec", daemon, since_us),
	SD_BUS_PROPERTY("Features", "a{sb}", get_features, 0, 0),
	SD_BUS_PROPERTY("CrashSafe", "b", get_crash_safe, 0, 0),
	SD_BUS_PROPERTY("Tasks", "t", get_tasks, 0, 0),
	SD_BUS_PROPERTY("TasksByClass", "a{st}", get_tasks_by_class, 0, 0),
	SD_BUS_PROPERTY("TasksByReason", "a{st}", get_tasks_by_reason, 0, 0),
	SD_BUS_PROPERTY("TasksLimited", "t", get_tasks_limited, 0, 0),
	SD_BUS_PROPERTY("Overrides", "t", get_overrides, 0, 0),
	SD_BUS_PROPERTY("Suspended", "b", get_suspended, 0, 0),
	SD_BUS_PROPERTY("Foreign", "t", get_foreign, 0, 0),
	SD_BUS_PROPERTY("Unread", "t", get_unread, 0, 0),
	SD_BUS_PROPERTY("LogLost", "t", get_log_lost, 0, 0),
	COUNTER("Reloads", daemon, reloads),
	COUNTER("ReloadsFailed", daemon, reloads_failed),
	SD_BUS_PROPERTY("SchedProfile", "s", get_sched_profile, 0, 0),
	SD_BUS_PROPERTY("SchedProfiles", "as", get_sched_profiles, 0, 0),
	SD_BUS_PROPERTY("KnobRefusals", "as", get_knob_refusals, 0, 0),
	SD_BUS_PROPERTY("Problems", "a{st}", get_problems, 0, 0),
	SD_BUS_PROPERTY("CpuUsec", "t", get_cpu_usec, 0, 0),
	SD_BUS_PROPERTY("ResidentBytes", "t", get_resident_bytes, 0, 0),
	SD_BUS_PROPERTY("TableBytes", "t", get_table_bytes, 0, 0),
	SD_BUS_VTABLE_END,
};

/* Of a struct tagger_counters. */
static const sd_bus_vtable counters[] = {
	SD_BUS_VTABLE_START(0),
	COUNTER("Forks", tagger_counters, forks),
	COUNTER("Execs", tagger_counters, execs),
	COUNTER("Renames", tagger_counters, renames),
	COUNTER("Moves", tagger_counters, moves),
	COUNTER("Changes", tagger_counters, changes),
	COUNTER("PutBack", tagger_counters, put_back),
	COUNTER("Fights", tagger_counters, fights),
	COUNTER("ChangeFloods", tagger_counters, change_floods),
	COUNTER("Set", tagger_counters, set),
	COUNTER("Races", tagger_counters, races),
	COUNTER("NotKept", tagger_counters, not_kept),
	SD_BUS_PROPERTY("Refused", "a{st}", get_refused, 0, 0),
	COUNTER("Lost", tagger_counters, lost),
	COUNTER("RenameFloods", tagger_counters, rename_floods),
	COUNTER("ReceiveErrors", tagger_counters, receive_errors),
	COUNTER("Scans", tagger_counters, scans),
	SD_BUS_VTABLE_END,
};

int bus_status_add(sd_bus *bus, struct daemon *daemon)
{
	/* sd-bus takes no const pointer, but only reads it. */
	struct tagger_counters *counted = (struct tagger_counters *)tagger_counters(daemon->tagger);
	int r = sd_bus_add_object_vtable(bus, NULL, BUS_PATH, BUS_STATUS_INTERFACE, properties, daemon);

	if (r >= 0)
		r = sd_bus_add_object_vtable(bus, NULL, BUS_PATH, BUS_STATUS_INTERFACE, counters, counted);
	if (r >= 0)
		r = bus_config_add(bus, daemon);
	return r < 0 ? r : bus_heard_add(bus, daemon);
}
