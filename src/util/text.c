/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/text.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest that one byte or one character can become: "\xNN", or four bytes of UTF-8. */
#define PIECE_MAX 4

static uint32_t decode(const unsigned char *s, size_t n)
{
	static const unsigned char lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = s[0] & lead_mask[n];

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
	c = decode(u, n);
	if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return n;
}

/* Characters that move the cursor, change the reading direction or cannot be seen. */
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
	/* Tag characters, which spell out invisible text. */
	if (c >= 0xe0000 && c <= 0xe007f)
		return false;
	return c != 0xad && c != 0x61c && c != 0xfeff && !(c >= 0xfff0 && c <= 0xfffb);
}

/* Writes the safe form of the character at s into piece; returns how many bytes of s it takes up. */
static size_t escape_one(const char *s, size_t len, char piece[PIECE_MAX + 1])
{
	size_t n = text_utf8_length(s, len);

	if (n && is_printable(decode((const unsigned char *)s, n))) {
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
