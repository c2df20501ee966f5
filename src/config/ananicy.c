/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads ananicy's files line by line and assigns each rule a class, by its type or else by its values. */
#include <schedqos/config/config_text.h>

#include <errno.h>
#include <search.h>
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

/* The longest name that a file can have. */
#define NAME_BYTES   255
#define PATTERN_SIZE (3 * NAME_BYTES + 1)

/* ---- names of programs, compared byte by byte with a program's name, whatever they consist of ---- */

/* Returns whether a program can have this name. Process names are compared after the last slash or backslash. */
static bool is_name(const char *name)
{
	size_t len = strlen(name);
	bool good = len > 0 && len <= NAME_BYTES && !strpbrk(name, "/\\");

	for (size_t n; good && len; name += n, len -= n) {
		n = text_utf8_length(name, len);
		good = n > 0;
	}
	return good;
}

/*
 * Writes a pattern of at most PATTERN_SIZE bytes that matches exactly this name, for which is_name() holds. A special
 * character is put into brackets. A space at the end is, too: it would work without, but a reader would miss it.
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

/* One line of ananicy's files: a rule or a type. */
struct line {
	const char *name; /* of the rule or type; points into the object */
	cJSON *object;
	const char *path; /* file and line */
	unsigned number;
};

struct ananicy {
	struct arena *memory;
	void *rules, *types; /* trees of tsearch(3), by name; each holds the line read last */
	size_t n_files, n_read, n_imported; /* n_read: all rules, including those left out */
	struct text_buf notes;
	struct json_writer json;
};

int ananicy_new(struct ananicy **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

static void clear_line(void *line)
{
	cJSON_Delete(((struct line *)line)->object);
}

void ananicy_free(struct ananicy *ananicy)
{
	if (!ananicy)
		return;
	free(ananicy->notes.text);
	free(ananicy->json.text.text);
	tdestroy(ananicy->rules, clear_line);
	tdestroy(ananicy->types, clear_line);
	arena_free(ananicy->memory);
	free(ananicy);
}

/* Notes a problem of the line or of its field `text`, which comes from the file and may be "". */
static void note_line(struct ananicy *ananicy, const struct line *line, const char *text, const char *what)
{
	char path[256], shown[256];

	text_escape_to(path, sizeof(path), line->path, strlen(line->path));
	text_escape_to(shown, sizeof(shown), text, strlen(text));
	text_buf_printf(&ananicy->notes, "%s:%u: %s%s%s\n", path, line->number, shown, *text ? ": " : "", what);
}

/* ---- the fields of a line ---- */

/* Returns the text of a field, or NULL if it is missing or not a text. */
static const char *field_text(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* Returns the first letter of ananicy's word for a policy, or 0 if it is missing or unknown. */
static char policy_of(const cJSON *object)
{
	static const char *const policies[] = { "normal", "other", "batch", "idle", "fifo", "rr" };
	const char *word = field_text(object, "sched");

	for (size_t i = 0; word && i < array_size(policies); i++) {
		if (strcmp(word, policies[i]) == 0)
			return *word;
	}
	return 0;
}

#define NICE_NONE INT8_MIN

/* Returns the nice value, or NICE_NONE if it is missing or out of range. */
static int nice_of(const cJSON *object)
{
	const cJSON *nice = cJSON_GetObjectItemCaseSensitive(object, "nice");

	return cJSON_IsNumber(nice) && nice->valuedouble >= -20 && nice->valuedouble <= 19 ? (int)nice->valuedouble
											   : NICE_NONE;
}

static bool is_taken_over(const cJSON *object, const char *field)
{
	if (strcmp(field, "sched") == 0)
		return policy_of(object);
	if (strcmp(field, "nice") == 0)
		return nice_of(object) != NICE_NONE;
	return strcmp(field, "name") == 0 || strcmp(field, "type") == 0;
}

/* ---- reading ---- */

static int compare_line_names(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->name, ((const struct line *)b)->name);
}

/*
 * Stores the line over an earlier one of the same name, and takes ownership of its object in any case. Returns 0 or
 * -ENOMEM.
 */
static int add_line_to(struct ananicy *ananicy, void **lines, const struct line *line)
{
	struct line *copy = arena_alloc(&ananicy->memory, sizeof(*copy)), **found;

	if (copy)
		*copy = *line;
	found = copy ? tsearch(copy, lines, compare_line_names) : NULL;
	if (!found) {
		cJSON_Delete(line->object);
		return -ENOMEM;
	}
	if (*found != copy)
		clear_line(*found);
	*found = copy;
	return 0;
}

/* Sorts the line's object into rules or types, and takes ownership of it. Returns 0 or -ENOMEM. */
static int take_object(struct ananicy *ananicy, struct line *line)
{
	const char *name = field_text(line->object, "name"), *type = field_text(line->object, "type");
	const cJSON *item;

	ananicy->n_read += name != NULL;
	if (name ? !is_name(name) : !type || !*type) {
		note_line(ananicy, line, name ? name : "",
			  name ? "left out: no program can have this name" : "left out: neither a name nor a type");
		cJSON_Delete(line->object);
		return 0;
	}
	line->name = name ? name : type;
	cJSON_ArrayForEach (item, line->object) {
		if (!is_taken_over(line->object, item->string))
			note_line(ananicy, line, item->string, "left out: not supported, or no valid value");
	}
	return add_line_to(ananicy, name ? &ananicy->rules : &ananicy->types, line);
}

static int read_line(struct ananicy *ananicy, const char *text, const char *end, struct line line)
{
	const char *open;

	while (text < end && strchr(" \t\r", *text) && *text)
		text++;
	if (text == end || *text == '#')
		return 0;
	/* cJSON's texts end at a NUL, so the name would be that of another program. */
	if (memchr(text, '\0', end - text) || memmem(text, end - text, "\\u0000", 6)) {
		note_line(ananicy, &line, "", "left out: a name has no NUL");
		return 0;
	}
	open = memchr(text, '{', end - text);
	line.object = open ? cJSON_ParseWithLength(open, end - open) : NULL;
	if (line.object)
		return take_object(ananicy, &line);
	note_line(ananicy, &line, "", "left out: no JSON object");
	return 0;
}

int ananicy_read(struct ananicy *ananicy, const char *path, const char *text, size_t size)
{
	struct line place = { .path = arena_text(&ananicy->memory, path, strlen(path)) };
	const char *end = text + size;
	int r = place.path ? 0 : -ENOMEM;

	ananicy->n_files++;
	while (r == 0 && text < end) {
		const char *newline = memchr(text, '\n', end - text), *stop = newline ? newline : end;

		place.number++;
		r = read_line(ananicy, text, stop, place);
		text = stop + 1;
	}
	return r;
}

/* ---- choosing ---- */

/* The types of ananicy and of CachyOS; schedqos-import(7) lists the same. */
static const struct {
	const char *type, *qos; /* NULL: the type has nothing to do with scheduling */
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

/* Returns the class for these values, or NULL if no class corresponds to them. */
static const char *class_for_values(char policy, int nice)
{
	if (policy == 'f' || policy == 'r')
		return "QOS_USER_INTERACTIVE";
	if (policy == 'i')
		return "QOS_BACKGROUND";
	if (nice != NICE_NONE && nice < 0)
		return nice <= -4 ? "QOS_USER_INTERACTIVE" : "QOS_USER_INITIATED";
	if (nice > 0)
		return nice <= 10 ? "QOS_UTILITY" : "QOS_BACKGROUND";
	if (policy == 'b')
		return "QOS_UTILITY";
	return policy || nice != NICE_NONE ? "QOS_DEFAULT" : NULL;
}

/* Returns a rule's class. A rule's own values come before its type, if the type is one of the user's own. */
static const char *class_of_rule(const struct ananicy *ananicy, const struct line *rule)
{
	const struct line own = { .name = field_text(rule->object, "type") };
	struct line *const *type = own.name ? tfind(&own, &ananicy->types, compare_line_names) : NULL;
	const cJSON *below = type ? (*type)->object : NULL;
	const char policy = policy_of(rule->object);
	const int nice = nice_of(rule->object);

	for (size_t i = 0; own.name && i < array_size(known_types); i++) {
		if (strcmp(own.name, known_types[i].type) == 0 &&
		    (known_types[i].qos || (!policy && nice == NICE_NONE)))
			return known_types[i].qos;
	}
	return class_for_values(policy ? policy : policy_of(below), nice != NICE_NONE ? nice : nice_of(below));
}

/* ---- the result ---- */

/* Writes the rule with "yield", so that it gives nobody a privilege: see config_lint(). */
static void put_imported_rule(struct ananicy *ananicy, const struct line *rule)
{
	const char *qos = class_of_rule(ananicy, rule);
	struct json_writer *json = &ananicy->json;
	char pattern[PATTERN_SIZE];

	if (!qos) {
		note_line(ananicy, rule, rule->name, "left out: no class for its type or values");
		return;
	}
	ananicy->n_imported++;
	put_pattern(rule->name, pattern);
	json_begin_in_line(json, pattern, '{');
	json_put_text(json, "qos", qos);
	json_put_bool(json, "yield", true);
	json_end(json, '}');
}

/* Callback of twalk_r(3), which visits each node once as one of these two kinds, in order. */
static void visit(const void *node, VISIT which, void *ananicy)
{
	if (which == postorder || which == leaf)
		put_imported_rule(ananicy, *(struct line *const *)node);
}

int ananicy_convert(struct ananicy *ananicy, char **ret, char **ret_summary)
{
	text_buf_printf(
		&ananicy->json.text,
		"// Made by `schedqos import ananicy`: change what it was made from, or override it in a later file.\n");
	json_begin(&ananicy->json, NULL, '{');
	twalk_r(ananicy->rules, visit, ananicy);
	json_end(&ananicy->json, '}');
	text_buf_printf(&ananicy->notes, "%zu rule%s in %zu file%s, %zu of them imported\n", ananicy->n_read,
			ananicy->n_read == 1 ? "" : "s", ananicy->n_files, ananicy->n_files == 1 ? "" : "s",
			ananicy->n_imported);
	*ret = ananicy->n_imported ? json_take(&ananicy->json) : NULL;
	*ret_summary = text_buf_take(&ananicy->notes);
	return *ret_summary && (*ret || !ananicy->n_imported) ? 0 : -ENOMEM;
}
