/* SPDX-License-Identifier: GPL-2.0-only */
/* sched_profiles.json: each profile an object of debugfs and cpufreq files and what to write to
 * them. */
#include "config_private.h"

#include <string.h>

#include <schedqos/util/cleanup.h>

static struct sched_profile *profile_find(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->n_profiles; i++) {
		if (strcmp(config->profiles[i].name, name) == 0)
			return &config->profiles[i];
	}
	return NULL;
}

bool profile_exists(const struct config *config, const char *name)
{
	return profile_find(config, name) != NULL;
}

/* A value to write, as text: a number as it was written. NULL: none, and that has been said. */
static const char *knob_value(struct parser *parser, const cJSON *value)
{
	const char *text;
	int64_t number;
	size_t len;

	if (cJSON_IsString(value))
		return value_kept(parser, value);
	if (!cJSON_IsNumber(value)) {
		complain(parser, value, AT_VALUE, "must be a string or a whole number, not %s",
			 json_type_name(value));
		return NULL;
	}
	if (!value_integer(parser, value, INT64_MIN, INT64_MAX, &number))
		return NULL;
	text = json_number_text(parser->doc, value, &len);
	text = arena_text(parser->arena, text, len);
	if (!text)
		parser->no_memory = true;
	return text;
}

static bool check_file_name(struct parser *parser, const cJSON *value)
{
	const char *name = value->string;

	if (*name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		return true;
	complain(parser, value, AT_KEY, "must be a file's name, without a path");
	return false;
}

/* value: the one to write, or (may_list) a list of those to write one after another. */
static void parse_knob(struct parser *parser, struct knob *knob, const cJSON *value, bool may_list)
{
	bool list = may_list && cJSON_IsArray(value);
	size_t n = list ? cJSON_GetArraySize(value) : 1, i = 0;
	const char **values = keep_alloc(parser, n * sizeof(*values));
	const cJSON *item;

	knob->source = source_of(parser, value, AT_KEY);
	if (!check_file_name(parser, value) || !values)
		return;
	knob->file = keep_text(parser, value->string);
	knob->values = values;
	knob->n_values = n;
	if (!list)
		values[0] = knob_value(parser, value);
	else if (n == 0)
		complain(parser, value, AT_VALUE, "must not be empty");
	for (item = list ? value->child : NULL; item; item = item->next)
		values[i++] = knob_value(parser, item);
}

static void parse_tree(struct parser *parser, const cJSON *object, enum knob_tree tree,
		       struct sched_profile *profile)
{
	const cJSON *value;

	if (!value_is_object(parser, object))
		return;
	cJSON_ArrayForEach (value, object) {
		struct knob *knob = &profile->knobs[profile->n_knobs++];

		knob->tree = tree;
		parse_knob(parser, knob, value, tree == KNOB_DEBUGFS);
	}
}

static void parse_debugfs(struct parser *parser, const cJSON *object, void *into)
{
	parse_tree(parser, object, KNOB_DEBUGFS, into);
}

static void parse_cpufreq(struct parser *parser, const cJSON *object, void *into)
{
	parse_tree(parser, object, KNOB_CPUFREQ, into);
}

static const struct key profile_keys[] = {
	{ "debugfs", parse_debugfs },
	{ "cpufreq", parse_cpufreq },
};

/* Puts it in the place of the profile that has its name, or at the end. */
void profile_define(struct parser *parser, const struct sched_profile *profile)
{
	struct config *config = parser->config;
	struct sched_profile *same = profile_find(config, profile->name), *profiles;

	if (same) {
		*same = *profile;
		return;
	}
	profiles = grow(parser, config->profiles, config->n_profiles, sizeof(*profiles));
	if (!profiles)
		return;
	config->profiles = profiles;
	profiles[config->n_profiles++] = *profile;
}

static void parse_profile(struct parser *parser, const cJSON *value)
{
	struct sched_profile profile = { .source = source_of(parser, value, AT_KEY) };
	const cJSON *tree;
	size_t n_knobs = 0;

	if (!*value->string)
		complain(parser, value, AT_KEY, "a profile needs a name");
	if (!value_is_object(parser, value))
		return;
	cJSON_ArrayForEach (tree, value)
		n_knobs += cJSON_GetArraySize(tree);
	profile.name = keep_text(parser, value->string);
	profile.knobs = keep_alloc(parser, n_knobs * sizeof(*profile.knobs));
	if (!profile.name || !profile.knobs)
		return;
	parse_keys(parser, value, profile_keys, array_size(profile_keys), "key", &profile);
	profile_define(parser, &profile);
}

void parse_profiles(struct parser *parser)
{
	const cJSON *value;

	cJSON_ArrayForEach (value, parser->doc->root)
		parse_profile(parser, value);
}
