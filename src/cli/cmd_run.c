/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks for the class for itself, and becomes the command. So it is of that class from its first instruction on. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "override_call.h"
#include "verb.h"

/* As env(1) has them, so that they are not taken for the command's. */
#define EXIT_NOT_ASKED 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

static int become(char **argv)
{
	char safe[256];
	int error;

	execvp(argv[0], argv);
	error = errno;
	log_error("%s: %s", text_escape_to(safe, sizeof(safe), argv[0], strlen(argv[0])), strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int cmd_run(const struct command *command)
{
	bool is_given;

	override_set(0, option_value(command, OPTION_QOS), option_given(command, OPTION_INHERIT), &is_given);
	return is_given ? become(command->operands) : EXIT_NOT_ASKED;
}
