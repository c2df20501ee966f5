/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that a task chose (comm, argv, paths) made safe for a log, a terminal, JSON and D-Bus: printable
 * UTF-8 stays, everything else (controls, C1, direction overrides, broken UTF-8, the backslash) becomes \n, \t, \\
 * or \xNN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Escapes len bytes of s into buf and always terminates it; cut, at a whole character, to fit. Returns buf. */
char *text_escape_to(char *buf, size_t size, const char *s, size_t len);

/* The same into new memory, which the caller frees. NULL without memory. */
char *text_escape(const char *s, size_t len);

/* The length of the valid UTF-8 character at s (1..4), or 0 if it is not valid. */
size_t text_utf8_length(const char *s, size_t len);

/* The character at s, which is valid and has this length. */
uint32_t text_utf8_decode(const char *s, size_t n);

/* The part of a path after the last '/' or '\\'; all of it when there is none. */
const char *path_base(const char *path);

/* Whether the word is in a list of length bytes, whose words end at a comma, a colon, a space or a newline. */
bool text_has_word(const char *list, size_t length, const char *word);

/* ---- numbers from text, strictly: digits only, the whole text, within the range ---- */

/* Decimal, no sign, no spaces, in 0..max. Returns 0, -EINVAL for bad text, -ERANGE for too large a number. */
int parse_u64(const char *text, size_t len, uint64_t max, uint64_t *ret);

/* ---- "did you mean": the word closest to a misspelt one ---- */

/* Start with { .word = what was written }, offer every candidate, then read best (NULL: none is close). */
struct suggestion {
	const char *word;
	const char *best;
	size_t distance;
};

/*
 * A candidate is close if its Damerau-Levenshtein distance, ignoring case, is at most a third of the
 * word's length, or 1 for short words. What the word is short for has distance 0: that of which it is the beginning, or
 * the end after a _. Of equally close ones the first one offered wins.
 */
void suggest_offer(struct suggestion *suggestion, const char *candidate);

/* ---- a growing text. A failed allocation is remembered, so that only text_buf_take has to be checked ---- */

/* Starts as all zeroes. */
struct text_buf {
	char *text; /* NUL-terminated as soon as there is any */
	size_t len, size;
	bool failed;
};

void text_buf_put(struct text_buf *buf, const char *s, size_t len);
void text_buf_printf(struct text_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The text ("" if nothing was put), which the caller frees; NULL if memory ran out. buf is empty afterwards. */
char *text_buf_take(struct text_buf *buf);
