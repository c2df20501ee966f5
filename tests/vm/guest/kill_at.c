/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loaded before a program: kills it, as a power cut would, when it is about to call write() for the
 * KILL_AT-th time.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int fd, const void *text, size_t len)
{
	static int count;

	if (++count == atoi(getenv("KILL_AT")))
		kill(getpid(), SIGKILL);
	return syscall(SYS_write, fd, text, len);
}
