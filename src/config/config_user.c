/* SPDX-License-Identifier: GPL-2.0-only */
/* Users that rules name. */
#include "config_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct rule_user *parse_user_number(struct parser *parser, const struct json_node *value)
{
	struct rule_user *user;
	char text[24];
	int64_t uid;

	/* The kernel uses the highest uid for "no user". */
	if (!value_integer(parser, value, 0, (int64_t)UINT32_MAX - 1, &uid))
		return NULL;
	snprintf(text, sizeof(text), "%lld", (long long)uid);
	user = keep_alloc(parser, sizeof(*user));
	if (user)
		*user = (struct rule_user){ .name = keep_text(parser, text), .uid = uid };
	return user;
}

static int look_up(const struct parser *parser, const char *name, uid_t *ret)
{
	*ret = 0;
	if (strcmp(name, "root") == 0)
		return 0;
	return parser->look_up ? parser->look_up(parser->look_up_context, name, ret) : -ENOENT;
}

/* The user of that name; looked up the first time. */
static const struct rule_user *user_named(struct parser *parser, const char *name)
{
	struct config *config = parser->config;
	struct rule_user *user = config->users;

	while (user && strcmp(user->name, name) != 0)
		user = user->next;
	if (user)
		return user;
	user = keep_alloc(parser, sizeof(*user));
	if (!user)
		return NULL;
	*user = (struct rule_user){ .name = name, .next = config->users };
	user->error = look_up(parser, name, &user->uid);
	if (user->error)
		user->uid = (uid_t)-1;
	config->users = user;
	return user;
}

void parse_user(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;
	const char *name;

	if (value->type == JSON_NUMBER) {
		match->user = parse_user_number(parser, value);
		return;
	}
	name = value_kept(parser, value);
	match->user = name ? user_named(parser, name) : NULL;
	if (!match->user || !match->user->error)
		return;
	if (rule_user_is_pending(match->user))
		complain(parser, value, WARNING, "user \"%s\" cannot be looked up now (%s): the daemon tries again",
			 name, strerror(-match->user->error));
	else
		complain(parser, value, WARNING, "unknown user \"%s\": this never matches%s", name,
			 name[strspn(name, "0123456789")] ? "" : " (a uid stands without quotes)");
}

void put_user(struct json_writer *json, const char *key, const void *from)
{
	const struct rule_user *user = ((const struct rule_match *)from)->user;
	char uid[16] = "";

	if (user)
		snprintf(uid, sizeof(uid), "%u", user->uid);
	if (user && strcmp(user->name, uid) == 0)
		json_put_number(json, key, user->uid);
	else
		json_put_text(json, key, user ? user->name : NULL);
}
