/* SPDX-License-Identifier: GPL-2.0-only */
/* What `schedqos status` shows: a dictionary of names and values. */
#include "bus_methods.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <schedqos/kernel/proc_connector.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"
#include "log_sink.h"

/* A reply that is being written; after the first error nothing more is. */
struct status {
	sd_bus_message *reply;
	int r;
};

/* ---- values ---- */

static void put_count(struct status *status, const char *key, uint64_t value)
{
	if (status->r >= 0)
		status->r = sd_bus_message_append(status->reply, "{sv}", key, "t", value);
}

static void put_flag(struct status *status, const char *key, bool value)
{
	if (status->r >= 0)
		status->r = sd_bus_message_append(status->reply, "{sv}", key, "b", (int)value);
}

/* NULL: empty. */
static void put_text(struct status *status, const char *key, const char *value)
{
	if (status->r >= 0)
		status->r = sd_bus_message_append(status->reply, "{sv}", key, "s", value ? value : "");
}

/* Paths and names from files may hold invalid UTF-8, which D-Bus refuses, or terminal escape sequences. */
static char *escape(struct status *status, const char *text)
{
	char *safe = text_escape(text, strlen(text));

	if (!safe && status->r >= 0)
		status->r = -ENOMEM;
	return safe;
}

static void put_escaped(struct status *status, const char *key, const char *value)
{
	_cleanup_free_ char *safe = escape(status, value ? value : "");

	put_text(status, key, safe);
}

/* An array follows: of "s", or of "{st}" and the like. */
static void begin(struct status *status, const char *key, const char *contents)
{
	char type[16] = "a";

	strncat(type, contents, sizeof(type) - 2);
	if (status->r >= 0)
		status->r = sd_bus_message_open_container(status->reply, 'e', "sv");
	if (status->r >= 0)
		status->r = sd_bus_message_append(status->reply, "s", key);
	if (status->r >= 0)
		status->r = sd_bus_message_open_container(status->reply, 'v', type);
	if (status->r >= 0)
		status->r = sd_bus_message_open_container(status->reply, 'a', contents);
}

static void end(struct status *status)
{
	for (int i = 0; i < 3 && status->r >= 0; i++)
		status->r = sd_bus_message_close_container(status->reply);
}

static void put_item(struct status *status, const char *text)
{
	_cleanup_free_ char *safe = escape(status, text);

	if (status->r >= 0)
		status->r = sd_bus_message_append(status->reply, "s", safe);
}

/* Of an array of "{st}"; nothing for 0. */
static void put_pair(struct status *status, const char *name, uint64_t count)
{
	if (status->r >= 0 && count)
		status->r = sd_bus_message_append(status->reply, "{st}", name, count);
}

/* ---- parts ---- */

/* Together with who reads for it. */
static uint64_t cpu_us(const struct daemon *daemon)
{
	struct rusage ended = { 0 };

	getrusage(RUSAGE_CHILDREN, &ended);
	return (clock_ns(CLOCK_PROCESS_CPUTIME_ID) + tagger_helper_cpu_ns(daemon->tagger)) / 1000 +
	       (uint64_t)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec);
}

static void put_daemon(struct status *status, const struct daemon *daemon)
{
	struct procfs_stat stat = { 0 };

	procfs_stat(daemon->proc, getpid(), &stat);
	put_text(status, "Version", VERSION);
	if (status->r >= 0)
		status->r = sd_bus_message_append(status->reply, "{sv}", "Pid", "u", (uint32_t)getpid());
	put_count(status, "SinceUsec", daemon->since_us);
	put_count(status, "CpuUsec", cpu_us(daemon));
	put_count(status, "ResidentBytes", stat.rss_pages * (uint64_t)sysconf(_SC_PAGESIZE));
	put_count(status, "TableBytes", tagger_table_bytes(daemon->tagger));
	put_count(status, "LogLost", log_sink_lost());
	put_count(status, "Overrides", daemon->held.count);
}

static void put_abilities(struct status *status, const struct daemon *daemon)
{
	static const char *const moves[] = {
		[MOVES_UNUSED] = "unused",
		[MOVES_HEARD] = "heard",
		[MOVES_POLLED] = "polled",
	};
	static const char *const changes[] = {
		[CHANGES_UNUSED] = "unused",
		[CHANGES_HEARD] = "heard",
		[CHANGES_POLLED] = "polled",
	};
	const struct attr_caps *caps = tagger_caps(daemon->tagger);

	if (status->r >= 0)
		status->r = sd_bus_message_append(status->reply, "{sv}", "Features", "a{sb}", 3, "custom_slice",
						  (int)caps->slice, "util_clamp", (int)caps->util_clamp,
						  "event_filter", (int)proc_connector_has_filter());
	put_flag(status, "CrashSafe", tagger_crash_error(daemon->tagger) == 0);
	put_text(status, "CgroupMoves", moves[tagger_moves(daemon->tagger)]);
	put_text(status, "AttributeChanges", changes[tagger_changes(daemon->tagger)]);
}

/* Looks at each living task, once. */
static void put_tasks(struct status *status, const struct daemon *daemon)
{
	const struct config *config = daemon->config;
	_cleanup_free_ uint64_t *classes = calloc(config->n_classes, sizeof(*classes));
	uint64_t reasons[REASON_COUNT] = { 0 }, count = 0, limited = 0;
	size_t n_tags;
	const struct tag *tags = rules_tags(config->rules, &n_tags);
	struct tagger_task task;
	uint32_t cursor = 0;

	if (!classes)
		status->r = -ENOMEM;
	while (status->r >= 0 && tagger_next_task(daemon->tagger, &cursor, &task)) {
		count++;
		limited += task.is_limited;
		reasons[task.reason]++;
		if (task.tag < n_tags)
			classes[tags[task.tag].qos_class]++;
	}
	put_count(status, "Tasks", count);
	put_count(status, "TasksLimited", limited);
	begin(status, "TasksByClass", "{st}");
	for (size_t i = 0; i < config->n_classes; i++)
		put_pair(status, config->classes[i].name, classes ? classes[i] : 0);
	end(status);
	begin(status, "TasksByReason", "{st}");
	for (int i = 0; i < REASON_COUNT; i++)
		put_pair(status, reason_name(i), reasons[i]);
	end(status);
}

static void put_counters(struct status *status, const struct daemon *daemon)
{
	const struct tagger_counters *counters = tagger_counters(daemon->tagger);

	put_count(status, "Forks", counters->forks);
	put_count(status, "Execs", counters->execs);
	put_count(status, "Renames", counters->renames);
	put_count(status, "Moves", counters->moves);
	put_count(status, "Changes", counters->changes);
	put_count(status, "PutBack", counters->put_back);
	put_count(status, "Set", counters->set);
	put_count(status, "Races", counters->races);
	put_count(status, "NotKept", counters->not_kept);
	put_count(status, "Lost", counters->lost);
	put_count(status, "RenameFloods", counters->rename_floods);
	put_count(status, "ReceiveErrors", counters->receive_errors);
	put_count(status, "Scans", counters->scans);
	put_count(status, "Foreign", tagger_foreign(daemon->tagger));
	put_count(status, "Unread", tagger_unread(daemon->tagger));
	begin(status, "Refused", "{st}");
	for (int i = 0; i <= TAGGER_ERRNO_MAX; i++) {
		const char *name = strerrorname_np(i);

		put_pair(status, name ? name : "other", counters->refused[i]);
	}
	end(status);
}

static void put_pending_users(struct status *status, const struct config *config)
{
	begin(status, "PendingUsers", "s");
	for (const struct rule_user *user = config->users; user; user = user->next) {
		_cleanup_free_ char *text = NULL;

		if (rule_user_is_pending(user) && asprintf(&text, "%s (%s)", user->name, strerror(-user->error)) >= 0)
			put_item(status, text);
	}
	end(status);
}

static void put_config(struct status *status, const struct daemon *daemon)
{
	const struct config *config = daemon->config;
	_cleanup_free_ char *place = config_mapping_place(config);

	put_escaped(status, "ConfigFile", daemon->paths.file);
	put_escaped(status, "ConfigFolder", daemon->paths.folder);
	put_escaped(status, "ConfigMapping", daemon->paths.mapping);
	put_escaped(status, "Mapping", config->settings.mapping);
	put_text(status, "MappingSource", place);
	put_count(status, "Rules", rules_count(config->rules));
	put_count(status, "Reloads", daemon->reloads);
	put_count(status, "ReloadsFailed", daemon->reloads_failed);
	put_text(status, "ReloadError", daemon->reload_error);
	begin(status, "ConfigFiles", "s");
	for (size_t i = 0; i < config->n_files; i++)
		put_item(status, config->files[i]);
	end(status);
	put_pending_users(status, config);
}

static void put_profiles(struct status *status, const struct daemon *daemon)
{
	size_t count;
	char *const *refusals = machine_refusals(daemon->machine, &count);

	put_escaped(status, "SchedProfile", machine_profile(daemon->machine));
	begin(status, "SchedProfiles", "s");
	for (size_t i = 0; i < daemon->config->n_profiles; i++)
		put_item(status, daemon->config->profiles[i].name);
	end(status);
	begin(status, "KnobRefusals", "s");
	for (size_t i = 0; i < count; i++)
		put_item(status, refusals[i]);
	end(status);
}

static void put_problems(struct status *status, const struct daemon *daemon)
{
	size_t count;
	const struct problem *problems = tagger_problems(daemon->tagger, &count);

	begin(status, "Problems", "{st}");
	for (size_t i = 0; i < count; i++)
		put_pair(status, problems[i].text, problems[i].count);
	for (size_t i = 0; i < DAEMON_PROBLEMS; i++)
		put_pair(status, daemon->problems[i].text, daemon->problems[i].count);
	end(status);
}

int bus_status(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct daemon *daemon = userdata;
	struct status status;

	(void)error;
	status.r = sd_bus_message_new_method_return(message, &reply);
	status.reply = reply;
	if (status.r >= 0)
		status.r = sd_bus_message_open_container(reply, 'a', "{sv}");
	put_daemon(&status, daemon);
	put_abilities(&status, daemon);
	put_tasks(&status, daemon);
	put_counters(&status, daemon);
	put_config(&status, daemon);
	put_profiles(&status, daemon);
	put_problems(&status, daemon);
	if (status.r >= 0)
		status.r = sd_bus_message_close_container(reply);
	if (status.r >= 0)
		status.r = sd_bus_message_send(reply);
	return status.r < 0 ? status.r : 1;
}
