/* SPDX-License-Identifier: GPL-2.0-only */
/* The merged configuration as one rules file. */
#include "config_private.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/policy/pattern.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

static void put_sched_profile(struct json_writer *json, const char *key, const struct config *config)
{
	if (config->settings.sched_profile)
		json_put_text(json, key, config->settings.sched_profile);
	else
		json_put_null(json, key);
}

static void put_default(struct json_writer *json, const char *key, const struct config *config)
{
	json_put_text(json, key, default_mode_names[config->settings.default_mode]);
}

static void put_autogroup(struct json_writer *json, const char *key, const struct config *config)
{
	json_put_text(json, key, autogroup_names[!config->settings.autogroup_off]);
}

static void put_log(struct json_writer *json, const char *key, const struct config *config)
{
	if (config->settings.has_log_level)
		json_put_text(json, key, log_level_names[config->settings.log_level - LOG_ERR]);
}

static void put_interpreters(struct json_writer *json, const char *key, const struct config *config)
{
	const struct settings *all = &config->settings;

	if (all->interpreters == interpreters_default)
		return;
	json_begin(json, key, '[');
	for (size_t i = 0; i < all->n_interpreters; i++)
		json_put_text(json, NULL, all->interpreters[i]);
	json_end(json, ']');
}

static void put_groups(struct json_writer *json, const char *key, const struct config *config)
{
	if (!config->n_groups)
		return;
	json_begin(json, key, '{');
	for (size_t i = 0; i < config->n_groups; i++) {
		const struct group *group = &config->groups[i];

		if (group->is_masked)
			continue;
		json_begin(json, group->pattern, '{');
		json_put_text(json, "max", group->max);
		for (size_t c = 0; c < group->n_classes; c++)
			json_put_bool(json, group->classes[c].name, group->classes[c].is_allowed);
		json_end(json, '}');
	}
	json_end(json, '}');
}

static void put_weight(struct json_writer *json, const char *key, const struct weight *weight)
{
	if (weight->qos)
		json_put_text(json, key, weight->qos);
	else
		json_put_number(json, key, weight->number);
}

static void put_weights(struct json_writer *json, const char *key, const struct config *config)
{
	if (!config->n_weights)
		return;
	json_begin(json, key, '{');
	for (size_t i = 0; i < config->n_weights; i++) {
		const struct weight *weight = &config->weights[i];

		if (weight->is_masked)
			continue;
		if (!weight->at_seat) {
			put_weight(json, weight->pattern, weight);
			continue;
		}
		json_begin_in_line(json, weight->pattern, '{');
		put_weight(json, "weight", weight);
		json_put_text(json, "when", "seat");
		json_end(json, '}');
	}
	json_end(json, '}');
}

/* Without `mapping`: the classes follow in full, so no preset is needed. */
static const struct {
	const char *key;
	void (*put)(struct json_writer *json, const char *key, const struct config *config);
} settings[] = {
	{ "sched_profile", put_sched_profile },
	{ "default", put_default },
	{ "autogroup", put_autogroup },
	{ "log", put_log },
	{ "interpreters", put_interpreters },
	{ "groups", put_groups },
	{ "weights", put_weights },
};

const char *config_print_setting(struct json_writer *json, const struct config *config, size_t n)
{
	if (n >= array_size(settings))
		return NULL;
	if (json)
		settings[n].put(json, NULL, config);
	return settings[n].key;
}

static void put_settings(struct json_writer *json, const struct config *config)
{
	json_begin(json, "schedqos", '{');
	for (size_t i = 0; i < array_size(settings); i++)
		settings[i].put(json, settings[i].key, config);
	json_end(json, '}');
}

void config_print_class(struct json_writer *json, const char *key, const struct qos_class *class)
{
	const struct qos_attr *attr = &class->attr;
	const struct {
		uint16_t bit;
		const char *key;
		int64_t value;
	} numbers[] = {
		{ QOS_HAS_NICE, "sched_nice", attr->nice },
		{ QOS_HAS_PRIORITY, "sched_priority", attr->priority },
		{ QOS_HAS_RUNTIME, "sched_runtime", attr->runtime },
		{ QOS_HAS_DEADLINE, "sched_deadline", attr->deadline },
		{ QOS_HAS_PERIOD, "sched_period", attr->period },
		{ QOS_HAS_UTIL_MIN, "sched_util_min", attr->util_min },
		{ QOS_HAS_UTIL_MAX, "sched_util_max", attr->util_max },
	};
	uint16_t below = 0;

	/* What the built-in class of the name would put in where ours has nothing must be taken
	 * out. */
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++) {
		if (strcmp(qos_builtin[i].name, class->name) == 0)
			below = qos_attr_merge(&qos_builtin[i].attr, attr).has & ~attr->has;
	}
	json_begin(json, key, '{');
	json_put_text(json, "sched_policy", task_policy_name(attr->policy));
	for (size_t i = 0; i < array_size(numbers); i++) {
		if (attr->has & numbers[i].bit)
			json_put_number(json, numbers[i].key, numbers[i].value);
		else if (below & numbers[i].bit)
			json_put_null(json, numbers[i].key);
	}
	if (attr->has & QOS_HAS_IO_CLASS)
		json_put_text(json, "io_class", io_class_name(attr->io_class));
	if (attr->has & QOS_HAS_IO_LEVEL)
		json_put_number(json, "io_priority", attr->io_level);
	json_end(json, '}');
}

static void put_match(struct json_writer *json, const struct rule_match *match)
{
	char uid[16];

	json_begin(json, "match", '{');
	json_put_text(json, "exe", match->exe);
	if (match->n_argv) {
		json_begin(json, "argv", '[');
		for (size_t i = 0; i < match->n_argv; i++)
			json_put_text(json, NULL, match->argv[i]);
		json_end(json, ']');
	}
	json_put_text(json, "cgroup", match->cgroup);
	if (match->user)
		snprintf(uid, sizeof(uid), "%u", match->user->uid);
	if (match->user && strcmp(match->user->name, uid) == 0)
		json_put_number(json, "user", match->user->uid);
	else
		json_put_text(json, "user", match->user ? match->user->name : NULL);
	json_put_text(json, "parent", match->parent);
	json_put_text(json, "user_namespace", userns_names[match->user_namespace]);
	json_end(json, '}');
}

char *config_mapping_place(const struct config *config)
{
	const struct source *source = &config->settings.mapping_source;

	if (!config->settings.mapping_is_named)
		return strdup("built in");
	return source->line ? config_place(config->files, source) : strdup(config->files[source->file]);
}

char *config_place(const char *const *files, const struct source *source)
{
	_cleanup_free_ char *file = text_escape(files[source->file], strlen(files[source->file]));
	char *place;

	if (!file || asprintf(&place, "%s:%u:%u", file, source->line, source->column) < 0)
		return NULL;
	return place;
}

/* files: to say which of them the rule is from; NULL: not to. */
static void put_from(struct json_writer *json, const struct rule *rule, const char *const *files)
{
	_cleanup_free_ char *from = NULL;

	if (!files)
		return;
	/* One that was printed before, and read again, is from where it was then. */
	if (!rule->from)
		from = config_place(files, &rule->source);
	if (!rule->from && !from)
		json->text.failed = true;
	json_put_text(json, "from", rule->from ? rule->from : from);
}

static void put_rule(struct json_writer *json, const char *key, const struct rule *rule, const char *const *files)
{
	json_begin(json, key, '{');
	put_from(json, rule, files);
	json_put_text(json, "qos", rule->qos);
	if (rule->n_threads) {
		json_begin(json, "thread_qos", '{');
		for (size_t i = 0; i < rule->n_threads; i++)
			json_put_text(json, rule->threads[i].pattern, rule->threads[i].qos);
		json_end(json, '}');
	}
	if (rule->period_ns)
		json_put_number(json, "period", rule->period_ns);
	json_put_text(json, "version", rule->version);
	if (rule->inherit)
		json_put_bool(json, "inherit", true);
	if (rule->enforce)
		json_put_bool(json, "enforce", true);
	if (rule->yield != YIELD_DEFAULT)
		json_put_bool(json, "yield", rule->yield == YIELD_YES);
	if (rule->match)
		put_match(json, rule->match);
	json_end(json, '}');
}

static void put_rules(struct json_writer *json, const char *key, const struct rule *list, const char *const *files)
{
	if (!list->next) {
		put_rule(json, key, list, files);
		return;
	}
	json_begin(json, key, '[');
	for (const struct rule *rule = list; rule; rule = rule->next)
		put_rule(json, NULL, rule, files);
	json_end(json, ']');
}

void config_print_rules(struct json_writer *json, const char *key, const struct rule *list)
{
	put_rules(json, key, list, NULL);
}

/* A file's path as the configuration has it: that of a sysctl has dots. */
static void put_knob(struct json_writer *json, const struct knob *knob)
{
	_cleanup_free_ char *name = strdup(knob->file);

	json->text.failed |= !name;
	for (char *c = name; c && *c && knob->tree == KNOB_SYSCTL; c++) {
		if (*c == '/')
			*c = '.';
	}
	if (knob->n_values == 1) {
		json_put_text(json, name, knob->values[0]);
		return;
	}
	json_begin(json, name, '[');
	for (size_t v = 0; v < knob->n_values; v++)
		json_put_text(json, NULL, knob->values[v]);
	json_end(json, ']');
}

/* Whether there is another knob, of the same devices. */
static bool is_alike(const struct knob *knob, const struct knob *other)
{
	return other && knob->tree == other->tree && other->devices && strcmp(knob->devices, other->devices) == 0;
}

/* The knobs of a tree, or of its devices, are in one object, whose members are in their order. */
void config_print_profile(struct json_writer *json, const char *key, const struct sched_profile *profile)
{
	json_begin(json, key, '{');
	for (size_t i = 0; i < profile->n_knobs; i++) {
		const struct knob *knob = &profile->knobs[i], *before = i ? knob - 1 : NULL;
		const struct knob *next = i + 1 < profile->n_knobs ? knob + 1 : NULL;

		if (!before || before->tree != knob->tree)
			json_begin(json, knob_tree_name(knob->tree), '{');
		if (knob->devices && !is_alike(knob, before))
			json_begin(json, knob->devices, '{');
		put_knob(json, knob);
		if (knob->devices && !is_alike(knob, next))
			json_end(json, '}');
		if (!next || next->tree != knob->tree)
			json_end(json, '}');
	}
	json_end(json, '}');
}

char *config_print_profiles(const struct config *config)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	for (size_t i = 0; i < config->n_profiles; i++)
		config_print_profile(&json, config->profiles[i].name, &config->profiles[i]);
	json_end(&json, '}');
	return json_take(&json);
}

/*
 * The last file's rules come first: of equally good globs the one in the later file wins, but within the
 * single file that this becomes, the one on the earlier line.
 */
static void put_all_rules(struct json_writer *json, const struct rules *rules, const char *const *files)
{
	size_t end = rules_count(rules);

	while (end > 0) {
		size_t start = end - 1;
		unsigned file = rules_nth(rules, start)->source.file;

		while (start > 0 && rules_nth(rules, start - 1)->source.file == file)
			start--;
		for (size_t i = start; i < end; i++)
			put_rules(json, rules_nth(rules, i)->pattern, rules_nth(rules, i), files);
		end = start;
	}
}

char *config_print(const struct config *config, bool with_places)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	put_settings(&json, config);
	for (size_t i = 0; i < config->n_classes; i++)
		config_print_class(&json, config->classes[i].name, &config->classes[i]);
	put_all_rules(&json, config->rules, with_places ? config->files : NULL);
	json_end(&json, '}');
	return json_take(&json);
}
