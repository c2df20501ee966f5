/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules, where they stand, and why they were taken or not. */
#include "explain.h"

#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* More than this is no help. */
#define CLOSE_MAX 6

static const char *const name_kinds[] = {
	[NAME_PATH] = "path",
	[NAME_SCRIPT] = "script",
	[NAME_ARGV0] = "argv0",
	[NAME_EXE] = "executable",
};

static const char *const outcomes[] = {
	[OUTCOME_CONDITION] = "condition",
	[OUTCOME_MASKED] = "masked",
	[OUTCOME_REPLACED] = "replaced",
	[OUTCOME_BEATEN] = "beaten",
	[OUTCOME_CASE] = "case",
	[OUTCOME_FOLDER] = "folder",
	[OUTCOME_COMM] = "comm",
	[OUTCOME_ARGUMENT] = "argument",
	[OUTCOME_SIMILAR] = "similar",
	[OUTCOME_CUT] = "cut",
};

static const char *const conditions[] = {
	[CONDITION_EXE] = "exe",       [CONDITION_ARGV] = "argv",     [CONDITION_USER] = "user",
	[CONDITION_CGROUP] = "cgroup", [CONDITION_PARENT] = "parent", [CONDITION_USERNS] = "user_namespace",
	[CONDITION_SEAT] = "raise",
};

void explain_put_text(struct json_writer *json, const char *key, const char *text)
{
	_cleanup_free_ char *safe = text ? text_escape(text, strlen(text)) : NULL;

	json_put_text(json, key, safe);
}

static void put_source(struct json_writer *json, const struct config *config, const struct source *source)
{
	if (!source->line)
		return;
	explain_put_text(json, "file", config->files[source->file]);
	json_put_count(json, "line", source->line);
	json_put_count(json, "column", source->column);
}

void explain_put_rule(struct json_writer *json, const char *key, const struct config *config, const struct rule *rule,
		      const struct thread_rule *thread)
{
	_cleanup_free_ char *path = rule ? config_path_of(config, rule, thread) : NULL;

	if (!rule)
		return;
	json_begin(json, key, '{');
	explain_put_text(json, "pattern", thread ? thread->pattern : rule->pattern);
	json_put_bool(json, "glob", pattern_is_glob(thread ? thread->pattern : rule->pattern));
	put_source(json, config, thread ? &thread->source : &rule->source);
	explain_put_text(json, "path", path);
	explain_put_text(json, "qos", thread ? thread->qos : rule->qos);
	json_put_bool(json, "inherit", rule->inherit);
	json_put_bool(json, "enforce", rule->enforce);
	json_put_bool(json, "yield", rule->yield == YIELD_YES);
	json_put_bool(json, "conditions", rule->match != NULL);
	json_end(json, '}');
}

/* Every candidate is offered alone: whether it is close, not which is closest. */
static bool is_similar(const char *a, const char *b)
{
	struct suggestion near = { .word = a };

	suggest_offer(&near, b);
	return near.best != NULL;
}

/* What people know its parent by, or the parent's path where one is asked for; NULL without a parent. */
static const char *parent_name(const struct config *config, const struct facts *facts, bool is_path)
{
	struct process_names names;

	if (!facts->parent || rules_names(config->rules, facts->parent, &names) < 0)
		return NULL;
	return names.items[is_path || names.count < 2 ? 0 : 1].text;
}

/* What the condition was compared with. */
static const char *fact_of(const struct config *config, const struct facts *facts, const struct rule_failure *failure)
{
	switch (failure->condition) {
	case CONDITION_EXE:
		return facts->exe;
	case CONDITION_CGROUP:
		return facts->cgroup;
	case CONDITION_PARENT:
		return parent_name(config, facts, strchr(failure->wanted, '/'));
	case CONDITION_ARGV:
	case CONDITION_USER:
	case CONDITION_USERNS:
	case CONDITION_SEAT:
		break;
	}
	return NULL;
}

static void put_close(struct json_writer *json, const struct config *config, const struct facts *facts,
		      const struct rule_trace *trace)
{
	_cleanup_free_ char *path = trace->rule && trace->outcome != OUTCOME_REPLACED ?
					    config_path_of(config, trace->rule, NULL) :
					    NULL;

	json_begin(json, NULL, '{');
	explain_put_text(json, "pattern", trace->pattern);
	put_source(json, config, &trace->source);
	explain_put_text(json, "path", path);
	explain_put_text(json, "qos", trace->rule ? trace->rule->qos : NULL);
	json_put_text(json, "why", outcomes[trace->outcome]);
	if (trace->outcome != OUTCOME_COMM && trace->outcome != OUTCOME_ARGUMENT)
		json_put_text(json, "compared_with", name_kinds[trace->name.kind]);
	explain_put_text(json, "compared", trace->name.text);
	if (trace->outcome == OUTCOME_CONDITION) {
		json_put_text(json, "condition", conditions[trace->failure.condition]);
		explain_put_text(json, "wanted", trace->failure.wanted);
		explain_put_text(json, "found", fact_of(config, facts, &trace->failure));
	}
	json_end(json, '}');
}

static void put_name(struct json_writer *json, const char *key, const struct process_name *name)
{
	json_begin(json, key, '{');
	json_put_text(json, "kind", name_kinds[name->kind]);
	explain_put_text(json, "name", name->text);
	json_end(json, '}');
}

void explain_put_matching(struct json_writer *json, const struct config *config, struct facts *facts,
			  const struct rule *rule)
{
	struct rule_trace close[CLOSE_MAX];
	const struct process_name *matched;
	struct process_names names;
	size_t count;

	if (rules_names(config->rules, facts, &names) < 0)
		return;
	json_put_bool(json, "arguments_unread", facts->argv_is_unread);
	json_begin(json, "names", '[');
	for (size_t i = 0; i < names.count; i++)
		put_name(json, NULL, &names.items[i]);
	json_end(json, ']');
	matched = rule ? process_names_match(&names, rule->pattern) : NULL;
	if (matched)
		put_name(json, "matched", matched);
	count = rules_trace(config->rules, &names, facts, rule, is_similar, close, CLOSE_MAX);
	json_begin(json, "close", '[');
	for (size_t i = 0; i < count; i++)
		put_close(json, config, facts, &close[i]);
	json_end(json, ']');
}

const struct thread_rule *explain_close_thread(const struct rule *rule, const char *comm, enum rule_outcome *ret)
{
	return rule_thread_trace(rule, comm, is_similar, ret);
}

void explain_put_close_thread(struct json_writer *json, const struct config *config, const struct rule *rule,
			      const struct thread_rule *thread, enum rule_outcome why)
{
	if (!thread)
		return;
	explain_put_rule(json, "close_thread_rule", config, rule, thread);
	json_put_text(json, "close_thread_why", outcomes[why]);
}

void explain_put_groups(struct json_writer *json, const struct config *config, const char *cgroup)
{
	json_begin(json, "groups", '[');
	for (size_t i = 0; i < config->n_groups; i++) {
		const struct group *group = &config->groups[i];

		if (!group_holds(group, cgroup))
			continue;
		json_begin(json, NULL, '{');
		explain_put_text(json, "pattern", group->pattern);
		put_source(json, config, &group->source);
		json_put_text(json, "max", group->max);
		json_end(json, '}');
	}
	json_end(json, ']');
}
