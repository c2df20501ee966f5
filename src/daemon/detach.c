/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

int detach(int *ret_ready, int *ret_status)
{
	int ends[2];
	uint8_t status;
	ssize_t n;
	pid_t child;

	/* Descriptors inherited from the caller, such as a lock or a pipe, must not stay open as long as we live. */
	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child < 0) {
		int r = -errno;

		close(ends[0]);
		close(ends[1]);
		return r;
	}
	if (child == 0) {
		close(ends[0]);
		setsid();
		*ret_ready = ends[1];
		return 0;
	}
	close(ends[1]);
	do {
		n = read(ends[0], &status, 1);
	} while (n < 0 && errno == EINTR);
	close(ends[0]);
	/* If it was closed without a status, the child died. */
	*ret_status = n == 1 ? status : EXIT_FAILURE;
	return 1;
}

void detach_done(int ready, int status, bool keep_stderr)
{
	uint8_t byte = (uint8_t)status;
	_cleanup_close_ int null = -1;

	if (status == 0) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; fd <= (keep_stderr ? STDOUT_FILENO : STDERR_FILENO) && null >= 0; fd++)
			dup2(null, fd);
		if (chdir("/") < 0)
			byte = EXIT_FAILURE;
	}
	while (write(ready, &byte, 1) < 0 && errno == EINTR)
		;
	close(ready);
}
