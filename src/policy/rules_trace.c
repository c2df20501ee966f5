/* SPDX-License-Identifier: GPL-2.0-only */
/* For people: which rules came close for a process, and why they were not taken; and which never are. */
#include "rules_private.h"

#include <fnmatch.h>
#include <string.h>

#include <schedqos/util/text.h>

/* Words shorter than this are too often alike by chance. */
#define SIMILAR_MIN 4

struct trace {
	const struct rules *rules;
	const struct process_names *names;
	struct facts *facts;
	const struct rule *taken;
	bool (*is_similar)(const char *a, const char *b);
	struct rule_trace *items; /* the closest first; of equally close ones the first found */
	size_t count, max;
};

static void add(struct trace *trace, const struct rule_trace *item)
{
	size_t at = trace->count;

	while (at > 0 && trace->items[at - 1].outcome > item->outcome)
		at--;
	if (at == trace->max)
		return;
	if (trace->count < trace->max)
		trace->count++;
	memmove(&trace->items[at + 1], &trace->items[at], (trace->count - at - 1) * sizeof(*item));
	trace->items[at] = *item;
}

/* The pattern matches: its rules before the one that was taken lack a condition; without that one, the first is beaten. */
static void add_matching(struct trace *trace, const struct pattern *pattern, struct rule_trace *item)
{
	const struct rule *rule = pattern->list;
	const bool is_taken = trace->taken && strcmp(trace->taken->pattern, pattern->text) == 0;

	if (pattern->before && (is_taken || !rule)) {
		item->outcome = OUTCOME_REPLACED;
		item->rule = pattern->before;
		item->source = pattern->before->source;
		add(trace, item);
	}
	if (!rule) {
		item->outcome = OUTCOME_MASKED;
		item->rule = NULL;
		item->source = pattern->masked;
		add(trace, item);
	}
	for (; rule && rule != trace->taken; rule = rule->next) {
		int r = rule_conditions(trace->rules, rule, trace->facts, &item->failure);

		if (r < 0)
			continue;
		item->outcome = r ? OUTCOME_BEATEN : OUTCOME_CONDITION;
		item->rule = rule;
		item->source = rule->source;
		add(trace, item);
		if (r)
			break;
	}
}

static bool matches_in_other_case(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
}

/* The last component of a pattern with a path, if it says anything. */
static const char *last_component(const char *pattern)
{
	const char *last = strrchr(pattern, '/');

	return last && pattern_literal(last + 1) ? last + 1 : NULL;
}

/* Whether the pattern's folders include one called like the program, as in "/opt/x/" followed by an asterisk. */
static bool has_folder(const char *pattern, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = strchr(pattern, '/'); at; at = strchr(at + 1, '/')) {
		if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '/')
			return true;
	}
	return false;
}

static bool is_like(bool (*is_similar)(const char *a, const char *b), const char *pattern, const char *name)
{
	return strlen(pattern) >= SIMILAR_MIN && strlen(name) >= SIMILAR_MIN &&
	       (pattern[0] | ' ') == (name[0] | ' ') &&
	       (strncmp(pattern, name, strlen(pattern)) == 0 || is_similar(pattern, name));
}

/* How close the pattern comes to one name, or -1 if it does not. */
static int compare_name(const struct trace *trace, const char *pattern, const char *name)
{
	const bool is_path = strchr(pattern, '/');
	const char *last = last_component(pattern);

	if (is_path && ((last && pattern_match(last, name)) || has_folder(pattern, name)))
		return OUTCOME_FOLDER;
	if (!is_path && matches_in_other_case(pattern, name))
		return OUTCOME_CASE;
	if (!is_path && !pattern_is_glob(pattern) && is_like(trace->is_similar, pattern, name))
		return OUTCOME_SIMILAR;
	return -1;
}

/* Of a process whose name is not what it is matched by; a glob that matches nearly everything says nothing. */
static bool is_comm(const struct trace *trace, const char *pattern)
{
	return pattern_literal(pattern) && facts_need(trace->facts, FACT_COMM) == 0 &&
	       pattern_match(pattern, trace->facts->comm);
}

/* The argument after the first that has the pattern for its base name, or NULL. */
static const char *argument_called(const struct facts *facts, const char *pattern)
{
	const char *arg = facts->argv_size ? facts_next_arg(facts, facts->argv) : NULL;

	for (; arg; arg = facts_next_arg(facts, arg)) {
		if (strcmp(path_base(arg), pattern) == 0)
			return arg;
	}
	return NULL;
}

static bool find_close(const struct trace *trace, const char *pattern, struct rule_trace *item)
{
	int closest = -1;

	for (size_t i = 0; i < trace->names->count; i++) {
		const struct process_name *name = &trace->names->items[i];
		int outcome = name->kind == NAME_PATH ? -1 : compare_name(trace, pattern, name->text);

		if (outcome >= 0 && (closest < 0 || outcome < closest)) {
			closest = outcome;
			item->name = *name;
		}
	}
	if (closest == OUTCOME_FOLDER) {
		item->name = trace->names->items[0];
	} else if (closest < 0 && is_comm(trace, pattern)) {
		closest = OUTCOME_COMM;
		item->name.text = trace->facts->comm;
	} else if (closest < 0 || closest == OUTCOME_SIMILAR) {
		const char *argument = argument_called(trace->facts, pattern);

		closest = argument ? OUTCOME_ARGUMENT : closest;
		if (argument)
			item->name.text = argument;
	}
	item->outcome = (enum rule_outcome)closest;
	return closest >= 0;
}

size_t rules_trace(const struct rules *rules, const struct process_names *names, struct facts *facts,
		   const struct rule *taken, bool (*is_similar)(const char *a, const char *b), struct rule_trace *ret,
		   size_t max)
{
	struct trace trace = { rules, names, facts, taken, is_similar, ret, 0, max };

	for (size_t i = 0; i < rules->n_patterns; i++) {
		const struct pattern *pattern = &rules->patterns[i];
		const struct process_name *name = process_names_match(names, pattern->text);
		struct rule_trace item = { .pattern = pattern->text, .rule = pattern->list };

		if (name) {
			item.name = *name;
			add_matching(&trace, pattern, &item);
		} else if (pattern->list && find_close(&trace, pattern->text, &item) &&
			   (!taken || item.outcome <= OUTCOME_FOLDER)) {
			item.source = pattern->list->source;
			add(&trace, &item);
		}
	}
	return trace.count;
}

const struct thread_rule *rule_thread_trace(const struct rule *rule, const char *comm,
					    bool (*is_similar)(const char *a, const char *b), enum rule_outcome *ret)
{
	const struct thread_rule *similar = NULL;

	for (size_t i = 0; i < rule->n_threads; i++) {
		const struct thread_rule *thread = &rule->threads[i];

		if (pattern_match(thread->pattern, comm))
			continue;
		if (matches_in_other_case(thread->pattern, comm)) {
			*ret = OUTCOME_CASE;
			return thread;
		}
		if (strlen(comm) == TASK_COMM_LEN - 1 && strncmp(thread->pattern, comm, TASK_COMM_LEN - 1) == 0) {
			*ret = OUTCOME_CUT;
			return thread;
		}
		if (!similar && !pattern_is_glob(thread->pattern) && is_like(is_similar, thread->pattern, comm))
			similar = thread;
	}
	*ret = OUTCOME_SIMILAR;
	return similar;
}

/* ---- rules that never come to apply, since another one always comes first ---- */

/* What all rules of a list are bound to. */
static uint8_t common_bounds(const struct rule *list)
{
	uint8_t bounds = list->bounds;

	while ((list = list->next))
		bounds &= list->bounds;
	return bounds;
}

static bool has_conditions(const struct rule_match *match)
{
	return match && (match->exe || match->n_argv || match->cgroup || match->user || match->parent);
}

const struct rule *rules_always_before(const struct rules *rules, const struct rule *list)
{
	const char *base = path_base(list->pattern);
	const struct rule *rule = NULL;

	/* A backslash of the pattern is no part of a name. */
	if (pattern_is_glob(list->pattern) && base != list->pattern && base[-1] == '/' && *base && !pattern_is_glob(base))
		rule = rules_of_pattern(rules, base);
	while (rule && (has_conditions(rule->match) || (rule->bounds & ~common_bounds(list))))
		rule = rule->next;
	return rule;
}
