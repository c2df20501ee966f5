/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules assign classes to tasks, by process and thread name. The configuration builds a set of rules once and indexes
 * it; then the set is read-only, and the plan matches processes against it. The set lives as long as the memory of the
 * configuration.
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
 * A tag is a class, perhaps scaled to a period. The number of a tag is its index in rules.tags.
 */
#define TAG_NONE 0xffff
#define TAG_DEFAULT 0 /* QOS_DEFAULT without a period; always exists */

struct tag {
	uint16_t qos_class; /* index into the configuration's classes */
	uint64_t period_ns; /* 0: not scaled */
	struct qos_attr attr;
};

struct thread_rule {
	const char *pattern; /* compared with comm; a name or a glob */
	const char *qos;     /* class name, as written */
	struct source source;
	uint16_t tag; /* set by rules_finish */
};

/* The user namespaces in which a rule holds. */
enum rule_userns {
	USERNS_DEFAULT,	/* not given: the initial one if the rule matches a path, else any */
	USERNS_INITIAL,
	USERNS_ANY,
};

/* A user that rules name. There is one struct for each name. */
struct rule_user {
	const char *name; /* as written */
	uid_t uid;	  /* (uid_t)-1 while unknown: matches no process */
	int error;	  /* 0; -ENOENT: no such user; another -errno: the lookup failed and is to be repeated */
	struct rule_user *next;
};

/* Returns whether the user is still to be looked up. */
bool rule_user_is_pending(const struct rule_user *user);

/* Further conditions of a rule, which must all hold. NULL: no such condition. */
struct rule_match {
	const char *exe;	/* pattern on the full path */
	const char *const *argv; /* patterns, each of which must match some argument */
	size_t n_argv;
	const char *cgroup; /* pattern on the path */
	const struct rule_user *user;
	const char *const *parents; /* patterns, one of which must match a name of the parent process */
	size_t n_parents;
	enum rule_userns user_namespace;
};

/* How a rule treats attributes that somebody chose for a task before the rule takes effect. */
enum rule_yield {
	YIELD_DEFAULT, /* not given: overrides them, but raises no task that somebody lowered */
	YIELD_YES,     /* leaves the task alone */
	YIELD_NO,      /* overrides them in any case */
};

/* Which class the descendants of a program inherit if they match no rule of their own. */
enum rule_inherit {
	INHERIT_DEFAULT, /* not given: the class that the program itself inherits */
	INHERIT_YES,	 /* the rule's class */
	INHERIT_NO,	 /* none */
};

/* Which processes a rule may raise, which means to give them attributes that take privilege. */
enum rule_raise {
	RAISE_DEFAULT, /* not given: all */
	RAISE_SEAT,    /* those with at_seat (struct facts); a rule with a class that raises matches no others */
	RAISE_ALL,
};

/* A rule. The rules of one pattern form a list; the first rule whose conditions hold is taken. */
struct rule {
	const char *pattern;
	struct rule *next; /* the list's next rule, or NULL */
	struct source source;
	uint16_t id;	 /* set by rules_finish: 1..rules.n_rules, so that 0 can mean none */
	uint16_t tag;	 /* set by rules_finish; TAG_DEFAULT when qos is NULL */
	uint8_t bounds; /* set by rules_finish: enum rule_bound */
	bool enforce; /* changes by others to the attributes of its class are undone */
	bool keeps_hidden; /* the class stays while the app is hidden */
	uint8_t inherit; /* enum rule_inherit */
	uint8_t yield; /* enum rule_yield */
	uint8_t raise; /* enum rule_raise */
	const char *qos; /* class name, as written; NULL: not given */
	const char *version;
	const char *from;	       /* its place before the configuration was printed and read again, or NULL */
	uint64_t period_ns;	       /* 0: not given */
	struct thread_rule *threads; /* sorted by rules_finish: names first, then globs by rank */
	uint32_t n_threads;
	const struct rule_match *match; /* or NULL */
};

/* Conditions of a rule that rules_finish derives. */
enum rule_bound {
	BOUND_USERNS = 1 << 0, /* holds in the initial user namespace only */
	BOUND_SEAT = 1 << 1,   /* holds with at_seat only: RAISE_SEAT, and some class of the rule raises */
};

/* Number of chains of globs. */
#define GLOB_CHAINS 512

/* A set of rules. Once finished it is read-only. */
struct rules {
	const struct rule **lists; /* of the patterns that are not masked; sorted by file and line */
	size_t n_lists;
	const struct rule **by_id; /* by_id[id - 1] */
	size_t n_rules;
	struct tag *tags;
	size_t n_tags, n_of_rules; /* only groups and overrides assign the tags from n_of_rules on */
	bool need_renames, need_cgroup,
		enforce; /* some rule has thread rules; has a condition on the cgroup; enforces its class */

	/* Private to the files of rules, see rules_private.h: */
	const struct qos_class *classes;
	size_t n_classes;
	struct pattern *patterns; /* in the order of rules_put; rules_finish removes duplicates */
	size_t n_patterns;
	uint32_t *index; /* hash table of pattern numbers from 1; 0: free. Open addressing; a power of two in size */
	size_t index_size;
	struct glob *globs; /* highest precedence first */
	size_t n_globs;
	uint32_t chains[GLOB_CHAINS]; /* 1 + index of the first glob of each chain; 0 if it is empty */
};

/* Makes an empty set, which the caller frees. The caller owns the rules in it. Returns NULL if out of memory. */
struct rules *rules_new(void);
void rules_free(struct rules *rules);

/*
 * Adds the list of rules for a pattern and replaces an earlier list for the same pattern. list: NULL masks the pattern.
 * The rules and their strings must outlive the set. Returns 0 or -ENOMEM.
 */
int rules_put(struct rules *rules, const char *pattern, struct rule *list, const struct source *source);

/*
 * Resolves the class names, makes the tags and indexes the patterns; then the set is read-only. Every class that a rule
 * names must be among classes. Each class gets a tag without a period, because an override may request any class.
 * all_classes: each class also gets a tag at every period, because groups may lower a tag to any class. Returns 0,
 * -ENOMEM, or -E2BIG if there are more rules than ids.
 */
int rules_finish(struct rules *rules, const struct qos_class *classes, size_t n_classes, bool all_classes);

/*
 * Returns the tag of a class at this period in ns, or without a period for 0. Returns TAG_NONE if there is no such tag,
 * or class is NULL.
 */
uint16_t rules_tag_of(const struct rules *rules, const struct qos_class *class, uint64_t period_ns);

/* Returns the rule, or NULL if the id is 0 or unknown. */
const struct rule *rules_by_id(const struct rules *rules, uint32_t id);

/* Returns the list of rules for exactly this pattern, or NULL if there is none or it is masked. */
const struct rule *rules_of_pattern(const struct rules *rules, const char *pattern);

/*
 * Returns the rule for a process with these facts, or NULL. A literal pattern beats a glob; among globs the longer
 * literal text wins, then the later file, then the earlier line. *ret_error is 0, or -errno of a fact that could not
 * be read; then the result is NULL.
 */
const struct rule *rules_match(const struct rules *rules, struct facts *facts, int *ret_error);

/*
 * Returns whether the arguments, by themselves or together with comm, could lead to a different rule from exe alone.
 * Uses only argv and the base name of exe, which must be filled in.
 */
bool rules_argv_may_matter(const struct rules *rules, const struct facts *facts);

/* Returns the thread rule for a thread of this name, or NULL. */
const struct thread_rule *rule_thread(const struct rule *rule, const char *comm);

/*
 * Returns whether the rule holds for tasks of the initial user namespace only. If the rule has no "user_namespace",
 * this is so for a rule whose pattern is a path or that has match.exe: in a user namespace of their own, users can
 * mount any file over any path, so a path proves nothing there.
 */
bool rule_needs_initial_userns(const struct rule *rule);
