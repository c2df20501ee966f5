/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/user_lookup.h>

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>

/* No name is longer. A name that is cut off is not found. */
#define NAME_BYTES 4096

struct answer {
	int error; /* as returned by user_lookup */
	uid_t uid;
	gid_t gid;
};

static struct answer look_up_user(const char *name)
{
	const struct passwd *user;

	errno = 0;
	user = getpwnam(name);
	if (user)
		return (struct answer){ 0, user->pw_uid, user->pw_gid };
	/* ENOENT means that the socket of a name service is missing, not that the user is. */
	return (struct answer){ .error = !errno ? -ENOENT : errno == ENOENT ? -ECONNREFUSED : -errno };
}

/* Answers one question, a name with its NUL, and returns. */
void user_lookup_serve(int fd)
{
	char name[NAME_BYTES];
	const ssize_t n = recv(fd, name, sizeof(name), 0);
	struct answer answer = { .error = -ENOENT };

	if (n <= 0)
		return;
	if (name[n - 1] == '\0')
		answer = look_up_user(name);
	send(fd, &answer, sizeof(answer), MSG_NOSIGNAL);
}

void user_lookup_drop(struct user_lookup *lookup)
{
	if (lookup->is_asked)
		helper_leave(&lookup->helper);
	lookup->is_asked = false;
}

int user_lookup_begin(struct user_lookup *lookup, const char *name)
{
	int fd;

	user_lookup_drop(lookup);
	fd = helper_need(&lookup->helper);
	if (fd < 0)
		return fd;
	lookup->is_asked = send(fd, name, strnlen(name, NAME_BYTES - 1) + 1, MSG_NOSIGNAL) >= 0;
	if (!lookup->is_asked)
		helper_leave(&lookup->helper);
	return lookup->is_asked ? 0 : -EIO;
}

int user_lookup_end(struct user_lookup *lookup, uid_t *ret, gid_t *ret_gid)
{
	struct answer answer = { .error = -EIO };
	ssize_t n;

	if (!lookup->is_asked)
		return -ETIMEDOUT;
	n = recv(lookup->helper.now.fd, &answer, sizeof(answer), MSG_DONTWAIT);
	if (n < 0)
		answer.error = errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (n == sizeof(answer)) {
		helper_end(&lookup->helper);
		lookup->is_asked = false;
	}
	user_lookup_drop(lookup);
	/* (uid_t)-1 means "no user" to the kernel. */
	if (answer.error == 0 && answer.uid == (uid_t)-1)
		return -ENOENT;
	*ret = answer.uid;
	*ret_gid = answer.gid;
	return answer.error;
}

int user_lookup(struct user_lookup *lookup, const char *name, int timeout_ms, uid_t *ret, gid_t *ret_gid)
{
	struct pollfd answer = { .events = POLLIN };
	int r = user_lookup_begin(lookup, name);

	if (r < 0)
		return r;
	answer.fd = lookup->helper.now.fd;
	while (poll(&answer, 1, timeout_ms) < 0 && errno == EINTR)
		;
	return user_lookup_end(lookup, ret, ret_gid);
}
