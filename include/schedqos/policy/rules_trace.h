/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains why a rule matches a process or not, for `explain` and for warnings about a configuration. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/policy/rules.h>

/* The names of a process that patterns are compared with, in this order. */
enum name_kind {
	NAME_PATH,   /* the executable's path */
	NAME_SCRIPT, /* the base name of the script */
	NAME_ARGV0,  /* the base name of argv[0], without the dash of a login shell */
	NAME_EXE,    /* the executable's base name */
};

struct process_name {
	enum name_kind kind;
	const char *text; /* unescaped: a process chooses it and may be hostile */
};

/* The names of a process: each kind at most once, in order. */
struct process_names {
	struct process_name items[NAME_EXE + 1];
	size_t count;
};

/*
 * Finds all names of a process, including those that no rule can use. The names live as long as the facts. Returns 0,
 * or -errno of a fact that could not be read.
 */
int rules_names(const struct rules *rules, struct facts *facts, struct process_names *ret);

/* Returns the first name that the pattern matches, or NULL. */
const struct process_name *process_names_match(const struct process_names *names, const char *pattern);

enum rule_condition {
	CONDITION_EXE,
	CONDITION_ARGV,
	CONDITION_USER,
	CONDITION_CGROUP,
	CONDITION_PARENT,
	CONDITION_USERNS,
	CONDITION_SEAT,
};

/*
 * The first condition of a rule that does not hold. wanted: the pattern or name in the condition; NULL for
 * CONDITION_USERNS, CONDITION_SEAT, and for CONDITION_PARENT with several parents.
 */
struct rule_failure {
	enum rule_condition condition;
	const char *wanted;
};

/*
 * Checks the rule's conditions, but not its pattern. Returns 1 if they hold; 0 and fills in *ret if one does not; or
 * -errno of a fact that could not be read.
 */
int rule_conditions(const struct rules *rules, const struct rule *rule, struct facts *facts, struct rule_failure *ret);

/*
 * Checks BOUND_SEAT, as rule_conditions does, too. Returns 1 if the rule may raise the process or does not raise, 0 if
 * it may not, or -errno.
 */
int rule_may_raise(const struct rule *rule, struct facts *facts);

/* Why a rule was not taken, from the closest to the farthest. */
enum rule_outcome {
	OUTCOME_PENDING,   /* the rule would be taken now; the last decision was made with other names or facts */
	OUTCOME_CONDITION, /* the pattern matches, but a condition does not hold */
	OUTCOME_MASKED,	   /* the pattern matches, but null masks it */
	OUTCOME_REPLACED,  /* the pattern matches, but a later file replaces its rule */
	OUTCOME_BEATEN,	   /* the rule matches, but another one comes before it */
	OUTCOME_CASE,	   /* upper and lower case differ */
	OUTCOME_FOLDER,	   /* the name matches, but not the folders before it */
	OUTCOME_COMM,	   /* the pattern matches comm, which is compared only with thread rules */
	OUTCOME_SIMILAR,   /* the pattern is similar to a name */
	OUTCOME_NONE,
};

struct rule_trace {
	enum rule_outcome outcome;
	const char *pattern;
	struct source source;	     /* place of the rule; OUTCOME_MASKED: of the null */
	const struct rule *rule;     /* NULL for OUTCOME_MASKED */
	struct process_name name;    /* the name that was compared; OUTCOME_COMM: kind is meaningless */
	struct rule_failure failure; /* OUTCOME_CONDITION */
};

/*
 * Finds up to max rules that came close but were not taken, the closest first, and returns their number. taken: the
 * rule of the process, or NULL; if there is one, OUTCOME_COMM and OUTCOME_SIMILAR are left out. Leaves out a rule with
 * a condition on a fact that cannot be read. Nothing is OUTCOME_PENDING if arguments or other facts were not read.
 */
size_t rules_trace(const struct rules *rules, const struct process_names *names, struct facts *facts,
		   const struct rule *taken, struct rule_trace *ret, size_t max);

/*
 * Returns the rule that always comes before a list, so that the list never applies; or NULL. Checks only lists whose
 * pattern is a glob on a path that ends in a literal name: a rule for exactly this name, without further conditions,
 * matches every process that the list could match.
 */
const struct rule *rules_always_before(const struct rules *rules, const struct rule *list);
