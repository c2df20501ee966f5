/* SPDX-License-Identifier: GPL-2.0-only */
/* Matches names against patterns, which are literal names or shell globs, for rules, groups and weights. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <schedqos/policy/source.h>

/* Returns whether the pattern contains one of the special characters * ? [ of a glob. */
static inline bool pattern_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* Returns the number of bytes of literal text in a glob, which ranks it. Bracket expressions do not count. */
size_t pattern_literal(const char *pattern);

/* Returns whether the name matches the pattern. '*' also matches '/' and a leading dot. */
bool pattern_match(const char *pattern, const char *name);

/*
 * Compares two patterns by precedence, for qsort: an exact name comes before a glob, then the longer literal text comes
 * first, then the later file, then the earlier line.
 */
int pattern_compare(const char *a, const struct source *at_a, const char *b, const struct source *at_b);

/* Returns whether a bracket expression is not closed, in which case fnmatch(3) takes its [ literally. */
bool pattern_has_open_bracket(const char *pattern);
