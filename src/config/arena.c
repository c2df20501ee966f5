/* SPDX-License-Identifier: GPL-2.0-only */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE 32768
#define ALIGN	   _Alignof(void *)

/* One chunk of memory. */
struct arena {
	struct arena *next;
	size_t used, size;
	_Alignas(void *) char room[];
};

void arena_free(struct arena *arena)
{
	for (struct arena *next; arena; arena = next) {
		next = arena->next;
		free(arena);
	}
}

/* Adds a chunk with room for at least `size` bytes. */
static struct arena *add_chunk(struct arena **arena, size_t size)
{
	struct arena *chunk;

	if (size < CHUNK_SIZE - sizeof(*chunk))
		size = CHUNK_SIZE - sizeof(*chunk);
	chunk = calloc(1, sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->next = *arena;
	chunk->size = size;
	*arena = chunk;
	return chunk;
}

void *arena_alloc(struct arena **arena, size_t size)
{
	const size_t rounded = (size + ALIGN - 1) & ~(ALIGN - 1);
	struct arena *chunk = *arena;

	if (!chunk || chunk->size - chunk->used < rounded)
		chunk = add_chunk(arena, rounded);
	if (!chunk)
		return NULL;
	chunk->used += rounded;
	return chunk->room + chunk->used - rounded;
}

char *arena_text(struct arena **arena, const char *s, size_t len)
{
	char *text = arena_alloc(arena, len + 1);

	return text ? memcpy(text, s, len) : NULL;
}
