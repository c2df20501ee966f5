/* SPDX-License-Identifier: GPL-2.0-only */
#include "config_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define NAMES_SHOWN 16

/* ---- the path of a place: chrome.thread_qos["a b"][0] ---- */

static void put_path_key(struct text_buf *path, const char *key)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-";

	if (!*key || key[strspn(key, plain)])
		text_buf_printf(path, "[\"%s\"]", key);
	else
		text_buf_printf(path, "%s%s", path->len ? "." : "", key);
}

static void put_path(const struct json_node *node, struct text_buf *path)
{
	if (!node->parent)
		return;
	put_path(node->parent, path);
	if (node->key) {
		put_path_key(path, node->key);
		return;
	}
	text_buf_printf(path, "[%u]", node->index);
}

char *json_path(const struct json_node *node)
{
	struct text_buf path = { 0 };

	put_path(node, &path);
	return text_buf_take(&path);
}

/* ---- errors ---- */

/* Adds an error; `order` is the index of the file. Returns false if it could not be stored. */
__attribute__((format(printf, 7, 0))) static bool add(struct config_errors *errors, const char *file, size_t order,
						      struct json_position position, const char *path, bool warning,
						      const char *format, va_list args)
{
	struct config_error *items = array_room(errors->items, errors->count, sizeof(*items));
	_cleanup_free_ char *message = NULL, *raw = NULL;
	struct text_buf text = { 0 };
	char *line;

	/* Count it even if it cannot be stored: a lack of memory must not make a bad configuration pass. */
	errors->n_errors += !warning;
	if (items)
		errors->items = items;
	if (vasprintf(&message, format, args) < 0)
		message = NULL;
	text_buf_printf(&text, "%s:", file);
	if (position.line)
		text_buf_printf(&text, "%u:%u:", position.line, position.column);
	if (path && *path)
		text_buf_printf(&text, " %s:", path);
	text_buf_printf(&text, " %s%s", warning ? "warning: " : "", message ? message : "");
	raw = text_buf_take(&text);
	line = raw ? text_escape(raw, strlen(raw)) : NULL;
	if (!items || !path || !message || !line) {
		free(line);
		return false;
	}
	items[errors->count++] = (struct config_error){ line, position.line, position.column, warning, order };
	return true;
}

void config_error_add(struct config_errors *errors, const char *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(errors, file, 0, (struct json_position){ 0 }, "", false, format, args);
	va_end(args);
}

int config_warn(const struct config *config, struct config_errors *errors, const struct source *at, const char *path,
		const char *format, ...)
{
	va_list args;
	bool added;

	va_start(args, format);
	added = add(errors, config->files[at->file], at->file, (struct json_position){ at->line, at->column }, path,
		    true, format, args);
	va_end(args);
	return added ? 0 : -ENOMEM;
}

void config_errors_clear(struct config_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++)
		free(errors->items[i].text);
	free(errors->items);
	*errors = (struct config_errors){ 0 };
}

static int compare_errors(const void *va, const void *vb)
{
	const struct config_error *a = va, *b = vb;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return strcmp(a->text, b->text);
}

void config_errors_sort(struct config_errors *errors, size_t n)
{
	if (errors->count > n)
		qsort(errors->items + n, errors->count - n, sizeof(*errors->items), compare_errors);
}

void complain(struct parser *parser, const struct json_node *node, unsigned what, const char *format, ...)
{
	_cleanup_free_ char *path = json_path(node);
	va_list args;

	va_start(args, format);
	if (!add(parser->errors, parser->config->files[parser->file], parser->file,
		 what & AT_KEY ? node->key_at : node->at, path, what & WARNING, format, args))
		parser->no_memory = true;
	va_end(args);
}

static const char *name_at(struct valid_names names, size_t i)
{
	return *(const char *const *)((const char *)names.items + i * names.size);
}

char *names_to_choose(struct parser *parser, struct valid_names names)
{
	struct text_buf text = { 0 };
	char *taken;

	/* A long list of names helps nobody. */
	for (size_t i = 0; i < names.n && names.n <= NAMES_SHOWN; i++)
		text_buf_printf(&text, "%s%s",
				i == 0		  ? ": must be "
				: i + 1 < names.n ? ", "
						  : " or ",
				name_at(names, i));
	taken = text_buf_take(&text);
	parser->no_memory |= !taken;
	return taken;
}

/* Returns the name that was probably meant, or NULL. */
static const char *closest(struct valid_names names, const char *word)
{
	struct suggestion near = { .word = word };

	for (size_t i = 0; i < names.n; i++)
		suggest_offer(&near, name_at(names, i));
	return near.best;
}

void complain_unknown(struct parser *parser, const struct json_node *node, enum complaint where, const char *kind,
		      const char *word, struct valid_names names, const char *otherwise)
{
	_cleanup_free_ char *all = otherwise ? NULL : names_to_choose(parser, names);
	const char *near = closest(names, word);

	if (near)
		complain(parser, node, where, "unknown %s \"%s\" (did you mean \"%s\"?)", kind, word, near);
	else
		complain(parser, node, where, "unknown %s \"%s\"%s", kind, word,
			 otherwise ? otherwise
			 : all	   ? all
				   : "");
}

/* ---- words for users ---- */

char *config_place(const char *const *files, const struct source *source)
{
	_cleanup_free_ char *file = text_escape(files[source->file], strlen(files[source->file]));
	char *place;

	if (!file || asprintf(&place, "%s:%u:%u", file, (unsigned)source->line, (unsigned)source->column) < 0)
		return NULL;
	return place;
}

char *config_mapping_place(const struct config *config)
{
	const struct source *source = &config->settings.mapping_source;

	if (!config->settings.mapping_is_named)
		return strdup("built in");
	return source->line ? config_place(config->files, source) : strdup(config->files[source->file]);
}

char *config_path_of(const struct config *config, const struct rule *rule, const struct thread_rule *thread)
{
	struct text_buf path = { 0 };
	uint32_t index = 0;

	/* The rules of one list have consecutive numbers. */
	for (uint32_t id = rule->id;
	     id > 1 && rules_by_id(config->rules, id - 1)->next == rules_by_id(config->rules, id); id--)
		index++;
	put_path_key(&path, rule->pattern);
	if (index || rule->next)
		text_buf_printf(&path, "[%u]", index);
	if (thread) {
		put_path_key(&path, "thread_qos");
		put_path_key(&path, thread->pattern);
	}
	return text_buf_take(&path);
}

static char *words_unknown(const char *kind, struct valid_names names, const char *name)
{
	const char *near = closest(names, name);
	_cleanup_free_ char *raw = NULL;
	struct text_buf text = { 0 };

	/* The name may have been a million letters long. */
	text_buf_printf(&text, "no %s \"%.200s\"", kind, name);
	if (near)
		text_buf_printf(&text, " (did you mean \"%s\"?)", near);
	for (size_t i = 0; i < names.n; i++)
		text_buf_printf(&text, "%s%s", i ? ", " : ": there are ", name_at(names, i));
	raw = text_buf_take(&text);
	return raw ? text_escape(raw, strlen(raw)) : NULL;
}

char *class_words_unknown(const struct config *config, const char *name)
{
	return words_unknown("class", NAMES(config->classes, config->n_classes), name);
}

char *profile_words_unknown(const struct config *config, const char *name)
{
	return words_unknown("sched profile", NAMES(config->profiles, config->n_profiles), name);
}
