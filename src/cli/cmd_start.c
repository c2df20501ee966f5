/* SPDX-License-Identifier: GPL-2.0-only */
/* Implements start, which fails if a daemon runs, and restart, which stops it first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>

#include "configuration.h"
#include "verb.h"

/*
 * Makes a path absolute, because the daemon changes its folder. Keeps symbolic links, so that a reload follows them to
 * their target at that time. Returns NULL for no path, or if out of memory.
 */
static char *absolute(const char *path)
{
	_cleanup_free_ char *folder = NULL;
	char *absolute;

	if (!path || *path == '/')
		return path ? strdup(path) : NULL;
	folder = getcwd(NULL, 0);
	if (!folder)
		return strdup(path);
	return asprintf(&absolute, "%s/%s", folder, path) < 0 ? NULL : absolute;
}

int cmd_start(const struct command *command)
{
	_cleanup_free_ char *file = absolute(command->paths.file);
	_cleanup_free_ char *folder = absolute(command->paths.folder);
	const struct daemon_options options = {
		.paths = { .file = file, .folder = folder, .mapping = command->paths.mapping },
		.detach = option_given(command, OPTION_DAEMON),
		.verbose = option_given(command, OPTION_VERBOSE),
	};

	return daemon_run(&options);
}

int cmd_restart(const struct command *command)
{
	struct config *config = NULL;
	/* Do not stop the running daemon if the new one would refuse the configuration. */
	int status = read_config(&command->paths, false, &config);

	config_free(config);
	if (status == 0)
		status = stop_daemon(false);
	return status ? status : cmd_start(command);
}
