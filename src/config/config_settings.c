/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's own settings, and the presets for its `mapping`. */
#include "config_private.h"

#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>

static const char announcement[] = "announcement";

/* ---- those that are more than a word ---- */

static void parse_sched_profile(struct parser *parser, const struct json_node *value, void *into)
{
	struct config *config = into;
	const char *name = value->type != JSON_NULL ? value_kept(parser, value) : NULL;

	if (name)
		look_up_later(parser, LATER_PROFILE, value, AT_VALUE, name);
	config->settings.sched_profile = name;
}

static void put_sched_profile(struct json_writer *json, const char *key, const void *from)
{
	const struct config *config = from;

	if (config->settings.sched_profile)
		json_put_text(json, key, config->settings.sched_profile);
	else
		json_put_null(json, key);
}

static void parse_focus(struct parser *parser, const struct json_node *value, void *into)
{
	((struct config *)into)->settings.focus = value->type != JSON_NULL ? value_class(parser, value) : NULL;
}

static void put_focus(struct json_writer *json, const char *key, const void *from)
{
	const struct config *config = from;

	if (config->settings.focus)
		json_put_text(json, key, config->settings.focus);
	else
		json_put_null(json, key);
}

static const char *interpreter_pattern(struct parser *parser, const struct json_node *value)
{
	const char *pattern = value_kept(parser, value);

	if (pattern)
		check_brackets(parser, value, WARNING, pattern);
	if (pattern && strchr(pattern, '/'))
		complain(parser, value, WARNING, "can never match: interpreters are known by the name after the last /");
	return pattern;
}

/* An empty list: none. */
static void parse_interpreters(struct parser *parser, const struct json_node *list, void *into)
{
	struct settings *all = &((struct config *)into)->settings;
	const char **patterns;
	const struct json_node *value;

	if (list->type != JSON_LIST || list->count > INTERPRETERS_MAX) {
		complain(parser, list, AT_VALUE, "must be a list of at most %d patterns", INTERPRETERS_MAX);
		return;
	}
	patterns = keep_alloc(parser, (list->count + 1) * sizeof(*patterns));
	if (!patterns)
		return;
	all->interpreters = patterns;
	all->n_interpreters = 0;
	json_each (value, list) {
		patterns[all->n_interpreters] = interpreter_pattern(parser, value);
		all->n_interpreters += patterns[all->n_interpreters] != NULL;
	}
}

static void put_interpreters(struct json_writer *json, const char *key, const void *from)
{
	const struct settings *all = &((const struct config *)from)->settings;

	if (all->interpreters == interpreters_default)
		return;
	json_begin(json, key, '[');
	for (size_t i = 0; i < all->n_interpreters; i++)
		json_put_text(json, NULL, all->interpreters[i]);
	json_end(json, ']');
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
static void use_preset(struct parser *parser, const struct preset *preset)
{
	for (size_t i = 0; preset && i < preset->classes.count; i++)
		class_define(parser, &parser->classes, &preset->classes.items[i]);
	for (size_t i = 0; !preset && i < QOS_BUILTIN_COUNT; i++)
		class_define(parser, &parser->classes, &qos_builtin[i]);
}

bool mapping_choose(struct parser *parser, const char *name, const struct source *source, struct suggestion *near)
{
	struct settings *settings = &parser->config->settings;
	const struct preset *preset = preset_find(parser, name);

	if (!preset && strcmp(name, announcement) != 0) {
		suggest_offer(near, announcement);
		for (size_t i = 0; i < parser->n_presets; i++)
			suggest_offer(near, parser->presets[i].name);
		return false;
	}
	settings->mapping = preset ? preset->name : announcement;
	settings->mapping_is_named = true;
	settings->mapping_source = *source;
	use_preset(parser, preset);
	return true;
}

static void parse_mapping_name(struct parser *parser, const struct json_node *value, void *into)
{
	const char *name = value_text(parser, value);
	const struct source source = source_of(parser, value, AT_VALUE);
	struct suggestion near = { .word = name };

	(void)into;
	if (name && !mapping_choose(parser, name, &source, &near))
		complain_unknown(parser, value, AT_VALUE, "mapping", &near, "");
}

static void preset_name(const char *path, const char **ret_name, size_t *ret_len)
{
	const char *slash = strrchr(path, '/');
	size_t len;

	*ret_name = slash ? slash + 1 : path;
	len = strlen(*ret_name);
	if (len > strlen(".json") && strcmp(*ret_name + len - strlen(".json"), ".json") == 0)
		len -= strlen(".json");
	*ret_len = len;
}

bool preset_add(struct parser *parser, const char *path)
{
	struct preset *presets, *preset;
	const char *name;
	size_t len;

	presets = grow(parser, parser->presets, parser->n_presets, sizeof(*presets));
	if (!presets)
		return false;
	parser->presets = presets;
	preset_name(path, &name, &len);
	preset = &presets[parser->n_presets];
	preset->name = keep_bytes(parser, name, len);
	parser->n_presets += preset->name != NULL;
	return preset->name != NULL;
}

/* ---- all of them ---- */

#define SETTING(member) FIELD(struct config, settings.member)

static const struct word defaults[] = { { "pristine", DEFAULT_PRISTINE }, { "all", DEFAULT_ALL }, { "none", DEFAULT_NONE } };
static const struct word autogroups[] = { { "off", true }, { "keep", false } };
static const struct word log_levels[] = {
	{ "error", LOG_ERR }, { "warning", LOG_WARNING }, { "notice", LOG_NOTICE }, { "info", LOG_INFO }, { "debug", LOG_DEBUG },
};

static const struct key settings[] = {
	{ "sched_profile", .parse = parse_sched_profile, .put = put_sched_profile },
	{ "default", WORDS(defaults), SETTING(default_mode) },
	{ "autogroup", WORDS(autogroups), SETTING(autogroup_off) },
	{ "focus", .parse = parse_focus, .put = put_focus },
	/* Not written: the classes follow in full, so no preset is needed. */
	{ "mapping", .parse = parse_mapping_name },
	{ "log", WORDS(log_levels), SETTING(log_level) },
	{ "interpreters", .parse = parse_interpreters, .put = put_interpreters },
	{ "groups", .parse = parse_groups, .put = put_groups },
	{ "weights", .parse = parse_weights, .put = put_weights },
	{ "user_weights", .parse = parse_user_weights, .put = put_user_weights },
};

bool is_setting(const char *key)
{
	return find_key(settings, array_size(settings), key) != NULL;
}

void parse_settings(struct parser *parser, const struct json_node *value)
{
	if (value_is_object(parser, value))
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
