/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers `schedqos status`: the daemon's state as one JSON object. */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <schedqos/kernel/events.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/version.h>

#include "daemon_private.h"

/*
 * Paths and names may hold invalid UTF-8, which D-Bus refuses, or escape sequences of a terminal. NULL is written
 * as "".
 */
static void put_safe(struct json_writer *json, const char *key, const char *value)
{
	json_put_escaped(json, key, value ? value : "");
}

/* Adds a count to an object of counts, unless it is 0. */
static void put_if_any(struct json_writer *json, const char *key, uint64_t count)
{
	if (count)
		json_put_count(json, key, count);
}

/* ---- parts ---- */

/* Returns the CPU time of the daemon and its helpers. */
static uint64_t cpu_us(const struct tagger_status *status)
{
	struct rusage ended = { 0 };

	getrusage(RUSAGE_CHILDREN, &ended);
	return (clock_ns(CLOCK_PROCESS_CPUTIME_ID) + status->helper_cpu_ns) / 1000 +
	       (uint64_t)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec);
}

static void put_daemon(struct json_writer *json, const struct daemon *daemon,
		       const struct tagger_status *status)
{
	struct procfs_stat stat = { 0 };

	procfs_stat(daemon->proc, getpid(), &stat);
	json_put_text(json, "version", version_text);
	json_put_count(json, "pid", (uint64_t)getpid());
	json_put_count(json, "since_usec", daemon->since_us);
	json_put_count(json, "cpu_usec", cpu_us(status));
	json_put_count(json, "resident_bytes", stat.rss_pages * (uint64_t)sysconf(_SC_PAGESIZE));
	json_put_count(json, "table_bytes", status->table_bytes);
	json_put_count(json, "log_lost", log_sink_lost());
}

/* Adds the numbers of overrides, of focused and hidden apps, and of system units with a class. */
static void put_asked(struct json_writer *json, const struct daemon *daemon)
{
	const struct overrides *overrides = tagger_overrides(daemon->tagger);
	const struct units *units = tagger_units(daemon->tagger);
	uint64_t asked = 0, focused = 0, hidden = 0;
	const struct override *override;
	uint16_t number = 0;

	while ((override = overrides_next(overrides, &number))) {
		asked += override->kind != OVERRIDE_SHOWN;
		focused += override_shows(override, SHOWN_FOCUSED);
		hidden += override_shows(override, SHOWN_HIDDEN);
	}
	json_put_count(json, "overrides", asked);
	json_put_count(json, "apps_focused", focused);
	json_put_count(json, "apps_hidden", hidden);
	json_put_count(json, "unit_classes", units->count - units->n_users);
}

static void put_abilities(struct json_writer *json, const struct tagger_status *status)
{
	static const char *const hearing[] = {
		[HEARING_UNUSED] = "unused",
		[HEARING_HEARD] = "heard",
		[HEARING_POLLED] = "polled",
	};

	json_begin(json, "features", '{');
	json_put_bool(json, "custom_slice", status->caps.slice);
	json_put_bool(json, "util_clamp", status->caps.util_clamp);
	json_end(json, '}');
	/* Always true since 0.2: version 0.1 could run out of room for records. */
	json_put_bool(json, "crash_safe", true);
	json_put_text(json, "cgroup_moves", hearing[status->moves]);
	json_put_text(json, "attribute_changes", hearing[status->changes]);
}

/* Counts living tasks by class and reason, in one pass. */
static void put_tasks(struct json_writer *json, const struct daemon *daemon)
{
	const struct config *config = daemon->config;
	_cleanup_free_ uint64_t *classes = calloc(config->n_classes, sizeof(*classes));
	uint64_t reasons[REASON_COUNT] = { 0 }, count = 0, limited = 0;
	struct tagger_task task;
	uint32_t cursor = 0;

	json->text.failed |= !classes;
	while (classes && tagger_next_task(daemon->tagger, &cursor, &task)) {
		count++;
		limited += task.is_limited;
		reasons[task.reason]++;
		if (task.tag < config->rules->n_tags)
			classes[config->rules->tags[task.tag].qos_class]++;
	}
	json_put_count(json, "tasks", count);
	json_put_count(json, "tasks_limited", limited);
	json_begin(json, "tasks_by_class", '{');
	for (size_t i = 0; i < config->n_classes; i++)
		put_if_any(json, config->classes[i].name, classes ? classes[i] : 0);
	json_end(json, '}');
	json_begin(json, "tasks_by_reason", '{');
	for (int i = 0; i < REASON_COUNT; i++)
		put_if_any(json, reason_name(i), reasons[i]);
	json_end(json, '}');
}

static void put_event_counts(struct json_writer *json, const struct daemon *daemon, const struct tagger_status *status)
{
	const struct tagger_counters *counters = tagger_counters(daemon->tagger);

	json_put_count(json, "forks", counters->forks);
	json_put_count(json, "execs", counters->execs);
	json_put_count(json, "renames", counters->renames);
	json_put_count(json, "moves", counters->moves);
	json_put_count(json, "changes", counters->changes);
	json_put_count(json, "put_back", counters->put_back);
	json_put_count(json, "set", counters->set);
	json_put_count(json, "races", counters->races);
	json_put_count(json, "not_kept", counters->not_kept);
	json_put_count(json, "lost", counters->lost);
	json_put_count(json, "rename_floods", counters->rename_floods);
	json_put_count(json, "scans", counters->scans);
	json_put_count(json, "unread", status->unread);
	json_begin(json, "refused", '{');
	for (int i = 0; i <= TAGGER_ERRNO_MAX; i++) {
		const char *name = strerrorname_np(i);

		put_if_any(json, name ? name : "other", counters->refused[i]);
	}
	json_end(json, '}');
}

/* Adds the use of each class so far, if `accounting` keeps it counted. */
static void put_accounting(struct json_writer *json, const struct daemon *daemon)
{
	const struct use_state state = tagger_use_state(daemon->tagger);
	const struct use_class *class;

	json_put_bool(json, "accounting", daemon->config->settings.accounting);
	if (!daemon->config->settings.accounting)
		return;
	json_put_count(json, "ended", state.ended);
	json_put_count(json, "ended_lost", state.lost);
	json_begin(json, "cpu_usec_by_class", '{');
	for (size_t i = 0; (class = tagger_use_class(daemon->tagger, i)); i++)
		json_put_count(json, class->name, class->cpu_ns / 1000);
	json_end(json, '}');
	json_begin(json, "delay_usec_by_class", '{');
	for (size_t i = 0; (class = tagger_use_class(daemon->tagger, i)); i++)
		json_put_count(json, class->name, class->delay_ns / 1000);
	json_end(json, '}');
}

static void put_pending_users(struct json_writer *json, const struct config *config, bool is_for_user)
{
	json_begin(json, "pending_users", '[');
	for (const struct rule_user *user = config->users; user; user = user->next) {
		_cleanup_free_ char *text = NULL;

		if (rule_user_is_pending(user) &&
		    asprintf(&text, "%s (%s)", is_for_user ? PRIVATE_PATTERN : user->name, strerror(-user->error)) >= 0)
			put_safe(json, NULL, text);
	}
	json_end(json, ']');
}

/* An error of the configuration quotes it, and names of users stand in rules: files of both may be private to root. */
static void put_config(struct json_writer *json, const struct daemon *daemon, bool is_for_user)
{
	static const char hidden[] = "the configuration has errors: 'sudo schedqos status' shows them";
	const char *error = daemon->reload_error ? daemon->reload_error : "";
	const struct config *config = daemon->config;
	_cleanup_free_ char *place = config_mapping_place(config);

	put_safe(json, "config_file", daemon->paths.file);
	put_safe(json, "config_folder", daemon->paths.folder);
	put_safe(json, "config_mapping", daemon->paths.mapping);
	put_safe(json, "mapping", config->settings.mapping);
	json_put_text(json, "mapping_source", place);
	put_safe(json, "focus", config->settings.focus);
	json_put_count(json, "rules", config->rules->n_lists);
	json_put_count(json, "reloads", daemon->reloads);
	json_put_count(json, "reloads_failed", daemon->reloads_failed);
	json_put_text(json, "reload_error", *error && is_for_user ? hidden : error);
	json_begin(json, "config_files", '[');
	for (size_t i = 0; i < config->n_files; i++) {
		/* The option counts as the last file. */
		if (i + 1 < config->n_files || !daemon->paths.mapping)
			put_safe(json, NULL, config->files[i]);
	}
	json_end(json, ']');
	put_pending_users(json, config, is_for_user);
}

static void put_profiles(struct json_writer *json, const struct daemon *daemon)
{
	size_t count;
	char *const *refusals = machine_refusals(daemon->machine, &count);

	put_safe(json, "sched_profile", machine_profile(daemon->machine));
	json_begin(json, "sched_profiles", '[');
	for (size_t i = 0; i < daemon->config->n_profiles; i++)
		put_safe(json, NULL, daemon->config->profiles[i].name);
	json_end(json, ']');
	json_begin(json, "knob_refusals", '[');
	for (size_t i = 0; i < count; i++)
		put_safe(json, NULL, refusals[i]);
	json_end(json, ']');
}

/* Returns whether nothing is wrong that concerns the whole machine: users can cause the other problems at any time. */
static bool is_well(const struct daemon *daemon)
{
	const struct tagger_counters *counters = tagger_counters(daemon->tagger);
	size_t count, n_faults;
	const struct problem *problems = tagger_problems(daemon->tagger, &count, &n_faults);
	uint64_t faults = counters->lost + counters->not_kept + log_sink_lost() + (daemon->reload_error != NULL);

	for (size_t i = 0; i < n_faults; i++)
		faults += problems[i].count;
	for (int i = 0; i <= TAGGER_ERRNO_MAX; i++)
		faults += counters->refused[i];
	for (const struct rule_user *user = daemon->config->users; user; user = user->next)
		faults += rule_user_is_pending(user);
	return !faults;
}

static void put_problems(struct json_writer *json, const struct daemon *daemon)
{
	size_t count, n_faults;
	const struct problem *problems = tagger_problems(daemon->tagger, &count, &n_faults);

	json_put_bool(json, "well", is_well(daemon));
	json_begin(json, "problems", '{');
	for (size_t i = 0; i < count; i++)
		put_if_any(json, problems[i].text, problems[i].count);
	put_if_any(json, daemon->bus_problem.text, daemon->bus_problem.count);
	json_end(json, '}');
}

int bus_status(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_free_ char *text = NULL;
	struct daemon *daemon = userdata;
	const struct tagger_status status = tagger_status(daemon->tagger);
	struct json_writer json = { 0 };
	struct ucred caller;

	(void)error;
	if (daemon->config->settings.accounting)
		tagger_look_at_use(daemon->tagger);
	json_begin(&json, NULL, '{');
	put_daemon(&json, daemon, &status);
	put_asked(&json, daemon);
	put_abilities(&json, &status);
	put_tasks(&json, daemon);
	put_event_counts(&json, daemon, &status);
	put_accounting(&json, daemon);
	put_config(&json, daemon, bus_check_user(message, 0, &caller) < 0);
	put_profiles(&json, daemon);
	put_problems(&json, daemon);
	json_end(&json, '}');
	text = json_take(&json);
	return text ? sd_bus_reply_method_return(message, "s", text) : -ENOMEM;
}
