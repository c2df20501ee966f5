/* SPDX-License-Identifier: GPL-2.0-only */
#include "users.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <schedqos/kernel/helper.h>
#include <schedqos/util/cleanup.h>

/* No name is longer; what is cut off is not found. */
#define NAME_BYTES 4096

/* No passwd(5) line is longer than this. */
#define LINE_MAX_BYTES (1024 * 1024)

struct answer {
	int error; /* as returned by user_lookup_end */
	uid_t uid;
	gid_t gid;
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
			return (struct answer){ .error = error == ENOENT ? -ECONNREFUSED : -error };
		return found ? (struct answer){ 0, found->pw_uid, found->pw_gid } : (struct answer){ .error = -ENOENT };
	}
	return (struct answer){ .error = -ERANGE };
}

/* The name comes with its NUL, and one is all that is asked. */
static void serve(int fd)
{
	char name[NAME_BYTES];
	const ssize_t n = recv(fd, name, sizeof(name), 0);
	struct answer answer = { .error = -ENOENT };

	if (n <= 0)
		return;
	if (name[n - 1] == '\0')
		answer = look_up(name);
	send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
}

/* One at a time. */
static struct helper helper = { .serve = serve };

int user_lookup_begin(const char *name)
{
	const int fd = helper_need(&helper);

	if (fd < 0)
		return fd;
	if (send(fd, name, strnlen(name, NAME_BYTES - 1) + 1, MSG_NOSIGNAL) < 0) {
		int r = -errno;

		helper_leave(&helper);
		return r;
	}
	return fd;
}

int user_lookup_end(uid_t *ret, gid_t *ret_gid)
{
	struct answer answer = { .error = -EIO };
	ssize_t n = recv(helper.now.fd, &answer, sizeof(answer), MSG_DONTWAIT);

	if (n < 0)
		answer.error = errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (n == sizeof(answer))
		helper_end(&helper);
	else
		helper_leave(&helper);
	/* (uid_t)-1 means "no user" to the kernel. */
	if (answer.error == 0 && answer.uid == (uid_t)-1)
		return -ENOENT;
	if (ret)
		*ret = answer.uid;
	if (ret_gid)
		*ret_gid = answer.gid;
	return answer.error;
}

int user_lookup_wait(const char *name, int timeout_ms, uid_t *ret, gid_t *ret_gid)
{
	struct pollfd answer = { .fd = user_lookup_begin(name), .events = POLLIN };

	if (answer.fd < 0)
		return answer.fd;
	while (poll(&answer, 1, timeout_ms) < 0 && errno == EINTR)
		;
	return user_lookup_end(ret, ret_gid);
}
