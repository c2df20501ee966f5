/* SPDX-License-Identifier: GPL-2.0-only */
#include "user_lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

/* No passwd(5) line is longer than this. */
#define LINE_MAX_BYTES (1024 * 1024)

struct answer {
	int error; /* as returned by user_lookup_end */
	uid_t uid;
};

static struct answer look_up(const char *name)
{
	for (size_t size = 4096; size <= LINE_MAX_BYTES; size *= 2) {
		_cleanup_free_ char *line = malloc(size);
		struct passwd user, *found;
		int error = line ? getpwnam_r(name, &user, line, size, &found) : ENOMEM;

		if (error == ERANGE)
			continue;
		/* ENOENT is not about the user, but about the socket of a service that is not running. */
		if (error)
			return (struct answer){ error == ENOENT ? -ECONNREFUSED : -error, 0 };
		return found ? (struct answer){ 0, found->pw_uid } : (struct answer){ -ENOENT, 0 };
	}
	return (struct answer){ -ERANGE, 0 };
}

/* Does not return. Dies with its parent, the guard. */
static void ask(const char *name, int fd, pid_t parent)
{
	struct answer answer;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	answer = look_up(name);
	/* It is smaller than PIPE_BUF, so it is read as a whole or not at all. */
	_exit(write(fd, &answer, sizeof(answer)) == sizeof(answer) ? 0 : EXIT_FAILURE);
}

/*
 * Does not return. The service's seccomp filter does not let the daemon send signals. So the asking process dies with
 * this one, its parent, and this one exits when the other end of the pipe is closed, by user_lookup_end or by our
 * death.
 */
static void guard(const char *name, int fd)
{
	struct pollfd gone = { .fd = STDERR_FILENO + 1 };
	pid_t self = getpid(), child;

	/* The name service's plugins must not inherit our descriptors. */
	if (dup2(fd, gone.fd) < 0)
		_exit(EXIT_FAILURE);
	close_range(gone.fd + 1, ~0U, 0);
	child = fork();
	if (child == 0)
		ask(name, gone.fd, self);
	while (child > 0 && poll(&gone, 1, -1) < 0 && errno == EINTR)
		;
	_exit(0);
}

int user_lookup_begin(const char *name, struct user_lookup *ret)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		guard(name, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		int r = -errno;

		close(ends[0]);
		return r;
	}
	*ret = (struct user_lookup){ ends[0], pid };
	return 0;
}

int user_lookup_end(struct user_lookup *lookup, uid_t *ret)
{
	struct answer answer = { -EIO, 0 };
	ssize_t n = read(lookup->fd, &answer, sizeof(answer));

	if (n < 0)
		answer.error = errno == EAGAIN ? -ETIMEDOUT : -errno;
	close(lookup->fd);
	lookup->fd = -1;
	/* Waits for the guard, which exits at once. */
	while (waitpid(lookup->pid, NULL, 0) < 0 && errno == EINTR)
		;
	/* (uid_t)-1 means "no user" to the kernel. */
	if (answer.error == 0 && answer.uid == (uid_t)-1)
		return -ENOENT;
	*ret = answer.uid;
	return answer.error;
}

int user_lookup_wait(const char *name, int timeout_ms, uid_t *ret)
{
	struct user_lookup lookup = { -1, -1 };
	struct pollfd answer = { .events = POLLIN };
	int r = user_lookup_begin(name, &lookup);

	if (r < 0)
		return r;
	answer.fd = lookup.fd;
	while (poll(&answer, 1, timeout_ms) < 0 && errno == EINTR)
		;
	return user_lookup_end(&lookup, ret);
}
