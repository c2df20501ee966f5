/* SPDX-License-Identifier: GPL-2.0-only */
/* Matches, checks and ranks patterns, with fnmatch(3) for the globs. */
#include <schedqos/policy/rules.h>

#include <fnmatch.h>
#include <string.h>

/* Returns the byte after [:class:], [.symbol.] or [=class=] in a bracket expression, or NULL if none begins at p. */
static const char *class_end(const char *p)
{
	const char close[] = { p[1], ']', '\0' }, *end;

	if (*p != '[' || !p[1] || !strchr(":.=", p[1]))
		return NULL;
	end = strstr(p + 2, close);
	return end ? end + 2 : NULL;
}

/* Returns the byte after the bracket expression that begins at p, or NULL if it is not closed. */
static const char *bracket_end(const char *p)
{
	const char *next;

	p++;
	if (*p == '!' || *p == '^')
		p++;
	if (*p == ']')
		p++;
	for (; *p && *p != ']'; p = next) {
		next = class_end(p);
		if (!next)
			next = p + 1 + (*p == '\\' && p[1]);
	}
	return *p ? p + 1 : NULL;
}

bool pattern_has_open_bracket(const char *pattern)
{
	for (const char *p = pattern; *p; p++) {
		if (*p == '[') {
			p = bracket_end(p);
			if (!p)
				return true;
			p--;
		} else if (*p == '\\' && p[1]) {
			p++;
		}
	}
	return false;
}

/*
 * Returns whether the name ends like the glob, which is literal after its last special character. This is checked first
 * because fnmatch takes 10 ns for each byte of the name, and users may have paths of 4,000 bytes.
 */
static bool ends_as(const char *pattern, const char *name)
{
	const size_t length = strlen(name);
	size_t tail;

	for (const char *p = pattern; (p = strpbrk(p, "*?[]\\")); pattern = ++p)
		;
	tail = strlen(pattern);
	return length >= tail && memcmp(name + length - tail, pattern, tail) == 0;
}

bool pattern_match(const char *pattern, const char *name)
{
	if (!pattern_is_glob(pattern))
		return strcmp(pattern, name) == 0;
	return ends_as(pattern, name) && fnmatch(pattern, name, 0) == 0;
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

int pattern_compare(const char *a, const struct source *at_a, const char *b, const struct source *at_b)
{
	const bool a_is_glob = pattern_is_glob(a), b_is_glob = pattern_is_glob(b);
	const size_t a_literal = pattern_literal(a), b_literal = pattern_literal(b);

	if (a_is_glob != b_is_glob)
		return a_is_glob ? 1 : -1;
	if (a_literal != b_literal)
		return a_literal > b_literal ? -1 : 1;
	return source_compare(at_a, at_b);
}
