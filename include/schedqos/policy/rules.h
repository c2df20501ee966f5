/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: which tag a task gets, by its process and its thread name. The configuration builds a set once and
 * indexes it; after that it is read-only. Everything in it lives as long as the configuration's memory.
 */
#pragma once

#include <schedqos/policy/facts.h>
#include <schedqos/policy/pattern.h>
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

/* A rule. Those of one pattern are a list, of which the first whose conditions hold is taken. */
struct rule {
	const char *pattern;
	struct rule *next; /* the list's next rule, or NULL */
	struct source source;
	uint32_t id;	 /* set by rules_finish: 1..rules.n_rules, so that 0 can mean none */
	uint16_t tag;	 /* set by rules_finish; TAG_DEFAULT when qos is NULL */
	bool initial_userns; /* set by rules_finish: holds in the initial user namespace only */
	bool inherit, enforce;
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
 * Names the programs whose arguments are searched for a script, by at most INTERPRETERS_MAX patterns, which must
 * outlive the set; without this there are none. 0 or -ENOMEM.
 */
int rules_set_interpreters(struct rules *rules, const char *const *patterns, size_t n);

/*
 * Resolves the class names, makes the tags and indexes the patterns. Every class that a rule names must be
 * among classes. all_classes: makes a tag for every class at every period, since groups may ask for any. After this
 * the set is read-only. 0 or -ENOMEM.
 */
int rules_finish(struct rules *rules, const struct qos_class *classes, size_t n_classes, bool all_classes);

size_t rules_count(const struct rules *rules);		/* patterns that are not masked */
const struct tag *rules_tags(const struct rules *rules, size_t *ret_count);
const struct rule *rules_by_id(const struct rules *rules, uint32_t id); /* NULL for 0 or unknown */

/* Every pattern's list in the order of files and lines, for printing. Returns NULL at the end. */
const struct rule *rules_nth(const struct rules *rules, size_t n);

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

/*
 * The rule for a process with these facts, or NULL. An exact pattern beats a glob; among globs the longer
 * literal text, then the later file, then the earlier line. *ret_error gets 0, or -errno of a fact that
 * could not be read (NULL is returned then).
 */
const struct rule *rules_match(const struct rules *rules, struct facts *facts, int *ret_error);

/* The same; *ret_by gets what the rule's pattern matched, if there is a rule. Its text lives as long as the facts. */
const struct rule *rules_match_by(const struct rules *rules, struct facts *facts, struct process_name *ret_by,
				  int *ret_error);

/*
 * The rule that comes before all those of this list whatever process the list could match, so that the list never takes
 * effect; or NULL if there is none, or none that shows.
 */
const struct rule *rules_always_before(const struct rules *rules, const struct rule *list);

/* Whether any rule asks for the cgroup. */
bool rules_need_cgroup(const struct rules *rules);

/* The thread rule for a thread of this name, or NULL. */
const struct thread_rule *rule_thread(const struct rule *rule, const char *comm);

/*
 * Whether the rule is for tasks of the initial user namespace only. Unless the rule has "user_namespace", that is so
 * if a path decides, its pattern's or that of match.exe: in a user namespace of his own anybody can mount a file of
 * his over any path, so that a path proves nothing there.
 */
bool rule_needs_initial_userns(const struct rule *rule);
