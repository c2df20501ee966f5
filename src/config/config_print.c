/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the merged configuration as one rules file, and compares two configurations item by item. */
#include "config_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

char *config_print_profiles(const struct config *config)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	for (size_t i = 0; i < config->n_profiles; i++)
		put_profile(&json, config->profiles[i].name, &config->profiles[i]);
	json_end(&json, '}');
	return json_take(&json);
}

/*
 * Writes the rules of the last file first. Of equally good globs the one in the later file wins; within one file, the
 * one on the earlier line does.
 */
static void put_all_rules(struct json_writer *json, const struct rules *rules, const char *const *files)
{
	size_t end = rules->n_lists;

	while (end > 0) {
		size_t start = end - 1;
		unsigned file = rules->lists[start]->source.file;

		while (start > 0 && rules->lists[start - 1]->source.file == file)
			start--;
		for (size_t i = start; i < end; i++)
			put_rules(json, rules->lists[i]->pattern, rules->lists[i], files);
		end = start;
	}
}

char *config_print(const struct config *config, bool with_places)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	put_settings(&json, config);
	for (size_t i = 0; i < config->n_classes; i++)
		put_class(&json, config->classes[i].name, &config->classes[i]);
	put_all_rules(&json, config->rules, with_places ? config->files : NULL);
	json_end(&json, '}');
	return json_take(&json);
}

/* ---- differences; an item's text is made when it is compared ---- */

/* In the order of a file: settings first, rules last. */
enum item_kind {
	KIND_SETTING,
	KIND_CLASS,
	KIND_PROFILE,
	KIND_RULE,
};

static const char *const kind_names[] = { "setting", "class", "profile", "rule" };

struct config_item {
	enum item_kind kind;
	const char *name;
	const void *what;	     /* the key of a setting, or the class, profile or rule */
	const struct source *source; /* NULL for a setting */
};

static int compare_items(const void *va, const void *vb)
{
	const struct config_item *a = va, *b = vb;

	return a->kind != b->kind ? (int)a->kind - (int)b->kind : strcmp(a->name, b->name);
}

/* Returns all items, which the caller frees; NULL if there is no memory. */
static struct config_item *list(const struct config *config, size_t *ret_n)
{
	const size_t n = setting_keys.n + config->n_classes + config->n_profiles + config->rules->n_lists;
	struct config_item *all = calloc(n, sizeof(*all)), *item = all;

	if (!all)
		return NULL;
	for (const struct key *key = setting_keys.items; key < setting_keys.items + setting_keys.n; key++)
		*item++ = (struct config_item){ KIND_SETTING, key->name, key, NULL };
	for (const struct qos_class *class = config->classes; class < config->classes + config->n_classes; class ++)
		*item++ = (struct config_item){ KIND_CLASS, class->name, class, &class->source };
	for (const struct sched_profile *profile = config->profiles; profile < config->profiles + config->n_profiles;
	     profile++)
		*item++ = (struct config_item){ KIND_PROFILE, profile->name, profile, &profile->source };
	for (size_t i = 0; i < config->rules->n_lists; i++) {
		const struct rule *rule = config->rules->lists[i];

		*item++ = (struct config_item){ KIND_RULE, rule->pattern, rule, &rule->source };
	}
	*ret_n = n;
	qsort(all, n, sizeof(*all), compare_items);
	return all;
}

/* Returns the item's meaning on one line, "" for an absent setting or item, or NULL if there is no memory. */
static char *item_text(const struct config *config, const struct config_item *item)
{
	struct json_writer json = { .in_line = 1 };
	char *text;

	if (!item)
		return strdup("");
	switch (item->kind) {
	case KIND_SETTING:
		put_key(&json, item->what, NULL, config);
		break;
	case KIND_CLASS:
		put_class(&json, NULL, item->what);
		break;
	case KIND_PROFILE:
		put_profile(&json, NULL, item->what);
		break;
	case KIND_RULE:
		put_rules(&json, NULL, item->what, NULL);
		break;
	}
	text = json_take(&json);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static char *item_place(const struct config *config, const struct config_item *item)
{
	const struct rule *rule = item->kind == KIND_RULE ? item->what : NULL;

	if (rule && rule->from)
		return text_escape(rule->from, strlen(rule->from));
	return item->source && item->source->line ? config_place(config->files, item->source) : strdup("");
}

/* Reports one difference. `item` is the newer one and belongs to `config`. Returns 0 or -ENOMEM. */
static int note_change(const struct config *config, const struct config_item *item, const char *old, const char *new,
		       config_found *found, void *context, struct config_diff *diff)
{
	_cleanup_free_ char *name = text_escape(item->name, strlen(item->name)), *place = item_place(config, item);
	const struct config_change change = { kind_names[item->kind], name, old, new, place };

	if (!name || !place)
		return -ENOMEM;
	if (item->kind != KIND_RULE)
		diff->others++;
	else if (!*old)
		diff->added++;
	else if (!*new)
		diff->removed++;
	else
		diff->changed++;
	if (found)
		found(context, &change);
	return 0;
}

int config_diff(const struct config *before, const struct config *after, config_found *found, void *context,
		struct config_diff *ret)
{
	size_t n_old = 0, n_new = 0, a = 0, b = 0;
	_cleanup_free_ struct config_item *old = list(before, &n_old), *new = list(after, &n_new);
	int r = old && new ? 0 : -ENOMEM;

	*ret = (struct config_diff){ 0 };
	while (r == 0 && (a < n_old || b < n_new)) {
		const struct config_item *was = a < n_old ? &old[a] : NULL, *is = b < n_new ? &new[b] : NULL;
		const int order = was && is ? compare_items(was, is) : is ? 1 : -1;
		_cleanup_free_ char *was_text = item_text(before, order <= 0 ? was : NULL);
		_cleanup_free_ char *is_text = item_text(after, order >= 0 ? is : NULL);

		a += order <= 0;
		b += order >= 0;
		if (!was_text || !is_text)
			r = -ENOMEM;
		else if (strcmp(was_text, is_text) == 0)
			continue;
		else if (is && *is_text)
			r = note_change(after, is, was_text, is_text, found, context, ret);
		else if (was)
			r = note_change(before, was, was_text, is_text, found, context, ret);
	}
	return r;
}
