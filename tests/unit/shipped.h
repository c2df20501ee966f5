/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in configs/, for tests that run in the top folder. */
#pragma once

#include <glob.h>

#include "fake_process.h"

#define SHIPPED_MAX 32

/* The folder as it is installed, in the order in which it is read. */
static const struct part {
	const char *pattern;
	enum config_kind kind;
} folder[] = {
	{ "configs/mappings/*.json", CONFIG_PRESET },
	{ "configs/qos_mappings.json", CONFIG_MAPPING },
	{ "configs/app_configs/*.json", CONFIG_RULES },
	{ "configs/schedqos.json", CONFIG_RULES },
	{ "configs/sched_profiles.json", CONFIG_PROFILES },
};

enum {
	PRESETS,
	MAPPING_FILE,
	RULES_FILES,
	SETTINGS_FILE,
	PROFILES_FILE,
};

static inline char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(CONFIG_SIZE_MAX);

	if (!file)
		fail_msg("%s is missing", path);
	assert_non_null(text);
	*size = fread(text, 1, CONFIG_SIZE_MAX, file);
	fclose(file);
	return text;
}

/*
 * Returns the configuration of these parts of the folder, with the mapping that an option would choose, or NULL. It
 * must have no error or warning, not even one of those that only `check` gives: for shipped rules these would be noise.
 */
static inline struct config *shipped(size_t first, size_t last, const char *mapping)
{
	struct config_file files[SHIPPED_MAX];
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	size_t n = 0;

	for (const struct part *part = &folder[first]; part <= &folder[last]; part++) {
		glob_t found;

		assert_int_equal(glob(part->pattern, 0, NULL, &found), 0);
		for (size_t i = 0; i < found.gl_pathc; i++, n++) {
			assert_in_range(n, 0, SHIPPED_MAX - 2);
			files[n] = (struct config_file){ .path = strdup(found.gl_pathv[i]), .kind = part->kind };
			files[n].text = read_file(files[n].path, &files[n].size);
		}
		globfree(&found);
	}
	if (mapping)
		files[n++] = (struct config_file){
			.path = strdup("--mapping"), .text = strdup(mapping), .size = strlen(mapping), .kind = CONFIG_CHOICE
		};
	assert_int_equal(config_parse(files, n, lookup_user, NULL, &config, &errors), 0);
	assert_int_equal(config_lint(config, &errors), 0);
	print_all(&errors);
	assert_int_equal(errors.count, 0);
	if (mapping)
		assert_string_equal(config->settings.mapping, mapping);
	while (n--) {
		free((char *)files[n].path);
		free((char *)files[n].text);
	}
	return config;
}
