/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts rules, their places, and why they were taken or not, for explain. */
#include "explain.h"

#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/policy/rules_trace.h>
#include <schedqos/util/cleanup.h>

/* Maximum number of rules that came close and are reported; more would not help. */
#define CLOSE_MAX 6

static const char *const name_kinds[] = {
	[NAME_PATH] = "path",
	[NAME_SCRIPT] = "script",
	[NAME_ARGV0] = "argv0",
	[NAME_EXE] = "executable",
};

static const char *const outcomes[] = {
	[OUTCOME_PENDING] = "pending",
	[OUTCOME_CONDITION] = "condition",
	[OUTCOME_MASKED] = "masked",
	[OUTCOME_REPLACED] = "replaced",
	[OUTCOME_BEATEN] = "beaten",
	[OUTCOME_CASE] = "case",
	[OUTCOME_FOLDER] = "folder",
	[OUTCOME_COMM] = "comm",
	[OUTCOME_SIMILAR] = "similar",
};

static const char *const conditions[] = {
	[CONDITION_EXE] = "exe",       [CONDITION_ARGV] = "argv",     [CONDITION_USER] = "user",
	[CONDITION_CGROUP] = "cgroup", [CONDITION_PARENT] = "parent", [CONDITION_USERNS] = "user_namespace",
	[CONDITION_SEAT] = "raise",
};

/* Returns whether the reader of the explanation may not see this place. */
static bool is_hidden(const struct explain_source *source, const struct source *place)
{
	return source->is_for_user && config_is_private(plan_config(source->plan), place);
}

/* Puts a pattern, its place, and its JSON path if it is a rule's. */
static void put_place(struct json_writer *json, const struct explain_source *source, const char *pattern,
		      const struct source *place, const struct rule *rule, const struct thread_rule *thread)
{
	const struct config *config = plan_config(source->plan);
	_cleanup_free_ char *path = NULL;

	if (is_hidden(source, place)) {
		json_put_text(json, "pattern", PRIVATE_PATTERN);
		return;
	}
	if (rule)
		path = config_path_of(config, rule, thread);
	json_put_escaped(json, "pattern", pattern);
	if (place->line) {
		json_put_escaped(json, "file", config->files[place->file]);
		json_put_count(json, "line", place->line);
		json_put_count(json, "column", place->column);
	}
	json_put_escaped(json, "path", path);
}

void explain_put_rule(struct json_writer *json, const char *key, const struct explain_source *source,
		      const struct rule *rule, const struct thread_rule *thread)
{
	const char *pattern = thread ? thread->pattern : rule ? rule->pattern : NULL;

	if (!rule)
		return;
	json_begin(json, key, '{');
	put_place(json, source, pattern, thread ? &thread->source : &rule->source, rule, thread);
	json_put_bool(json, "enforce", rule->enforce);
	json_put_bool(json, "yield", rule->yield == YIELD_YES);
	json_put_bool(json, "conditions", rule->match != NULL);
	json_end(json, '}');
}

bool explain_may_see(const struct explain_source *source, pid_t pid, pid_t other)
{
	uid_t owner, others;

	return !source->is_for_user ||
	       (procfs_files_owner(source->proc, pid, &owner) == 0 &&
		procfs_files_owner(source->proc, other, &others) == 0 && owner == others);
}

/* Returns the parent's program name, or its path; NULL if that is not known. */
static const char *parent_name(const struct explain_source *source, const struct facts *facts, bool is_path)
{
	struct process_names names;

	if (!facts->parent || !explain_may_see(source, facts->tgid, facts->parent->tgid) ||
	    rules_names(plan_config(source->plan)->rules, facts->parent, &names) < 0)
		return NULL;
	for (size_t i = 0; i < names.count; i++) {
		if ((names.items[i].kind == NAME_PATH) == is_path)
			return names.items[i].text;
	}
	return NULL;
}

/* Puts the condition that does not hold, and the value that it was compared with, if that is a single text. */
static void put_failure(struct json_writer *json, const struct explain_source *source, const struct facts *facts,
			const struct rule_failure *failure)
{
	const char *found = NULL;

	if (failure->condition == CONDITION_EXE)
		found = facts->exe;
	else if (failure->condition == CONDITION_CGROUP)
		found = facts->cgroup;
	else if (failure->condition == CONDITION_PARENT)
		found = parent_name(source, facts, failure->wanted && strchr(failure->wanted, '/'));
	json_put_text(json, "condition", conditions[failure->condition]);
	json_put_escaped(json, "wanted", failure->wanted);
	json_put_escaped(json, "found", found);
}

static void put_close(struct json_writer *json, const struct explain_source *source, const struct facts *facts,
		      const struct rule_trace *trace)
{
	if (is_hidden(source, &trace->source))
		return;
	json_begin(json, NULL, '{');
	put_place(json, source, trace->pattern, &trace->source, trace->outcome == OUTCOME_REPLACED ? NULL : trace->rule,
		  NULL);
	json_put_text(json, "why", outcomes[trace->outcome]);
	if (trace->outcome != OUTCOME_COMM)
		json_put_text(json, "compared_with", name_kinds[trace->name.kind]);
	json_put_escaped(json, "compared", trace->name.text);
	if (trace->outcome == OUTCOME_CONDITION)
		put_failure(json, source, facts, &trace->failure);
	json_end(json, '}');
}

static void put_name(struct json_writer *json, const char *key, const struct process_name *name)
{
	json_begin(json, key, '{');
	json_put_text(json, "kind", name_kinds[name->kind]);
	json_put_escaped(json, "name", name->text);
	json_end(json, '}');
}

void explain_put_matching(struct json_writer *json, const struct explain_source *source, struct facts *facts,
			  const struct rule *rule)
{
	const struct config *config = plan_config(source->plan);
	struct rule_trace close[CLOSE_MAX];
	const struct process_name *matched;
	struct process_names names;
	size_t count;

	if (rules_names(config->rules, facts, &names) < 0)
		return;
	json_put_bool(json, "arguments_unread", facts->argv_is_unread);
	json_put_bool(json, "spared", facts->is_spared);
	json_begin(json, "names", '[');
	for (size_t i = 0; i < names.count; i++)
		put_name(json, NULL, &names.items[i]);
	json_end(json, ']');
	matched = rule ? process_names_match(&names, rule->pattern) : NULL;
	if (matched)
		put_name(json, "matched", matched);
	count = rules_trace(config->rules, &names, facts, rule, close, CLOSE_MAX);
	json_begin(json, "close", '[');
	for (size_t i = 0; i < count; i++)
		put_close(json, source, facts, &close[i]);
	json_end(json, ']');
}

void explain_put_groups(struct json_writer *json, const struct explain_source *source, const char *cgroup)
{
	const struct config *config = plan_config(source->plan);

	json_begin(json, "groups", '[');
	for (size_t i = 0; i < config->n_groups; i++) {
		const struct group *group = &config->groups[i];

		if (!group_holds(group, cgroup))
			continue;
		json_begin(json, NULL, '{');
		put_place(json, source, group->pattern, &group->source, NULL, NULL);
		json_put_text(json, "max", group->max);
		json_end(json, '}');
	}
	json_end(json, ']');
}
