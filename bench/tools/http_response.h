/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the end of HTTP/1.1 responses on a connection that is kept open, of a known length or in
 * chunks, from pieces cut anywhere. Bodies are skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_LINE_MAX 1024

enum http_state {
	HTTP_STATUS,
	HTTP_HEADER,
	HTTP_BODY,
	HTTP_CHUNK_SIZE,
	HTTP_CHUNK,
	HTTP_CHUNK_END,
	HTTP_TRAILER,
	HTTP_DONE,
	HTTP_WRONG, /* not HTTP/1.1, not kept open, no end to be found, a line over HTTP_LINE_MAX */
};

/* Zeroed is waiting for a response; zero it again after HTTP_DONE. */
struct http_response {
	enum http_state state;
	unsigned status;
	bool chunked, has_length;
	uint64_t left; /* of the body, or of the chunk */
	size_t line_size;
	char line[HTTP_LINE_MAX];
};

/* Takes a piece, and stops behind the response's end. Returns how much of the piece was of this response. */
size_t http_response_take(struct http_response *response, const char *piece, size_t size);
