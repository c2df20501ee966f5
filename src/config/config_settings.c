/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's own settings, and the presets for its `mapping`. */
#include "config_private.h"

#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>

static void check_profile(struct parser *parser, const struct json_node *value, unsigned what, const char *name)
{
	const struct config *config = parser->config;

	(void)what;
	if (!sched_profile_find(config->profiles, config->n_profiles, name))
		complain_unknown(parser, value, AT_VALUE, "sched_profile", name, NAMES(config->profiles, config->n_profiles), "");
}

static void check_interpreter(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	check_brackets(parser, value, what, pattern);
	if (strchr(pattern, '/'))
		complain(parser, value, what, "can never match: interpreters are known by the name after the last /");
}

/* An empty list: none. */
static void parse_interpreters(struct parser *parser, const struct json_node *list, void *into)
{
	struct settings *all = &((struct config *)into)->settings;

	if (list->type != JSON_LIST || list->count > INTERPRETERS_MAX)
		complain(parser, list, AT_VALUE, "must be a list of at most %d patterns", INTERPRETERS_MAX);
	else
		all->interpreters = value_texts(parser, list, check_interpreter, &all->n_interpreters);
}

static void put_interpreters(struct json_writer *json, const char *key, const void *from)
{
	const struct settings *all = &((const struct config *)from)->settings;

	if (all->interpreters != interpreters_default)
		put_texts(json, key, all->interpreters, all->n_interpreters);
}

const struct word raise_words[2] = { { "seat", RAISE_SEAT }, { "all", RAISE_ALL } };

/* Of the rules of this file. */
static void parse_raise(struct parser *parser, const struct json_node *value, void *into)
{
	static const struct key key = { "raise", WORDS(raise_words), FIELD(struct parser, raise) };

	(void)into;
	parse_key(parser, &key, value, parser);
}

/* ---- the mapping ---- */

static const struct preset *preset_find(const struct parser *parser, const char *name)
{
	/* The last one of that name: later files override. */
	for (size_t i = parser->n_presets; i > 0; i--) {
		if (strcmp(parser->presets[i - 1].name, name) == 0)
			return &parser->presets[i - 1];
	}
	return NULL;
}

/* Classes of the mapping replace earlier ones of that name completely; other classes stay. */
void mapping_choose(struct parser *parser, const struct json_node *at, const char *name)
{
	struct settings *settings = &parser->config->settings;
	const struct preset *preset = preset_find(parser, name);

	if (!preset) {
		complain_unknown(parser, at, AT_VALUE, "mapping", name, NAMES(parser->presets, parser->n_presets), "");
		return;
	}
	settings->mapping = preset->name;
	settings->mapping_is_named = true;
	settings->mapping_source = source_of(parser, at, AT_VALUE);
	for (size_t i = 0; i < preset->classes.count; i++)
		class_define(parser, &parser->classes, &preset->classes.items[i]);
}

struct preset *preset_add(struct parser *parser, const char *path)
{
	struct preset *presets = grow(parser, parser->presets, parser->n_presets, sizeof(*presets));
	const char *name = path_base(path), *end = strstr(name, ".json");
	const size_t len = end && !end[strlen(".json")] ? (size_t)(end - name) : strlen(name);

	if (!presets)
		return NULL;
	parser->presets = presets;
	presets += parser->n_presets;
	presets->name = keep_bytes(parser, name, len);
	parser->n_presets += presets->name != NULL;
	return presets->name ? presets : NULL;
}

/* ---- all of them ---- */

#define SETTING(member) FIELD(struct config, settings.member)

static const struct word defaults[] = { { "pristine", DEFAULT_PRISTINE }, { "all", DEFAULT_ALL }, { "none", DEFAULT_NONE } };
static const struct word autogroups[] = { { "off", true }, { "keep", false } };
static const struct word log_levels[] = {
	{ "error", LOG_ERR }, { "warning", LOG_WARNING }, { "notice", LOG_NOTICE }, { "info", LOG_INFO }, { "debug", LOG_DEBUG },
};

static const struct key settings[] = {
	{ "sched_profile", KEY_TEXT, SETTING(sched_profile), .or_null = true, .check = check_profile },
	{ "default", WORDS(defaults), SETTING(default_mode) },
	{ "autogroup", WORDS(autogroups), SETTING(autogroup_off) },
	{ "focus", KEY_CLASS, SETTING(focus), .or_null = true },
	/* Read before, by parse_definitions(). Not written: the classes follow in full, so no preset is needed. */
	{ "mapping", .parse = NULL },
	{ "log", WORDS(log_levels), SETTING(log_level) },
	{ "interpreters", .parse = parse_interpreters, .put = put_interpreters },
	/* Not written: each rule has it. */
	{ "raise", .parse = parse_raise },
	{ "groups", .parse = parse_groups, .put = put_groups },
	{ "weights", .parse = parse_weights, .put = put_weights, FIELD(struct config, weights) },
	{ "user_weights", .parse = parse_weights, .put = put_weights, FIELD(struct config, user_weights) },
};

bool is_setting(const char *key)
{
	return find_key(settings, array_size(settings), key) != NULL;
}

void parse_settings(struct parser *parser, const struct json_node *value)
{
	if (value_is_object(parser, value, NULL))
		parse_keys(parser, value, settings, array_size(settings), "setting", parser->config);
}

const char *config_print_setting(struct json_writer *json, const struct config *config, size_t n)
{
	if (n >= array_size(settings))
		return NULL;
	if (json)
		put_key(json, &settings[n], NULL, config);
	return settings[n].name;
}

void put_settings(struct json_writer *json, const struct config *config)
{
	json_begin(json, SETTINGS_KEY, '{');
	put_keys(json, settings, array_size(settings), config);
	json_end(json, '}');
}
