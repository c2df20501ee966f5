/* SPDX-License-Identifier: GPL-2.0-only */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE 32768
#define ALIGN	   _Alignof(void *)

/* Objects fill a chunk from its front, texts from its back, so that no text costs padding. */
struct chunk {
	struct chunk *next;
	char *front, *back;
	_Alignas(void *) char room[];
};

struct arena {
	struct chunk *chunks; /* the one being filled first */
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	while (arena->chunks) {
		struct chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
	free(arena);
}

/* A chunk with room for at least `need` bytes. */
static struct chunk *chunk_for(struct arena *arena, size_t need)
{
	struct chunk *chunk = arena->chunks;
	size_t size = CHUNK_SIZE - sizeof(*chunk);

	if (chunk && (size_t)(chunk->back - chunk->front) >= need)
		return chunk;
	if (size < need)
		size = need;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->front = chunk->room;
	chunk->back = chunk->room + size;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t rounded = (size + ALIGN - 1) & ~(ALIGN - 1);
	struct chunk *chunk = chunk_for(arena, rounded);
	void *object;

	if (!chunk)
		return NULL;
	object = memset(chunk->front, 0, rounded);
	chunk->front += rounded;
	return object;
}

char *arena_text(struct arena *arena, const char *s, size_t len)
{
	struct chunk *chunk = chunk_for(arena, len + 1);

	if (!chunk)
		return NULL;
	chunk->back -= len + 1;
	memcpy(chunk->back, s, len);
	chunk->back[len] = '\0';
	return chunk->back;
}
