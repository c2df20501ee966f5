/* SPDX-License-Identifier: GPL-2.0-only */
/* A growing text. A failed allocation is remembered, so that only text_buf_take has to be checked. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Starts as all zeroes. */
struct text_buf {
	char *text; /* NUL-terminated as soon as there is any */
	size_t len, size;
	bool failed;
};

void text_buf_put(struct text_buf *buf, const char *s, size_t len);
void text_buf_fill(struct text_buf *buf, char c, size_t count);
void text_buf_printf(struct text_buf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The text ("" if nothing was put), which the caller frees; NULL if memory ran out. buf is empty afterwards. */
char *text_buf_take(struct text_buf *buf);
