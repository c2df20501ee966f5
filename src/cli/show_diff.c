/* SPDX-License-Identifier: GPL-2.0-only */
#include "show_diff.h"

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

bool show_diff(FILE *out, const struct config_items *before, const struct config_items *after)
{
	struct config_diff diff = config_diff(before, after, put_change, out);
	size_t rules =
		diff.rules[CONFIG_ADDED] + diff.rules[CONFIG_REMOVED] + diff.rules[CONFIG_CHANGED];

	if (!rules && !diff.others) {
		fprintf(out, "no difference\n");
		return false;
	}
	fprintf(out,
		"rules: %zu added, %zu removed, %zu changed; settings, classes and profiles: %zu "
		"changed\n",
		diff.rules[CONFIG_ADDED], diff.rules[CONFIG_REMOVED], diff.rules[CONFIG_CHANGED],
		diff.others);
	return true;
}
