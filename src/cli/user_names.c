/* SPDX-License-Identifier: GPL-2.0-only */
#include "user_names.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/text.h>

static char *look_up(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	char *name;

	if (user)
		return text_escape(user->pw_name, strlen(user->pw_name));
	return asprintf(&name, "%u", (unsigned)uid) < 0 ? NULL : name;
}

const char *user_name(struct user_names *names, uid_t uid)
{
	struct user_name *all;

	for (size_t i = 0; i < names->count; i++) {
		if (names->all[i].uid == uid)
			return names->all[i].name ? names->all[i].name : "?";
	}
	all = reallocarray(names->all, names->count + 1, sizeof(*all));
	if (!all)
		return "?";
	names->all = all;
	all[names->count] = (struct user_name){ uid, look_up(uid) };
	return all[names->count].name ? all[names->count++].name : "?";
}

void user_names_clear(struct user_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->all[i].name);
	free(names->all);
	*names = (struct user_names){ 0 };
}
