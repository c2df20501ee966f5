/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process's rule is looked up by. */
#include "rules_private.h"

#include <string.h>

#define COMM_CHARS (TASK_COMM_LEN - 1)

/* A script's path follows its interpreter and at most one option of that (binfmt_script.c). */
#define SCRIPT_ARGS 2

static bool is_too_long(const char *name)
{
	return strnlen(name, FACTS_NAME_MAX + 1) > FACTS_NAME_MAX;
}

/* Whether the name matches the pattern, or if that is NULL, any rule at all. */
static bool is_wanted_name(const struct rules *rules, const char *pattern, const char *name)
{
	uint32_t number;

	if (pattern)
		return pattern_match(pattern, name);
	number = rules_slot(rules, name)->number;
	return (number && rules->patterns[number - 1].list) ||
	       rules_best_glob(rules, 0, name, false, NULL) != NULL;
}

/*
 * If the arguments cannot be read, comm is taken for the script's name when it differs from the executable's. Nothing
 * confirms that, and it may be cut to 15 bytes.
 */
static int script_by_comm(struct facts *facts, const char *exe, const char **ret)
{
	int r = facts_need(facts, FACT_COMM);

	if (r == 0 && facts->comm[0] && strncmp(facts->comm, exe, COMM_CHARS) != 0)
		*ret = facts->comm;
	return r;
}

/*
 * The name of a script that was itself run, or NULL. exec names the task after the script,
 * cut to 15 bytes, so comm confirms which argument it is. Reading comm costs more than everything
 * else here, so it is read only if some rule could use the name. Returns 0 or -errno.
 */
static int script_by_argv(const struct rules *rules, const char *pattern, struct facts *facts, const char *exe,
			  const char *arg, const char **ret)
{
	for (int i = 0; i < SCRIPT_ARGS && arg; i++, arg = facts_next_arg(facts, arg)) {
		const char *base = path_base(arg);
		int r;

		if (!base[0] || is_too_long(base) || !is_wanted_name(rules, pattern, base))
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

/* The name of the script that the program runs, or NULL: known interpreters say so by their arguments. 0 or -errno. */
static int find_script(const struct rules *rules, const char *pattern, struct facts *facts,
		       const char *exe, const char **ret)
{
	const char *arg = facts->argv_size ? facts_next_arg(facts, facts->argv) : NULL;

	*ret = NULL;
	if (facts->argv_is_unread)
		return script_by_comm(facts, exe, ret);
	if (arg && interpreters_has(rules->interpreters, exe))
		*ret = interpreter_script(exe, facts);
	return *ret ? 0 : script_by_argv(rules, pattern, facts, exe, arg, ret);
}

static void add_name(struct process_names *names, enum name_kind kind, const char *text)
{
	if (kind != NAME_PATH && is_too_long(text))
		return;
	names->items[names->count++] = (struct process_name){ kind, text };
}

int rules_names_for(const struct rules *rules, const char *pattern, struct facts *facts, struct process_names *ret)
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
	r = find_script(rules, pattern, facts, exe, &script);
	if (r < 0)
		return r;
	if (script)
		add_name(ret, NAME_SCRIPT, script);
	if (facts->argv_size) {
		const char *base = path_base(facts->argv);

		/* A login shell's argv[0] begins with a dash (login(1)); in a path it is part of the name. */
		add_name(ret, NAME_ARGV0, base == facts->argv && base[0] == '-' ? base + 1 : base);
	}
	if (!facts->exe_is_unknown)
		add_name(ret, NAME_EXE, exe);
	return 0;
}

int rules_names(const struct rules *rules, struct facts *facts, struct process_names *ret)
{
	return rules_names_for(rules, "*", facts, ret);
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
