/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds and reads the configuration's files in order, and parses them. */
#pragma once

#include <stddef.h>

#include <schedqos/config/config_text.h>
#include <schedqos/daemon/user_lookup.h>

/* Paths of the configuration. NULL members mean the default paths. */
struct config_paths {
	const char *folder; /* instead of both /usr/share/schedqos and /etc/schedqos */
	/* instead of /etc/schedqos.json; the file must exist */
	const char *file;
	const char *mapping; /* instead of the mapping that the files name */
	/*
	 * Instead of all other files: a list of files and folders, ended by NULL, read in this order. The name of a
	 * file tells whether it holds a mapping, profiles, or rules.
	 */
	char *const *only;
};

/*
 * Time that the lookups of all users named in rules may take together, in ms: while tasks wait for the daemon, and
 * while a user waits for a command. Looking up a few local users takes some milliseconds.
 */
#define CONFIG_USERS_MS	       100
#define CONFIG_USERS_PEOPLE_MS 5000

/*
 * Reads all layers. A user who cannot be looked up within users_ms becomes pending: see struct rule_user. Returns 0 and
 * the configuration, -EINVAL if a file has an error, or -ENOMEM. Appends errors and warnings to errors.
 */
int config_load(const struct config_paths *paths, struct user_lookup *lookup, unsigned users_ms, struct config **ret,
		struct config_errors *errors);

/* Returns the path of the administrator's file that config_load reads with these paths, whether it exists or not. */
const char *config_own_file(const struct config_paths *paths);

/* Parses texts that were not read from files. Looks up users and returns the same values as config_load. */
int config_load_texts(const struct config_file *files, size_t n_files, struct user_lookup *lookup, unsigned users_ms,
		      struct config **ret, struct config_errors *errors);
