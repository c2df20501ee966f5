/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds rules that nearly applied to a process, for `explain`, and rules that never apply, for warnings. */
#include "rules_private.h"

#include <fnmatch.h>
#include <string.h>

#include <schedqos/util/text.h>

/* Words shorter than this are too often similar by chance. */
#define SIMILAR_MIN 4

struct close_rules {
	const struct rules *rules;
	const struct process_names *names;
	struct facts *facts;
	const struct rule *taken, *next; /* the process's rule, and what the next decision takes */
	struct rule_trace *items; /* closest first; equally close ones in the order found */
	size_t count, max;
};

/* Inserts an item by its outcome, if it is among the closest. source: NULL for that of the rule. */
static void add(struct close_rules *trace, struct rule_trace *item, enum rule_outcome outcome, const struct rule *rule,
		const struct source *source)
{
	size_t at = trace->count;

	item->outcome = outcome;
	item->rule = rule;
	item->source = source ? *source : rule->source;
	while (at > 0 && trace->items[at - 1].outcome > outcome)
		at--;
	if (at == trace->max)
		return;
	if (trace->count < trace->max)
		trace->count++;
	memmove(&trace->items[at + 1], &trace->items[at], (trace->count - at - 1) * sizeof(*item));
	trace->items[at] = *item;
}

/*
 * Adds the rules of a pattern that matches, up to the first rule whose conditions hold. That rule was taken, will be
 * taken, or was beaten by a rule of another pattern.
 */
static void add_matching(struct close_rules *trace, const struct pattern *pattern, struct rule_trace *item)
{
	const struct rule *rule = pattern->list;
	const bool is_taken = trace->taken && strcmp(trace->taken->pattern, pattern->text) == 0;
	int r = 0;

	if (pattern->before && (is_taken || !rule))
		add(trace, item, OUTCOME_REPLACED, pattern->before, NULL);
	if (!rule)
		add(trace, item, OUTCOME_MASKED, NULL, &pattern->source);
	for (; rule && rule != trace->taken && r <= 0; rule = rule->next) {
		r = rule_conditions(trace->rules, rule, trace->facts, &item->failure);
		if (r > 0)
			add(trace, item, rule == trace->next ? OUTCOME_PENDING : OUTCOME_BEATEN, rule, NULL);
		else if (r == 0)
			add(trace, item, OUTCOME_CONDITION, rule, NULL);
	}
}

static bool matches_in_other_case(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
}

/* Returns the last component of a pattern with a path, or NULL if it has no literal text. */
static const char *last_component(const char *pattern)
{
	const char *last = strrchr(pattern, '/');

	return last && pattern_literal(last + 1) ? last + 1 : NULL;
}

static bool is_like(const char *pattern, const char *name)
{
	struct suggestion near = { .word = pattern };

	if (pattern_is_glob(pattern) || strlen(pattern) < SIMILAR_MIN || strlen(name) < SIMILAR_MIN ||
	    (pattern[0] | ' ') != (name[0] | ' '))
		return false;
	suggest_offer(&near, name);
	return near.best || strncmp(pattern, name, strlen(pattern)) == 0;
}

/* Returns whether the pattern matches comm, which rules are not compared with. Ignores a glob without literal text. */
static bool is_comm(const struct close_rules *trace, const char *pattern)
{
	return pattern_literal(pattern) && facts_need(trace->facts, FACT_COMM) == 0 &&
	       pattern_match(pattern, trace->facts->comm);
}

/* Keeps the outcome if it is closer than the one found before. */
static void consider(struct rule_trace *item, enum rule_outcome outcome, struct process_name name)
{
	if (outcome >= item->outcome)
		return;
	item->outcome = outcome;
	item->name = name;
}

/* Finds how close a pattern that does not match comes to the names of the process. */
static void find_close(const struct close_rules *trace, const char *pattern, struct rule_trace *item)
{
	const struct process_names *names = trace->names;
	const char *last = last_component(pattern);
	const bool is_path = strchr(pattern, '/');

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i].text;

		if (names->items[i].kind == NAME_PATH)
			continue;
		if (last && pattern_match(last, name))
			consider(item, OUTCOME_FOLDER, names->items[0]);
		if (!is_path && matches_in_other_case(pattern, name))
			consider(item, OUTCOME_CASE, names->items[i]);
		if (!is_path && is_like(pattern, name))
			consider(item, OUTCOME_SIMILAR, names->items[i]);
	}
	if (is_comm(trace, pattern))
		consider(item, OUTCOME_COMM, (struct process_name){ .text = trace->facts->comm });
}

size_t rules_trace(const struct rules *rules, const struct process_names *names, struct facts *facts,
		   const struct rule *taken, struct rule_trace *ret, size_t max)
{
	struct close_rules trace = { rules, names, facts, taken, NULL, ret, 0, max };
	/* The closest outcome to leave out. */
	const enum rule_outcome far = taken ? OUTCOME_COMM : OUTCOME_NONE;
	int error;

	if (!facts->argv_is_unread && !facts->is_spared)
		trace.next = rules_match(rules, facts, &error);
	for (size_t i = 0; i < rules->n_patterns; i++) {
		const struct pattern *pattern = &rules->patterns[i];
		const struct process_name *name = process_names_match(names, pattern->text);
		struct rule_trace item = { .pattern = pattern->text, .outcome = far };

		if (name) {
			item.name = *name;
			add_matching(&trace, pattern, &item);
		} else if (pattern->list) {
			find_close(&trace, pattern->text, &item);
			if (item.outcome < far)
				add(&trace, &item, item.outcome, pattern->list, NULL);
		}
	}
	return trace.count;
}

/* ---- rules that never apply because another one always comes before them ---- */

/* Returns the bounds that all rules of a list have (enum rule_bound). */
static uint8_t common_bounds(const struct rule *list)
{
	uint8_t bounds = list->bounds;

	while ((list = list->next))
		bounds &= list->bounds;
	return bounds;
}

static bool has_conditions(const struct rule_match *match)
{
	return match && (match->exe || match->n_argv || match->cgroup || match->user || match->n_parents);
}

const struct rule *rules_always_before(const struct rules *rules, const struct rule *list)
{
	const char *base = path_base(list->pattern);
	const struct rule *rule = NULL;

	/* path_base also splits at a backslash, which in a pattern is an escape. */
	if (pattern_is_glob(list->pattern) && base != list->pattern && base[-1] == '/' && *base &&
	    !pattern_is_glob(base))
		rule = rules_of_pattern(rules, base);
	while (rule && (has_conditions(rule->match) || (rule->bounds & ~common_bounds(list))))
		rule = rule->next;
	return rule;
}
