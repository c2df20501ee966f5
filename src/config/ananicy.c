/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads ananicy's files, line by line. */
#include "ananicy_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <schedqos/util/text.h>

/* So many of each kind are told by their place; somebody has to look at doubtful names one by one.
 */
#define EXAMPLES_MAX 3
#define DOUBTFUL_MAX 100

int ananicy_new(struct ananicy **ret)
{
	struct ananicy *ananicy = calloc(1, sizeof(*ananicy));

	if (ananicy)
		ananicy->arena = arena_new();
	if (!ananicy || !ananicy->arena) {
		free(ananicy);
		return -ENOMEM;
	}
	*ret = ananicy;
	return 0;
}

void ananicy_free(struct ananicy *ananicy)
{
	if (!ananicy)
		return;
	for (size_t i = 0; i < NOTE_COUNT; i++)
		free(ananicy->notes[i].examples.text);
	free(ananicy->rules.items);
	free(ananicy->types.items);
	free(ananicy->paths);
	arena_free(ananicy->arena);
	free(ananicy);
}

void ananicy_note(struct ananicy *ananicy, enum ananicy_note kind, const struct source *source,
		  const char *name, const char *format, ...)
{
	struct ananicy_notes *notes = &ananicy->notes[kind];
	const char *path = ananicy->paths[source->file];
	char shown[128], file[512];
	va_list args;

	if (++notes->count > (kind == NOTE_DOUBTFUL ? DOUBTFUL_MAX : EXAMPLES_MAX))
		return;
	text_escape_to(shown, sizeof(shown), name, strlen(name));
	text_escape_to(file, sizeof(file), path, strlen(path));
	text_buf_printf(&notes->examples, "    %s:%u: %s", file, source->line, shown);
	va_start(args, format);
	vsnprintf(file, sizeof(file), format, args);
	va_end(args);
	text_escape_to(shown, sizeof(shown), file, strlen(file));
	text_buf_printf(&notes->examples, "%s%s\n", *name && *shown ? ": " : "", shown);
}

static struct ananicy_line *lines_add(struct ananicy_lines *lines)
{
	struct ananicy_line *items = lines->items;

	if (lines->count == lines->size) {
		lines->size = lines->size ? lines->size * 2 : 64;
		items = reallocarray(items, lines->size, sizeof(*items));
		if (!items)
			return NULL;
		lines->items = items;
	}
	items[lines->count] = (struct ananicy_line){ 0 };
	return &items[lines->count++];
}

static bool is_field(const cJSON *item, const char *name)
{
	return strcmp(item->string, name) == 0;
}

/* The text of a field, of two the last one, as in ananicy; NULL if there is none that is not empty.
 */
static const char *field_text(const cJSON *object, const char *name)
{
	const char *text = NULL;
	const cJSON *item;

	cJSON_ArrayForEach (item, object) {
		if (is_field(item, name))
			text = cJSON_IsString(item) ? item->valuestring : NULL;
	}
	return text;
}

static void read_fields(struct ananicy *ananicy, const cJSON *object, struct ananicy_line *line)
{
	const cJSON *item;

	cJSON_ArrayForEach (item, object) {
		int r;

		if (is_field(item, "name") || is_field(item, "type"))
			continue;
		r = ananicy_put_value(&line->attr, item->string, cJSON_GetStringValue(item),
				      cJSON_IsNumber(item) ? &item->valuedouble : NULL);
		if (r == -ENOENT)
			ananicy_note(ananicy, NOTE_UNSUPPORTED, &line->source, line->name, "%s",
				     item->string);
		else if (r < 0)
			ananicy_note(ananicy, NOTE_BAD_VALUE, &line->source, line->name, "%s",
				     item->string);
	}
}

/* NULL stays NULL. */
static const char *keep(struct ananicy *ananicy, const char *text)
{
	return !text ? NULL : arena_text(ananicy->arena, text, strlen(text));
}

static int take_object(struct ananicy *ananicy, const cJSON *object, const struct source *source)
{
	const char *name = field_text(object, "name"), *type = field_text(object, "type");
	const char *group = field_text(object, "cgroup");
	struct ananicy_line *line;

	if (name && !*name) {
		ananicy_note(ananicy, NOTE_BROKEN, source, "", "an empty name");
		return 0;
	}
	if (type && !*type)
		type = NULL;
	if (!name && !type && group && *group) {
		ananicy_note(ananicy, NOTE_UNSUPPORTED, source, group, "cgroup");
		return 0;
	}
	if (!name && !type) {
		ananicy_note(ananicy, NOTE_BROKEN, source, "", "neither a name nor a type");
		return 0;
	}
	line = lines_add(name ? &ananicy->rules : &ananicy->types);
	if (!line)
		return -ENOMEM;
	line->source = *source;
	line->name = keep(ananicy, name ? name : type);
	line->type = name ? keep(ananicy, type) : NULL;
	if (!line->name || (name && type && !line->type))
		return -ENOMEM;
	ananicy->n_read += name != NULL;
	read_fields(ananicy, object, line);
	return 0;
}

static int read_line(struct ananicy *ananicy, const char *text, size_t len,
		     const struct source *source)
{
	const char *open, *end;
	cJSON *object;
	int r;

	while (len && (*text == ' ' || *text == '\t' || *text == '\r')) {
		text++;
		len--;
	}
	if (!len || *text == '#')
		return 0;
	open = memchr(text, '{', len);
	object = open ? cJSON_ParseWithLengthOpts(open, text + len - open, &end, false) : NULL;
	if (!object) {
		ananicy_note(ananicy, NOTE_BROKEN, source, "", "no JSON object");
		return 0;
	}
	r = take_object(ananicy, object, source);
	cJSON_Delete(object);
	return r;
}

int ananicy_read(struct ananicy *ananicy, const char *path, const char *text, size_t size)
{
	struct source source = { .file = (uint16_t)ananicy->n_paths };
	const char **paths, *end = text + size;
	int r = 0;

	if (ananicy->n_paths == UINT16_MAX)
		return -E2BIG;
	paths = reallocarray(ananicy->paths, ananicy->n_paths + 1, sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	ananicy->paths = paths;
	paths[ananicy->n_paths] = keep(ananicy, path);
	if (!paths[ananicy->n_paths++])
		return -ENOMEM;
	while (r == 0 && text < end) {
		const char *newline = memchr(text, '\n', end - text),
			   *stop = newline ? newline : end;

		source.line++;
		r = read_line(ananicy, text, stop - text, &source);
		text = stop + 1;
	}
	return r;
}

static int compare_lines(const void *va, const void *vb)
{
	const struct ananicy_line *a = va, *b = vb;
	int r = strcmp(a->name, b->name);

	if (r)
		return r;
	if (a->source.file != b->source.file)
		return a->source.file < b->source.file ? -1 : 1;
	return a->source.line < b->source.line ? -1 : 1;
}

static bool says_the_same(const struct ananicy_line *a, const struct ananicy_line *b)
{
	if (!a->type != !b->type || (a->type && strcmp(a->type, b->type) != 0))
		return false;
	return qos_attr_equal(&a->attr, &b->attr);
}

void ananicy_sort(struct ananicy *ananicy, struct ananicy_lines *lines)
{
	struct ananicy_line *items = lines->items;
	size_t kept = 0;

	if (lines->count)
		qsort(items, lines->count, sizeof(*items), compare_lines);
	for (size_t i = 0; i < lines->count; i++) {
		const struct ananicy_line *next = i + 1 < lines->count ? &items[i + 1] : NULL;

		if (next && strcmp(next->name, items[i].name) == 0)
			ananicy_note(ananicy,
				     says_the_same(&items[i], next) ? NOTE_DUPLICATE
								    : NOTE_CONFLICT,
				     &items[i].source, items[i].name, "%s:%u",
				     ananicy->paths[next->source.file], next->source.line);
		else
			items[kept++] = items[i];
	}
	lines->count = kept;
}
