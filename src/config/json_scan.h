/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of a JSON text, and where they are. */
#pragma once

#include "json_text.h"

/* A text that is being read. */
struct reader {
	const char *at, *end;
	const char *line_start;
	unsigned line;
	struct json_doc *doc;
	struct json_problem *problem;
	char *string; /* room for the whole text: the last string, unescaped */
	size_t string_length;
	const cJSON *in; /* the object or list around, or NULL */
	unsigned depth;
};

/* Where the character at is, in the line that has been reached. */
struct json_position position_of(const struct reader *reader, const char *at);

static inline struct json_position here(const struct reader *reader)
{
	return position_of(reader, reader->at);
}

/* The next character; NUL at the end as well. */
static inline char next(const struct reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

static inline size_t left(const struct reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* Says what is wrong. Returns -EINVAL, as do the functions below, which go on to what follows. */
int refuse(const struct reader *reader, struct json_position at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* To the next character that means something, or to the end. */
int skip_space(struct reader *reader);

/* At a quote. The copy belongs to the tree. Also -ENOMEM. */
int read_string(struct reader *reader, char **ret);

/* At anything but the end: a number, true, false or null. A length of 0: a bracket or the like. */
int read_word(struct reader *reader, size_t *ret_length);
