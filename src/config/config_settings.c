/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the daemon's own settings. */
#include "config_private.h"

#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>

static void check_profile(struct parser *parser, const struct json_node *value, unsigned what, const char *name)
{
	const struct config *config = parser->config;

	(void)what;
	if (!sched_profile_find(config->profiles, config->n_profiles, name))
		complain_unknown(parser, value, AT_VALUE, "sched_profile", name,
				 NAMES(config->profiles, config->n_profiles), instead_of_null(name));
}

const struct word raise_words[2] = { { "seat", RAISE_SEAT }, { "all", RAISE_ALL } };

/* Sets the default of `raise` for the rules of this file. */
static void parse_raise(struct parser *parser, const struct json_node *value, void *into)
{
	static const struct key key = { "raise", WORDS(raise_words), FIELD(struct parser, raise) };

	(void)into;
	parse_key(parser, &key, value, parser);
}

/* ---- what is said by patterns ---- */

/* Describes a setting that maps patterns to entries. */
struct entries {
	size_t size;
	text_check *check;
	void (*parse)(struct parser *parser, const struct json_node *value,
		      void *entry); /* zeroed except for its pattern */
};

/*
 * Parses the entries. Each replaces an earlier file's entry of the same pattern; null removes it. Returns the items,
 * which may have moved.
 */
static void *parse_entries(struct parser *parser, const struct json_node *object, const struct entries *entries,
			   void *items, size_t *n)
{
	const struct json_node *value;

	if (!value_is_object(parser, object, NULL))
		return items;
	json_each (value, object) {
		const char **entry = keep_alloc(parser, entries->size);

		pattern_key(parser, value, entries->check);
		if (value->type == JSON_NULL || !entry) {
			remove_item(items, n, entries->size, value->key);
			continue;
		}
		*entry = keep_text(parser, value->key);
		entries->parse(parser, value, entry);
		items = put_item(parser, items, n, entries->size, entry);
	}
	return items;
}

/* ---- "groups": for each pattern of cgroups the classes that their tasks may have ---- */

/* A pattern without a slash is compared with each component of a path. */
static void check_group(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	if (strchr(pattern, '/'))
		check_cgroup(parser, value, what, pattern);
	else
		check_brackets(parser, value, what, pattern);
}

static void parse_group(struct parser *parser, const struct json_node *object, struct group *group)
{
	struct group_class *classes = keep_alloc(parser, object->count * sizeof(*classes));
	const struct json_node *value;
	struct group_class *class;

	if (!classes)
		return;
	if (!object->child)
		complain(parser, object, AT_VALUE, "must not be empty");
	json_each (value, object) {
		if (strcmp(value->key, "max") == 0) {
			group->max = class_named(parser, value, AT_VALUE);
		} else if (is_class(value)) {
			class = &classes[group->n_classes++];
			class->name = class_named(parser, value, AT_KEY);
			value_bool(parser, value, &class->is_allowed);
		} else {
			complain_unknown(parser, value, AT_KEY, "key", value->key, CLASSES(&parser->classes),
					 ": must be \"max\" or the name of a class");
		}
	}
	group->classes = classes;
}

static void parse_group_entry(struct parser *parser, const struct json_node *value, void *into)
{
	struct group *group = into;

	group->source = source_of(parser, value, AT_KEY);
	if (value_is_object(parser, value, "{\"max\": \"QOS_UTILITY\"}"))
		parse_group(parser, value, group);
}

static void parse_groups(struct parser *parser, const struct json_node *object, void *into)
{
	static const struct entries entries = { sizeof(struct group), check_group, parse_group_entry };
	struct config *config = into;

	config->groups = parse_entries(parser, object, &entries, config->groups, &config->n_groups);
}

static void put_groups(struct json_writer *json, const char *key, const void *from)
{
	const struct config *config = from;

	if (!config->n_groups)
		return;
	json_begin(json, key, '{');
	for (size_t i = 0; i < config->n_groups; i++) {
		const struct group *group = &config->groups[i];

		json_begin(json, group->pattern, '{');
		json_put_text(json, "max", group->max);
		for (size_t c = 0; c < group->n_classes; c++)
			json_put_bool(json, group->classes[c].name, group->classes[c].is_allowed);
		json_end(json, '}');
	}
	json_end(json, '}');
}

/* ---- "weights": for units of the service manager, the class or number of their cpu weight ---- */

/*
 * Reports patterns of units that cannot have a weight. systemd gives cpu weights to services, scopes and slices; a glob
 * that ends in a wildcard may mean any of them.
 */
static void check_unit_pattern(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	static const char *const endings[] = { ".service", ".slice", ".scope" };
	const size_t length = strlen(pattern);
	const char *template = strstr(pattern, "@.");
	bool can_be = strchr("*?]", pattern[length - 1]);

	for (size_t i = 0; i < array_size(endings); i++) {
		const size_t n = strlen(endings[i]);

		can_be |= length > n && strcmp(pattern + length - n, endings[i]) == 0;
	}
	if (!can_be)
		complain(parser, value, AT_KEY,
			 "can name no unit with tasks: a name ends with .service, .slice or .scope");
	else if (template)
		complain(parser, value, AT_KEY, "names a template, of which only instances run: write \"%.*s@*%s\"",
			 (int)(template - pattern), pattern, template + 1);
	check_brackets(parser, value, what, pattern);
}

/* Parses "QOS_UTILITY" or 50. */
static void parse_weight(struct parser *parser, const struct json_node *value, void *into)
{
	struct weight *weight = into;
	int64_t number;

	if (value->type == JSON_STRING && !is_digits(value->text))
		weight->qos = class_named(parser, value, AT_VALUE);
	else if (value->type != JSON_STRING && value->type != JSON_NUMBER)
		complain(parser, value, AT_VALUE, "must be the name of a class, or a number between %d and %d, not %s",
			 CPU_WEIGHT_MIN, CPU_WEIGHT_MAX, json_type_name(value));
	else if (value_integer(parser, value, CPU_WEIGHT_MIN, CPU_WEIGHT_MAX, NULL, &number))
		weight->number = (uint16_t)number;
}

static void put_weight(struct json_writer *json, const char *key, const void *from)
{
	const struct weight *weight = from;

	if (weight->qos)
		json_put_text(json, key, weight->qos);
	else
		json_put_number(json, key, weight->number);
}

static const struct word conditions[] = { { "seat", true } };

static const struct key weight_parts[] = {
	{ "weight", .parse = parse_weight, .put = put_weight },
	{ "when", WORDS(conditions), FIELD(struct weight, at_seat), .kind = "condition" },
};
static const struct keys weight_keys = KEYS(weight_parts, .kind = "key");

static void parse_weight_entry(struct parser *parser, const struct json_node *value, void *into)
{
	struct weight *weight = into;

	weight->source = source_of(parser, value, AT_KEY);
	if (value->type != JSON_OBJECT) {
		parse_weight(parser, value, weight);
		return;
	}
	parse_keys(parser, value, &weight_keys, weight);
	if (!json_member(value, "weight"))
		complain(parser, value, AT_VALUE, "must have a \"weight\"");
}

static void parse_weights(struct parser *parser, const struct json_node *object, void *into)
{
	static const struct entries entries = { sizeof(struct weight), check_unit_pattern, parse_weight_entry };
	struct weight_list *all = into;

	all->items = parse_entries(parser, object, &entries, all->items, &all->count);
}

static void put_weights(struct json_writer *json, const char *key, const void *from)
{
	const struct weight_list *all = from;

	if (!all->count)
		return;
	json_begin(json, key, '{');
	for (size_t i = 0; i < all->count; i++) {
		const struct weight *weight = &all->items[i];

		if (!weight->at_seat) {
			put_weight(json, weight->pattern, weight);
			continue;
		}
		json_begin_in_line(json, weight->pattern, '{');
		put_keys(json, &weight_keys, weight);
		json_end(json, '}');
	}
	json_end(json, '}');
}

/* ---- all of them ---- */

#define SETTING(member) FIELD(struct config, settings.member)

static const struct word defaults[] = { { "pristine", DEFAULT_PRISTINE },
					{ "all", DEFAULT_ALL },
					{ "none", DEFAULT_NONE } };
static const struct word autogroups[] = { { "off", true }, { "keep", false } };
static const struct word log_levels[] = {
	{ "error", LOG_ERR }, { "warning", LOG_WARNING }, { "notice", LOG_NOTICE },
	{ "info", LOG_INFO }, { "debug", LOG_DEBUG },
};

static const struct key settings[] = {
	{ "sched_profile", KEY_TEXT, SETTING(sched_profile), .or_null = true, .check = check_profile },
	{ "default", WORDS(defaults), SETTING(default_mode) },
	{ "autogroup", WORDS(autogroups), SETTING(autogroup_off) },
	{ "focus", KEY_CLASS, SETTING(focus), .or_null = true },
	/* Read earlier by parse_definitions(). Not written, because all classes are written in full. */
	{ "mapping", .parse = NULL },
	{ "log", WORDS(log_levels), SETTING(log_level) },
	{ "accounting", KEY_BOOL, SETTING(accounting) },
	/* Not written, because each rule is written with its own. */
	{ "raise", .parse = parse_raise },
	{ "groups", .parse = parse_groups, .put = put_groups },
	{ "weights", .parse = parse_weights, .put = put_weights, FIELD(struct config, weights) },
	{ "user_weights", .parse = parse_weights, .put = put_weights, FIELD(struct config, user_weights) },
};

static const char *outside_settings(const struct json_node *value)
{
	return is_class(value) ? ": a class belongs beside \"" SETTINGS_KEY "\", not into it" : outside_class(value);
}

const struct keys setting_keys = KEYS(settings, "setting", outside_settings);

bool is_setting(const char *key)
{
	return find_key(&setting_keys, key);
}

void parse_settings(struct parser *parser, const struct json_node *value)
{
	if (value_is_object(parser, value, NULL))
		parse_keys(parser, value, &setting_keys, parser->config);
}

void put_settings(struct json_writer *json, const struct config *config)
{
	json_begin(json, SETTINGS_KEY, '{');
	put_keys(json, &setting_keys, config);
	json_end(json, '}');
}
