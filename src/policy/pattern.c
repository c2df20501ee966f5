/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/pattern.h>

#include <fnmatch.h>
#include <string.h>

bool pattern_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* The byte after a bracket expression that begins at p, or NULL if it is not closed. */
static const char *bracket_end(const char *p)
{
	p++;
	if (*p == '!' || *p == '^')
		p++;
	if (*p == ']')
		p++;
	p = strchr(p, ']');
	return p ? p + 1 : NULL;
}

size_t pattern_literal(const char *pattern)
{
	size_t literal = 0;

	for (const char *p = pattern; *p;) {
		const char *end = *p == '[' ? bracket_end(p) : NULL;

		if (end) {
			p = end;
			continue;
		}
		if (*p == '\\' && p[1])
			p++;
		if (*p != '*' && *p != '?')
			literal++;
		p++;
	}
	return literal;
}

bool pattern_match(const char *pattern, const char *name)
{
	if (!pattern_is_glob(pattern))
		return strcmp(pattern, name) == 0;
	return fnmatch(pattern, name, 0) == 0;
}
