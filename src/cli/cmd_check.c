/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/config_load.h>
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

	/* The entry for --mapping is not a file. */
	if (!settings->mapping_is_named || settings->mapping_source.line || settings->mapping_source.file != file)
		fprintf(stderr, "%s\n", path ? path : "?");
}

static void say_mapping(const struct config *config)
{
	const char *mapping = config->settings.mapping;
	_cleanup_free_ char *name = text_escape(mapping, strlen(mapping)), *place = config_mapping_place(config);

	log_info("mapping %s (%s)", name ? name : "", place ? place : "");
}

/* Prints a line for each file, and a summary. */
static void list_files(const struct config *config)
{
	size_t rules = config->rules->n_lists;

	for (size_t i = 0; i < config->n_files; i++)
		list_file(config, i);
	if (!config->n_files)
		log_warning("no configuration file found: only the built-in configuration is in use");
	else if (!rules)
		log_warning("there are no rules: no program gets a class other than %s", QOS_DEFAULT_NAME);
	say_mapping(config);
	log_info("%zu rule%s, %zu classes: no errors", rules, rules == 1 ? "" : "s", config->n_classes);
}

static int print_config(const struct config *config)
{
	_cleanup_free_ char *text = config_print(config, true);

	say_mapping(config);
	return text && printf("%s\n", text) >= 0 && fflush(stdout) == 0 ? 0 : EXIT_FAILURE;
}

/* Prints the differences from the configuration that the daemon has in force. */
static int compare_with_daemon(const struct config *config)
{
	_cleanup_(config_freep) struct config *before = NULL;

	if (daemon_config(&before) < 0)
		return EXIT_FAILURE;
	show_diff(before, config);
	return 0;
}

int cmd_check(const struct command *command)
{
	const bool diff = option_given(command, OPTION_DIFF), print = option_given(command, OPTION_PRINT);
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(cJSON_Deletep) cJSON *daemons = NULL;
	struct config_paths paths = command->paths;
	int status;

	if (command->n_operands && (paths.file || paths.folder || paths.mapping || diff))
		return usage_error(command->verb,
				   "files to check cannot be combined with --diff, --config, --configs-path or --mapping");
	if (diff && print)
		return usage_error(command->verb, "--diff and --print cannot be combined");
	/* With the daemon's paths this shows what a reload would change. */
	if (diff && daemon_paths(&paths, &daemons) < 0)
		return EXIT_FAILURE;
	paths.only = command->n_operands ? command->operands : NULL;
	status = read_config(&paths, true, &config);
	if (status)
		return status;
	if (diff)
		return compare_with_daemon(config);
	if (print)
		return print_config(config);
	list_files(config);
	return 0;
}
