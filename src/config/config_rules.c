/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses a rules file: settings and classes, and for each pattern a rule, a list of rules or null. */
#include "config_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#define PERIOD_MIN_NS 1000LL
#define PERIOD_MAX_NS 10000000000LL

static void parse_thread_qos(struct parser *parser, const struct json_node *object, void *into)
{
	struct rule *rule = into;
	const struct json_node *value;

	if (!value_is_object(parser, object, "{\"THREAD\": \"QOS_UTILITY\"}"))
		return;
	/* A key that is given twice has been reported, and is parsed again. */
	rule->n_threads = 0;
	rule->threads = keep_alloc(parser, object->count * sizeof(*rule->threads));
	if (!rule->threads)
		return;
	json_each (value, object) {
		struct thread_rule *thread = &rule->threads[rule->n_threads++];

		pattern_key(parser, value, check_thread);
		thread->pattern = keep_text(parser, value->key);
		thread->qos = class_named(parser, value, AT_VALUE);
		thread->source = source_of(parser, value, AT_KEY);
	}
}

static void put_thread_qos(struct json_writer *json, const char *key, const void *from)
{
	const struct rule *rule = from;

	if (!rule->n_threads)
		return;
	json_begin(json, key, '{');
	for (size_t i = 0; i < rule->n_threads; i++)
		json_put_text(json, rule->threads[i].pattern, rule->threads[i].qos);
	json_end(json, '}');
}

/* ---- "match" ---- */

static const char *parse_argument(struct parser *parser, const struct json_node *value)
{
	const char *glob = value_kept(parser, value);

	if (glob)
		check_brackets(parser, value, WARNING, glob);
	/* "-j 8" is two arguments. */
	if (glob && *glob == '-' && strchr(glob, ' ') && !pattern_is_glob(glob))
		complain(parser, value, WARNING, "is compared with each argument alone: write the words as a list");
	return glob;
}

/* Returns a string or a list of strings; complains about anything else. */
static const char *const *parse_texts(struct parser *parser, const struct json_node *value, list_item *one,
				      size_t *ret_n)
{
	if (value->type == JSON_LIST || value->type == JSON_STRING)
		return value_list(parser, value, one, ret_n);
	complain(parser, value, AT_VALUE, "must be a string or a list of strings, not %s", json_type_name(value));
	return NULL;
}

static void parse_argv(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;

	match->argv = parse_texts(parser, value, parse_argument, &match->n_argv);
}

static void put_argv(struct json_writer *json, const char *key, const void *from)
{
	const struct rule_match *match = from;

	if (match->n_argv)
		put_texts(json, key, match->argv, match->n_argv);
}

static const char *parse_one_parent(struct parser *parser, const struct json_node *value)
{
	const char *pattern = value_kept(parser, value);

	if (pattern)
		check_process(parser, value, WARNING, pattern);
	return pattern;
}

static void parse_parent(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;

	match->parents = parse_texts(parser, value, parse_one_parent, &match->n_parents);
}

static void put_parent_condition(struct json_writer *json, const char *key, const void *from)
{
	const struct rule_match *match = from;

	if (match->n_parents == 1)
		json_put_text(json, key, match->parents[0]);
	else if (match->n_parents)
		put_texts(json, key, match->parents, match->n_parents);
}

static const struct rule_user *parse_user_number(struct parser *parser, const struct json_node *value)
{
	struct rule_user *user;
	char text[24];
	int64_t uid;

	/* The kernel uses the highest uid for "no user". */
	if (!value_integer(parser, value, 0, (int64_t)UINT32_MAX - 1, NULL, &uid))
		return NULL;
	snprintf(text, sizeof(text), "%lld", (long long)uid);
	user = keep_alloc(parser, sizeof(*user));
	if (user)
		*user = (struct rule_user){ .name = keep_text(parser, text), .uid = uid };
	return user;
}

static int look_up_rule_user(const struct parser *parser, const char *name, uid_t *ret)
{
	*ret = 0;
	if (strcmp(name, "root") == 0)
		return 0;
	return parser->look_up ? parser->look_up(parser->look_up_context, name, ret) : -ENOENT;
}

/* Returns the user of that name, looked up once. */
static const struct rule_user *user_named(struct parser *parser, const char *name)
{
	struct config *config = parser->config;
	struct rule_user *user = config->users;

	while (user && strcmp(user->name, name) != 0)
		user = user->next;
	if (user)
		return user;
	user = keep_alloc(parser, sizeof(*user));
	if (!user)
		return NULL;
	*user = (struct rule_user){ .name = name, .next = config->users };
	user->error = look_up_rule_user(parser, name, &user->uid);
	if (user->error)
		user->uid = (uid_t)-1;
	config->users = user;
	return user;
}

static void parse_user(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule_match *match = into;
	const char *name;

	if (value->type == JSON_NUMBER) {
		match->user = parse_user_number(parser, value);
		return;
	}
	if (value->type == JSON_LIST) {
		complain(parser, value, AT_VALUE, "must be one user's name or number: write a list of rules, one for each");
		return;
	}
	name = value_kept(parser, value);
	match->user = name ? user_named(parser, name) : NULL;
	if (!match->user || !match->user->error)
		return;
	if (rule_user_is_pending(match->user))
		complain(parser, value, WARNING, "user \"%s\" cannot be looked up now (%s): the daemon tries again",
			 name, strerror(-match->user->error));
	else
		complain(parser, value, WARNING, "unknown user \"%s\": this never matches%s", name,
			 name[strspn(name, "0123456789")] ? "" : " (a uid stands without quotes)");
}

static void put_user(struct json_writer *json, const char *key, const void *from)
{
	const struct rule_user *user = ((const struct rule_match *)from)->user;
	char uid[16] = "";

	if (user)
		snprintf(uid, sizeof(uid), "%u", user->uid);
	if (user && strcmp(user->name, uid) == 0)
		json_put_number(json, key, user->uid);
	else
		json_put_text(json, key, user ? user->name : NULL);
}

#define CONDITION(member) FIELD(struct rule_match, member)

static const struct word namespaces[] = { { "initial", USERNS_INITIAL }, { "any", USERNS_ANY } };

static const struct key conditions[] = {
	{ "exe", KEY_TEXT, CONDITION(exe), .check = check_path },
	{ "argv", .parse = parse_argv, .put = put_argv },
	{ "cgroup", KEY_TEXT, CONDITION(cgroup), .check = check_cgroup },
	{ "user", .parse = parse_user, .put = put_user },
	{ "parent", .parse = parse_parent, .put = put_parent_condition },
	{ "user_namespace", WORDS(namespaces), CONDITION(user_namespace), .kind = "user namespace" },
};

static const struct keys rule_keys;

static const char *outside_match(const struct json_node *value)
{
	return find_key(&rule_keys, value->key) ? ": that belongs beside \"match\", not into it" : outside_class(value);
}

static const struct keys match_keys = KEYS(conditions, "key", outside_match);

static void parse_match(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule *rule = into;
	struct rule_match *match;

	if (!value_is_object(parser, value, NULL))
		return;
	if (!value->child)
		complain(parser, value, AT_VALUE,
			 "must not be empty: a rule without \"match\" is for every program of that name");
	match = keep_alloc(parser, sizeof(*match));
	if (!match)
		return;
	parse_keys(parser, value, &match_keys, match);
	rule->match = match;
}

static void put_match(struct json_writer *json, const char *key, const void *from)
{
	const struct rule *rule = from;

	if (!rule->match)
		return;
	json_begin(json, key, '{');
	put_keys(json, &match_keys, rule->match);
	json_end(json, '}');
}

/* ---- a rule ---- */

/* Ignores "from", which `check --print` writes. */
static void parse_from(struct parser *parser, const struct json_node *value, void *into)
{
	struct rule *rule = into;

	rule->from = value_kept(parser, value);
}

static const struct word hidden_words[] = { { "keep", true } };
static const struct word inherits[] = { { "true", INHERIT_YES }, { "false", INHERIT_NO } };
static const struct word yields[] = { { "true", YIELD_YES }, { "false", YIELD_NO } };

static const struct key parts[] = {
	{ "qos", KEY_CLASS, FIELD(struct rule, qos) },
	{ "thread_qos", .parse = parse_thread_qos, .put = put_thread_qos },
	{ "period", KEY_NUMBER, FIELD(struct rule, period_ns), .min = PERIOD_MIN_NS, .max = PERIOD_MAX_NS,
	  .kind = "nanoseconds" },
	{ "version", KEY_TEXT, FIELD(struct rule, version) },
	{ "inherit", KEY_BOOL, FIELD(struct rule, inherit), .words = inherits, .n_words = array_size(inherits) },
	{ "enforce", KEY_BOOL, FIELD(struct rule, enforce) },
	{ "hidden", WORDS(hidden_words), FIELD(struct rule, keeps_hidden) },
	{ "yield", KEY_BOOL, FIELD(struct rule, yield), .words = yields, .n_words = array_size(yields) },
	{ "raise", WORDS(raise_words), FIELD(struct rule, raise) },
	{ "match", .parse = parse_match, .put = put_match },
	{ "from", .parse = parse_from },
};

static const char *outside_rule(const struct json_node *value)
{
	/* "Period" is the rule's own key in another case, not an abbreviation of a class attribute. */
	if (strcasecmp(value->key, "period") == 0)
		return NULL;
	if (find_key(&match_keys, value->key))
		return ": that belongs inside \"match\"";
	if (is_setting(value->key))
		return ": that is a setting, which belongs inside \"" SETTINGS_KEY "\"";
	if (value->parent->key && is_setting(value->parent->key))
		return ": its object is a setting, which belongs inside \"" SETTINGS_KEY "\"";
	if (is_knob_tree(value->key))
		return ": sched profiles belong in a file sched_profiles.json";
	return value->type == JSON_OBJECT ? ": the rule of another program belongs beside this one"
					  : outside_class(value);
}

static const struct keys rule_keys = KEYS(parts, "key", outside_rule);

static void parse_rule(struct parser *parser, const struct json_node *value, struct rule *rule)
{
	size_t n_errors = parser->errors->n_errors;

	rule->raise = parser->raise;
	parse_keys(parser, value, &rule_keys, rule);
	if (rule->yield == YIELD_YES && rule->enforce)
		complain(parser, json_member(value, "yield"), AT_VALUE,
			 "a rule cannot both yield to others and enforce its class");
	if (rule->inherit == INHERIT_YES && !rule->qos && parser->errors->n_errors == n_errors)
		complain(parser, json_member(value, "inherit"), AT_VALUE,
			 "without \"qos\" there is no class to inherit");
}

/*
 * Writes a rule. `files`, if not NULL, adds the place it comes from; for a rule that was printed and read again, its
 * first place.
 */
static void put_config_rule(struct json_writer *json, const char *key, const struct rule *rule,
			    const char *const *files)
{
	_cleanup_free_ char *from = files && !rule->from ? config_place(files, &rule->source) : NULL;

	json_begin(json, key, '{');
	json->text.failed |= files && !rule->from && !from;
	if (files)
		json_put_text(json, "from", from ? from : rule->from);
	put_keys(json, &rule_keys, rule);
	json_end(json, '}');
}

void put_rules(struct json_writer *json, const char *key, const struct rule *list, const char *const *files)
{
	if (!list->next) {
		put_config_rule(json, key, list, files);
		return;
	}
	json_begin(json, key, '[');
	for (const struct rule *rule = list; rule; rule = rule->next)
		put_config_rule(json, NULL, rule, files);
	json_end(json, ']');
}

/* Parses a list of rules and links them. */
static void parse_list(struct parser *parser, const struct json_node *list, const char *pattern,
		       struct rule *rules)
{
	/* an earlier rule without conditions, after which no other can match */
	const struct rule *taker = NULL;
	const struct json_node *value;
	size_t i = 0;

	if (!list->child)
		complain(parser, list, AT_VALUE,
			 "must not be empty: write null to mask the rules of earlier files");
	json_each (value, list) {
		struct rule *rule = &rules[i++];
		const bool is_rule = value_is_object(parser, value, NULL);

		rule->pattern = pattern;
		rule->source = source_of(parser, value, AT_VALUE);
		rule->next = value->next ? rule + 1 : NULL;
		if (is_rule)
			parse_rule(parser, value, rule);
		if (taker && (!rule_needs_initial_userns(taker) || rule_needs_initial_userns(rule)))
			complain(parser, value, WARNING, "can never match: a rule before it has no \"match\"");
		else if (is_rule && !json_member(value, "match") && rule->raise != RAISE_SEAT)
			taker = rule;
	}
}

/* The usual mistake is a missing level of braces. */
static void complain_no_rule(struct parser *parser, const struct json_node *value)
{
	const char *type = json_type_name(value), *key = value->key;

	if (find_key(&rule_keys, key))
		complain(parser, value, AT_VALUE,
			 "must be an object, not %s: \"%s\" belongs inside a rule, as in "
			 "{\"PROGRAM\": {\"%s\": ...}}",
			 type, key, key);
	else if (is_setting(key))
		complain(parser, value, AT_VALUE,
			 "must be an object, not %s: the setting \"%s\" belongs inside \"%s\"",
			 type, key, SETTINGS_KEY);
	else if (strncmp(key, "//", 2) == 0 || strstr(key, "comment"))
		complain(parser, value, AT_KEY,
			 "is taken for a program's name: a comment begins with // outside of any string");
	else if (value->type == JSON_STRING && (strcmp(key, "name") == 0 || strcmp(key, "type") == 0))
		complain(parser, value, AT_KEY,
			 "looks like a rule of ananicy: \"schedqos import ananicy DIR\" makes rules of those");
	else if (value->type == JSON_STRING)
		complain(parser, value, AT_VALUE,
			 "must be an object, a list of objects or null, not a string: write {\"qos\": \"%s\"}",
			 strncmp(value->text, QOS_PREFIX, strlen(QOS_PREFIX)) == 0 ? value->text : "QOS_...");
	else
		complain(parser, value, AT_VALUE,
			 "must be an object, a list of objects or null, not %s", type);
}

static void parse_pattern(struct parser *parser, const struct json_node *value)
{
	const char *pattern;
	struct source source;
	struct rule *rules;
	bool good;

	if (value->type != JSON_OBJECT && value->type != JSON_LIST && value->type != JSON_NULL) {
		complain_no_rule(parser, value);
		return;
	}
	good = pattern_key(parser, value, check_process);
	pattern = keep_text(parser, value->key);
	if (!pattern)
		return;
	source = source_of(parser, value, AT_KEY);
	if (value->type == JSON_NULL) {
		if (rules_put(parser->config->rules, pattern, NULL, &source) < 0)
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
		rules->source = source;
		parse_rule(parser, value, rules);
	}
	if (good && rules_put(parser->config->rules, pattern, rules, &source) < 0)
		parser->no_memory = true;
}

/* A file's own classes override the mapping in its settings, whichever is written first. */
void parse_definitions(struct parser *parser)
{
	const struct json_node *settings = json_member(parser->root, SETTINGS_KEY), *value;
	const struct json_node *mapping =
		settings && settings->type == JSON_OBJECT ? json_member(settings, "mapping") : NULL;
	const char *name = mapping ? value_text(parser, mapping) : NULL;

	if (name)
		mapping_choose(parser, mapping, name);
	json_each (value, parser->root) {
		if (is_class(value))
			parse_class(parser, &parser->classes, value);
	}
}

/* Settings come first, because `raise` is the default of this file's rules. */
void parse_rules(struct parser *parser)
{
	const struct json_node *settings = json_member(parser->root, SETTINGS_KEY), *value;

	parser->raise = RAISE_DEFAULT;
	if (settings)
		parse_settings(parser, settings);
	json_each (value, parser->root) {
		if (value != settings && !is_class(value) && !is_schema(parser, value))
			parse_pattern(parser, value);
	}
}
