/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds and reads the configuration's files in order, and has them parsed. */
#pragma once

#include <stddef.h>

#include <schedqos/config/config_text.h>

/* Where to look. NULL members mean the default paths. */
struct config_paths {
	const char *folder; /* instead of both /usr/share/schedqos and /etc/schedqos */
	const char *file;   /* instead of /etc/schedqos.json; must exist then */
	const char *mapping; /* instead of the one that the files name */
	/*
	 * Instead of all files: these files and folders, in this order, up to NULL. The name of one tells whether it
	 * holds a mapping, profiles, or rules.
	 */
	char *const *only;
};

/*
 * How long to wait for the lookup of all users named in rules: while tasks wait for the daemon, and while a person
 * waits for a command. A few local users take some milliseconds.
 */
#define CONFIG_USERS_MS	       100
#define CONFIG_USERS_PEOPLE_MS 5000

/*
 * Reads all layers. A user who cannot be looked up within users_ms is pending: see struct rule_user. Returns 0 and the
 * configuration, -EINVAL if anything is wrong with a file, or -ENOMEM. Errors and warnings are appended to errors.
 */
int config_load(const struct config_paths *paths, unsigned users_ms, struct config **ret,
		struct config_errors *errors);

/* The administrator's file that config_load reads with these paths, whether it exists or not. */
const char *config_own_file(const struct config_paths *paths);

/* Parses texts that were not read from files. Looks up users, and returns, as config_load does. */
int config_load_texts(const struct config_file *files, size_t n_files, unsigned users_ms, struct config **ret,
		      struct config_errors *errors);
