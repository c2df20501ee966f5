/* SPDX-License-Identifier: GPL-2.0-only */
/* Patterns: literal names or shell globs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <schedqos/policy/source.h>

/* Whether the pattern contains any of the shell's * ? [ . */
static inline bool pattern_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* Bytes of literal text in a glob, by which globs are ranked. A bracket expression does not count. */
size_t pattern_literal(const char *pattern);

/* Whether the name matches the pattern, glob or not. '*' matches '/' and a leading dot as well. */
bool pattern_match(const char *pattern, const char *name);

/*
 * Which of two comes first, as for qsort: an exact name before a glob, then the longer literal text, then the later
 * file, then the earlier line.
 */
int pattern_compare(const char *a, const struct source *at_a, const char *b, const struct source *at_b);

/* Whether a bracket expression is not closed: fnmatch(3) takes its [ literally then. */
bool pattern_has_open_bracket(const char *pattern);
