/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the daemon's configuration at the start, and again on request. */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-daemon.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

static void set_log_level(const struct daemon *daemon)
{
	const struct settings *settings = &daemon->config->settings;

	if (daemon->verbose)
		log_set_level(LOG_DEBUG);
	else
		log_set_level(settings->log_level ? settings->log_level : LOG_INFO);
}

/*
 * Loads the configuration and logs errors and warnings. Also returns them in *ret_text, one per line; NULL if out of
 * memory.
 */
static int load_and_log(struct daemon *daemon, const struct config_paths *paths, struct config **ret, char **ret_text)
{
	struct config_errors errors = { 0 };
	struct text_buf text = { 0 };
	int r = config_load(paths, &daemon->lookup, CONFIG_USERS_MS, ret, &errors);

	for (size_t i = 0; i < errors.count; i++) {
		const struct config_error *error = &errors.items[i];

		log_write((error->warning ? LOG_WARNING : LOG_ERR) | LOG_PLAIN, "%s", error->text);
		text_buf_printf(&text, "%s%s", i ? "\n" : "", error->text);
	}
	*ret_text = text_buf_take(&text);
	config_errors_clear(&errors);
	return r;
}

int daemon_load_config(struct daemon *daemon)
{
	_cleanup_free_ char *text = NULL;
	int r = load_and_log(daemon, &daemon->paths, &daemon->config, &text);

	if (r == -EINVAL)
		return EXIT_CONFIG;
	if (r < 0) {
		log_error("cannot read the configuration: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	set_log_level(daemon);
	return 0;
}

void daemon_notify_ready(const struct daemon *daemon, const char *remark)
{
	const size_t rules = daemon->config->rules->n_lists;

	sd_notifyf(0, "READY=1\nSTATUS=%zu rule%s, %zu tasks%s", rules, rules == 1 ? "" : "s",
		   tagger_records(daemon->tagger), remark);
}

/*
 * Returns a summary for users, such as "277 rules in force (1 new, 2 changed), attributes of 3 tasks changed, mapping latency
 * (/etc/schedqos.json:3:27)".
 */
static char *summarize(const struct daemon *daemon, const struct config_diff *diff, uint64_t tasks)
{
	const struct {
		size_t count;
		const char *what;
	} parts[] = {
		{ diff->added, "new" },
		{ diff->changed, "changed" },
		{ diff->removed, "removed" },
		{ diff->others, diff->others == 1 ? "setting or class changed" : "settings or classes changed" },
	};
	size_t rules = daemon->config->rules->n_lists;
	const char *mapping = daemon->config->settings.mapping;
	_cleanup_free_ char *name = text_escape(mapping, strlen(mapping)),
			    *place = config_mapping_place(daemon->config);
	struct text_buf text = { 0 };
	const char *before = " (";

	text_buf_printf(&text, "%zu rule%s in force", rules, rules == 1 ? "" : "s");
	for (size_t i = 0; i < array_size(parts); i++) {
		if (!parts[i].count)
			continue;
		text_buf_printf(&text, "%s%zu %s", before, parts[i].count, parts[i].what);
		before = ", ";
	}
	text_buf_printf(&text, "%s, attributes of %" PRIu64 " task%s changed, mapping %s (%s)",
			*before == ',' ? ")" : "", tasks, tasks == 1 ? "" : "s", name ? name : "", place ? place : "");
	return text_buf_take(&text);
}

/* Puts a configuration in force that the tagger already has. Returns a summary for users. */
static char *put_in_force(struct daemon *daemon, struct config *config)
{
	const uint64_t set_before = tagger_counters(daemon->tagger)->set;
	struct config *old = daemon->config;
	struct config_diff diff;

	/* If out of memory, the counts are too low, which affects only the summary. */
	config_diff(old, config, NULL, NULL, &diff);
	daemon->config = config;
	set_log_level(daemon);
	machine_reload(daemon->machine, config);
	users_begin(daemon, old);
	held_reloaded(daemon);
	config_free(old);
	malloc_trim(0);
	daemon->reloads++;
	tagger_scan(daemon->tagger);
	sd_event_source_set_enabled(daemon->changed, SD_EVENT_ONESHOT);
	return summarize(daemon, &diff, tagger_counters(daemon->tagger)->set - set_before);
}

int daemon_reload(struct daemon *daemon, const char *mapping, char **ret_text, char **ret_summary)
{
	_cleanup_free_ char *chosen = mapping ? strdup(mapping) : NULL;
	struct config_paths paths = daemon->paths;
	struct config *config;
	int r;

	if (mapping && !chosen)
		return -ENOMEM;
	if (mapping)
		paths.mapping = chosen;
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_ns(CLOCK_MONOTONIC) / 1000);
	r = load_and_log(daemon, &paths, &config, ret_text);
	if (r == 0) {
		r = tagger_set_config(daemon->tagger, config);
		if (r < 0)
			config_free(config);
	}
	/* If a mapping was requested, the files may be correct and only its name wrong. */
	if (r == 0 || !mapping) {
		free(daemon->reload_error);
		daemon->reload_error = r < 0 ? strdup(*ret_text ? *ret_text : strerror(-r)) : NULL;
		daemon->reloads_failed += r < 0;
	}
	if (r < 0) {
		if (!mapping)
			log_error("reload refused: the previous configuration stays in force");
		daemon_notify_ready(daemon, daemon->reload_error ? ", last reload refused" : "");
		return r;
	}
	if (mapping) {
		free(daemon->mapping);
		daemon->paths.mapping = daemon->mapping = take_ptr(chosen);
	}
	*ret_summary = put_in_force(daemon, config);
	log_info("reloaded: %s", *ret_summary ? *ret_summary : "");
	daemon_notify_ready(daemon, "");
	return 0;
}
