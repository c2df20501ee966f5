/* SPDX-License-Identifier: GPL-2.0-only */
/* "Did you mean": the word closest to a misspelt one. */
#pragma once

#include <stddef.h>

/* Start with { .word = what was written }, offer every candidate, then read best (NULL: none is close). */
struct suggestion {
	const char *word;
	const char *best;
	size_t distance;
};

/*
 * A candidate is close if its Damerau-Levenshtein distance, ignoring case, is at most a third of the
 * word's length, or 1 for short words. Of equally close ones the first one offered wins.
 */
void suggest_offer(struct suggestion *suggestion, const char *candidate);
