/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a configuration says, item by item, and in what two of them differ. An item's text depends
 * on nothing but what it says, so that texts can be compared across processes. All texts are
 * escaped: safe for a terminal and D-Bus.
 */
#pragma once

#include <stddef.h>

#include <schedqos/config/config_text.h>

struct config_item {
	char *kind;  /* "setting", "class", "profile" or "rule" (a pattern's whole list) */
	char *name;  /* with the kind it identifies the item */
	char *text;  /* JSON on one line */
	char *place; /* "FILE:LINE:COLUMN" of where it was last defined; "" if it is built in or a
			setting */
};

/* Starts as all zeroes. Sorted by kind and name. */
struct config_items {
	struct config_item *items;
	size_t count;
	size_t size; /* private: room in items */
};

/* Lists everything in force. 0, or -ENOMEM with an empty list. */
int config_items_of(const struct config *config, struct config_items *ret);

/* Copies an item to the end of a list that somebody else made; they have to come sorted. 0 or
 * -ENOMEM. */
int config_items_add(struct config_items *items, const char *kind, const char *name,
		     const char *text, const char *place);
void config_items_clear(struct config_items *items);

enum config_change {
	CONFIG_ADDED,	/* before is NULL */
	CONFIG_REMOVED, /* after is NULL */
	CONFIG_CHANGED,
};

/* In how many items two lists differ. */
struct config_diff {
	size_t rules[CONFIG_CHANGED + 1]; /* by enum config_change */
	size_t others;			  /* settings, classes and profiles, whatever the change */
};

/*
 * Compares two lists. found, if not NULL, is called for each difference in the order of the lists;
 * the places of two items do not count.
 */
struct config_diff config_diff(const struct config_items *before, const struct config_items *after,
			       void (*found)(void *context, enum config_change change,
					     const struct config_item *before,
					     const struct config_item *after),
			       void *context);

struct config_texts {
	struct config_file *files;
	size_t count;
};

/*
 * The items as rules files that parse to a configuration with the same classes, rules and what else
 * decides on the class of a task; but of equally good globs another may win. 0 or -ENOMEM.
 */
int config_items_texts(const struct config_items *items, struct config_texts *ret);
void config_texts_clear(struct config_texts *texts);
