/* SPDX-License-Identifier: GPL-2.0-only */
/* schedqos-focus is a separate program, so that this one needs no library of a desktop. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/log.h>

#include "verb.h"

#define FOCUS LIBEXECDIR "/schedqos-focus"

int cmd_focus(const struct command *command)
{
	char name[] = "schedqos-focus", print[] = "--print";
	char *argv[] = { name, option_given(command, OPTION_PRINT_SHOWN) ? print : NULL, NULL };

	execv(FOCUS, argv);
	if (errno == ENOENT)
		log_error(FOCUS " is not installed: it is in the package schedqos-desktop");
	else
		log_error(FOCUS ": %s", strerror(errno));
	return EXIT_FAILURE;
}
