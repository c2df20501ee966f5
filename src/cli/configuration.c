/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads configurations for the verbs that need one. */
#include "configuration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

/* ---- from files ---- */

int read_config(const struct config_paths *paths, bool checks, struct config **ret)
{
	struct config_errors errors = { 0 };
	struct user_lookup lookup = USER_LOOKUP_INIT;
	int r = config_load(paths, &lookup, CONFIG_USERS_PEOPLE_MS, ret, &errors);

	if (r == 0 && checks)
		r = config_lint(*ret, &errors);
	for (size_t i = 0; i < errors.count && (checks || r < 0); i++)
		fprintf(stderr, "%s\n", errors.items[i].text);
	if (r < 0 && r != -EINVAL)
		log_error("cannot read the configuration: %s", strerror(-r));
	config_errors_clear(&errors);
	return r < 0 ? EXIT_CONFIG : 0;
}

/* ---- from the daemon ---- */

static void fill(const char **path, const cJSON *status, const char *key)
{
	const char *text = member_text(status, key);

	if (!*path && *text)
		*path = text;
}

void warn_unused_paths(const struct config_paths *paths)
{
	if (paths->file || paths->folder)
		log_warning("the daemon answers from its own configuration: --config and --configs-path have no effect");
}

int daemon_paths(struct config_paths *paths, cJSON **ret)
{
	*ret = status_read();
	if (!*ret)
		return -EIO;
	fill(&paths->file, *ret, "config_file");
	fill(&paths->folder, *ret, "config_folder");
	fill(&paths->mapping, *ret, "config_mapping");
	return 0;
}

int daemon_config(struct config **ret)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	struct config_file files[] = { { .path = "in force", .kind = CONFIG_PROFILES },
				       { .path = "in force", .kind = CONFIG_RULES } };
	struct user_lookup lookup = USER_LOOKUP_INIT;
	struct config_errors errors = { 0 };
	int r;

	if (client_call(BUS_INTERFACE, "GetConfig", &reply, ""))
		return -EIO;
	r = sd_bus_message_read(reply, "ss", &files[1].text, &files[0].text);
	if (r >= 0) {
		files[0].size = strlen(files[0].text);
		files[1].size = strlen(files[1].text);
		r = config_load_texts(files, array_size(files), &lookup, CONFIG_USERS_PEOPLE_MS, ret, &errors);
	}
	if (r < 0)
		log_error("cannot read the daemon's configuration: %s", strerror(-r));
	config_errors_clear(&errors);
	return r;
}

int reload_daemon(void)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_free_ char *safe_warnings = NULL, *safe_summary = NULL;
	const char *warnings = "", *summary = "";
	int status = client_call(BUS_INTERFACE, "Reload", &reply, "");

	if (status == EXIT_CONFIG)
		log_error("reload refused: the previous configuration stays in force");
	if (status)
		return status;
	sd_bus_message_read(reply, "ss", &warnings, &summary);
	safe_warnings = client_text(warnings);
	safe_summary = client_text(summary);
	if (safe_warnings && *safe_warnings)
		fprintf(stderr, "%s\n", safe_warnings);
	log_info("%s", safe_summary ? safe_summary : "");
	return 0;
}
