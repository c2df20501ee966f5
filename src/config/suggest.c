/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/config/suggest.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Words longer than all of our names are not worth comparing. */
#define WORD_MAX 64

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static uint8_t least(uint8_t a, uint8_t b, uint8_t c)
{
	uint8_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edits (insert, delete, replace, swap neighbours) from a to b; both no longer than WORD_MAX. */
static size_t distance(const char *a, size_t len_a, const char *b, size_t len_b)
{
	uint8_t rows[3][WORD_MAX + 1]; /* the last three rows of the table of all prefixes */
	uint8_t *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= len_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= len_a; i++) {
		uint8_t *spare = before;

		before = last;
		last = row;
		row = spare;
		row[0] = i;
		for (size_t j = 1; j <= len_b; j++) {
			char x = lower(a[i - 1]), y = lower(b[j - 1]);

			row[j] = least(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
				row[j] = least(row[j], before[j - 2] + 1, UINT8_MAX);
		}
	}
	return row[len_b];
}

/*
 * Abbreviations, which differ by more than a typing error: the first words are missing, as in "nice" for
 * "sched_nice" and "BACKGROUND" for "QOS_BACKGROUND", or the end of the last one, as in "sched_prio".
 */
static bool is_short_for(const char *word, size_t len, const char *candidate, size_t other)
{
	if (len < 3 || len >= other)
		return false;
	if (candidate[other - len - 1] == '_' &&
	    distance(word, len, candidate + other - len, len) == 0)
		return true;
	return !strchr(candidate + len, '_') && distance(word, len, candidate, len) == 0;
}

void suggest_offer(struct suggestion *suggestion, const char *candidate)
{
	size_t len = strlen(suggestion->word), other = strlen(candidate);
	size_t limit = len / 3 > 1 ? len / 3 : 1;
	size_t d = len > other ? len - other : other - len; /* it cannot be less */

	if (len > WORD_MAX || other > WORD_MAX)
		return;
	if (is_short_for(suggestion->word, len, candidate, other))
		d = 1;
	else if (d <= limit)
		d = distance(suggestion->word, len, candidate, other);
	if (d > limit || (suggestion->best && d >= suggestion->distance))
		return;
	suggestion->best = candidate;
	suggestion->distance = d;
}
