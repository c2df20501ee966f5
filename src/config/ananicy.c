/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads ananicy's files line by line, and gives each rule a class by its type, else by its values. */
#include <schedqos/config/config_text.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <schedqos/policy/qos_class.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

#include "arena.h"

/* No file has a longer name. */
#define NAME_BYTES   255
#define PATTERN_SIZE (3 * NAME_BYTES + 1)

/* ---- names of programs, compared byte by byte with a program's name, whatever they consist of ---- */

/* Why a rule of this name matches nothing; NULL if it may match. */
static const char *name_fault(const char *name)
{
	size_t len = strlen(name);

	if (len > NAME_BYTES)
		return "longer than any program's name";
	/* Names are compared with what follows the last of these. */
	if (strpbrk(name, "/\\"))
		return "a name has no slash or backslash";
	for (size_t n; len; name += n, len -= n) {
		n = text_utf8_length(name, len);
		if (!n)
			return "not UTF-8";
	}
	return NULL;
}

/*
 * PATTERN_SIZE bytes, for a name without a fault. A character in brackets stands for itself. So does a space at the end,
 * but whoever reads the pattern would miss it.
 */
static void put_pattern(const char *name, char *buf)
{
	bool quote = strcmp(name, SETTINGS_KEY) == 0 || strcmp(name, SCHEMA_KEY) == 0 ||
		     strncmp(name, QOS_PREFIX, strlen(QOS_PREFIX)) == 0 || *name == ' ';

	for (; *name; name++, quote = *name == ' ' && !name[1])
		buf += sprintf(buf, quote || strchr("*?[", *name) ? "[%c]" : "%c", *name);
	*buf = '\0';
}

/* ---- what is kept of the files ---- */

#define NICE_NONE INT8_MIN

/* So many of each kind are told by their place. */
#define EXAMPLES_MAX 3

/* What there is to tell about a line, after how many there are. */
enum note {
	NOTE_BROKEN,
	NOTE_VALUE,
	NOTE_FIELD,
	NOTE_OVERRIDDEN,
	NOTE_TYPE,
	NOTE_NOTHING,
	NOTE_NAME,
	NOTE_COUNT,
};

static const char *const note_words[NOTE_COUNT] = {
	[NOTE_BROKEN] = "no rule",
	[NOTE_VALUE] = "a value that is unknown or out of range: left out",
	[NOTE_FIELD] = "a field that is not taken over: the type decides, or schedqos sets no such thing",
	[NOTE_OVERRIDDEN] = "overridden, or repeated, by a later line",
	[NOTE_TYPE] = "a type that is not defined",
	[NOTE_NOTHING] = "nothing that a class could be chosen by: left out",
	[NOTE_NAME] = "a name that no program can have: left out",
};

/* A rule, or a type: its name is then that of the type. */
struct line {
	const char *name, *type; /* of a rule; NULL: none */
	const char *policy;	 /* as ananicy calls it, or NULL */
	int8_t nice;		 /* or NICE_NONE */
	bool has_more;		 /* values that have no say in the class */
	const char *path;	 /* where it stands */
	unsigned number;
	size_t order;	 /* in which they were read */
	const char *qos; /* NULL: left out */
};

struct lines {
	struct line *items;
	size_t count;
};

struct ananicy {
	struct arena *arena;
	struct lines rules, types;
	size_t n_files, n_read; /* n_read: rules, before any is left out */
	size_t notes[NOTE_COUNT];
	struct text_buf examples[NOTE_COUNT];
};

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
		free(ananicy->examples[i].text);
	free(ananicy->rules.items);
	free(ananicy->types.items);
	arena_free(ananicy->arena);
	free(ananicy);
}

/* Counts, and keeps the line's place and the texts, either of which may be "", if it is among the first few. */
static void note(struct ananicy *ananicy, enum note kind, const struct line *line, const char *name, const char *text)
{
	char shown[3][256];

	if (++ananicy->notes[kind] > EXAMPLES_MAX)
		return;
	text_escape_to(shown[0], sizeof(shown[0]), line->path, strlen(line->path));
	text_escape_to(shown[1], sizeof(shown[1]), name, strlen(name));
	text_escape_to(shown[2], sizeof(shown[2]), text, strlen(text));
	text_buf_printf(&ananicy->examples[kind], "    %s:%u: %s%s%s\n", shown[0], line->number, shown[1],
			*name && *text ? ": " : "", shown[2]);
}

/* ---- reading ---- */

static struct line *lines_add(struct lines *lines, const struct line *line)
{
	struct line *items = lines->items;

	/* The capacity doubles, so it is used up only at a power of two. */
	if ((lines->count & (lines->count - 1)) == 0) {
		items = reallocarray(items, lines->count ? lines->count * 2 : 1, sizeof(*items));
		if (!items)
			return NULL;
		lines->items = items;
	}
	items[lines->count] = *line;
	items[lines->count].order = lines->count;
	return &items[lines->count++];
}

/* NULL if there is none, or another value. */
static const char *field_text(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* ananicy's word for a policy as we keep it, or NULL. */
static const char *policy_word(const char *word)
{
	static const char *const policies[] = { "normal", "other", "batch", "idle", "fifo", "rr" };

	for (size_t i = 0; word && i < array_size(policies); i++) {
		if (strcmp(word, policies[i]) == 0)
			return policies[i];
	}
	return NULL;
}

static void read_field(struct ananicy *ananicy, const cJSON *item, struct line *line)
{
	const char *field = item->string;

	if (strcmp(field, "sched") == 0) {
		line->policy = policy_word(cJSON_GetStringValue(item));
		if (!line->policy)
			note(ananicy, NOTE_VALUE, line, line->name, field);
	} else if (strcmp(field, "nice") == 0) {
		if (cJSON_IsNumber(item) && item->valuedouble >= -20 && item->valuedouble <= 19)
			line->nice = (int8_t)item->valuedouble;
		else
			note(ananicy, NOTE_VALUE, line, line->name, field);
	} else if (strcmp(field, "rtprio") == 0 || strcmp(field, "ioclass") == 0 || strcmp(field, "ionice") == 0) {
		line->has_more = true;
	} else if (strcmp(field, "name") != 0 && strcmp(field, "type") != 0) {
		note(ananicy, NOTE_FIELD, line, line->name, field);
	}
}

static int take_object(struct ananicy *ananicy, const cJSON *object, const struct line *place)
{
	const char *name = field_text(object, "name"), *type = field_text(object, "type");
	const char *group = field_text(object, "cgroup");
	const cJSON *item;
	struct line *line;

	if (type && !*type)
		type = NULL;
	if (!name && !type && group && *group) {
		note(ananicy, NOTE_FIELD, place, group, "cgroup");
		return 0;
	}
	if (!name ? !type : !*name) {
		note(ananicy, NOTE_BROKEN, place, "", name ? "an empty name" : "neither a name nor a type");
		return 0;
	}
	line = lines_add(name ? &ananicy->rules : &ananicy->types, place);
	if (!line)
		return -ENOMEM;
	ananicy->n_read += name != NULL;
	line->name = arena_text(ananicy->arena, name ? name : type, strlen(name ? name : type));
	if (name && type)
		line->type = arena_text(ananicy->arena, type, strlen(type));
	if (!line->name || (name && type && !line->type))
		return -ENOMEM;
	cJSON_ArrayForEach (item, object)
		read_field(ananicy, item, line);
	return 0;
}

static int read_line(struct ananicy *ananicy, const char *text, const char *end, const struct line *place)
{
	const char *open;
	cJSON *object;
	int r;

	while (text < end && strchr(" \t\r", *text) && *text)
		text++;
	if (text == end || *text == '#')
		return 0;
	open = memchr(text, '{', end - text);
	object = open ? cJSON_ParseWithLength(open, end - open) : NULL;
	if (!object) {
		note(ananicy, NOTE_BROKEN, place, "", "no JSON object");
		return 0;
	}
	r = take_object(ananicy, object, place);
	cJSON_Delete(object);
	return r;
}

int ananicy_read(struct ananicy *ananicy, const char *path, const char *text, size_t size)
{
	struct line place = { .nice = NICE_NONE, .path = arena_text(ananicy->arena, path, strlen(path)) };
	const char *end = text + size;
	int r = place.path ? 0 : -ENOMEM;

	ananicy->n_files++;
	while (r == 0 && text < end) {
		const char *newline = memchr(text, '\n', end - text), *stop = newline ? newline : end;

		place.number++;
		r = read_line(ananicy, text, stop, &place);
		text = stop + 1;
	}
	return r;
}

/* ---- choosing ---- */

/* Of the same name in the order in which they were read. */
static int compare_lines(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;
	int r = strcmp(a->name, b->name);

	return r ? r : (a->order > b->order) - (a->order < b->order);
}

/* Of those with the same name only the last one stays. */
static void sort(struct ananicy *ananicy, struct lines *lines)
{
	struct line *items = lines->items;
	size_t kept = 0;

	if (lines->count)
		qsort(items, lines->count, sizeof(*items), compare_lines);
	for (size_t i = 0; i < lines->count; i++) {
		const struct line *next = i + 1 < lines->count ? &items[i + 1] : NULL;
		char place[256];

		if (!next || strcmp(next->name, items[i].name) != 0) {
			items[kept++] = items[i];
			continue;
		}
		snprintf(place, sizeof(place), "%s:%u", next->path, next->number);
		note(ananicy, NOTE_OVERRIDDEN, &items[i], items[i].name, place);
	}
	lines->count = kept;
}

/* The types of ananicy and of CachyOS, as schedqos-import(7) has them. */
static const struct {
	const char *type, *qos; /* NULL: nothing of it concerns scheduling */
} known_types[] = {
	{ "BG_CPU", "QOS_BACKGROUND" },
	{ "BG_CPUIO", "QOS_BACKGROUND" },
	{ "Chat", "QOS_USER_INITIATED" },
	{ "Doc-View", "QOS_USER_INITIATED" },
	{ "Game", "QOS_USER_INTERACTIVE" },
	{ "Heavy_CPU", "QOS_UTILITY" },
	{ "IN_DIFF", "QOS_DEFAULT" },
	{ "Image-View", "QOS_USER_INITIATED" },
	{ "Launcher", "QOS_UTILITY" },
	{ "LowLatency_RT", "QOS_USER_INTERACTIVE" },
	{ "OOM_KILL", NULL },
	{ "OOM_NO_KILL", NULL },
	{ "Player-Audio", "QOS_USER_INTERACTIVE" },
	{ "Player-Video", "QOS_USER_INTERACTIVE" },
	{ "Service", "QOS_UTILITY" },
};

/* NULL: there is none for these values. policy: one of policy_word(), or NULL. */
static const char *class_for_values(const char *policy, int nice)
{
	if (policy && (strcmp(policy, "fifo") == 0 || strcmp(policy, "rr") == 0))
		return "QOS_USER_INTERACTIVE";
	if (policy && strcmp(policy, "idle") == 0)
		return "QOS_BACKGROUND";
	if (nice != NICE_NONE && nice < 0)
		return nice <= -4 ? "QOS_USER_INTERACTIVE" : "QOS_USER_INITIATED";
	if (nice > 0)
		return nice <= 10 ? "QOS_UTILITY" : "QOS_BACKGROUND";
	if (policy && strcmp(policy, "batch") == 0)
		return "QOS_UTILITY";
	return policy || nice != NICE_NONE ? "QOS_DEFAULT" : NULL;
}

static const char *class_of(struct ananicy *ananicy, const struct line *rule)
{
	const bool has_values = rule->policy || rule->nice != NICE_NONE;
	const struct line *type = NULL;

	for (size_t i = 0; rule->type && i < array_size(known_types); i++) {
		if (strcmp(rule->type, known_types[i].type) != 0)
			continue;
		if (known_types[i].qos && (has_values || rule->has_more))
			note(ananicy, NOTE_FIELD, rule, rule->name, rule->type);
		if (known_types[i].qos || !has_values)
			return known_types[i].qos;
	}
	for (size_t i = 0; rule->type && i < ananicy->types.count && !type; i++)
		type = strcmp(rule->type, ananicy->types.items[i].name) == 0 ? &ananicy->types.items[i] : NULL;
	if (rule->type && !type)
		note(ananicy, NOTE_TYPE, rule, rule->name, rule->type);
	return class_for_values(rule->policy || !type ? rule->policy : type->policy,
				rule->nice != NICE_NONE || !type ? rule->nice : type->nice);
}

static void choose(struct ananicy *ananicy)
{
	sort(ananicy, &ananicy->types);
	sort(ananicy, &ananicy->rules);
	for (size_t i = 0; i < ananicy->rules.count; i++) {
		struct line *rule = &ananicy->rules.items[i];
		const char *fault = name_fault(rule->name), *type = rule->type ? rule->type : "";

		if (fault) {
			note(ananicy, NOTE_NAME, rule, rule->name, fault);
			continue;
		}
		rule->qos = class_of(ananicy, rule);
		if (!rule->qos)
			note(ananicy, NOTE_NOTHING, rule, rule->name, type);
	}
}

/* ---- the result ---- */

static size_t count_imported(const struct ananicy *ananicy)
{
	size_t n = 0;

	for (size_t i = 0; i < ananicy->rules.count; i++)
		n += ananicy->rules.items[i].qos != NULL;
	return n;
}

/* A rule that yields gives nobody what he could not have: see config_lint(). */
static void put_rule(struct json_writer *json, const struct line *rule)
{
	char pattern[PATTERN_SIZE];

	put_pattern(rule->name, pattern);
	json_begin_in_line(json, pattern, '{');
	json_put_text(json, "qos", rule->qos);
	json_put_bool(json, "yield", true);
	json_end(json, '}');
}

static char *rules_text(const struct ananicy *ananicy)
{
	struct json_writer json = { 0 };

	text_buf_printf(&json.text, "// Made by `schedqos import ananicy`: change what it was made from, or override it in a later file.\n");
	json_begin(&json, NULL, '{');
	for (size_t i = 0; i < ananicy->rules.count; i++) {
		if (ananicy->rules.items[i].qos)
			put_rule(&json, &ananicy->rules.items[i]);
	}
	json_end(&json, '}');
	return json_take(&json);
}

static void put_notes(struct text_buf *text, const struct ananicy *ananicy, enum note kind)
{
	const size_t count = ananicy->notes[kind];

	if (!count)
		return;
	text_buf_printf(text, "%zu x %s\n%s", count, note_words[kind],
			ananicy->examples[kind].text ? ananicy->examples[kind].text : "");
	if (count > EXAMPLES_MAX)
		text_buf_printf(text, "    and %zu more\n", count - EXAMPLES_MAX);
}

static char *summary(const struct ananicy *ananicy)
{
	struct text_buf text = { 0 };

	text_buf_printf(&text, "%zu rule%s in %zu file%s, %zu of them imported\n", ananicy->n_read,
			ananicy->n_read == 1 ? "" : "s", ananicy->n_files, ananicy->n_files == 1 ? "" : "s",
			count_imported(ananicy));
	for (enum note kind = 0; kind < NOTE_COUNT; kind++)
		put_notes(&text, ananicy, kind);
	return text_buf_take(&text);
}

int ananicy_convert(struct ananicy *ananicy, char **ret, char **ret_summary)
{
	bool is_any;

	choose(ananicy);
	is_any = count_imported(ananicy) > 0;
	*ret_summary = summary(ananicy);
	*ret = is_any ? rules_text(ananicy) : NULL;
	return *ret_summary && (*ret || !is_any) ? 0 : -ENOMEM;
}
