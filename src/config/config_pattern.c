/* SPDX-License-Identifier: GPL-2.0-only */
/* Patterns that do not mean what their author takes them to mean. */
#include "config_private.h"

#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/* Braces are not expanded as in a shell. A name may contain them, so this is no error. */
void check_braces(struct parser *parser, const struct json_node *value)
{
	const char *open = strchr(value->key, '{'), *comma = open ? strchr(open, ',') : NULL;

	if (comma && strchr(comma, '}'))
		complain(parser, value, AT_KEY | WARNING,
			 "braces have no meaning in a pattern: write a line for each name");
}

/*
 * A pattern that is compared with a path, and so has to begin like one. Where it begins as in a
 * shell ("./", "~/",
 * "$HOME/") only what follows is said again.
 */
void check_is_path(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	const char *rest = strchr(pattern, '/');

	if (strchr("/*?[", *pattern))
		return;
	if (!rest || !strchr(".~$", *pattern))
		complain(parser, value, what,
			 "can never match: this is compared with a full path: write \"*/%s\"",
			 pattern);
	else
		complain(parser, value, what,
			 "can never match: this is compared with a full path: write \"*%s\"", rest);
}

/* A shell's habits, and those of regular expressions, which hardly any name has. */
static void check_characters(struct parser *parser, const struct json_node *value, unsigned what,
			     const char *pattern)
{
	const size_t length = strlen(pattern);

	if (*pattern && (*pattern == ' ' || pattern[length - 1] == ' '))
		complain(parser, value, what,
			 "begins or ends with a space, as hardly any name does: write it without");
	if (strchr(pattern, '|'))
		complain(parser, value, what,
			 "| has no meaning in a pattern: write a line for each name");
	else if (*pattern == '^' || (length > 1 && pattern[length - 1] == '$'))
		complain(parser, value, what,
			 "^ and $ have no meaning in a pattern, which is compared as a whole");
	else if (length > 3 && *pattern == '[' && strcspn(pattern, "]*?") == length - 1)
		complain(parser, value, what,
			 "stands for one of these characters; kernel threads, which ps(1) shows in "
			 "brackets, are left alone");
}

/* fnmatch(3) takes such a bracket literally. */
void check_brackets(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	if (pattern && pattern_has_open_bracket(pattern))
		complain(parser, value, what,
			 "a [ is not closed by a ], so that it stands for itself: write [[] if "
			 "that is meant");
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

/* The first argument that looks like an option; a name with spaces in it hardly has one. */
static const char *find_option(const struct facts *facts)
{
	const char *arg = facts_next_arg(facts, facts->argv);

	while (arg && !(arg[0] == '-' && arg[1] && !strchr(" -.", arg[1])) &&
	       strncmp(arg, "--", 2) != 0)
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

/* Names of these often have spaces and dashes. */
static bool is_windows_program(const char *pattern)
{
	const size_t length = strlen(pattern), ending = strlen(".exe");

	return length > ending && strcasecmp(pattern + length - ending, ".exe") == 0;
}

/* Whether the pattern is one, of which it warns. */
static bool is_command_line(struct parser *parser, const struct json_node *value, unsigned what,
			    const char *pattern)
{
	static const char problem[] =
		"looks like a command line, but is compared with a name alone";
	_cleanup_free_ char *line = strchr(pattern, ' ') ? strdup(pattern) : NULL;
	const char *program, *script = NULL, *option;
	struct facts facts;

	if (!line)
		return false;
	facts = split(line);
	program = path_base(facts.argv);
	option = find_option(&facts);
	if (is_interpreter(parser, program))
		script = interpreter_script(program, &facts);
	else if (!option || is_windows_program(pattern))
		return false;
	if (script && pattern_literal(script))
		complain(parser, value, what, "%s: write \"%s\"", problem, script);
	else if (option)
		complain(parser, value, what,
			 "%s: write \"%s\" with a \"match\" of \"argv\", such as \"%s\"", problem,
			 program, option);
	else
		complain(parser, value, what, "%s: write \"%s\"", problem, program);
	return true;
}

static bool is_menu_entry(const char *pattern)
{
	const size_t length = strlen(pattern), ending = strlen(".desktop");

	return length > ending && strcmp(pattern + length - ending, ".desktop") == 0;
}

void check_process_pattern(struct parser *parser, const struct json_node *value, unsigned what,
			   const char *pattern)
{
	check_brackets(parser, value, what, pattern);
	if (is_command_line(parser, value, what, pattern))
		return;
	if (is_menu_entry(pattern))
		complain(parser, value, what,
			 "this is an entry of a menu: write the program of its line Exec=");
	check_characters(parser, value, what, pattern);
	if (strchr(pattern, '/'))
		check_is_path(parser, value, what, pattern);
}

void check_cgroup_path(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	static const char mount[] = "/sys/fs/cgroup/";

	if (strncmp(pattern, mount, strlen(mount)) == 0)
		complain(parser, value, what, "can never match: a cgroup's path begins below /sys/fs/cgroup: write \"%s\"",
			 pattern + strlen(mount) - 1);
}

bool check_key_pattern(struct parser *parser, const struct json_node *value)
{
	const char *pattern = value->key;

	if (!*pattern) {
		complain(parser, value, AT_KEY, "a pattern must not be empty");
		return false;
	}
	check_braces(parser, value);
	check_process_pattern(parser, value, AT_KEY | WARNING, pattern);
	return true;
}

/* Whether a character begins here, in UTF-8. */
static bool is_character(char c)
{
	return (c & 0xc0) != 0x80;
}

void check_thread_pattern(struct parser *parser, const struct json_node *value)
{
	const char *pattern = value->key;
	size_t literal = pattern_is_glob(pattern) ? pattern_literal(pattern) : strlen(pattern);

	if (!*pattern)
		complain(parser, value, AT_KEY, "a pattern must not be empty");
	check_braces(parser, value);
	check_brackets(parser, value, AT_KEY | WARNING, pattern);
	if (literal >= TASK_COMM_LEN && !pattern_is_glob(pattern) &&
	    is_character(pattern[TASK_COMM_LEN - 1]))
		complain(parser, value, AT_KEY | WARNING,
			 "can never match: thread names are cut to %d bytes: write \"%.*s\"",
			 TASK_COMM_LEN - 1, TASK_COMM_LEN - 1, pattern);
	else if (literal >= TASK_COMM_LEN)
		complain(parser, value, AT_KEY | WARNING,
			 "can never match: thread names are cut to %d bytes", TASK_COMM_LEN - 1);
}
