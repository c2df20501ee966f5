/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/text.h>

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest output for one byte or one character: "\xNN", or four bytes of UTF-8. */
#define PIECE_MAX 4

uint32_t text_utf8_decode(const char *s, size_t n)
{
	static const unsigned char lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)s[0] & lead_mask[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

size_t text_utf8_length(const char *s, size_t len)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)s;
	size_t n;
	uint32_t c;

	if (len == 0)
		return 0;
	if (u[0] < 0x80)
		return 1;
	n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (u[0] < 0xc2 || u[0] > 0xf4 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	}
	c = text_utf8_decode(s, n);
	if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return n;
}

/* Rejects characters that move the cursor, change the reading direction, or are commonly used to be invisible. */
static bool is_printable(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == '\\')
		return false;
	if (c >= 0x200b && c <= 0x200f)
		return false;
	if (c >= 0x2028 && c <= 0x202e)
		return false;
	if (c >= 0x2060 && c <= 0x206f)
		return false;
	/* Tag characters spell out invisible text. */
	if (c >= 0xe0000 && c <= 0xe007f)
		return false;
	/* No characters: sd-bus refuses a message with one (unichar_is_valid). */
	if ((c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef))
		return false;
	return c != 0xad && c != 0x61c && c != 0xfeff && !(c >= 0xfff0 && c <= 0xfffb);
}

/* Writes the safe form of the character at `s` into piece. Returns how many bytes of `s` it consumed. */
static size_t escape_one(const char *s, size_t len, char piece[PIECE_MAX + 1])
{
	size_t n = text_utf8_length(s, len);

	if (n && is_printable(text_utf8_decode(s, n))) {
		memcpy(piece, s, n);
		piece[n] = '\0';
		return n;
	}
	switch (s[0]) {
	case '\n':
		strcpy(piece, "\\n");
		break;
	case '\t':
		strcpy(piece, "\\t");
		break;
	case '\\':
		strcpy(piece, "\\\\");
		break;
	default:
		snprintf(piece, PIECE_MAX + 1, "\\x%02x", (unsigned char)s[0]);
		break;
	}
	return 1;
}

char *text_escape_to(char *buf, size_t size, const char *s, size_t len)
{
	char piece[PIECE_MAX + 1];
	size_t used = 0;

	for (size_t i = 0; i < len;) {
		size_t n = escape_one(s + i, len - i, piece), out = strlen(piece);

		if (used + out >= size)
			break;
		memcpy(buf + used, piece, out);
		used += out;
		i += n;
	}
	buf[used] = '\0';
	return buf;
}

char *text_escape(const char *s, size_t len)
{
	size_t size = len * PIECE_MAX + 1;
	char *buf = malloc(size);

	return buf ? text_escape_to(buf, size, s, len) : NULL;
}

void text_make_safe(char *s)
{
	const char *const end = s + strlen(s);
	char piece[PIECE_MAX + 1];
	size_t n;

	for (; s < end; s += n) {
		n = escape_one(s, (size_t)(end - s), piece);
		if (!strchr("\\\t\n", *s) && (strlen(piece) != n || memcmp(s, piece, n) != 0))
			memset(s, '?', n);
	}
}

const char *path_base(const char *path)
{
	for (const char *slash; (slash = strpbrk(path, "/\\"));)
		path = slash + 1;
	return path;
}

bool text_has_word(const char *list, size_t length, const char *word)
{
	const char *const end = list + length;

	for (size_t n; list < end; list += n + 1) {
		n = strcspn(list, ",: \n");
		if (n > (size_t)(end - list))
			n = (size_t)(end - list);
		if (n == strlen(word) && strncmp(list, word, n) == 0)
			return true;
	}
	return false;
}

/* ---- numbers ---- */

int parse_u64(const char *text, size_t len, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (len == 0)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned char)text[i] - '0';

		if (digit > 9)
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return -ERANGE;
	}
	if (value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* ---- a growing text ---- */

/* Makes room for `len` more bytes and a NUL. */
static bool make_room(struct text_buf *buf, size_t len)
{
	size_t size = buf->size ? buf->size : 128;
	char *text;

	if (buf->failed)
		return false;
	if (buf->size - buf->len > len)
		return true;
	while (size - buf->len <= len)
		size *= 2;
	text = realloc(buf->text, size);
	if (!text) {
		buf->failed = true;
		return false;
	}
	buf->text = text;
	buf->size = size;
	return true;
}

void text_buf_put(struct text_buf *buf, const char *s, size_t len)
{
	if (!make_room(buf, len))
		return;
	memcpy(buf->text + buf->len, s, len);
	buf->len += len;
	buf->text[buf->len] = '\0';
}

void text_buf_printf(struct text_buf *buf, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0 || !make_room(buf, len))
		return;
	va_start(args, format);
	vsnprintf(buf->text + buf->len, len + 1, format, args);
	va_end(args);
	buf->len += len;
}

char *text_buf_take(struct text_buf *buf)
{
	char *text;

	text_buf_put(buf, "", 0);
	text = buf->text;
	if (buf->failed) {
		free(text);
		text = NULL;
	}
	*buf = (struct text_buf){ 0 };
	return text;
}

/* ---- did you mean ---- */

/* Longer words are not compared, since no name of ours is that long. */
#define WORD_MAX 64

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static uint8_t least(uint8_t a, uint8_t b, uint8_t c)
{
	uint8_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Returns the number of edits (insert, delete, replace, swap neighbours) from a to b, neither longer than WORD_MAX. */
static size_t distance(const char *a, size_t len_a, const char *b, size_t len_b)
{
	uint8_t table[WORD_MAX + 1][WORD_MAX + 1]; /* [i][j]: from the first i letters of a to the first j of b */

	for (size_t i = 0; i <= len_a; i++) {
		for (size_t j = 0; j <= len_b; j++) {
			uint8_t *cell = &table[i][j];

			if (!i || !j) {
				*cell = (uint8_t)(i + j);
				continue;
			}
			*cell = least(table[i - 1][j] + 1, table[i][j - 1] + 1,
				      table[i - 1][j - 1] + !is_same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
				*cell = least(*cell, table[i - 2][j - 2] + 1, UINT8_MAX);
		}
	}
	return table[len_a][len_b];
}

/*
 * Recognises abbreviations, which differ by more than a typing error: the first words are missing ("nice" for
 * "sched_nice", "BACKGROUND" for "QOS_BACKGROUND") or the end of the last word is ("sched_prio").
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
	size_t d = len > other ? len - other : other - len; /* a lower bound of the distance */

	if (len > WORD_MAX || other > WORD_MAX)
		return;
	if (is_short_for(suggestion->word, len, candidate, other))
		d = 0;
	else if (d <= limit)
		d = distance(suggestion->word, len, candidate, other);
	if (d > limit || (suggestion->best && d >= suggestion->distance))
		return;
	suggestion->best = candidate;
	suggestion->distance = d;
}
