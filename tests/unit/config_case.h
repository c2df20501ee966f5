/* SPDX-License-Identifier: GPL-2.0-only */
/* Configurations for tests, written where they are used. */
#pragma once

#include "test.h"

#include <errno.h>

#include <schedqos/config/config_text.h>

#define FILES_MAX 4

/* Looks up a user: alice has uid 1000, slow cannot be looked up now, and no other user exists. */
static inline int lookup_user(void *context, const char *name, uid_t *ret)
{
	(void)context;
	if (strcmp(name, "slow") == 0)
		return -ETIMEDOUT;
	if (strcmp(name, "alice") != 0)
		return -ENOENT;
	*ret = 1000;
	return 0;
}

/* Returns the text with " in place of each '. It is valid until the next text for that file. */
static inline char *with_quotes(const char *text, size_t file)
{
	static char room[FILES_MAX][1 << 20];

	assert_true(strlen(text) < sizeof(room[0]));
	strcpy(room[file], text);
	for (char *c = room[file]; (c = strchr(c, '\''));)
		*c = '"';
	return room[file];
}

/* Parses up to FILES_MAX files, n or those before one without a path, given as struct config_file without size. */
static inline int parse(const struct config_file *files, size_t n, struct config **ret, struct config_errors *errors)
{
	struct config_file sized[FILES_MAX];
	size_t i;

	assert_in_range(n, 0, FILES_MAX);
	for (i = 0; i < n && files[i].path; i++) {
		sized[i] = files[i];
		sized[i].text = with_quotes(files[i].text, i);
		sized[i].size = strlen(files[i].text);
	}
	return config_parse(sized, i, lookup_user, NULL, ret, errors);
}

/* Checks all errors and warnings, given as one line for each. */
static inline void assert_errors(const struct config_errors *errors, const char *want)
{
	char all[4096] = "", *end = all;

	for (size_t i = 0; i < errors->count; i++)
		end += snprintf(end, (size_t)(all + sizeof(all) - end), "%s\n", errors->items[i].text);
	assert_string_equal(all, with_quotes(want, 0));
}

static inline void print_all(const struct config_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++)
		print_error("%s\n", errors->items[i].text);
}

struct bad {
	const char *text;
	unsigned line, column;
	const char *path;
	const char *message; /* a part of it */
};

/* Checks that there is exactly one error or warning, and that it is this one. */
static inline void assert_only(const struct config_errors *errors, const char *file, const struct bad *bad,
			       bool warning)
{
	char place[1024];
	size_t n = (size_t)snprintf(place, sizeof(place), "%s:%u:%u: %s%s%s", file, bad->line, bad->column, bad->path,
				    *bad->path ? ": " : "", warning ? "warning: " : "");

	if (errors->count == 1 && errors->n_errors == !warning && errors->items[0].warning == warning &&
	    strncmp(errors->items[0].text, place, n) == 0 && strstr(errors->items[0].text + n, bad->message))
		return;
	print_all(errors);
	fail_msg("%s\n  wanted %s%s", bad->text, place, bad->message);
}

static inline struct config *parse_good(const struct config_file *files, size_t n)
{
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	int r = parse(files, n, &config, &errors);

	print_all(&errors);
	assert_int_equal(r, 0);
	assert_int_equal(errors.count, 0);
	config_errors_clear(&errors);
	return config;
}

/* Checks that these rules are refused, with this text in the first error. */
static inline void assert_refused(const char *rules, const char *message)
{
	const struct config_file file = { .path = "rules.json", .text = rules, .kind = CONFIG_RULES };
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	assert_int_equal(parse(&file, 1, &config, &errors), -EINVAL);
	assert_null(config);
	assert_non_null(strstr(errors.items[0].text, message));
	config_errors_clear(&errors);
}

/* Returns the configuration of these files, which must have no error or warning. */
#define GOOD(...)                                               \
	parse_good((const struct config_file[]){ __VA_ARGS__ }, \
		   COUNT(((const struct config_file[]){ __VA_ARGS__ })))
#define RULES(json)	   { .path = "rules.json", .text = (json), .kind = CONFIG_RULES }
#define MAPPING(json)	   { .path = "mapping.json", .text = (json), .kind = CONFIG_MAPPING }
#define PROFILES(json)	   { .path = "profiles.json", .text = (json), .kind = CONFIG_PROFILES }
#define PRESET(name, json) { .path = "mappings/" name ".json", .text = (json), .kind = CONFIG_PRESET }
#define CHOICE(name)	   { .path = "--mapping", .text = (name), .kind = CONFIG_CHOICE }

static inline const struct qos_class *class_named(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->n_classes; i++) {
		if (strcmp(config->classes[i].name, name) == 0)
			return &config->classes[i];
	}
	fail_msg("no class %s", name);
	return NULL;
}

static inline const struct rule *rule_for(const struct config *config, const char *pattern)
{
	return rules_of_pattern(config->rules, pattern);
}
