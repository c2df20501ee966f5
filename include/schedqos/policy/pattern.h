/* SPDX-License-Identifier: GPL-2.0-only */
/* Patterns: literal names or shell globs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether the pattern contains any of the shell's * ? [ . */
bool pattern_is_glob(const char *pattern);

/* Bytes of literal text in a glob, by which globs are ranked. A bracket expression does not count. */
size_t pattern_literal(const char *pattern);

/* Whether the name matches the pattern, glob or not. '*' matches '/' and a leading dot as well. */
bool pattern_match(const char *pattern, const char *name);

/* Whether a bracket expression is not closed: fnmatch(3) takes its [ literally then. */
bool pattern_has_open_bracket(const char *pattern);

/* The length of the bracket expression that the pattern begins with; 0: with none, or it is not closed. */
size_t pattern_bracket(const char *pattern);

/*
 * Whether one glob matches whatever another one does. False also if that does not show by comparing them from left
 * to right, as with "*?" and "?*".
 */
bool pattern_includes(const char *wide, const char *narrow);
