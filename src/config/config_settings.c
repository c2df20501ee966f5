/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's own settings, and the presets for its `mapping`. */
#include "config_private.h"

#include <string.h>

#include <schedqos/policy/pattern.h>
#include <schedqos/util/cleanup.h>

const char *const default_mode_names[] = {
	[DEFAULT_PRISTINE] = "pristine",
	[DEFAULT_ALL] = "all",
	[DEFAULT_NONE] = "none",
};

const char *const autogroup_names[] = { "off", "keep" };

const char *const log_level_names[] = { "error", "warning", "notice", "info", "debug" };

static const char announcement[] = "announcement";

static void parse_sched_profile(struct parser *parser, const struct json_node *value, void *into)
{
	struct settings *settings = into;
	const char *name = NULL;

	if (value->type != JSON_NULL) {
		name = value_kept(parser, value);
		if (!name)
			return;
		look_up_later(parser, LATER_PROFILE, value, AT_VALUE, name);
	}
	settings->sched_profile = name;
}

static void parse_default(struct parser *parser, const struct json_node *value, void *into)
{
	struct settings *settings = into;
	size_t mode;

	if (value_choice(parser, value, "default", default_mode_names, array_size(default_mode_names), &mode))
		settings->default_mode = mode;
}

static void parse_autogroup(struct parser *parser, const struct json_node *value, void *into)
{
	struct settings *settings = into;
	size_t mode;

	if (value_choice(parser, value, "autogroup", autogroup_names, array_size(autogroup_names), &mode))
		settings->autogroup_off = mode == 0;
}

static void parse_log(struct parser *parser, const struct json_node *value, void *into)
{
	struct settings *settings = into;
	size_t level;

	if (!value_choice(parser, value, "log", log_level_names, array_size(log_level_names), &level))
		return;
	settings->log_level = LOG_ERR + level;
	settings->has_log_level = true;
}

static const char *interpreter_pattern(struct parser *parser, const struct json_node *value)
{
	const char *pattern = value_kept(parser, value);

	check_brackets(parser, value, WARNING, pattern);
	if (pattern && strchr(pattern, '/'))
		complain(parser, value, WARNING, "can never match: interpreters are known by the name after the last /");
	return pattern;
}

/* An empty list: none. */
static void parse_interpreters(struct parser *parser, const struct json_node *list, void *into)
{
	struct settings *settings = into;
	const char **patterns;
	const struct json_node *value;

	if (list->type != JSON_LIST || list->count > INTERPRETERS_MAX) {
		complain(parser, list, AT_VALUE, "must be a list of at most %d patterns", INTERPRETERS_MAX);
		return;
	}
	patterns = keep_alloc(parser, (list->count + 1) * sizeof(*patterns));
	if (!patterns)
		return;
	settings->interpreters = patterns;
	settings->n_interpreters = 0;
	json_each (value, list) {
		patterns[settings->n_interpreters] = interpreter_pattern(parser, value);
		settings->n_interpreters += patterns[settings->n_interpreters] != NULL;
	}
}

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

static const struct key settings_keys[] = {
	{ "sched_profile", parse_sched_profile },
	{ "default", parse_default },
	{ "autogroup", parse_autogroup },
	{ "mapping", parse_mapping_name },
	{ "log", parse_log },
	{ "groups", parse_groups },
	{ "weights", parse_weights },
	{ "interpreters", parse_interpreters },
};

bool is_setting(const char *key)
{
	return find_key(settings_keys, array_size(settings_keys), key) != NULL;
}

void parse_settings(struct parser *parser, const struct json_node *value)
{
	if (value_is_object(parser, value))
		parse_keys(parser, value, settings_keys, array_size(settings_keys), "setting",
			   &parser->config->settings);
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
