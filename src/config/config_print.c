/* SPDX-License-Identifier: GPL-2.0-only */
/* The merged configuration as one rules file. */
#include "config_private.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>

static void put_groups(struct json_writer *json, const struct config *config)
{
	json_begin(json, "groups", '{');
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

/* Without `mapping`: the classes follow in full, so no preset is needed. */
static void put_settings(struct json_writer *json, const struct config *config)
{
	const struct settings *settings = &config->settings;

	json_begin(json, "schedqos", '{');
	if (settings->sched_profile)
		json_put_text(json, "sched_profile", settings->sched_profile);
	else
		json_put_null(json, "sched_profile");
	json_put_text(json, "default", default_mode_names[settings->default_mode]);
	json_put_text(json, "autogroup", autogroup_names[!settings->autogroup_off]);
	if (settings->has_log_level)
		json_put_text(json, "log", log_level_names[settings->log_level - LOG_ERR]);
	if (config->n_groups)
		put_groups(json, config);
	json_end(json, '}');
}

static void put_class(struct json_writer *json, const struct qos_class *class)
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
	json_begin(json, class->name, '{');
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

static void put_rule(struct json_writer *json, const char *key, const struct rule *rule)
{
	json_begin(json, key, '{');
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
	if (rule->enforce == ENFORCE_PROGRAM)
		json_put_text(json, "enforce", "program");
	else if (rule->enforce == ENFORCE_ALWAYS)
		json_put_bool(json, "enforce", true);
	if (rule->yield != YIELD_DEFAULT)
		json_put_bool(json, "yield", rule->yield == YIELD_YES);
	if (rule->match)
		put_match(json, rule->match);
	json_end(json, '}');
}

static void put_rules(struct json_writer *json, const struct rule *list)
{
	if (!list->next) {
		put_rule(json, list->pattern, list);
		return;
	}
	json_begin(json, list->pattern, '[');
	for (const struct rule *rule = list; rule; rule = rule->next)
		put_rule(json, NULL, rule);
	json_end(json, ']');
}

/*
 * The last file's rules come first: of equally good globs the one in the later file wins, but within the
 * single file that this becomes, the one on the earlier line.
 */
static void put_all_rules(struct json_writer *json, const struct rules *rules)
{
	size_t end = rules_count(rules);

	while (end > 0) {
		size_t start = end - 1;
		unsigned file = rules_nth(rules, start)->source.file;

		while (start > 0 && rules_nth(rules, start - 1)->source.file == file)
			start--;
		for (size_t i = start; i < end; i++)
			put_rules(json, rules_nth(rules, i));
		end = start;
	}
}

char *config_print(const struct config *config)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	put_settings(&json, config);
	for (size_t i = 0; i < config->n_classes; i++)
		put_class(&json, &config->classes[i]);
	put_all_rules(&json, config->rules);
	json_end(&json, '}');
	return json_take(&json);
}
