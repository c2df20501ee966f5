/* SPDX-License-Identifier: GPL-2.0-only */
/* Patterns: literal names or shell globs. */
#pragma once

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <schedqos/policy/facts.h>

/* Whether the pattern contains any of the shell's * ? [ . */
static inline bool pattern_is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* Bytes of literal text in a glob, by which globs are ranked. A bracket expression does not count. */
size_t pattern_literal(const char *pattern);

/* Whether the name matches the pattern, glob or not. '*' matches '/' and a leading dot as well. */
static inline bool pattern_match(const char *pattern, const char *name)
{
	return (pattern_is_glob(pattern) ? fnmatch(pattern, name, 0) : strcmp(pattern, name)) == 0;
}

/* Whether a bracket expression is not closed: fnmatch(3) takes its [ literally then. */
bool pattern_has_open_bracket(const char *pattern);

/* The length of the bracket expression that the pattern begins with; 0: with none, or it is not closed. */
size_t pattern_bracket(const char *pattern);

/*
 * Whether one glob matches whatever another one does. False also if that does not show by comparing them from left
 * to right, as with "*?" and "?*".
 */
bool pattern_includes(const char *wide, const char *narrow);

/* ---- programs that run a script, and which one they run, by their arguments ---- */

/* Far beyond any use; every exec is compared with some of them. */
#define INTERPRETERS_MAX 256

/* Patterns for the base names of executables, if the configuration has none. */
extern const char *const interpreters_default[];
extern const size_t interpreters_default_count;

struct interpreters;

/* At most INTERPRETERS_MAX patterns, which must outlive the set. The caller frees it. 0 or -ENOMEM. */
int interpreters_new(const char *const *patterns, size_t n, struct interpreters **ret);
void interpreters_free(struct interpreters *interpreters);

/* Whether one of them matches; exe: the base name of an executable. interpreters may be NULL: none. */
bool interpreters_has(const struct interpreters *interpreters, const char *exe);

/*
 * The base name of what this interpreter was told to run: the first argument that is neither an option nor the value
 * of one; what follows java's -jar; the module after python's -m. NULL: nothing, a program text (-c), or what it reads.
 * Which options take a value is known of the usual families, by the base name of the executable. Of facts only argv
 * is used; the result points into it.
 */
const char *interpreter_script(const char *exe, const struct facts *facts);
