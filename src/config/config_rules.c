/* SPDX-License-Identifier: GPL-2.0-only */
/* A rules file: settings and classes first, then a rule, a list of rules or null for each pattern.
 */
#include "config_private.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#define PERIOD_MIN_NS 1000LL
#define PERIOD_MAX_NS 10000000000LL

const char *const userns_names[] = {
	[USERNS_INITIAL] = "initial",
	[USERNS_ANY] = "any",
};

/* A rule being parsed. */
struct rule_text {
	struct rule *rule;
	const struct json_node *inherit; /* the value if true, else NULL */
	const struct json_node *yield;   /* likewise */
	bool has_conditions;  /* in "match", besides the user namespace; valid or not */
};

static void parse_qos(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_text *text = into;

	text->rule->qos = value_class(parser, value);
}

static void parse_thread_qos(struct parser *parser, const struct json_node *object, void *into)
{
	struct rule_text *text = into;
	struct rule *rule = text->rule;
	const struct json_node *value;

	if (!value_is_object_like(parser, object, "{\"THREAD\": \"QOS_UTILITY\"}"))
		return;
	rule->threads = keep_alloc(parser, object->count * sizeof(*rule->threads));
	if (!rule->threads)
		return;
	json_each (value, object) {
		struct thread_rule *thread = &rule->threads[rule->n_threads++];

		check_thread_pattern(parser, value);
		thread->pattern = keep_text(parser, value->key);
		thread->qos = value_class(parser, value);
		thread->source = source_of(parser, value, AT_KEY);
	}
}

static void parse_period(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_text *text = into;
	int64_t period;

	if (value_integer(parser, value, PERIOD_MIN_NS, PERIOD_MAX_NS, &period))
		text->rule->period_ns = period;
}

static void parse_version(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_text *text = into;

	text->rule->version = value_kept(parser, value);
}

static void parse_from(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_text *text = into;

	text->rule->from = value_kept(parser, value);
}

static void parse_inherit(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_text *text = into;

	if (value_bool(parser, value, &text->rule->inherit) && text->rule->inherit)
		text->inherit = value;
}

static void parse_enforce(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_text *text = into;

	value_bool(parser, value, &text->rule->enforce);
}

static void parse_yield(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_text *text = into;
	bool yield;

	if (!value_bool(parser, value, &yield))
		return;
	text->rule->yield = yield ? YIELD_YES : YIELD_NO;
	if (yield)
		text->yield = value;
}

static void parse_match_exe(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;

	match->exe = value_kept(parser, value);
	check_brackets(parser, value, WARNING, match->exe);
	if (match->exe)
		check_is_path(parser, value, WARNING, match->exe);
}

static const char *argument_glob(struct parser *parser, const struct json_node *value)
{
	const char *glob = value_kept(parser, value);

	check_brackets(parser, value, WARNING, glob);
	/* "-j 8", which is two arguments. */
	if (glob && *glob == '-' && strchr(glob, ' ') && !pattern_is_glob(glob))
		complain(parser, value, WARNING, "is compared with each argument alone: write the words as a list");
	return glob;
}

static void parse_match_argv(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;
	size_t n = value->type == JSON_LIST ? value->count : 1;
	const char **globs = keep_alloc(parser, n * sizeof(*globs));
	const struct json_node *item;

	if (!globs)
		return;
	if (value->type == JSON_LIST && n == 0)
		complain(parser, value, AT_VALUE, "must not be empty");
	else if (value->type != JSON_LIST && value->type != JSON_STRING)
		complain(parser, value, AT_VALUE, "must be a string or a list of strings, not %s",
			 json_type_name(value));
	else if (value->type == JSON_STRING)
		globs[match->n_argv++] = argument_glob(parser, value);
	else
		json_each (item, value)
			globs[match->n_argv++] = argument_glob(parser, item);
	match->argv = globs;
}

static void parse_match_cgroup(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;

	match->cgroup = value_kept(parser, value);
	check_brackets(parser, value, WARNING, match->cgroup);
	if (match->cgroup)
		check_cgroup_path(parser, value, WARNING, match->cgroup);
	if (match->cgroup && !strchr("/*?[", *match->cgroup))
		complain(parser, value, WARNING,
			 "can never match: the path of a cgroup begins with a /: write \"*/%s\"", match->cgroup);
}

static void parse_match_parent(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;

	match->parent = value_kept(parser, value);
	if (match->parent)
		check_process_pattern(parser, value, WARNING, match->parent);
}

static void parse_match_user_namespace(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;
	size_t choice;

	if (value_choice(parser, value, "user namespace", userns_names + USERNS_INITIAL,
			 array_size(userns_names) - USERNS_INITIAL, &choice))
		match->user_namespace = USERNS_INITIAL + choice;
}

static const struct key match_keys[] = {
	{ "exe", parse_match_exe },	  { "argv", parse_match_argv },
	{ "cgroup", parse_match_cgroup }, { "user", parse_match_user },
	{ "parent", parse_match_parent }, { "user_namespace", parse_match_user_namespace },
};

static bool has_conditions(const struct json_node *match)
{
	const struct json_node *value;

	json_each (value, match) {
		if (strcmp(value->key, "user_namespace") != 0)
			return true;
	}
	return !match->child;
}

static void parse_match(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_text *text = into;
	struct rule_match *match;

	text->has_conditions = true;
	if (!value_is_object(parser, value))
		return;
	text->has_conditions = has_conditions(value);
	if (!value->child)
		complain(parser, value, AT_VALUE, "must not be empty: a rule without \"match\" is for every program of that name");
	match = keep_alloc(parser, sizeof(*match));
	if (!match)
		return;
	parse_keys(parser, value, match_keys, array_size(match_keys), "key", match);
	text->rule->match = match;
}

static const struct key rule_keys[] = {
	{ "qos", parse_qos },	      { "thread_qos", parse_thread_qos },
	{ "period", parse_period },   { "version", parse_version },
	{ "inherit", parse_inherit }, { "enforce", parse_enforce },
	{ "yield", parse_yield },     { "match", parse_match },
	{ "from", parse_from },
};

/* Returns whether the rule has conditions, so that a rule after it can be reached. */
static bool parse_rule(struct parser *parser, const struct json_node *value, struct rule *rule)
{
	struct rule_text text = { .rule = rule };
	size_t n_errors = parser->errors->n_errors;

	parse_keys(parser, value, rule_keys, array_size(rule_keys), "key", &text);
	if (text.yield && rule->enforce)
		complain(parser, text.yield, AT_VALUE,
			 "a rule cannot both yield to others and enforce its class");
	if (text.inherit && !rule->qos && parser->errors->n_errors == n_errors)
		complain(parser, text.inherit, AT_VALUE,
			 "without \"qos\" there is no class to inherit");
	return text.has_conditions;
}

/* Parses a list of rules and links them. */
static void parse_list(struct parser *parser, const struct json_node *list, const char *pattern,
		       struct rule *rules)
{
	/* The earlier rule that takes every task, or at least those of the initial user namespace. */
	const struct rule *taker = NULL;
	const struct json_node *value;
	size_t i = 0;

	if (!list->child)
		complain(parser, list, AT_VALUE,
			 "must not be empty: write null to mask the rules of earlier files");
	json_each (value, list) {
		struct rule *rule = &rules[i++];
		bool good = value_is_object(parser, value), limited;

		rule->pattern = pattern;
		rule->source = source_of(parser, value, AT_VALUE);
		rule->next = value->next ? rule + 1 : NULL;
		limited = !good || parse_rule(parser, value, rule);
		if (taker && (!rule_needs_initial_userns(taker) || rule_needs_initial_userns(rule)))
			complain(parser, value, WARNING,
				 "can never match: a rule before it has no %s",
				 taker->match ? "other condition" : "\"match\"");
		else if (!limited)
			taker = rule;
	}
}

/* The usual mistake is a missing level of braces. */
static void complain_no_rule(struct parser *parser, const struct json_node *value)
{
	const char *type = json_type_name(value), *key = value->key;

	if (find_key(rule_keys, array_size(rule_keys), key))
		complain(parser, value, AT_VALUE,
			 "must be an object, not %s: \"%s\" belongs inside a rule, as in "
			 "{\"PROGRAM\": {\"%s\": ...}}",
			 type, key, key);
	else if (is_setting(key))
		complain(parser, value, AT_VALUE,
			 "must be an object, not %s: the setting \"%s\" belongs inside \"%s\"",
			 type, key, SETTINGS_KEY);
	else if (value->type == JSON_STRING)
		complain(parser, value, AT_VALUE,
			 "must be an object, a list of objects or null, not a string: "
			 "write {\"qos\": \"%s\"}",
			 value->text);
	else
		complain(parser, value, AT_VALUE,
			 "must be an object, a list of objects or null, not %s", type);
}

static void put_rules(struct parser *parser, const char *pattern, struct rule *rules)
{
	if (rules_put(parser->config->rules, pattern, rules) < 0)
		parser->no_memory = true;
}

static void parse_pattern(struct parser *parser, const struct json_node *value)
{
	const char *pattern;
	struct source source;
	struct rule *rules;
	bool good = check_key_pattern(parser, value);

	if (value->type != JSON_OBJECT && value->type != JSON_LIST && value->type != JSON_NULL) {
		complain_no_rule(parser, value);
		return;
	}
	pattern = keep_text(parser, value->key);
	if (!pattern)
		return;
	if (value->type == JSON_NULL) {
		source = source_of(parser, value, AT_KEY);
		if (rules_mask(parser->config->rules, pattern, &source) < 0)
			parser->no_memory = true;
		return;
	}
	rules = keep_alloc(parser,
			   (value->type == JSON_LIST ? value->count : 1) * sizeof(*rules));
	if (!rules)
		return;
	if (value->type == JSON_LIST) {
		parse_list(parser, value, pattern, rules);
	} else {
		rules->pattern = pattern;
		rules->source = source_of(parser, value, AT_KEY);
		parse_rule(parser, value, rules);
	}
	if (good)
		put_rules(parser, pattern, rules);
}

static bool is_class(const struct json_node *value)
{
	return strncmp(value->key, QOS_PREFIX, strlen(QOS_PREFIX)) == 0;
}

static bool is_settings(const struct json_node *value)
{
	return strcmp(value->key, SETTINGS_KEY) == 0;
}

/* This file's own classes override the mapping in its settings, in whatever order they are written. */
void parse_rules(struct parser *parser)
{
	const struct json_node *value;

	json_each (value, parser->root) {
		if (is_settings(value))
			parse_settings(parser, value);
	}
	json_each (value, parser->root) {
		if (is_class(value))
			parse_class(parser, &parser->classes, value);
	}
	json_each (value, parser->root) {
		if (!is_settings(value) && !is_class(value) && !is_schema(parser, value))
			parse_pattern(parser, value);
	}
}
