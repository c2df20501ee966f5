/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/rules.h>

#include <string.h>

/* The byte after [:class:], [.symbol.] or [=class=] within a bracket expression, or NULL if there is none at p. */
static const char *class_end(const char *p)
{
	const char close[] = { p[1], ']', '\0' }, *end;

	if (*p != '[' || !p[1] || !strchr(":.=", p[1]))
		return NULL;
	end = strstr(p + 2, close);
	return end ? end + 2 : NULL;
}

/* The byte after a bracket expression that begins at p, or NULL if it is not closed. */
static const char *bracket_end(const char *p)
{
	const char *next;

	p++;
	if (*p == '!' || *p == '^')
		p++;
	if (*p == ']')
		p++;
	for (; *p && *p != ']'; p = next) {
		next = class_end(p);
		if (!next)
			next = p + 1 + (*p == '\\' && p[1]);
	}
	return *p ? p + 1 : NULL;
}

size_t pattern_bracket(const char *pattern)
{
	const char *end = *pattern == '[' ? bracket_end(pattern) : NULL;

	return end ? (size_t)(end - pattern) : 0;
}

bool pattern_has_open_bracket(const char *pattern)
{
	for (const char *p = pattern; *p; p++) {
		if (*p == '[') {
			p = bracket_end(p);
			if (!p)
				return true;
			p--;
		} else if (*p == '\\' && p[1]) {
			p++;
		}
	}
	return false;
}

size_t pattern_literal(const char *pattern)
{
	size_t literal = 0;

	for (const char *p = pattern; *p;) {
		const char *end = *p == '[' ? bracket_end(p) : NULL;

		if (end) {
			p = end;
			continue;
		}
		if (*p == '\\' && p[1])
			p++;
		if (*p != '*' && *p != '?')
			literal++;
		p++;
	}
	return literal;
}

/* ---- whether one glob matches whatever another one matches ---- */

/* Longer patterns are not compared: nobody writes them, and the time grows with the square. */
#define TOKENS_MAX 256

struct token {
	enum {
		STAR,
		ANY, /* ? */
		SET, /* a bracket expression */
		CHAR,
	} kind;
	const char *text; /* of a SET */
	size_t length;
	char byte; /* of a CHAR */
};

/* Returns how many tokens the pattern has, or more than TOKENS_MAX. */
static size_t tokens_of(const char *pattern, struct token tokens[TOKENS_MAX])
{
	size_t n = 0;

	for (const char *p = pattern; *p; n++) {
		struct token token = { .kind = CHAR, .text = p, .length = 1 };
		const size_t bracket = pattern_bracket(p);

		if (n == TOKENS_MAX)
			return n + 1;
		if (*p == '*' || *p == '?')
			token.kind = *p == '*' ? STAR : ANY;
		if (bracket) {
			token.kind = SET;
			token.length = bracket;
		} else if (*p == '\\' && p[1]) {
			token.length = 2;
		}
		token.byte = p[token.length - 1];
		tokens[n] = token;
		p += token.length;
	}
	return n;
}

static bool set_has(const struct token *set, char byte)
{
	const char name[] = { byte, '\0' };
	char pattern[64];

	if (set->length >= sizeof(pattern))
		return false;
	memcpy(pattern, set->text, set->length);
	pattern[set->length] = '\0';
	return pattern_match(pattern, name);
}

/* Whether the one matches every single byte that the other one does. */
static bool token_includes(const struct token *wide, const struct token *narrow)
{
	if (narrow->kind == STAR)
		return false;
	switch (wide->kind) {
	case STAR:
	case ANY:
		return true;
	case CHAR:
		return narrow->kind == CHAR && narrow->byte == wide->byte;
	case SET:
		if (narrow->kind == CHAR)
			return set_has(wide, narrow->byte);
		return narrow->kind == SET && narrow->length == wide->length &&
		       memcmp(narrow->text, wide->text, wide->length) == 0;
	}
	return false;
}

bool pattern_includes(const char *wide, const char *narrow)
{
	struct token w[TOKENS_MAX], n[TOKENS_MAX];
	const size_t n_w = tokens_of(wide, w), n_n = tokens_of(narrow, n);
	/* Whether w from i on includes n from j on; of i only the present row and the one before are kept. */
	bool row[TOKENS_MAX + 1] = { false }, above[TOKENS_MAX + 1];

	if (n_w > TOKENS_MAX || n_n > TOKENS_MAX)
		return false;
	row[n_n] = true;
	for (size_t i = n_w; i-- > 0;) {
		memcpy(above, row, sizeof(above));
		for (size_t j = n_n + 1; j-- > 0;) {
			if (w[i].kind == STAR)
				row[j] = above[j] || (j < n_n && row[j + 1]);
			else
				row[j] = j < n_n && token_includes(&w[i], &n[j]) && above[j + 1];
		}
	}
	return row[0];
}
