/* SPDX-License-Identifier: GPL-2.0-only */
/* In what two configurations differ, item by item; an item's text is made when it is compared. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

#include "config_private.h"

/* Settings first and rules last, as in a file. */
enum kind {
	KIND_SETTING,
	KIND_CLASS,
	KIND_PROFILE,
	KIND_RULE,
};

static const char *const kind_names[] = { "setting", "class", "profile", "rule" };

struct item {
	enum kind kind;
	const char *name;
	size_t number;	    /* of a setting */
	const void *what;   /* the class, profile or rule */
	const struct source *source;
};

struct items {
	const struct config *config;
	struct item *all;
	size_t count;
};

static int compare(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	return a->kind != b->kind ? (int)a->kind - (int)b->kind : strcmp(a->name, b->name);
}

static int add(struct items *items, const struct item *item)
{
	struct item *all = array_room(items->all, items->count, sizeof(*all));

	if (!all)
		return -ENOMEM;
	items->all = all;
	all[items->count++] = *item;
	return 0;
}

/* 0 or -ENOMEM; the caller frees all. */
static int list(const struct config *config, struct items *ret)
{
	const struct rule *rule;
	const char *name;
	int r = 0;

	*ret = (struct items){ .config = config };
	for (size_t i = 0; r == 0 && (name = config_print_setting(NULL, config, i)); i++)
		r = add(ret, &(struct item){ KIND_SETTING, name, i, NULL, NULL });
	for (size_t i = 0; r == 0 && i < config->n_classes; i++) {
		const struct qos_class *class = &config->classes[i];

		r = add(ret, &(struct item){ KIND_CLASS, class->name, i, class, &class->source });
	}
	for (size_t i = 0; r == 0 && i < config->n_profiles; i++) {
		const struct sched_profile *profile = &config->profiles[i];

		r = add(ret, &(struct item){ KIND_PROFILE, profile->name, i, profile, &profile->source });
	}
	for (size_t i = 0; r == 0 && (rule = rules_nth(config->rules, i)); i++)
		r = add(ret, &(struct item){ KIND_RULE, rule->pattern, i, rule, &rule->source });
	if (r == 0 && ret->count)
		qsort(ret->all, ret->count, sizeof(*ret->all), compare);
	return r;
}

/* On one line, "" for a setting that is not given, and for no item; NULL without memory. It depends on nothing but what the item says. */
static char *text_of(const struct config *config, const struct item *item)
{
	struct json_writer json = { .in_line = 1 };
	char *text;

	if (!item)
		return strdup("");
	switch (item->kind) {
	case KIND_SETTING:
		config_print_setting(&json, config, item->number);
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

static char *place_of(const struct config *config, const struct item *item)
{
	const struct rule *rule = item->kind == KIND_RULE ? item->what : NULL;

	if (rule && rule->from)
		return text_escape(rule->from, strlen(rule->from));
	return item->source && item->source->line ? config_place(config->files, item->source) : strdup("");
}

/* item: what is there last, in config. 0 or -ENOMEM. */
static int note(const struct config *config, const struct item *item, const char *old, const char *new, config_found *found,
		void *context, struct config_diff *diff)
{
	_cleanup_free_ char *name = text_escape(item->name, strlen(item->name)), *place = place_of(config, item);
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

static int compare_items(const struct items *before, const struct items *after, config_found *found, void *context,
			 struct config_diff *ret)
{
	size_t a = 0, b = 0;
	int r = 0;

	while (r == 0 && (a < before->count || b < after->count)) {
		const struct item *was = a < before->count ? &before->all[a] : NULL;
		const struct item *is = b < after->count ? &after->all[b] : NULL;
		const int order = was && is ? compare(was, is) : is ? 1 : -1;
		_cleanup_free_ char *old = text_of(before->config, order <= 0 ? was : NULL);
		_cleanup_free_ char *new = text_of(after->config, order >= 0 ? is : NULL);

		a += order <= 0;
		b += order >= 0;
		if (!old || !new)
			return -ENOMEM;
		if (strcmp(old, new) == 0)
			continue;
		if (is && *new)
			r = note(after->config, is, old, new, found, context, ret);
		else if (was)
			r = note(before->config, was, old, new, found, context, ret);
	}
	return r;
}

int config_diff(const struct config *before, const struct config *after, config_found *found, void *context,
		struct config_diff *ret)
{
	struct items old, new = { 0 };
	int r = list(before, &old);

	*ret = (struct config_diff){ 0 };
	if (r == 0)
		r = list(after, &new);
	if (r == 0)
		r = compare_items(&old, &new, found, context, ret);
	free(old.all);
	free(new.all);
	return r;
}
