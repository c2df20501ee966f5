/* SPDX-License-Identifier: GPL-2.0-only */
#include "show_diff.h"

#include <string.h>

#include "count_changes.h"

static void put_side(FILE *out, const char *sign, const struct config_item *item)
{
	fprintf(out, "%s %s %s: %s%s%s\n", sign, item->kind, item->name, item->text,
		*item->place ? "  # " : "", item->place);
}

static void put_change(void *context, enum config_change change, const struct config_item *before,
		       const struct config_item *after)
{
	FILE *out = context;

	(void)change;
	if (before)
		put_side(out, "-", before);
	if (after)
		put_side(out, "+", after);
}

static void put_tasks(FILE *out, const struct config_items *before, const struct config *after)
{
	size_t count;
	int r = count_changes(before, after, &count);

	if (r < 0)
		fprintf(out, "tasks: how many change class cannot be told (%s)\n", strerror(-r));
	else
		fprintf(out, "tasks: %zu of those that run change%s class\n", count,
			count == 1 ? "s" : "");
}

bool show_diff(FILE *out, const struct config_items *before, const struct config *after)
{
	struct config_items items;
	struct config_diff diff;
	size_t rules;

	if (config_items_of(after, &items) < 0) {
		fprintf(out, "out of memory\n");
		return true;
	}
	diff = config_diff(before, &items, put_change, out);
	config_items_clear(&items);
	rules = diff.rules[CONFIG_ADDED] + diff.rules[CONFIG_REMOVED] + diff.rules[CONFIG_CHANGED];
	if (!rules && !diff.others) {
		fprintf(out, "no difference\n");
		return false;
	}
	fprintf(out,
		"rules: %zu added, %zu removed, %zu changed; settings, classes and profiles: %zu "
		"changed\n",
		diff.rules[CONFIG_ADDED], diff.rules[CONFIG_REMOVED], diff.rules[CONFIG_CHANGED],
		diff.others);
	put_tasks(out, before, after);
	return true;
}
