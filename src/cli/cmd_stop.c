/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <schedqos/daemon/instance.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "verb.h"

/* Time that the daemon may take to stop; putting 50,000 threads back takes well under a second. */
#define STOP_TIMEOUT_MS 60000

static int stop_error(const char *what, int error)
{
	log_error("%s: %s", what, strerror(error));
	return EXIT_FAILURE;
}

int stop_daemon(bool must_run)
{
	const pid_t owner = instance_owner();
	_cleanup_close_ int pidfd = -1;
	struct pollfd pollfd = { .events = POLLIN };
	int n;

	if (owner == -EACCES || owner == -EPERM)
		log_error("must be run as root");
	else if (owner < 0)
		return stop_error("cannot find the daemon", -owner);
	else if (owner == 0 && must_run)
		log_error("no daemon runs");
	if (owner <= 0)
		return owner < 0 || must_run ? EXIT_FAILURE : 0;
	pidfd = (int)syscall(SYS_pidfd_open, owner, 0);
	/* The pid may have been reused before we opened it: check that the lock still has the same owner. */
	if (pidfd < 0 || instance_owner() != owner)
		return errno == ESRCH || pidfd >= 0 ? 0 : stop_error("cannot watch the daemon", errno);
	if (syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0) < 0 && errno != ESRCH)
		return stop_error("cannot stop the daemon", errno);
	pollfd.fd = pidfd;
	do {
		n = poll(&pollfd, 1, STOP_TIMEOUT_MS);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return stop_error("the daemon does not stop", ETIMEDOUT);
	return n < 0 ? stop_error("cannot wait for the daemon", errno) : 0;
}

int cmd_stop(const struct command *command __attribute__((unused)))
{
	return stop_daemon(true);
}
