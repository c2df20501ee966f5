/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings about patterns that can match nothing of what they are compared with. what: enum complaint */
#include "config_private.h"

#include <string.h>

/* fnmatch(3) takes such a bracket literally. */
void check_brackets(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	if (pattern_has_open_bracket(pattern))
		complain(parser, value, what, "a [ is not closed by a ], so that it stands for itself: write [[] if that is meant");
}

/*
 * A pattern that is compared with a path, and so has to begin like one. Where it begins as in a shell ("./", "~/",
 * "$HOME/") only what follows is said again.
 */
void check_path(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	const char *rest = strchr(pattern, '/');
	const bool is_of_shell = rest && strchr(".~$", *pattern);

	check_brackets(parser, value, what, pattern);
	if (!strchr("/*?[", *pattern))
		complain(parser, value, what, "can never match: this is compared with a full path: write \"*%s%s\"",
			 is_of_shell ? "" : "/", is_of_shell ? rest : pattern);
}

void check_cgroup(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	static const char mount[] = "/sys/fs/cgroup/";

	check_brackets(parser, value, what, pattern);
	if (strncmp(pattern, mount, strlen(mount)) == 0)
		complain(parser, value, what, "can never match: a cgroup's path begins below /sys/fs/cgroup: write \"%s\"",
			 pattern + strlen(mount) - 1);
	else if (!strchr("/*?[", *pattern))
		complain(parser, value, what, "can never match: the path of a cgroup begins with a /: write \"*/%s\"", pattern);
}

/* The words of a command line as arguments: each ends with a NUL. */
static struct facts split(char *line)
{
	struct facts facts = { .have = FACT_ARGV, .argv = line };
	char *end = line;

	for (const char *p = line; *p; p++) {
		if (*p != ' ')
			*end++ = *p;
		else if (end > line && end[-1])
			*end++ = '\0';
	}
	*end = '\0';
	facts.argv_size = (size_t)(end - line) + 1;
	return facts;
}

/* The first argument that looks like an option; a name with spaces in it hardly has one, unless it is Windows'. */
static const char *find_option(const struct facts *facts, const char *pattern)
{
	const size_t length = strlen(pattern);
	const char *arg = facts_next_arg(facts, facts->argv);

	if (length > 4 && strcasecmp(pattern + length - 4, ".exe") == 0)
		return NULL;
	while (arg && (arg[0] != '-' || !arg[1] || strchr(" .", arg[1])))
		arg = facts_next_arg(facts, arg);
	return arg;
}

static bool is_interpreter(const struct parser *parser, const char *name)
{
	const struct settings *settings = &parser->config->settings;

	for (size_t i = 0; i < settings->n_interpreters; i++) {
		if (pattern_match(settings->interpreters[i], name))
			return true;
	}
	return false;
}

/* Whether the pattern is one, of which it warns. */
static bool is_command_line(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	static const char problem[] = "looks like a command line, but is compared with a name alone";
	_cleanup_free_ char *line = strchr(pattern, ' ') ? strdup(pattern) : NULL;
	const char *program, *script = NULL, *option;
	struct facts facts;

	if (!line)
		return false;
	facts = split(line);
	program = path_base(facts.argv);
	option = find_option(&facts, pattern);
	if (is_interpreter(parser, program))
		script = interpreter_script(program, &facts);
	else if (!option)
		return false;
	if (script && pattern_literal(script))
		complain(parser, value, what, "%s: write \"%s\"", problem, script);
	else if (option)
		complain(parser, value, what, "%s: write \"%s\" with a \"match\" of \"argv\", such as \"%s\"", problem, program,
			 option);
	else
		complain(parser, value, what, "%s: write \"%s\"", problem, program);
	return true;
}

void check_process(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	if (is_command_line(parser, value, what, pattern))
		return;
	if (strchr(pattern, '/'))
		check_path(parser, value, what, pattern);
	else
		check_brackets(parser, value, what, pattern);
}

/* Whether a character begins here, in UTF-8. */
static bool is_character(char c)
{
	return (c & 0xc0) != 0x80;
}

void check_thread(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	const bool is_glob = pattern_is_glob(pattern);
	const size_t literal = is_glob ? pattern_literal(pattern) : strlen(pattern);
	const bool may_cut = !is_glob && literal >= TASK_COMM_LEN && is_character(pattern[TASK_COMM_LEN - 1]);

	check_brackets(parser, value, what, pattern);
	if (literal >= TASK_COMM_LEN)
		complain(parser, value, what, "can never match: thread names are cut to %d bytes%s%.*s%s", TASK_COMM_LEN - 1,
			 may_cut ? ": write \"" : "", may_cut ? TASK_COMM_LEN - 1 : 0, pattern, may_cut ? "\"" : "");
}

bool pattern_key(struct parser *parser, const struct json_node *value, text_check *check)
{
	if (!*value->key)
		complain(parser, value, AT_KEY, "a pattern must not be empty");
	else
		check(parser, value, AT_KEY | WARNING, value->key);
	return *value->key;
}
