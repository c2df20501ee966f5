/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/config/config_diff.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

#include "config_private.h"

static void item_clear(struct config_item *item)
{
	free(item->kind);
	free(item->name);
	free(item->text);
	free(item->place);
}

void config_items_clear(struct config_items *items)
{
	for (size_t i = 0; i < items->count; i++)
		item_clear(&items->items[i]);
	free(items->items);
	*items = (struct config_items){ 0 };
}

/* Takes over the item's strings, whatever it returns. */
static int add(struct config_items *items, struct config_item *item)
{
	bool is_whole = item->kind && item->name && item->text && item->place;

	if (is_whole && items->count == items->size) {
		size_t size = items->size ? items->size * 2 : 64;
		struct config_item *more = reallocarray(items->items, size, sizeof(*more));

		is_whole = more;
		if (more) {
			items->items = more;
			items->size = size;
		}
	}
	if (!is_whole) {
		item_clear(item);
		return -ENOMEM;
	}
	items->items[items->count++] = *item;
	return 0;
}

int config_items_add(struct config_items *items, const char *kind, const char *name,
		     const char *text, const char *place)
{
	struct config_item item = { strdup(kind), strdup(name), strdup(text), strdup(place) };

	return add(items, &item);
}

/* Structure alone holds raw newlines, as those in strings are escaped. NULL stays NULL. */
static char *on_one_line(char *json)
{
	char *to = json;

	for (const char *from = json; from && *from; from++) {
		if (*from == '\n' && from[1] && to > json)
			*to++ = ' ';
		else if (*from != '\n' && *from != '\t')
			*to++ = *from;
	}
	if (to)
		*to = '\0';
	return json;
}

/* Empties json. source: NULL for a setting. */
static int take(struct config_items *items, struct json_writer *json, const struct config *config,
		const char *kind, const char *name, const struct source *source)
{
	struct config_item item = {
		.kind = strdup(kind),
		.name = text_escape(name, strlen(name)),
		.text = on_one_line(json_take(json)),
		.place = source && source->line ? config_place(config->files, source) : strdup(""),
	};

	return add(items, &item);
}

static int add_settings(struct config_items *items, const struct config *config)
{
	const char *name;
	int r = 0;

	for (size_t i = 0; r == 0 && (name = config_print_setting(NULL, config, i)); i++) {
		struct json_writer json = { 0 };

		config_print_setting(&json, config, i);
		/* One that is not given says nothing. */
		if (json.text.len)
			r = take(items, &json, config, "setting", name, NULL);
	}
	return r;
}

static int add_classes(struct config_items *items, const struct config *config)
{
	int r = 0;

	for (size_t i = 0; i < config->n_classes && r == 0; i++) {
		struct json_writer json = { 0 };

		config_print_class(&json, NULL, &config->classes[i]);
		r = take(items, &json, config, "class", config->classes[i].name,
			 &config->classes[i].source);
	}
	return r;
}

static int add_profiles(struct config_items *items, const struct config *config)
{
	int r = 0;

	for (size_t i = 0; i < config->n_profiles && r == 0; i++) {
		struct json_writer json = { 0 };

		config_print_profile(&json, &config->profiles[i]);
		r = take(items, &json, config, "profile", config->profiles[i].name,
			 &config->profiles[i].source);
	}
	return r;
}

static int add_rules(struct config_items *items, const struct config *config)
{
	const struct rule *list;
	int r = 0;

	for (size_t i = 0; r == 0 && (list = rules_nth(config->rules, i)); i++) {
		struct json_writer json = { 0 };

		config_print_rules(&json, NULL, list);
		r = take(items, &json, config, "rule", list->pattern, &list->source);
	}
	return r;
}

/* Settings first and rules last, as in a file. */
static int rank(const struct config_item *item)
{
	static const char *const kinds[] = { "setting", "class", "profile", "rule" };
	int i = 0;

	while (i < (int)array_size(kinds) && strcmp(kinds[i], item->kind) != 0)
		i++;
	return i;
}

static int compare(const void *va, const void *vb)
{
	const struct config_item *a = va, *b = vb;
	int order = rank(a) - rank(b);

	return order ? order : strcmp(a->name, b->name);
}

int config_items_of(const struct config *config, struct config_items *ret)
{
	struct config_items items = { 0 };
	int r = add_settings(&items, config);

	if (r == 0)
		r = add_classes(&items, config);
	if (r == 0)
		r = add_profiles(&items, config);
	if (r == 0)
		r = add_rules(&items, config);
	if (r < 0) {
		config_items_clear(&items);
		return r;
	}
	if (items.count)
		qsort(items.items, items.count, sizeof(*items.items), compare);
	*ret = items;
	return 0;
}

static void count(struct config_diff *diff, enum config_change change,
		  const struct config_item *item)
{
	if (item && strcmp(item->kind, "rule") == 0)
		diff->rules[change]++;
	else
		diff->others++;
}

struct config_diff config_diff(const struct config_items *before, const struct config_items *after,
			       void (*found)(void *context, enum config_change change,
					     const struct config_item *before,
					     const struct config_item *after),
			       void *context)
{
	struct config_diff diff = { 0 };
	size_t a = 0, b = 0;

	while (a < before->count || b < after->count) {
		const struct config_item *was = a < before->count ? &before->items[a] : NULL;
		const struct config_item *is = b < after->count ? &after->items[b] : NULL;
		int order = was && is ? compare(was, is) : is ? 1 : -1;
		enum config_change change = order > 0	? CONFIG_ADDED
					    : order < 0 ? CONFIG_REMOVED
							: CONFIG_CHANGED;

		a += order <= 0;
		b += order >= 0;
		if (was && is && order == 0 && strcmp(was->text, is->text) == 0)
			continue;
		count(&diff, change, order > 0 ? is : was);
		if (found)
			found(context, change, order > 0 ? NULL : was, order < 0 ? NULL : is);
	}
	return diff;
}
