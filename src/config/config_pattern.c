/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings about patterns that can match nothing of what they are compared with. what: enum complaint */
#include "config_private.h"

#include <string.h>

/* Whether it begins or ends as hardly a name or a glob does; but ".*-wrapped" is one. Then that is said. */
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

/* fnmatch(3) takes such a bracket literally. */
void check_brackets(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	if (pattern_has_open_bracket(pattern))
		complain(parser, value, what,
			 "a [ is not closed by a ], so that it stands for itself: write [[] if that is meant");
}

/*
 * A pattern that is compared with a path, and so has to begin like one. Where it begins as in a shell ("./", "~/",
 * "$HOME/") only what follows is said again.
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
		complain(parser, value, what, "can never match: this is compared with a full path: write \"*%s%s\"",
			 is_of_shell ? "" : "/", is_of_shell ? rest : pattern);
}

void check_cgroup(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	static const char mount[] = "/sys/fs/cgroup/";

	if (is_regular_expression(parser, value, what, pattern))
		return;
	check_brackets(parser, value, what, pattern);
	if (strncmp(pattern, mount, strlen(mount)) == 0)
		complain(parser, value, what,
			 "can never match: a cgroup's path begins below /sys/fs/cgroup: write \"%s\"",
			 pattern + strlen(mount) - 1);
	else if (!strchr("/*?[", *pattern))
		complain(parser, value, what, "can never match: the path of a cgroup begins with a /: write \"*/%s\"",
			 pattern);
}

/* The option in what looks like a command line; NULL for a name, which may be Windows' and have any characters. */
static const char *find_option(const char *pattern)
{
	const size_t length = strlen(pattern);
	const char *option = strstr(pattern, " -");

	if (!option || !option[2] || strchr(" .", option[2]) ||
	    (length > 4 && strcasecmp(pattern + length - 4, ".exe") == 0))
		return NULL;
	return option + 1;
}

/* Whether names are listed as a regular expression or a shell would have them. */
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
