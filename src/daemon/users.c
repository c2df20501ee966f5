/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks up the pending users of a configuration in the background, until a name service answers. */
#include "daemon_private.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

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
	r = user_lookup_begin(&daemon->lookup, user->name);
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
		log_warning("unknown user \"%s\": rules for this user never match", name);
}

/* Takes the answer, or gives up on this lookup. */
static void take_answer(struct daemon *daemon, struct rule_user *user)
{
	struct users *users = &daemon->users;
	const uid_t before = user->uid;
	uid_t uid = (uid_t)-1;
	gid_t unused;

	user->error = user_lookup_end(&daemon->lookup, &uid, &unused);
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

	users_end(daemon);
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

	users->asked = NULL;
	user_lookup_drop(&daemon->lookup);
	users->timer = sd_event_source_disable_unref(users->timer);
}
