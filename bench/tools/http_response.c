/* SPDX-License-Identifier: GPL-2.0-only */
#include "http_response.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static enum http_state take_status(struct http_response *response)
{
	if (sscanf(response->line, "HTTP/1.1 %3u", &response->status) != 1)
		return HTTP_WRONG;
	return HTTP_HEADER;
}

/* Whole, and with nothing behind it but, for a chunk, its extension. */
static bool parse_size(const char *text, int base, uint64_t *size)
{
	char *end;

	errno = 0;
	*size = strtoull(text, &end, base);
	return !errno && end != text && *text != '-' && (!*end || *end == ';' || *end == ' ');
}

static const char *value_of(const char *line, const char *name)
{
	size_t size = strlen(name);

	if (strncasecmp(line, name, size) != 0 || line[size] != ':')
		return NULL;
	return line + size + 1 + strspn(line + size + 1, " \t");
}

static enum http_state end_of_headers(const struct http_response *response)
{
	if (response->chunked)
		return HTTP_CHUNK_SIZE;
	if (!response->has_length)
		return HTTP_WRONG;
	return response->left ? HTTP_BODY : HTTP_DONE;
}

static enum http_state take_header(struct http_response *response)
{
	const char *value;

	if (!response->line[0])
		return end_of_headers(response);
	value = value_of(response->line, "Content-Length");
	if (value) {
		response->has_length = true;
		return parse_size(value, 10, &response->left) ? HTTP_HEADER : HTTP_WRONG;
	}
	value = value_of(response->line, "Transfer-Encoding");
	if (value)
		response->chunked = strcasecmp(value, "chunked") == 0;
	value = value_of(response->line, "Connection");
	return value && strcasecmp(value, "close") == 0 ? HTTP_WRONG : HTTP_HEADER;
}

static enum http_state take_chunk_size(struct http_response *response)
{
	if (!parse_size(response->line, 16, &response->left))
		return HTTP_WRONG;
	return response->left ? HTTP_CHUNK : HTTP_TRAILER;
}

static enum http_state take_line(struct http_response *response)
{
	switch (response->state) {
	case HTTP_STATUS:
		return take_status(response);
	case HTTP_HEADER:
		return take_header(response);
	case HTTP_CHUNK_SIZE:
		return take_chunk_size(response);
	case HTTP_CHUNK_END:
		return response->line[0] ? HTTP_WRONG : HTTP_CHUNK_SIZE;
	case HTTP_TRAILER:
		return response->line[0] ? HTTP_TRAILER : HTTP_DONE;
	case HTTP_BODY:
	case HTTP_CHUNK:
	case HTTP_DONE:
	case HTTP_WRONG:
		break;
	}
	return HTTP_WRONG;
}

/* Gathers a line across pieces, without its end, and parses it when it is complete. */
static size_t gather_line(struct http_response *response, const char *piece, size_t size)
{
	const char *end = memchr(piece, '\n', size);
	size_t part = end ? (size_t)(end - piece) : size;

	if (part >= sizeof(response->line) - response->line_size) {
		response->state = HTTP_WRONG;
		return size;
	}
	memcpy(response->line + response->line_size, piece, part);
	response->line_size += part;
	if (!end)
		return size;
	if (response->line_size && response->line[response->line_size - 1] == '\r')
		response->line_size--;
	response->line[response->line_size] = '\0';
	response->line_size = 0;
	response->state = take_line(response);
	return part + 1;
}

static size_t skip_body(struct http_response *response, size_t size)
{
	size_t part = size < response->left ? size : (size_t)response->left;

	response->left -= part;
	if (!response->left)
		response->state = response->state == HTTP_BODY ? HTTP_DONE : HTTP_CHUNK_END;
	return part;
}

size_t http_response_take(struct http_response *response, const char *piece, size_t size)
{
	size_t taken = 0;

	while (taken < size && response->state < HTTP_DONE) {
		if (response->state == HTTP_BODY || response->state == HTTP_CHUNK)
			taken += skip_body(response, size - taken);
		else
			taken += gather_line(response, piece + taken, size - taken);
	}
	return taken;
}
