/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "check_warnings.h"
#include "client.h"
#include "daemon_config.h"
#include "list_files.h"
#include "print_errors.h"
#include "show_diff.h"
#include "verb.h"

static int print_config(const struct config *config)
{
	_cleanup_free_ char *text = config_print(config, true);

	return text && printf("%s\n", text) >= 0 && fflush(stdout) == 0 ? 0 : EXIT_FAILURE;
}

/* Of each folder that was read. */
static int add_unread(const struct command *command, const struct config_paths *paths,
		      struct config_errors *errors)
{
	const char *layers[CONFIG_LAYERS_MAX];
	size_t n_layers = command->n_operands ? 0 : config_layers(paths, layers);
	struct stat stat_buf;
	int r = 0;

	for (size_t i = 0; i < n_layers && r == 0; i++)
		r = config_unread(layers[i], errors);
	for (int i = 0; i < command->n_operands && r == 0; i++) {
		if (stat(command->operands[i], &stat_buf) == 0 && S_ISDIR(stat_buf.st_mode))
			r = config_unread(command->operands[i], errors);
	}
	return r;
}

/* Reads what is to be checked, and prints all errors and warnings. Returns 0 or an exit status. */
static int load(const struct command *command, const struct config_paths *paths,
		struct config **ret)
{
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	int r;

	if (command->n_operands)
		r = config_load_named((const char *const *)command->operands, command->n_operands,
				      CONFIG_USERS_PEOPLE_MS, &config, &errors);
	else
		r = config_load(paths, CONFIG_USERS_PEOPLE_MS, &config, &errors);
	if (r == 0) {
		r = check_warnings(config, &errors);
		if (r < 0)
			config_free(config);
	}
	if (!option_given(command, OPTION_PRINT))
		add_unread(command, paths, &errors);
	print_errors(&errors);
	if (r < 0)
		log_error("%zu error%s", errors.n_errors, errors.n_errors == 1 ? "" : "s");
	else
		*ret = config;
	config_errors_clear(&errors);
	return r < 0 ? EXIT_CONFIG : 0;
}

static int check(const struct command *command)
{
	struct config *config;
	int status = load(command, &command->paths, &config);

	if (status)
		return status;
	if (option_given(command, OPTION_PRINT))
		status = print_config(config);
	else
		list_files(config, &command->paths, command->n_operands > 0);
	config_free(config);
	return status;
}

/* The configuration of these paths against the daemon's. Returns an exit status. */
static int compare(const struct command *command, sd_bus *bus, const struct config_paths *paths)
{
	struct config_items before = { 0 };
	struct config *config = NULL;
	int status = load(command, paths, &config);

	if (status)
		return status;
	if (daemon_items(bus, &before) < 0)
		status = EXIT_FAILURE;
	else
		show_diff(stdout, &before, config);
	config_items_clear(&before);
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
		paths.file = paths.file ? paths.file : own.file;
		paths.folder = paths.folder ? paths.folder : own.folder;
		status = compare(command, bus, &paths);
	}
	own_paths_clear(&own);
	sd_bus_flush_close_unref(bus);
	return status;
}

int cmd_check(const struct command *command)
{
	const bool diff = option_given(command, OPTION_DIFF);

	if (command->n_operands && (command->paths.file || command->paths.folder))
		return usage_error(
			command->verb,
			"files to check and --config or --configs-path exclude each other");
	if (diff && (command->n_operands || option_given(command, OPTION_PRINT)))
		return usage_error(command->verb,
				   "--diff compares a whole configuration, without --print: "
				   "name its parts by --config and --configs-path");
	return diff ? check_diff(command) : check(command);
}
