/* SPDX-License-Identifier: GPL-2.0-only */
/* Warns about patterns that can never match. `what` is an enum complaint in all functions. */
#include "config_private.h"

#include <string.h>

/*
 * Reports a pattern that looks like a regular expression: one that begins or ends as names and globs hardly ever do.
 * ".*-wrapped" is a valid name, so it passes.
 */
static bool is_regular_expression(struct parser *parser, const struct json_node *value, unsigned what,
				  const char *pattern)
{
	if (*pattern != '^' && (strncmp(pattern, ".*", 2) != 0 || pattern[2] == '-') &&
	    pattern[strlen(pattern) - 1] != '$')
		return false;
	complain(parser, value, what,
		 "looks like a regular expression, but is a glob, in which ^, $ and . stand for themselves: write * "
		 "for .*");
	return true;
}

/* fnmatch(3) takes an unclosed bracket literally. */
void check_brackets(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	if (pattern_has_open_bracket(pattern))
		complain(parser, value, what,
			 "a [ is not closed by a ], so that it stands for itself: write [[] if that is meant");
}

/*
 * Checks a pattern that is compared with a full path. If it begins with "./", "~/" or "$HOME/", the suggestion repeats
 * only the rest.
 */
void check_path(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	const char *rest = strchr(pattern, '/');
	const bool is_of_shell = rest && strchr(".~$", *pattern);

	if (is_regular_expression(parser, value, what, pattern))
		return;
	check_brackets(parser, value, what, pattern);
	if (strstr(pattern, "//") || strstr(pattern, "/./") || strstr(pattern, "/../"))
		complain(parser, value, what, "can never match: no program's path has two slashes, . or .. in it");
	else if (pattern[strlen(pattern) - 1] == '/')
		complain(parser, value, what,
			 "can never match: a program's path does not end with a slash: write \"%s*\"", pattern);
	else if (!strchr("/*?[", *pattern))
		complain(parser, value, what, "can never match: the pattern is compared with a full path: write \"*%s%s\"",
			 is_of_shell ? "" : "/", is_of_shell ? rest : pattern);
}

void check_cgroup(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	static const char mount[] = "/sys/fs/cgroup/";
	const size_t length = strlen(pattern);

	if (is_regular_expression(parser, value, what, pattern))
		return;
	check_brackets(parser, value, what, pattern);
	if (strncmp(pattern, mount, strlen(mount)) == 0)
		complain(parser, value, what,
			 "can never match: a cgroup's path begins below /sys/fs/cgroup: write \"%s\"",
			 pattern + strlen(mount) - 1);
	else if (strstr(pattern, "//") || strstr(pattern, "/./") || strstr(pattern, "/../"))
		complain(parser, value, what, "can never match: no cgroup's path has two slashes, . or .. in it");
	else if (length > 1 && pattern[length - 1] == '/')
		complain(parser, value, what, "can never match: a cgroup's path does not end with a slash: write \"%s%.*s\"",
			 strchr("/*?[", *pattern) ? "" : "*/", (int)length - 1, pattern);
	else if (!strchr("/*?[", *pattern))
		complain(parser, value, what, "can never match: the path of a cgroup begins with a /: write \"*/%s\"",
			 pattern);
}

/*
 * Returns the option if the pattern looks like a command line, otherwise NULL. Names of Windows programs may contain
 * any character.
 */
static const char *find_option(const char *pattern)
{
	const size_t length = strlen(pattern);
	const char *option = strstr(pattern, " -");

	if (!option || !option[2] || strchr(" .", option[2]) ||
	    (length > 4 && strcasecmp(pattern + length - 4, ".exe") == 0))
		return NULL;
	return option + 1;
}

/* Returns whether the pattern lists alternatives as a regular expression or a shell would. */
static bool is_choice(const char *pattern)
{
	const char *open = strchr(pattern, '{'), *comma = open ? strchr(open, ',') : NULL;

	return strchr(pattern, '|') || (comma && strchr(comma, '}'));
}

void check_process(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	const char *option = find_option(pattern), *base = path_base(pattern);

	if (option)
		complain(parser, value, what, "looks like a command line, but is compared with a name alone: "
			 "write \"%.*s\" with a \"match\" of \"argv\", such as \"%.*s\"",
			 (int)strcspn(pattern, " "), pattern, (int)strcspn(option, " "), option);
	else if (is_choice(pattern))
		complain(parser, value, what,
			 "a | or {,} stands for itself: write a rule for each name, or a glob, such as \"gcc-*\"");
	else if (is_regular_expression(parser, value, what, pattern))
		return;
	else if (strchr(pattern, '/'))
		check_path(parser, value, what, pattern);
	else if (base != pattern && *base && !pattern_is_glob(pattern))
		complain(parser, value, what,
			 "can never match: a name is what follows the last backslash: write \"%s\"", base);
	else
		check_brackets(parser, value, what, pattern);
}

void check_thread(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	const bool is_glob = pattern_is_glob(pattern);
	const size_t literal = is_glob ? pattern_literal(pattern) : strlen(pattern);
	const int cut = is_glob ? 0 : TASK_COMM_LEN - 1;

	if (is_regular_expression(parser, value, what, pattern))
		return;
	check_brackets(parser, value, what, pattern);
	if (literal >= TASK_COMM_LEN)
		complain(parser, value, what, "can never match: thread names are cut to %d bytes%s%.*s%s",
			 TASK_COMM_LEN - 1, cut ? ": write \"" : "", cut, pattern, cut ? "\"" : "");
}

bool pattern_key(struct parser *parser, const struct json_node *value, text_check *check)
{
	if (!*value->key)
		complain(parser, value, AT_KEY, "a pattern must not be empty");
	else
		check(parser, value, AT_KEY | WARNING, value->key);
	return *value->key;
}
