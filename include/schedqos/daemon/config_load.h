/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds and reads the configuration's files in their order, and has them parsed. */
#pragma once

#include <schedqos/config/config_text.h>

/* Where to look. NULL members stand for the usual places. */
struct config_paths {
	const char *folder; /* instead of both /usr/share/schedqos and /etc/schedqos */
	const char *file;   /* instead of /etc/schedqos.json; must exist then */
};

/*
 * How long users whom rules name are waited for, all together, where tasks wait meanwhile, and where people do. A few
 * names that the machine itself knows take some milliseconds.
 */
#define CONFIG_USERS_MS	       100
#define CONFIG_USERS_PEOPLE_MS 5000

/*
 * Reads all that is there. A user who cannot be looked up within users_ms is pending then: see struct rule_user.
 * Returns 0 and the configuration, -EINVAL when anything is wrong with a file, or -ENOMEM. Errors and warnings are
 * appended to errors.
 */
int config_load(const struct config_paths *paths, unsigned users_ms, struct config **ret,
		struct config_errors *errors);

/*
 * Reads just the named files and folders, in this order; a file is taken by its name for a mapping, for
 * profiles, or else for rules. Returns as config_load does.
 */
int config_load_named(const char *const *names, size_t n_names, unsigned users_ms, struct config **ret,
		      struct config_errors *errors);
