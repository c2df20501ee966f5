/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: which tag a task gets, by its process and its thread name. The configuration builds a set once and
 * indexes it; after that it is read-only. Everything in it lives as long as the configuration's memory.
 */
#pragma once

#include <schedqos/policy/facts.h>
#include <schedqos/policy/qos_class.h>

/*
 * A tag is a class scaled to a period: what a task is actually given. Tags are numbered by their place in rules.tags.
 */
#define TAG_NONE 0xffff
#define TAG_DEFAULT 0 /* QOS_DEFAULT with no period: always there */

struct tag {
	uint16_t qos_class; /* index into the configuration's classes */
	uint64_t period_ns; /* 0: not scaled */
	struct qos_attr attr;
};

struct thread_rule {
	const char *pattern; /* compared with comm: exact, or a glob */
	const char *qos;     /* class name, as written */
	struct source source;
	uint16_t tag; /* set by rules_finish */
	bool is_glob; /* set by rules_finish */
};

/* In which user namespaces a rule holds. */
enum rule_userns {
	USERNS_DEFAULT,	/* not given: the initial one if a path decides, else any */
	USERNS_INITIAL,
	USERNS_ANY,
};

/* A user that rules name; one for each name. */
struct rule_user {
	const char *name; /* as written */
	uid_t uid;	  /* (uid_t)-1 while it is not known: matches no process */
	int error;	  /* 0; -ENOENT: there is no such user; another -errno: it could not be looked up yet */
	struct rule_user *next;
};

bool rule_user_is_pending(const struct rule_user *user);

/* Further conditions, all of which must hold; NULL: no such condition. */
struct rule_match {
	const char *exe;	/* glob on the full path */
	const char *const *argv; /* globs, each matching some argument */
	size_t n_argv;
	const char *cgroup; /* glob */
	const struct rule_user *user;
	const char *parent; /* pattern, compared with the parent's names */
	enum rule_userns user_namespace;
};

/* What a rule does with attributes that somebody chose for a task before the rule takes effect. */
enum rule_yield {
	YIELD_DEFAULT, /* not given: overrides them, but does not raise a lowered task: nice above 0, SCHED_IDLE */
	YIELD_YES,     /* keeps them */
	YIELD_NO,      /* overrides them in any case */
};

/* Whose changes of what the rule has put on are put back. */
enum rule_enforce {
	ENFORCE_NO,
	ENFORCE_PROGRAM, /* those that the process makes itself */
	ENFORCE_ALWAYS,
};

/* A rule. Those of one pattern are a list, of which the first whose conditions hold is taken. */
struct rule {
	const char *pattern;
	struct rule *next; /* the list's next rule, or NULL */
	struct source source;
	uint32_t id;	 /* set by rules_finish: 1..rules.n_rules, so that 0 can mean none */
	uint16_t tag;	 /* set by rules_finish; TAG_DEFAULT when qos is NULL */
	bool initial_userns; /* set by rules_finish: holds in the initial user namespace only */
	bool inherit;
	enum rule_enforce enforce;
	enum rule_yield yield;
	const char *qos; /* class name, as written; NULL: not given */
	const char *version;
	uint64_t period_ns;	       /* 0: not given */
	struct thread_rule *threads;   /* rules_finish sorts: exact by name, then globs by rank */
	size_t n_threads, n_exact_threads;
	const struct rule_match *match; /* or NULL */
};

struct rules;

/* Makes an empty set. The caller frees it, and owns the rules put into it. Returns NULL without memory. */
struct rules *rules_new(void);
void rules_free(struct rules *rules);

/*
 * Adds a pattern's list of rules in place of what an earlier call added for the same pattern.
 * An empty list (NULL) masks it. The rules and their strings must outlive the set. 0 or -ENOMEM.
 */
int rules_put(struct rules *rules, const char *pattern, struct rule *list);

/*
 * Resolves the class names, makes the tags and indexes the patterns. Every class that a rule names must be
 * among classes. Each class gets a tag without a period, since an override may ask for any. all_classes: and one at
 * every period, since groups may ask for it. After this the set is read-only. 0 or -ENOMEM.
 */
int rules_finish(struct rules *rules, const struct qos_class *classes, size_t n_classes, bool all_classes);

size_t rules_count(const struct rules *rules);		/* patterns that are not masked */
const struct tag *rules_tags(const struct rules *rules, size_t *ret_count);
size_t rules_n_assigned(const struct rules *rules); /* so many tags, the first ones, rules and groups can give */
const struct rule *rules_by_id(const struct rules *rules, uint32_t id); /* NULL for 0 or unknown */

/* Every pattern's list in the order of files and lines, for printing. Returns NULL at the end. */
const struct rule *rules_nth(const struct rules *rules, size_t n);

/*
 * The rule for a process with these facts, or NULL. An exact pattern beats a glob; among globs the longer
 * literal text, then the later file, then the earlier line. *ret_error gets 0, or -errno of a fact that
 * could not be read (NULL is returned then).
 */
const struct rule *rules_match(const struct rules *rules, struct facts *facts, int *ret_error);

/* Whether any rule asks for the cgroup. */
bool rules_need_cgroup(const struct rules *rules);

/* Whether any rule takes back what somebody changes. */
bool rules_enforce(const struct rules *rules);

/* The thread rule for a thread of this name, or NULL. */
const struct thread_rule *rule_thread(const struct rule *rule, const char *comm);

/*
 * Whether the rule is for tasks of the initial user namespace only. Unless the rule has "user_namespace", that is so
 * if a path decides, its pattern's or that of match.exe: in a user namespace of his own anybody can mount a file of
 * his over any path, so that a path proves nothing there.
 */
bool rule_needs_initial_userns(const struct rule *rule);

/* Whether the pattern contains any of the shell's * ? [ . */
bool pattern_is_glob(const char *pattern);

/* Bytes of literal text in a glob, by which globs are ranked. A bracket expression does not count. */
size_t pattern_literal(const char *pattern);

/* Whether the name matches the pattern, glob or not. '*' matches '/' and a leading dot as well. */
bool pattern_match(const char *pattern, const char *name);
