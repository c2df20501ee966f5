/* SPDX-License-Identifier: GPL-2.0-only */
/* fork, exec, exit, wait. */
#include "storm.h"

#include <errno.h>
#include <fcntl.h>
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

/* The pipe's other end closes at the exec: only then has the task its name. */
static void await_exec(int pipe_ends[2], const char *program)
{
	char byte;

	close(pipe_ends[1]);
	if (read(pipe_ends[0], &byte, 1) != 0) {
		errno = ENOEXEC;
		die(program);
	}
	close(pipe_ends[0]);
}

void storm_keep(const char *program, uint64_t n, struct kept *ret)
{
	char *const argv[] = { (char *)name_of(program), (char *)"stay", NULL };
	pid_t pid, parent = getpid();
	int pipe_ends[2];

	(void)n;
	if (pipe2(pipe_ends, O_CLOEXEC) < 0)
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		end_with(parent);
		execv(program, argv);
		if (write(pipe_ends[1], "", 1) < 0)
			_exit(126);
		_exit(127);
	}
	await_exec(pipe_ends, program);
	ret->tid = pid;
	snprintf(ret->name, sizeof(ret->name), "%.15s", name_of(program));
}
