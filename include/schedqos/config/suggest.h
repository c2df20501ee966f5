/* SPDX-License-Identifier: GPL-2.0-only */
/* "Did you mean": the word nearest to a misspelt one. */
#pragma once

#include <stddef.h>

/* Start with { .word = what was written }, offer every candidate, then read best (NULL: none is
 * near). */
struct suggestion {
	const char *word;
	const char *best;
	size_t distance;
};

/*
 * Near is a Damerau-Levenshtein distance, upper and lower case alike, of at most a third of the
 * word's length, and at least 1. Of equally near ones the first offered stays.
 */
void suggest_offer(struct suggestion *suggestion, const char *candidate);
