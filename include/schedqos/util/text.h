/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes text that a task chose (comm, argv, paths) safe for a log, a terminal, JSON and D-Bus. Printable UTF-8 stays.
 * Control characters, C1, direction overrides, invalid UTF-8 and the backslash become \n, \t, \\ or \xNN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Escapes `len` bytes of `s` into buf, always NUL-terminated and truncated at a whole character to fit. Returns buf. */
char *text_escape_to(char *buf, size_t size, const char *s, size_t len);

/* Escapes into new memory, which the caller frees. Returns NULL if there is no memory. */
char *text_escape(const char *s, size_t len);

/* Replaces in place what text_escape would escape by question marks, except backslashes, tabs and newlines. */
void text_make_safe(char *s);

/* Returns the length in bytes (1 to 4) of the UTF-8 character at `s`, or 0 if it is not valid. */
size_t text_utf8_length(const char *s, size_t len);

/* Returns the character at `s`, which must be valid and n bytes long. */
uint32_t text_utf8_decode(const char *s, size_t n);

/* Returns the part of a path after its last '/' or '\\', or the whole path if it has neither. */
const char *path_base(const char *path);

/*
 * Returns whether `word` is in a list of `length` bytes whose words are separated by commas, colons, spaces or
 * newlines.
 */
bool text_has_word(const char *list, size_t length, const char *word);

/* ---- numbers from text, strictly: digits only, the whole text, within the range ---- */

/* Parses a decimal number in 0..max, without sign or spaces. Returns 0, -EINVAL for any other text, or -ERANGE. */
int parse_u64(const char *text, size_t len, uint64_t max, uint64_t *ret);

/* ---- "did you mean": the word closest to a misspelt one ---- */

/* Initialise with { .word = misspelt word }, offer every candidate, then read `best`; NULL if no candidate is close. */
struct suggestion {
	const char *word;
	const char *best;
	size_t distance;
};

/*
 * Offers a candidate. A candidate is close if its Damerau-Levenshtein distance, ignoring case, is at most a third of
 * the word's length, or 1 for short words. If the word is an abbreviation of the candidate (its beginning, or its end
 * after a '_'), the distance is 0. Of equally close candidates the first offered wins.
 */
void suggest_offer(struct suggestion *suggestion, const char *candidate);

/* ---- a growing text. A failed allocation is remembered, so that only text_buf_take has to be checked ---- */

/* Initialise to all zeroes. */
struct text_buf {
	char *text; /* NUL-terminated once anything was put */
	size_t len, size;
	bool failed;
};

void text_buf_put(struct text_buf *buf, const char *s, size_t len);
void text_buf_printf(struct text_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns the text ("" if nothing was put), which the caller frees, or NULL if memory ran out. Empties `buf`. */
char *text_buf_take(struct text_buf *buf);
