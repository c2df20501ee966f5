/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: which class a task gets, by its process and its thread name. The configuration builds a set of rules once and
 * indexes it; after that it is read-only. Everything in it lives as long as the memory of the configuration.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
	const char *const *parents; /* patterns, one of which matches one of the parent's names */
	size_t n_parents;
	enum rule_userns user_namespace;
};

/* What a rule does with attributes that somebody chose for a task before the rule takes effect. */
enum rule_yield {
	YIELD_DEFAULT, /* not given: overrides them, but does not raise a lowered task: nice above 0, SCHED_IDLE */
	YIELD_YES,     /* keeps them */
	YIELD_NO,      /* overrides them in any case */
};

/* What the program's descendants that match no rule of their own get by a rule. */
enum rule_inherit {
	INHERIT_DEFAULT, /* not given: what the program's own ancestors hand on */
	INHERIT_YES,	 /* the rule's class */
	INHERIT_NO,	 /* nothing, whatever its ancestors hand on */
};

/* Whom a rule may raise, that is, give what takes privilege. */
enum rule_raise {
	RAISE_DEFAULT, /* not given: everybody */
	RAISE_SEAT,    /* who has a session at a seat, or may raise himself; a class that raises is for nobody else */
	RAISE_ALL,
};

/* A rule. Those of one pattern are a list, of which the first whose conditions hold is taken. */
struct rule {
	const char *pattern;
	struct rule *next; /* the list's next rule, or NULL */
	struct source source;
	uint16_t id;	 /* set by rules_finish: 1..rules.n_rules, so that 0 can mean none */
	uint16_t tag;	 /* set by rules_finish; TAG_DEFAULT when qos is NULL */
	uint8_t bounds; /* set by rules_finish: enum rule_bound */
	bool enforce; /* whatever anybody changes of what it has put on is put back */
	bool keeps_hidden; /* the class stays while no window of the app is seen */
	uint8_t inherit; /* enum rule_inherit */
	uint8_t yield; /* enum rule_yield */
	uint8_t raise; /* enum rule_raise */
	const char *qos; /* class name, as written; NULL: not given */
	const char *version;
	const char *from;	       /* where it was before it was printed and read again, or NULL */
	uint64_t period_ns;	       /* 0: not given */
	struct thread_rule *threads; /* rules_finish sorts: by name, then globs by rank */
	uint32_t n_threads;
	const struct rule_match *match; /* or NULL */
};

/* What a rule is bound to besides its conditions. */
enum rule_bound {
	BOUND_USERNS = 1 << 0, /* the initial user namespace */
	BOUND_SEAT = 1 << 1,   /* RAISE_SEAT, and some class of it raises */
};

/* A set of rules. Once finished it is read-only. */
struct rules {
	const struct rule **lists; /* of the patterns that are not masked, in the order of files and lines */
	size_t n_lists;
	const struct rule **by_id; /* by_id[id - 1] */
	size_t n_rules;
	struct tag *tags;
	size_t n_tags, n_of_rules; /* those from n_of_rules on no rule gives, but groups and overrides can */
	bool need_renames, need_cgroup,
		enforce; /* any rule is about threads' names; the cgroup; takes back what is changed */

	/* Of the room, see rules_private.h: */
	const struct qos_class *classes;
	size_t n_classes;
	struct pattern *patterns; /* in the order of the files; once finished, each once */
	size_t n_patterns;
	uint32_t *index; /* of the patterns, from 1; 0: free. Open addressing, a power of two in size */
	size_t index_size;
	struct glob *globs; /* the best first */
	size_t n_globs;
};

/* Makes an empty set. The caller frees it, and owns the rules put into it. Returns NULL without memory. */
struct rules *rules_new(void);
void rules_free(struct rules *rules);

/*
 * Adds a pattern's list of rules in place of what an earlier call added for the same pattern; NULL masks it. The rules
 * and their strings must outlive the set. 0 or -ENOMEM.
 */
int rules_put(struct rules *rules, const char *pattern, struct rule *list, const struct source *source);

/*
 * Resolves the class names, makes the tags and indexes the patterns. Every class that a rule names must be
 * among classes. Each class gets a tag without a period, since an override may ask for any. all_classes: and one at
 * every period, since groups may ask for it. After this the set is read-only. 0, -ENOMEM, or -E2BIG: more rules than
 * ids.
 */
int rules_finish(struct rules *rules, const struct qos_class *classes, size_t n_classes, bool all_classes);

/* The class's tag at that period, 0: without one. TAG_NONE if there is none, or class is NULL. */
uint16_t rules_tag_of(const struct rules *rules, const struct qos_class *class, uint64_t period_ns);
const struct rule *rules_by_id(const struct rules *rules, uint32_t id); /* NULL for 0 or unknown */

/* The list of rules for just this pattern; NULL: none, or masked. */
const struct rule *rules_of_pattern(const struct rules *rules, const char *pattern);

/*
 * The rule for a process with these facts, or NULL. An exact pattern beats a glob; among globs the longer
 * literal text, then the later file, then the earlier line. *ret_error gets 0, or -errno of a fact that
 * could not be read (NULL is returned then).
 */
const struct rule *rules_match(const struct rules *rules, struct facts *facts, int *ret_error);

/*
 * Returns whether the arguments could make another rule match than exe alone, or make it impossible to say without
 * comm. Needs exe, of which the base name is enough, and argv.
 */
bool rules_argv_may_matter(const struct rules *rules, const struct facts *facts);

/* The thread rule for a thread of this name, or NULL. */
const struct thread_rule *rule_thread(const struct rule *rule, const char *comm);

/*
 * Whether the rule is for tasks of the initial user namespace only. Unless the rule has "user_namespace", that is so
 * if a path decides, its pattern's or that of match.exe: in a user namespace of his own anybody can mount a file of
 * his over any path, so that a path means nothing there.
 */
bool rule_needs_initial_userns(const struct rule *rule);
