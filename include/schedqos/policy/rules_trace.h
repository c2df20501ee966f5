/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains why a rule matches a process or not, by the functions that rules_match is made of. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/policy/rules.h>

/* What of a process a pattern is compared with, in the order of comparison. */
enum name_kind {
	NAME_PATH,   /* the executable's path */
	NAME_SCRIPT, /* the base name of the script */
	NAME_ARGV0,  /* argv[0]'s base name, without the dash of a login shell */
	NAME_EXE,    /* the executable's base name */
};

struct process_name {
	enum name_kind kind;
	const char *text; /* as the process has it, unescaped */
};

/* Each kind at most once, in order. There may be no script, and no argv[0]. */
struct process_names {
	struct process_name items[NAME_EXE + 1];
	size_t count;
};

/*
 * All names of a process, also those that no rule can use. They live as long as the facts. Returns 0, or -errno of a
 * fact that could not be read.
 */
int rules_names(const struct rules *rules, struct facts *facts, struct process_names *ret);

/* The first of the names that the pattern matches, or NULL. */
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

/* The first condition that does not hold, and what it asks for; NULL for the last two, and for several parents. */
struct rule_failure {
	enum rule_condition condition;
	const char *wanted;
};

/* 1 if the rule's conditions hold; 0 and the failure if not; or -errno. The names are not looked at. */
int rule_conditions(const struct rules *rules, const struct rule *rule, struct facts *facts, struct rule_failure *ret);

/* 1 if the rule may raise the process, or would not; 0 if not; or -errno. A part of rule_conditions. */
int rule_may_raise(const struct rule *rule, struct facts *facts);

/* How close a rule came that was not taken; the closest first. */
enum rule_outcome {
	OUTCOME_CONDITION, /* its pattern matches, but a condition does not hold */
	OUTCOME_MASKED,	   /* its pattern matches, but null masks it */
	OUTCOME_REPLACED,  /* a later file has another rule for its pattern, which matches */
	OUTCOME_BEATEN,	   /* it matches, but another one goes first */
	OUTCOME_CASE,	   /* upper and lower case differ */
	OUTCOME_FOLDER,	   /* the name is right, but not the folders before it */
	OUTCOME_COMM,	   /* the task's name matches, which only thread rules look at */
	OUTCOME_SIMILAR,   /* a similar name */
	OUTCOME_NONE,
};

struct rule_trace {
	enum rule_outcome outcome;
	const char *pattern;
	struct source source;	     /* of the rule; OUTCOME_MASKED: of the null */
	const struct rule *rule;     /* NULL for OUTCOME_MASKED */
	struct process_name name;    /* what was compared; no kind for OUTCOME_COMM */
	struct rule_failure failure; /* OUTCOME_CONDITION */
};

/*
 * Fills in up to max rules other than `taken` that came close, the closest first. If one was taken, those are left out
 * that just have a similar name, or that of something else. Returns their number. Facts that cannot be read count as
 * empty.
 */
size_t rules_trace(const struct rules *rules, const struct process_names *names, struct facts *facts,
		   const struct rule *taken, struct rule_trace *ret, size_t max);

/*
 * Of a list whose pattern is a glob on a path that ends in a name: the rule for just this name that takes whatever the
 * list could match, since it has no conditions; or NULL.
 */
const struct rule *rules_always_before(const struct rules *rules, const struct rule *list);
