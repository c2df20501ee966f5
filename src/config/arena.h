/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for many small objects with the same lifetime. Not glibc's obstack, since that ends the program
 * when memory runs out, while the daemon only has to refuse a reload. It begins as NULL.
 */
#pragma once

#include <stddef.h>

struct arena;

void arena_free(struct arena *arena);

/* size bytes of zeroes, aligned for any struct of pointers and integers; NULL without memory. */
void *arena_alloc(struct arena **arena, size_t size);

/* A NUL-terminated copy of len bytes; NULL without memory. */
char *arena_text(struct arena **arena, const char *s, size_t len);
