/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that run a script, and which one they run, by their arguments. */
#pragma once

#include <schedqos/policy/facts.h>

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
