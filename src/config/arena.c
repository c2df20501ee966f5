/* SPDX-License-Identifier: GPL-2.0-only */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE 32768
#define ALIGN	   _Alignof(void *)

/* A chunk. Objects fill it from its front, texts from its back, so that no text costs padding. */
struct arena {
	struct arena *next;
	char *front, *back;
	_Alignas(void *) char room[];
};

void arena_free(struct arena *arena)
{
	for (struct arena *next; arena; arena = next) {
		next = arena->next;
		free(arena);
	}
}

/* The first chunk, with room for at least `need` bytes. */
static struct arena *chunk_for(struct arena **arena, size_t need)
{
	struct arena *chunk = *arena;
	size_t size = CHUNK_SIZE - sizeof(*chunk);

	if (chunk && (size_t)(chunk->back - chunk->front) >= need)
		return chunk;
	if (size < need)
		size = need;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	*chunk = (struct arena){ *arena, chunk->room, chunk->room + size };
	*arena = chunk;
	return chunk;
}

void *arena_alloc(struct arena **arena, size_t size)
{
	size_t rounded = (size + ALIGN - 1) & ~(ALIGN - 1);
	struct arena *chunk = chunk_for(arena, rounded);
	void *object;

	if (!chunk)
		return NULL;
	object = memset(chunk->front, 0, rounded);
	chunk->front += rounded;
	return object;
}

char *arena_text(struct arena **arena, const char *s, size_t len)
{
	struct arena *chunk = chunk_for(arena, len + 1);

	if (!chunk)
		return NULL;
	chunk->back -= len + 1;
	memcpy(chunk->back, s, len);
	chunk->back[len] = '\0';
	return chunk->back;
}
