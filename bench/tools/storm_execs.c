/* SPDX-License-Identifier: GPL-2.0-only */
/* fork, exec, exit, wait. */
#include "storm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

const bool storm_needs_program = true;

static const char *name_of(const char *program)
{
	const char *slash = strrchr(program, '/');

	return slash ? slash + 1 : program;
}

void storm_pass(const char *program, uint64_t n)
{
	char *const argv[] = { (char *)name_of(program), NULL };
	pid_t pid = fork();
	int status;

	(void)n;
	if (pid == 0) {
		execv(program, argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("fork");
	if (status) {
		errno = ENOEXEC;
		die(program);
	}
}
