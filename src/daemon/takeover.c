/* SPDX-License-Identifier: GPL-2.0-only */
#include "takeover.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/tagging/watch.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"
#include "log_sink.h"

static pid_t child;
static takeover_t *run_instead;

/* "PID (COMM)" of the process that hung the loop. */
static void describe_cause(const struct daemon *daemon, char *buf, size_t size)
{
	const pid_t pid = watch_process();
	char comm[TASK_COMM_LEN] = "", name[TASK_COMM_LEN * 4];

	procfs_comm(daemon->proc, pid, comm);
	text_escape_to(name, sizeof(name), comm, strlen(comm));
	snprintf(buf, size, "%d (%s)", (int)pid, name);
}

/* Whether we have been told to stop: signals are blocked, and stay pending until the loop reads them. */
static bool was_told_to_stop(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT);
}

/*
 * Closing the lock, sockets and so on lets the child take them. Standard error and the log stay open, and so does
 * ready, on which the child reports.
 */
static void close_descriptors(int ready)
{
	int keep[] = { log_sink_fd(), ready };
	int first = STDERR_FILENO + 1;

	if (keep[0] > keep[1]) {
		int lower = keep[1];

		keep[1] = keep[0];
		keep[0] = lower;
	}
	for (int i = 0; i < 2; i++) {
		if (keep[i] < first)
			continue;
		if (keep[i] > first)
			close_range((unsigned)first, (unsigned)keep[i] - 1, 0);
		first = keep[i] + 1;
	}
	close_range((unsigned)first, ~0U, 0);
}

static _Noreturn void run_child(struct daemon *daemon, const char *cause, pid_t parent, bool stop)
{
	watch_stop();
	/* If the parent is killed, stop and put the tasks back. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		stop = true;
	/* The service manager accepts notifications only from the process that it has started. */
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	/* _exit, so that nothing the parent has left is cleaned up. */
	_exit(run_instead(daemon, watch_process(), cause, stop));
}

/* If the service's seccomp filter forbids kill, we exit, which sends the child a SIGTERM. */
static void forward_signal(int signal)
{
	if (kill(child, signal) < 0 && errno == EPERM && signal != SIGHUP)
		_exit(EXIT_SUCCESS);
}

static void forward_signals(void)
{
	struct sigaction action = { .sa_handler = forward_signal };
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

/* Feeds the service manager's watchdog, if there is one, until the child exits. */
static void wait_for_child(void)
{
	struct pollfd pollfd = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
	uint64_t watchdog_us = 0;
	bool is_watched = sd_watchdog_enabled(0, &watchdog_us) > 0;

	while (pollfd.fd >= 0) {
		int n = poll(&pollfd, 1, is_watched ? (int)(watchdog_us / 2000) : -1);

		if (n > 0 || (n < 0 && errno != EINTR))
			break;
		sd_notify(0, "WATCHDOG=1");
	}
}

static _Noreturn void stand_by(void)
{
	int status;

	forward_signals();
	wait_for_child();
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			_exit(EXIT_FAILURE);
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

/* In the watching thread. */
static void take_over(void *context)
{
	struct daemon *daemon = context;
	const pid_t self = getpid();
	const bool stop = was_told_to_stop();
	char cause[128];

	describe_cause(daemon, cause, sizeof(cause));
	close_descriptors(daemon->ready);
	child = fork();
	if (child == 0)
		run_child(daemon, cause, self, stop);
	if (child < 0) {
		log_error("starting anew: %s", strerror(errno));
		_exit(EXIT_FAILURE);
	}
	if (daemon->ready >= 0)
		close(daemon->ready);
	stand_by();
}

int takeover_prepare(struct daemon *daemon, takeover_t *function)
{
	run_instead = function;
	return watch_start(take_over, daemon);
}
