/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of users, each looked up once. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Starts as all zeroes. */
struct user_names {
	struct user_name {
		uid_t uid;
		char *name; /* escaped */
	} * all;
	size_t count;
};

/* The user's name, or his number. Lives until user_names_clear. */
const char *user_name(struct user_names *names, uid_t uid);
void user_names_clear(struct user_names *names);
