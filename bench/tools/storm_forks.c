/* SPDX-License-Identifier: GPL-2.0-only */
/* fork, exit, wait. */
#include "storm.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

const bool storm_needs_program = false;

void storm_pass(const char *program, uint64_t n)
{
	pid_t pid = fork();

	(void)program;
	(void)n;
	if (pid == 0)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("fork");
}
