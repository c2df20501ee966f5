/* SPDX-License-Identifier: GPL-2.0-only */
/* A program of its own, so that this one needs no library of a desktop. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "verb.h"

#define FOCUS "/schedqos-focus"

/* Beside this one where it was built, but not installed. */
static void become_neighbour(char **argv)
{
	char path[4096];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(FOCUS));
	char *slash;

	if (n <= 0)
		return;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return;
	memcpy(slash, FOCUS, sizeof(FOCUS));
	execv(path, argv);
}

int cmd_focus(const struct command *command)
{
	char name[] = "schedqos-focus", print[] = "--print";
	char *argv[] = { name, option_given(command, OPTION_PRINT_SHOWN) ? print : NULL, NULL };

	become_neighbour(argv);
	execv(LIBEXECDIR FOCUS, argv);
	if (errno == ENOENT)
		log_error(LIBEXECDIR FOCUS " is not installed: it is in the package schedqos-desktop");
	else
		log_error(LIBEXECDIR FOCUS ": %s", strerror(errno));
	return EXIT_FAILURE;
}
