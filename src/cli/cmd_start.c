/* SPDX-License-Identifier: GPL-2.0-only */
/* start and restart: they differ in whether a running daemon is in the way. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>

#include "print_errors.h"
#include "stop_daemon.h"
#include "verb.h"

enum { OPTION_CONFIG = 256, OPTION_CONFIGS_PATH, OPTION_HELP };

static const struct option long_options[] = {
	{ "daemon", no_argument, NULL, 'd' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "configs-path", required_argument, NULL, OPTION_CONFIGS_PATH },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

/* In the place of what an earlier option of that name gave. Absolute, since the daemon leaves this folder. */
static void set_path(const char **path, const char *arg)
{
	char *absolute = realpath(arg, NULL);

	free((char *)*path);
	*path = absolute ? absolute : strdup(arg);
}

static void cleanup_options(struct daemon_options *options)
{
	free((char *)options->paths.file);
	free((char *)options->paths.folder);
}

/* Returns 0, or -1 with *ret_status to exit with. */
static int parse(const struct verb *verb, int argc, char **argv, struct daemon_options *ret,
		 int *ret_status)
{
	int option;

	*ret_status = EXIT_USAGE;
	while ((option = getopt_long(argc, argv, "dvh", long_options, NULL)) >= 0) {
		switch (option) {
		case 'd':
			ret->detach = true;
			break;
		case 'v':
			ret->verbose = true;
			break;
		case OPTION_CONFIG:
			set_path(&ret->paths.file, optarg);
			break;
		case OPTION_CONFIGS_PATH:
			set_path(&ret->paths.folder, optarg);
			break;
		case 'h':
		case OPTION_HELP:
			*ret_status = verb_help(verb);
			return -1;
		default:
			/* getopt has said what is wrong. */
			usage_error(verb, "wrong option");
			return -1;
		}
	}
	if (optind < argc) {
		usage_error(verb, "%s takes options only", verb->name);
		return -1;
	}
	return 0;
}

int cmd_start(const struct verb *verb, int argc, char **argv)
{
	_cleanup_(cleanup_options) struct daemon_options options = { 0 };
	int status;

	if (parse(verb, argc, argv, &options, &status) < 0)
		return status;
	return daemon_run(&options);
}

/* A daemon that runs is not stopped for a configuration that the new one would refuse. Returns an exit status. */
static int check_config(const struct daemon_options *options)
{
	struct config_errors errors = { 0 };
	struct config *config;
	int r = config_load(&options->paths, &config, &errors);

	if (r == 0)
		config_free(config);
	else
		print_errors(&errors);
	config_errors_clear(&errors);
	return r == 0 ? 0 : EXIT_CONFIG;
}

int cmd_restart(const struct verb *verb, int argc, char **argv)
{
	_cleanup_(cleanup_options) struct daemon_options options = { 0 };
	int status;

	if (parse(verb, argc, argv, &options, &status) < 0)
		return status;
	status = check_config(&options);
	if (status)
		return status;
	if (stop_daemon(NULL) < 0)
		return EXIT_FAILURE;
	return daemon_run(&options);
}
