/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the rule for a process and for its threads, for the plan. */
#include "rules_private.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* ---- the index of exact patterns, and globs ---- */

uint32_t *rules_slot(const struct rules *rules, const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	/* FNV-1a suffices: names are short, and a name that collides costs only a longer search. */
	for (const char *p = text; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3ULL;
	for (;; hash++) {
		uint32_t *slot = &rules->index[hash & (rules->index_size - 1)];

		if (!*slot || strcmp(rules->patterns[*slot - 1].text, text) == 0)
			return slot;
	}
}

static bool glob_matches(const struct glob *glob, const char *name, size_t length)
{
	const char *pattern = glob->list->pattern;

	return length >= (size_t)glob->prefix_length + glob->suffix_length &&
	       memcmp(name, pattern, glob->prefix_length) == 0 &&
	       memcmp(name + length - glob->suffix_length, glob->suffix, glob->suffix_length) == 0 &&
	       fnmatch(pattern, name, 0) == 0;
}

/* Returns the first glob of the chain, from `from` on and before `best`, that matches; or best. */
static const struct glob *find_in_chain(const struct rules *rules, uint32_t chain, const struct glob *from,
					const struct glob *best, const struct process_name *name)
{
	const bool is_path = name->kind == NAME_PATH;
	const size_t length = rules->chains[chain] ? strlen(name->text) : 0;

	for (uint32_t i = rules->chains[chain]; i; i = rules->globs[i - 1].next) {
		const struct glob *glob = &rules->globs[i - 1];

		if (glob >= best)
			break;
		if (glob >= from && glob->is_path == is_path && glob_matches(glob, name->text, length))
			return glob;
	}
	return best;
}

/* Returns the first glob, from `from` on and before `best`, that matches the name; or best. */
static const struct glob *find_glob_of(const struct rules *rules, const struct glob *from, const struct glob *best,
				       const struct process_name *name)
{
	const bool is_path = name->kind == NAME_PATH;
	const char *text = name->text;

	best = find_in_chain(rules, glob_chain(is_path, '\0', '\0'), from, best, name);
	if (!*text)
		return best;
	best = find_in_chain(rules, glob_chain(is_path, '\0', text[strlen(text) - 1]), from, best, name);
	best = find_in_chain(rules, glob_chain(is_path, text[0], '\0'), from, best, name);
	return text[1] ? find_in_chain(rules, glob_chain(is_path, text[0], text[1]), from, best, name) : best;
}

/*
 * Returns the first glob, from `from` on, that matches one of the names; or NULL. Only globs that begin or end like a
 * name are looked at: a program that no rule names is compared with all of them.
 */
static const struct glob *find_glob(const struct rules *rules, const struct glob *from,
				    const struct process_names *names)
{
	const struct glob *const end = rules->globs + rules->n_globs, *best = end;

	for (size_t i = 0; rules->n_globs && i < names->count; i++)
		best = find_glob_of(rules, from, best, &names->items[i]);
	return best < end ? best : NULL;
}

/* ---- the names of a process ---- */

#define COMM_CHARS (TASK_COMM_LEN - 1)

/* The path of a script follows its interpreter and at most one option (binfmt_script.c). */
#define SCRIPT_ARGS 2

static bool is_too_long(const char *name)
{
	return strnlen(name, FACTS_NAME_MAX + 1) > FACTS_NAME_MAX;
}

/* Returns whether any rule could match the name. */
static bool is_wanted_name(const struct rules *rules, const char *name)
{
	const struct process_names names = { { { NAME_SCRIPT, name } }, 1 };

	return rules_of_pattern(rules, name) || find_glob(rules, rules->globs, &names);
}

/*
 * Takes comm for the script's name if it differs from the executable's name, because the arguments cannot be read.
 * Nothing confirms that, and comm is truncated to 15 bytes. Returns 0 or -errno.
 */
static int script_by_comm(struct facts *facts, const char *exe, const char **ret)
{
	const int r = facts_need(facts, FACT_COMM);

	/* A process may name itself like a path. */
	if (!strchr(facts->comm, '/') && strncmp(facts->comm, exe, COMM_CHARS) != 0)
		*ret = facts->comm;
	return r;
}

/*
 * Finds the name of a script that was run by its own path, and leaves *ret unchanged if there is none. exec names the
 * task after the script, truncated to 15 bytes, so comm confirms which argument is the script. Reading comm costs more
 * than all else here: unless `all` names are wanted, comm is read only if some rule could match the name. Returns 0 or
 * -errno.
 */
static int script_by_argv(const struct rules *rules, bool all, struct facts *facts, const char *exe, const char *arg,
			  const char **ret)
{
	for (int i = 0; i < SCRIPT_ARGS && arg; i++, arg = facts_next_arg(facts, arg)) {
		const char *base = path_base(arg);
		int r;

		if (is_too_long(base) || !(all || is_wanted_name(rules, base)))
			continue;
		r = facts_need(facts, FACT_COMM);
		if (r < 0)
			return r;
		if (strncmp(facts->comm, base, COMM_CHARS) != 0 ||
		    strncmp(facts->comm, exe, COMM_CHARS) == 0)
			continue;
		*ret = base;
		return 0;
	}
	return 0;
}

/* Finds the name of the script that the program runs, or NULL, by its arguments. Returns 0 or -errno. */
static int find_script(const struct rules *rules, bool all, struct facts *facts, const char *exe, const char **ret)
{
	const char *arg = facts->argv_size ? facts_next_arg(facts, facts->argv) : NULL;

	*ret = NULL;
	if (facts->argv_is_deferred)
		return 0;
	if (facts->argv_is_unread)
		return script_by_comm(facts, exe, ret);
	*ret = interpreter_script(facts);
	return *ret ? 0 : script_by_argv(rules, all, facts, exe, arg, ret);
}

static void add_name(struct process_names *names, enum name_kind kind, const char *text)
{
	if (kind != NAME_PATH && is_too_long(text))
		return;
	names->items[names->count++] = (struct process_name){ kind, text };
}

/* Returns the name in argv[0], without the dash of a login shell (login(1)). In a path, a dash is part of the name. */
static const char *argv0_name(const struct facts *facts)
{
	const char *base = path_base(facts->argv);

	return base == facts->argv && base[0] == '-' ? base + 1 : base;
}

/* Returns whether some rule could match argv[0] but not exe, or one of the two names an interpreter. */
static bool argv0_matters(const struct rules *rules, const struct facts *facts, const char *exe)
{
	const char *name = facts->argv_size ? argv0_name(facts) : exe;

	if (interpreter_is_known(exe))
		return true;
	if (strcmp(name, exe) == 0)
		return false;
	return interpreter_is_known(name) || (!is_too_long(name) && is_wanted_name(rules, name));
}

bool rules_argv_may_matter(const struct rules *rules, const struct facts *facts)
{
	const char *exe = path_base(facts->exe), *arg = facts->argv_size ? facts->argv : NULL;

	if (argv0_matters(rules, facts, exe))
		return true;
	for (int i = 0; i < SCRIPT_ARGS && arg && (arg = facts_next_arg(facts, arg)); i++) {
		const char *base = path_base(arg);

		if (!is_too_long(base) && is_wanted_name(rules, base))
			return true;
	}
	return false;
}

/* Finds the names of a process; `all`: also a script's that no rule matches. Returns 0, or -errno of a missing fact. */
static int find_names(const struct rules *rules, bool all, struct facts *facts, struct process_names *ret)
{
	const char *exe, *script;
	int r = facts_need(facts, FACT_EXE);

	if (r == 0)
		r = facts_need(facts, FACT_ARGV);
	if (r < 0)
		return r;
	ret->count = 0;
	if (!facts->exe_is_unknown)
		add_name(ret, NAME_PATH, facts->exe);
	exe = path_base(facts->exe);
	r = find_script(rules, all, facts, exe, &script);
	if (r < 0)
		return r;
	if (script)
		add_name(ret, NAME_SCRIPT, script);
	if (facts->argv_size)
		add_name(ret, NAME_ARGV0, argv0_name(facts));
	if (!all && !facts->argv_is_deferred && (script || argv0_matters(rules, facts, exe)))
		facts->argv_matters = true;
	if (!facts->exe_is_unknown)
		add_name(ret, NAME_EXE, exe);
	return 0;
}

int rules_names(const struct rules *rules, struct facts *facts, struct process_names *ret)
{
	return find_names(rules, true, facts, ret);
}

const struct process_name *process_names_match(const struct process_names *names, const char *pattern)
{
	const bool is_path = strchr(pattern, '/');

	for (size_t i = 0; i < names->count; i++) {
		const struct process_name *name = &names->items[i];

		if ((name->kind == NAME_PATH) == is_path && pattern_match(pattern, name->text))
			return name;
	}
	return NULL;
}

/* ---- conditions and rules ---- */

/*
 * Compare with at most this many arguments. A program may have 65,535, and a list of rules many patterns: 52 ms for an
 * exec with the shipped rules, which its owner would not pay for.
 */
#define ARGUMENTS_COMPARED 1024

static bool argv_match(const struct facts *facts, const char *pattern)
{
	const char *arg = facts->argv_size ? facts->argv : NULL;

	for (int i = 0; arg && i < ARGUMENTS_COMPARED; i++, arg = facts_next_arg(facts, arg)) {
		if (strnlen(arg, FACTS_ARGUMENT_MAX + 1) <= FACTS_ARGUMENT_MAX && pattern_match(pattern, arg))
			return true;
	}
	return false;
}

/* Returns 1 if the task is in the initial user namespace, 0 if not, or -errno. */
static int is_initial(struct facts *facts)
{
	int r = facts_need(facts, FACT_USERNS);

	return r < 0 ? r : facts->initial_userns;
}

/* Returns 1 if the pattern matches one of these names of the parent, 0 if not, or -errno. */
static int is_parent(const struct rule_match *match, const char *pattern, const struct process_names *names,
		     struct facts *parent)
{
	if (!process_names_match(names, pattern))
		return 0;
	return strchr(pattern, '/') && match->user_namespace != USERNS_ANY ? is_initial(parent) : 1;
}

/* Returns 1 if one of match.parents matches a name of the parent, 0 if none does or there is no parent, or -errno. */
static int parent_match(const struct rules *rules, const struct rule_match *match,
			struct facts *facts)
{
	struct process_names names;
	int r = facts_need(facts, FACT_PARENT);

	if (r < 0)
		return r;
	if (!facts->parent)
		return 0;
	r = rules_names(rules, facts->parent, &names);
	for (size_t i = 0; i < match->n_parents && r == 0; i++)
		r = is_parent(match, match->parents[i], &names, facts->parent);
	return r == -ESRCH ? 0 : r;
}

static int does_not_hold(struct rule_failure *ret, enum rule_condition condition, const char *wanted)
{
	*ret = (struct rule_failure){ condition, wanted };
	return 0;
}

/* Returns 1 if all conditions of "match" hold, 0 if not, or -errno. Checks the cheap ones first. */
static int match_holds(const struct rules *rules, const struct rule_match *match, struct facts *facts,
		       struct rule_failure *ret)
{
	int r;

	if (match->exe && (facts->exe_is_unknown || !pattern_match(match->exe, facts->exe)))
		return does_not_hold(ret, CONDITION_EXE, match->exe);
	if (match->n_argv)
		facts->argv_matters = true;
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
	r = match->n_parents ? parent_match(rules, match, facts) : 1;
	return r == 0 ? does_not_hold(ret, CONDITION_PARENT, match->n_parents > 1 ? NULL : match->parents[0]) : r;
}

int rule_may_raise(const struct rule *rule, struct facts *facts)
{
	int r = rule->bounds & BOUND_SEAT ? facts_need(facts, FACT_SEAT) : 0;

	return r < 0 ? r : !(rule->bounds & BOUND_SEAT) || facts->at_seat;
}

/* Checks the bounds last, so that their facts are read only if all else holds. */
int rule_conditions(const struct rules *rules, const struct rule *rule, struct facts *facts, struct rule_failure *ret)
{
	int r = rule->match ? match_holds(rules, rule->match, facts, ret) : 1;

	if (r > 0 && (rule->bounds & BOUND_USERNS)) {
		r = is_initial(facts);
		if (r == 0)
			return does_not_hold(ret, CONDITION_USERNS, NULL);
	}
	if (r <= 0)
		return r;
	r = rule_may_raise(rule, facts);
	return r == 0 ? does_not_hold(ret, CONDITION_SEAT, NULL) : r;
}

/* Returns the first rule of the list whose conditions hold, or NULL. *error is changed only by a fact that fails. */
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

static const struct rule *glob_match(const struct rules *rules, const struct process_names *names,
				     struct facts *facts, int *error)
{
	const struct glob *glob = rules->globs;
	const struct rule *rule = NULL;

	while (!rule && (glob = find_glob(rules, glob, names))) {
		rule = list_match(rules, glob->list, facts, error);
		glob++;
	}
	return rule;
}

static const struct rule *match(const struct rules *rules, struct facts *facts, int *ret_error)
{
	const struct rule *rule = NULL;
	struct process_names names;

	*ret_error = rules->n_lists ? find_names(rules, false, facts, &names) : 0;
	if (*ret_error < 0 || !rules->n_lists)
		return NULL;
	for (size_t i = 0; i < names.count && !rule; i++) {
		const struct rule *list = rules_of_pattern(rules, names.items[i].text);

		/* Skip a glob that is written like the name: it does not always match its own text. */
		if (list && !pattern_is_glob(list->pattern))
			rule = list_match(rules, list, facts, ret_error);
	}
	if (!rule)
		rule = glob_match(rules, &names, facts, ret_error);
	if (rule)
		*ret_error = 0;
	return rule;
}

const struct rule *rules_match(const struct rules *rules, struct facts *facts, int *ret_error)
{
	const struct rule *rule = match(rules, facts, ret_error);

	/* If a condition needs the deferred arguments, match again with them. */
	if (facts->argv_is_deferred && facts->argv_matters) {
		facts->have &= ~(unsigned)FACT_ARGV;
		facts->argv_is_deferred = false;
		rule = match(rules, facts, ret_error);
	}
	return rule;
}

const struct thread_rule *rule_thread(const struct rule *rule, const char *comm)
{
	for (size_t i = 0; i < rule->n_threads; i++) {
		if (pattern_match(rule->threads[i].pattern, comm))
			return &rule->threads[i];
	}
	return NULL;
}

/* ---- lookups in the set ---- */

uint16_t rules_tag_of(const struct rules *rules, const struct qos_class *class, uint64_t period_ns)
{
	for (size_t i = 0; class && i < rules->n_tags; i++) {
		if (rules->tags[i].period_ns == period_ns && &rules->classes[rules->tags[i].qos_class] == class)
			return (uint16_t)i;
	}
	return TAG_NONE;
}

const struct rule *rules_by_id(const struct rules *rules, uint32_t id)
{
	return id && id <= rules->n_rules ? rules->by_id[id - 1] : NULL;
}

const struct rule *rules_of_pattern(const struct rules *rules, const char *pattern)
{
	const uint32_t number = *rules_slot(rules, pattern);

	return number ? rules->patterns[number - 1].list : NULL;
}
