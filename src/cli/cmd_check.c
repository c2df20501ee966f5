/* SPDX-License-Identifier: GPL-2.0-only */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "print_errors.h"
#include "verb.h"

enum { OPTION_CONFIG = 256, OPTION_CONFIGS_PATH, OPTION_PRINT, OPTION_HELP };

static const struct option long_options[] = {
	{ "print", no_argument, NULL, OPTION_PRINT },
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "configs-path", required_argument, NULL, OPTION_CONFIGS_PATH },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

struct check_options {
	struct config_paths paths;
	bool print;
};

static int parse(const struct verb *verb, int argc, char **argv, struct check_options *ret,
		 int *ret_status)
{
	int option;

	*ret_status = EXIT_USAGE;
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) >= 0) {
		switch (option) {
		case OPTION_PRINT:
			ret->print = true;
			break;
		case OPTION_CONFIG:
			ret->paths.file = optarg;
			break;
		case OPTION_CONFIGS_PATH:
			ret->paths.folder = optarg;
			break;
		case 'h':
		case OPTION_HELP:
			*ret_status = verb_help(verb);
			return -1;
		default:
			usage_error(verb, "wrong option");
			return -1;
		}
	}
	if (optind < argc && (ret->paths.file || ret->paths.folder)) {
		usage_error(verb, "files to check and --config or --configs-path exclude each other");
		return -1;
	}
	return 0;
}

static int print_config(const struct config *config)
{
	_cleanup_free_ char *text = config_print(config);

	return text && printf("%s\n", text) >= 0 && fflush(stdout) == 0 ? 0 : EXIT_FAILURE;
}

int cmd_check(const struct verb *verb, int argc, char **argv)
{
	struct check_options options = { 0 };
	struct config_errors errors = { 0 };
	struct config *config;
	int status, r;

	if (parse(verb, argc, argv, &options, &status) < 0)
		return status;
	if (optind < argc)
		r = config_load_named((const char *const *)argv + optind, argc - optind, &config,
				      &errors);
	else
		r = config_load(&options.paths, &config, &errors);
	print_errors(&errors);
	if (r < 0) {
		status = EXIT_CONFIG;
		log_error("%zu error%s", errors.n_errors, errors.n_errors == 1 ? "" : "s");
	} else {
		status = options.print ? print_config(config) : 0;
		if (!options.print)
			log_info("%zu rules, %zu classes: no errors", rules_count(config->rules),
				 config->n_classes);
		config_free(config);
	}
	config_errors_clear(&errors);
	return status;
}
