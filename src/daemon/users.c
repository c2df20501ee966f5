/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks up the users named in rules without ever waiting long for a name service. */
#include "daemon_private.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>

#include <schedqos/kernel/helper.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* ---- a single lookup in a helper process; only one runs at a time ---- */

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
static void serve_lookup(int fd)
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

static struct helper helper = { .serve = serve_lookup };

/* Sends the question. Returns a descriptor that is readable once there is an answer, or -errno. */
static int begin_lookup(const char *name)
{
	const int fd = helper_need(&helper);

	if (fd < 0 || send(fd, name, strnlen(name, NAME_BYTES - 1) + 1, MSG_NOSIGNAL) >= 0)
		return fd;
	helper_leave(&helper);
	return -EIO;
}

/* Reads the answer if there is one, and ends the lookup, without waiting. Returns the same as user_lookup. */
static int end_lookup(uid_t *ret, gid_t *ret_gid)
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
	*ret = answer.uid;
	*ret_gid = answer.gid;
	return answer.error;
}

int user_lookup(const char *name, int timeout_ms, uid_t *ret, gid_t *ret_gid)
{
	struct pollfd answer = { .fd = begin_lookup(name), .events = POLLIN };

	if (answer.fd < 0)
		return answer.fd;
	while (poll(&answer, 1, timeout_ms) < 0 && errno == EINTR)
		;
	return end_lookup(ret, ret_gid);
}

/* ---- all pending users of a configuration ---- */

/*
 * How long to wait for one user before asking about the next: a name service on a network takes some seconds, and one
 * that hangs may do so forever. The wait doubles after each one until a user becomes known.
 */
#define WAIT_MIN_US 1000000ULL
#define WAIT_MAX_US (600 * 1000000ULL)

#define NAME_TEXT_MAX 256

static struct rule_user *next_pending(struct rule_user *user)
{
	while (user && !rule_user_is_pending(user))
		user = user->next;
	return user;
}

/* Starts looking up the first pending user at or after `user`; starts over after the last. */
static void ask_about(struct daemon *daemon, struct rule_user *user)
{
	struct users *users = &daemon->users;
	int r;

	user = next_pending(user);
	if (!user)
		user = next_pending(daemon->config->users);
	users->asked = NULL;
	if (!user)
		return;
	r = begin_lookup(user->name);
	if (r < 0)
		user->error = r;
	else
		users->asked = user;
	sd_event_source_set_time_relative(users->timer, users->wait_us);
	sd_event_source_set_enabled(users->timer, SD_EVENT_ONESHOT);
}

static void log_answer(const struct rule_user *user)
{
	char name[NAME_TEXT_MAX];

	text_escape_to(name, sizeof(name), user->name, strlen(user->name));
	if (user->error == 0)
		log_notice("user \"%s\" is known now: uid %u", name, user->uid);
	else if (user->error == -ENOENT)
		log_warning("unknown user \"%s\": rules that ask for it never match", name);
}

/* Takes the answer, or gives up on this lookup. */
static void take_answer(struct daemon *daemon, struct rule_user *user)
{
	struct users *users = &daemon->users;
	const uid_t before = user->uid;
	uid_t uid = (uid_t)-1;
	gid_t unused;

	user->error = end_lookup(&uid, &unused);
	if (rule_user_is_pending(user))
		return;
	user->uid = user->error ? (uid_t)-1 : uid;
	users->wait_us = WAIT_MIN_US;
	log_answer(user);
	if (user->uid != before)
		tagger_scan(daemon->tagger);
}

static int on_lookup_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct daemon *daemon = userdata;
	struct users *users = &daemon->users;
	struct rule_user *asked = users->asked;

	(void)source;
	(void)usec;
	users->wait_us = users->wait_us * 2 < WAIT_MAX_US ? users->wait_us * 2 : WAIT_MAX_US;
	if (asked)
		take_answer(daemon, asked);
	ask_about(daemon, asked ? asked->next : NULL);
	return 0;
}

/* Keeps the previous uid: a rule that works must not stop working because a name service is down during a reload. */
static void keep_uid(struct rule_user *user, const struct config *before)
{
	const struct rule_user *old = before->users;

	while (old && strcmp(old->name, user->name) != 0)
		old = old->next;
	if (old)
		user->uid = old->uid;
}

void users_begin(struct daemon *daemon, const struct config *before)
{
	struct users *users = &daemon->users;

	for (struct rule_user *user = daemon->config->users; before && user; user = user->next) {
		if (rule_user_is_pending(user))
			keep_uid(user, before);
	}
	users->wait_us = WAIT_MIN_US;
	if (sd_event_add_time_relative(daemon->event, &users->timer, CLOCK_MONOTONIC, 0, 0, on_lookup_timer, daemon) >=
	    0)
		ask_about(daemon, NULL);
}

void users_end(struct daemon *daemon)
{
	struct users *users = &daemon->users;

	if (take_ptr(users->asked))
		helper_leave(&helper);
	users->timer = sd_event_source_disable_unref(users->timer);
}
