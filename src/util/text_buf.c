/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/text.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for len bytes and a NUL. */
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

void text_buf_fill(struct text_buf *buf, char c, size_t count)
{
	if (!make_room(buf, count))
		return;
	memset(buf->text + buf->len, c, count);
	buf->len += count;
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
