/* SPDX-License-Identifier: GPL-2.0-only */
#include "users.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "daemon_private.h"

/* A name service that asks a network gives up after some seconds; if it takes longer than this, it hangs. */
#define ANSWER_US 10000000ULL

#define PAUSE_MIN_US 10000000ULL
#define PAUSE_MAX_US (3600 * 1000000ULL)

#define NAME_TEXT_MAX 256

static int on_answer(sd_event_source *source, int fd, uint32_t revents, void *userdata);

static void set_timer(struct daemon *daemon, uint64_t us)
{
	sd_event_source_set_time_relative(daemon->users.timer, us);
	sd_event_source_set_enabled(daemon->users.timer, SD_EVENT_ONESHOT);
}

/* Returns whether there is an answer to wait for. */
static bool ask(struct daemon *daemon, struct rule_user *user)
{
	struct users *users = &daemon->users;
	uid_t unused;
	const int fd = user_lookup_begin(user->name);
	int r = fd < 0 ? fd : sd_event_add_io(daemon->event, &users->answer, fd, EPOLLIN, on_answer, daemon);

	if (r < 0) {
		if (fd >= 0)
			user_lookup_end(&unused, NULL);
		user->error = r;
		return false;
	}
	users->asked = user;
	set_timer(daemon, ANSWER_US);
	return true;
}

/* Asks for one after the other; then, if some are still unknown, pauses, longer each time. */
static void ask_next(struct daemon *daemon, struct rule_user *user)
{
	struct users *users = &daemon->users;

	for (; user; user = user->next) {
		if (rule_user_is_pending(user) && ask(daemon, user))
			return;
	}
	sd_event_source_set_enabled(users->timer, SD_EVENT_OFF);
	for (user = daemon->config->users; user; user = user->next) {
		if (!rule_user_is_pending(user))
			continue;
		set_timer(daemon, users->pause_us);
		users->pause_us = users->pause_us * 2 < PAUSE_MAX_US ? users->pause_us * 2 : PAUSE_MAX_US;
		return;
	}
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

/* Takes the answer, or gives up waiting for it. */
static void finish_lookup(struct daemon *daemon)
{
	struct users *users = &daemon->users;
	struct rule_user *user = users->asked;
	const uid_t before = user->uid;
	uid_t uid = (uid_t)-1;

	users->asked = NULL;
	users->answer = sd_event_source_disable_unref(users->answer);
	user->error = user_lookup_end(&uid, NULL);
	if (!rule_user_is_pending(user))
		user->uid = user->error ? (uid_t)-1 : uid;
	log_answer(user);
	ask_next(daemon, user->next);
	if (user->uid != before)
		tagger_scan(daemon->tagger);
}

static int on_answer(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)fd;
	(void)revents;
	finish_lookup(userdata);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct daemon *daemon = userdata;

	(void)source;
	(void)usec;
	if (daemon->users.asked)
		finish_lookup(daemon);
	else
		ask_next(daemon, daemon->config->users);
	return 0;
}

/* A rule that works should not stop working because a name service is down during a reload. */
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
	users->pause_us = PAUSE_MIN_US;
	if (!users->timer &&
	    sd_event_add_time(daemon->event, &users->timer, CLOCK_MONOTONIC, 0, 0, on_timer, daemon) < 0)
		return;
	ask_next(daemon, daemon->config->users);
}

void users_end(struct daemon *daemon)
{
	struct users *users = &daemon->users;
	uid_t unused;

	if (users->asked) {
		users->answer = sd_event_source_disable_unref(users->answer);
		user_lookup_end(&unused, NULL);
		users->asked = NULL;
	}
	users->timer = sd_event_source_disable_unref(users->timer);
}
