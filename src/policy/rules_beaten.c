/* SPDX-License-Identifier: GPL-2.0-only */
/* Globs that never come to apply, since another rule always comes first. */
#include "rules_private.h"

#include <stdlib.h>
#include <string.h>

#include <schedqos/util/text.h>

/* Whether all rules of a list hold in the initial user namespace only. */
static bool is_initial_only(const struct rule *list)
{
	for (; list; list = list->next) {
		if (!list->initial_userns)
			return false;
	}
	return true;
}

static bool has_conditions(const struct rule_match *match)
{
	return match && (match->exe || match->n_argv || match->cgroup || match->user || match->parent);
}

/* The rule of the list that takes whatever the beaten list could take, or NULL. */
static const struct rule *taker_of(const struct rule *list, const struct rule *beaten)
{
	for (; list; list = list->next) {
		if (!has_conditions(list->match) && (!list->initial_userns || is_initial_only(beaten)))
			return list;
	}
	return NULL;
}

/* Every process with such a path has the path's base name, and exact names come before globs. */
static const struct rule *taker_by_name(const struct rules *rules, const struct rule *list)
{
	const char *base = path_base(list->pattern);

	/* A backslash of the pattern is no part of a name. */
	if (base == list->pattern || base[-1] != '/' || !*base || pattern_is_glob(base))
		return NULL;
	return taker_of(rules_of_pattern(rules, base), list);
}

/* Makes a name that the glob matches and few others do, no longer than that. False if it does not succeed. */
static bool make_example(const char *glob, char *ret)
{
	const char *p = glob;
	char *out = ret;

	while (*p) {
		const size_t bracket = pattern_bracket(p);

		if (bracket) {
			*out++ = strchr("!^", p[1]) ? '\1' : p[1];
			p += bracket;
		} else if (*p == '*' || *p == '?') {
			*out++ = '\1';
			p++;
		} else {
			p += *p == '\\' && p[1];
			*out++ = *p++;
		}
	}
	*out = '\0';
	return pattern_match(glob, ret);
}

/* What includes the glob matches the example as well. */
static const struct rule *taker_by_glob(const struct rules *rules, const struct rule *list, const char *example)
{
	const bool is_path = strchr(list->pattern, '/') != NULL;
	const struct glob *glob;

	for (uint32_t from = 0;; from = glob->rank + 1) {
		const struct rule *taker;

		glob = rules_best_glob(rules, from, example, is_path, NULL);
		if (!glob || glob->list == list)
			return NULL;
		taker = taker_of(glob->list, list);
		if (taker && pattern_includes(glob->list->pattern, list->pattern))
			return taker;
	}
}

const struct rule *rules_always_before(const struct rules *rules, const struct rule *list)
{
	const struct rule *taker;
	char *example;

	if (!pattern_is_glob(list->pattern))
		return NULL;
	taker = taker_by_name(rules, list);
	if (taker)
		return taker;
	example = malloc(strlen(list->pattern) + 1);
	if (example && make_example(list->pattern, example))
		taker = taker_by_glob(rules, list, example);
	free(example);
	return taker;
}
