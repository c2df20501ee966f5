/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the rule for a process and for its threads. */
#include "rules_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool argv_match(const struct facts *facts, const char *pattern)
{
	const char *arg = facts->argv_size ? facts->argv : NULL;

	for (; arg; arg = facts_next_arg(facts, arg)) {
		if (strnlen(arg, FACTS_ARGUMENT_MAX + 1) <= FACTS_ARGUMENT_MAX && pattern_match(pattern, arg))
			return true;
	}
	return false;
}

/* 1 if the task is in the initial user namespace, 0 if not, or -errno. */
static int is_initial(struct facts *facts)
{
	int r = facts_need(facts, FACT_USERNS);

	return r < 0 ? r : facts->initial_userns;
}

/* 1 if match.parent matches one of the parent's names, 0 if not or without a parent, or -errno. */
static int parent_match(const struct rules *rules, const struct rule_match *match,
			struct facts *facts)
{
	bool is_path = strchr(match->parent, '/') != NULL;
	struct process_names names;
	int r = facts_need(facts, FACT_PARENT);

	if (r < 0)
		return r;
	if (!facts->parent)
		return 0;
	r = rules_names_for(rules, match->parent, facts->parent, &names);
	if (r == 0)
		r = process_names_match(&names, match->parent) != NULL;
	if (r > 0 && is_path && match->user_namespace != USERNS_ANY)
		r = is_initial(facts->parent);
	return r == -ESRCH ? 0 : r;
}

static int does_not_hold(struct rule_failure *ret, enum rule_condition condition, const char *wanted)
{
	*ret = (struct rule_failure){ condition, wanted };
	return 0;
}

/* 1 if all conditions of "match" hold, 0 if not, or -errno. The cheap ones come first. */
static int match_holds(const struct rules *rules, const struct rule_match *match, struct facts *facts,
		       struct rule_failure *ret)
{
	int r;

	if (match->exe && (facts->exe_is_unknown || !pattern_match(match->exe, facts->exe)))
		return does_not_hold(ret, CONDITION_EXE, match->exe);
	for (size_t i = 0; i < match->n_argv; i++) {
		if (!argv_match(facts, match->argv[i]))
			return does_not_hold(ret, CONDITION_ARGV, match->argv[i]);
	}
	if (match->user) {
		r = facts_need(facts, FACT_UID);
		if (r < 0)
			return r;
		if (match->user->uid == (uid_t)-1 || facts->uid != match->user->uid)
			return does_not_hold(ret, CONDITION_USER, match->user->name);
	}
	if (match->cgroup) {
		r = facts_need(facts, FACT_CGROUP);
		if (r < 0)
			return r;
		if (facts->cgroup_is_unknown || !pattern_match(match->cgroup, facts->cgroup))
			return does_not_hold(ret, CONDITION_CGROUP, match->cgroup);
	}
	r = match->parent ? parent_match(rules, match, facts) : 1;
	return r == 0 ? does_not_hold(ret, CONDITION_PARENT, match->parent) : r;
}

/* The namespace comes last, so that it is read only for processes that the rule fits otherwise. */
int rule_conditions(const struct rules *rules, const struct rule *rule, struct facts *facts, struct rule_failure *ret)
{
	int r = rule->match ? match_holds(rules, rule->match, facts, ret) : 1;

	if (r <= 0 || !rule->initial_userns)
		return r;
	r = is_initial(facts);
	return r == 0 ? does_not_hold(ret, CONDITION_USERNS, NULL) : r;
}

/* The first rule of the list whose conditions hold, or NULL. */
static const struct rule *list_match(const struct rules *rules, const struct rule *list,
				     struct facts *facts, int *error)
{
	struct rule_failure failure;

	for (; list; list = list->next) {
		int r = rule_conditions(rules, list, facts, &failure);

		if (r > 0)
			return list;
		if (r < 0)
			*error = r;
	}
	return NULL;
}

static const struct rule *exact_match(const struct rules *rules, const struct process_name *name,
				      struct facts *facts, int *error)
{
	uint32_t number;

	if (name->kind == NAME_PATH && !rules->has_paths)
		return NULL;
	number = rules_slot(rules, name->text)->number;
	if (!number || pattern_is_glob(name->text))
		return NULL;
	return list_match(rules, rules->patterns[number - 1].list, facts, error);
}

static const struct rule *glob_match(const struct rules *rules, const struct process_names *names,
				     struct facts *facts, int *error)
{
	for (uint32_t from = 0; from < rules->n_globs;) {
		const struct glob *best = NULL;
		const struct rule *rule;

		for (size_t i = 0; i < names->count; i++) {
			const struct process_name *name = &names->items[i];
			const bool is_path = name->kind == NAME_PATH;

			if (!is_path || rules->has_paths)
				best = rules_best_glob(rules, from, name->text, is_path, best);
		}
		if (!best)
			return NULL;
		rule = list_match(rules, best->list, facts, error);
		if (rule)
			return rule;
		from = best->rank + 1;
	}
	return NULL;
}

const struct rule *rules_match(const struct rules *rules, struct facts *facts, int *ret_error)
{
	const struct rule *rule = NULL;
	struct process_names names;

	*ret_error = rules_names_for(rules, NULL, facts, &names);
	if (*ret_error < 0)
		return NULL;
	for (size_t i = 0; i < names.count && !rule; i++)
		rule = exact_match(rules, &names.items[i], facts, ret_error);
	if (!rule)
		rule = glob_match(rules, &names, facts, ret_error);
	if (rule)
		*ret_error = 0;
	return rule;
}

static int compare_thread_name(const void *name, const void *thread)
{
	return strcmp(name, ((const struct thread_rule *)thread)->pattern);
}

const struct thread_rule *rule_thread(const struct rule *rule, const char *comm)
{
	const struct thread_rule *exact;

	if (!rule->n_threads)
		return NULL;
	exact = bsearch(comm, rule->threads, rule->n_exact_threads, sizeof(*rule->threads),
			compare_thread_name);
	if (exact)
		return exact;
	for (size_t i = rule->n_exact_threads; i < rule->n_threads; i++) {
		if (pattern_match(rule->threads[i].pattern, comm))
			return &rule->threads[i];
	}
	return NULL;
}
