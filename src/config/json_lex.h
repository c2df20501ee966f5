/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits a JSON text into tokens and finds errors within a token. Comments count as white space. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define JSON_MESSAGE_MAX 160
#define JSON_EXCERPT_MAX 40

/* Why a text is not JSON. The message may hold raw bytes of the text. */
struct json_problem {
	size_t offset;
	char message[JSON_MESSAGE_MAX];
};

enum json_token_kind {
	JSON_END,
	JSON_OPEN,  /* { [ */
	JSON_CLOSE, /* } ] */
	JSON_COLON,
	JSON_COMMA,
	JSON_STRING,
	JSON_WORD, /* true, false, null or a number */
};

struct json_token {
	enum json_token_kind kind;
	size_t start, end;
	bool cut; /* it ends early, at the error in the lexer's problem */
};

struct json_lexer {
	const char *text;
	size_t size, at;
	char *string; /* room for size + 1 bytes: the last string, unescaped and NUL-terminated */
	size_t string_length;
	struct json_problem *problem;
};

/*
 * Returns 0 and the next token, or -EINVAL for an error at its beginning. An error further inside only cuts the token
 * short: of two errors the first one is reported, and the token itself may be out of place.
 */
int json_lex(struct json_lexer *lexer, struct json_token *ret);

/* Records a problem. Returns -EINVAL. */
int json_refuse(struct json_problem *problem, size_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
