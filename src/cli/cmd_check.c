/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "configuration.h"
#include "verb.h"

static void list_file(const struct config *config, size_t file)
{
	_cleanup_free_ char *path = text_escape(config->files[file], strlen(config->files[file]));
	const struct settings *settings = &config->settings;

	/* Not a file, but --mapping. */
	if (!settings->mapping_is_named || settings->mapping_source.line || settings->mapping_source.file != file)
		fprintf(stderr, "%s\n", path ? path : "?");
}

static void say_mapping(const struct config *config)
{
	const char *mapping = config->settings.mapping;
	_cleanup_free_ char *name = text_escape(mapping, strlen(mapping)), *place = config_mapping_place(config);

	log_info("mapping %s (%s)", name ? name : "", place ? place : "");
}

/* A line for each file, and one for the whole. */
static void list_files(const struct config *config)
{
	size_t rules = rules_count(config->rules);

	for (size_t i = 0; i < config->n_files; i++)
		list_file(config, i);
	if (!config->n_files)
		log_warning("found no file: there is only what is built in");
	else if (!rules)
		log_warning("there is no rule: no program gets another class than %s", QOS_DEFAULT_NAME);
	say_mapping(config);
	log_info("%zu rule%s, %zu classes: no errors", rules, rules == 1 ? "" : "s", config->n_classes);
}

static int print_config(const struct config *config)
{
	_cleanup_free_ char *text = config_print(config, true);

	say_mapping(config);
	return text && printf("%s\n", text) >= 0 && fflush(stdout) == 0 ? 0 : EXIT_FAILURE;
}

static int check(const struct command *command)
{
	struct config *config;
	int status = check_config(&command->paths, command->operands, command->n_operands, &config);

	if (status)
		return status;
	if (option_given(command, OPTION_PRINT))
		status = print_config(config);
	else
		list_files(config);
	config_free(config);
	return status;
}

/* The configuration of these paths against the daemon's. Returns an exit status. */
static int compare(sd_bus *bus, const struct config_paths *paths)
{
	struct config *before = NULL, *config = NULL;
	int status = check_config(paths, NULL, 0, &config);

	if (status)
		return status;
	if (daemon_config(bus, &before) < 0)
		status = EXIT_FAILURE;
	else
		show_diff(stdout, before, config);
	config_free(before);
	config_free(config);
	return status;
}

/* Without other paths: what a reload would bring. */
static int check_diff(const struct command *command)
{
	struct own_paths own = { 0 };
	struct config_paths paths = command->paths;
	int status = EXIT_FAILURE;
	sd_bus *bus;

	if (client_open(&bus) < 0)
		return EXIT_FAILURE;
	if (daemon_paths(bus, &own) == 0) {
		own_paths_fill(&own, &paths);
		status = compare(bus, &paths);
	}
	own_paths_clear(&own);
	sd_bus_flush_close_unref(bus);
	return status;
}

int cmd_check(const struct command *command)
{
	const bool diff = option_given(command, OPTION_DIFF);

	if (command->n_operands && (command->paths.file || command->paths.folder || command->paths.mapping))
		return usage_error(command->verb,
				   "files to check and --config, --configs-path or --mapping exclude each other");
	if (diff && (command->n_operands || option_given(command, OPTION_PRINT)))
		return usage_error(command->verb,
				   "--diff compares a whole configuration, without --print: "
				   "name its parts by --config and --configs-path");
	return diff ? check_diff(command) : check(command);
}
