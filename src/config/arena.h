/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for many small objects with the same lifetime. An arena starts as NULL. We do not use glibc's obstack, because
 * it ends the program if memory runs out, while the daemon only has to refuse a reload.
 */
#pragma once

#include <stddef.h>

struct arena;

void arena_free(struct arena *arena);

/* Returns `size` bytes of zeroes, aligned for any struct of pointers and integers, or NULL if there is no memory. */
void *arena_alloc(struct arena **arena, size_t size);

/* Returns a NUL-terminated copy of `len` bytes, or NULL if there is no memory. */
char *arena_text(struct arena **arena, const char *s, size_t len);
