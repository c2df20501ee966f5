/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patterns, and rules: which tag a task gets, by its process and its thread name. The configuration builds a set once
 * and indexes it; after that it is read-only. Everything in it lives as long as the configuration's memory.
 */
#pragma once

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

#include <schedqos/policy/qos_class.h>

/* ---- what is known about a task when we decide about it ---- */

#define TASK_COMM_LEN 16 /* with the closing NUL, as in the kernel */

/*
 * Longer names and arguments match nothing, in bytes: whoever calls exec in a loop chooses them, and they may be as
 * long as his stack.
 */
#define FACTS_NAME_MAX	   255
#define FACTS_ARGUMENT_MAX 4095

enum fact {
	FACT_ATTR = 1 << 0,   /* attr */
	FACT_COMM = 1 << 1,   /* comm */
	FACT_EXE = 1 << 2,    /* exe */
	FACT_ARGV = 1 << 3,   /* argv, argv_size */
	FACT_CGROUP = 1 << 4, /* cgroup */
	FACT_UID = 1 << 5,    /* uid */
	FACT_PARENT = 1 << 6, /* parent: its exe, argv and comm can be asked for */
	FACT_BASE = 1 << 7,   /* the base slice in the plan's capabilities is current */
	FACT_STAT = 1 << 8,   /* start, ppid, tty */
	FACT_USERNS = 1 << 9, /* initial_userns */
	FACT_OWNER = 1 << 10, /* owner */
	FACT_SEAT = 1 << 11,  /* at_seat */
};

/*
 * Facts cost a system call each, so each is fetched when a decision first asks for it; a test fills them in beforehand.
 */
struct facts {
	unsigned have; /* enum fact: what is filled in below */
	/*
	 * Fills in one more fact and sets its bit, or returns -errno: -ESRCH when the task is gone. A fact
	 * that a living task does not have (exe of a kernel thread) is the empty string. NULL: there
	 * is only what is in `have`, all else is -ENODATA.
	 */
	int (*fetch)(struct facts *facts, enum fact fact);
	/* What another task carries, in attr's form. 0 or -errno. NULL: that cannot be found out. */
	int (*look)(struct facts *facts, pid_t tid, struct task_attr *ret);
	uint32_t fetched_ms; /* CLOCK_MONOTONIC after the last fetch, even if it failed; cut to 32 bits */
	pid_t tid;	    /* the task, for fetch */
	pid_t tgid;
	/* As the kernel reports it: slice_ns is the base slice if the task has none of its own. */
	struct task_attr attr;
	char comm[TASK_COMM_LEN];
	const char *exe;    /* full path */
	bool exe_is_unknown; /* it is empty, being longer than the kernel tells: matches nothing */
	const char *argv;   /* NUL-separated, as in /proc/PID/cmdline, and always NUL-terminated */
	size_t argv_size;   /* with the last NUL */
	bool argv_is_unread; /* argv is empty: reading it would have meant waiting for the process */
	const char *cgroup; /* path in the unified hierarchy, or systemd's */
	bool cgroup_is_unknown; /* likewise */
	uid_t uid;	    /* real */
	uid_t owner; /* as whom alone it runs: real, effective and saved, with no capability; (uid_t)-1: there is none
		      */
	bool is_spared; /* cgroup, uid, owner or at_seat is unknown: reading about this user's processes costs too much */
	struct facts *parent;
	uint64_t start; /* of the task: ticks since boot */
	pid_t ppid;	/* the process's living parent */
	int32_t tty;	/* its terminal, 0: none */
	bool initial_userns; /* it is in the initial user namespace, not in one made since */
	bool at_seat; /* its user has a session at a seat, or nobody can know; or it may raise itself */
};

/* Fetches a fact unless it is there. Returns 0 or -errno as fetch does. */
static inline int facts_need(struct facts *facts, enum fact fact)
{
	if (facts->have & fact)
		return 0;
	return facts->fetch ? facts->fetch(facts, fact) : -ENODATA;
}

/* The argument after this one of facts->argv, or NULL. */
static inline const char *facts_next_arg(const struct facts *facts, const char *arg)
{
	const char *next = arg + strlen(arg) + 1;

	return next < facts->argv + facts->argv_size ? next : NULL;
}

/* ---- patterns: literal names or shell globs ---- */

/* Whether the pattern contains any of the shell's * ? [ . */
static inline bool pattern_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* Bytes of literal text in a glob, by which globs are ranked. A bracket expression does not count. */
size_t pattern_literal(const char *pattern);

/* Whether the name matches the pattern, glob or not. '*' matches '/' and a leading dot as well. */
static inline bool pattern_match(const char *pattern, const char *name)
{
	return (pattern_is_glob(pattern) ? fnmatch(pattern, name, 0) : strcmp(pattern, name)) == 0;
}

/*
 * Which of two comes first, as for qsort: an exact name before a glob, then the longer literal text, then the later
 * file, then the earlier line.
 */
int pattern_compare(const char *a, const struct source *at_a, const char *b, const struct source *at_b);

/* Whether a bracket expression is not closed: fnmatch(3) takes its [ literally then. */
bool pattern_has_open_bracket(const char *pattern);

/*
 * The base name of the script, module or jar that an interpreter, by its argv[0], was told to run: the first argument
 * that is neither an option nor the value of one. NULL: argv[0] is none that is known; or it runs nothing, a program
 * text (-c), or what it reads. Of facts only argv is used; the result points into it.
 */
const char *interpreter_script(const struct facts *facts);

/* ---- what a set of rules holds ---- */

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

/* ---- why a rule matches, or not: by the functions that rules_match is made of ---- */

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

/* The thread rule for a thread of this name, or NULL. */
const struct thread_rule *rule_thread(const struct rule *rule, const char *comm);

/*
 * Whether the rule is for tasks of the initial user namespace only. Unless the rule has "user_namespace", that is so
 * if a path decides, its pattern's or that of match.exe: in a user namespace of his own anybody can mount a file of
 * his over any path, so that a path means nothing there.
 */
bool rule_needs_initial_userns(const struct rule *rule);
