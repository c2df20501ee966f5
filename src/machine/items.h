/* SPDX-License-Identifier: GPL-2.0-only */
/* The knobs that a sched profile sees to, and their record: a JSON file in the runtime folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/util/terms.h>

/* A knob of the machine. Values are in the form in which they are written. */
struct item {
	enum knob_tree tree;
	char *path; /* as in knobs.h */

	/* As long as it is on record, that is to be put back: */
	bool is_recorded;
	char *before; /* what it held before us */
	char *set;    /* what it held after us; NULL: it was about to be written, and whatever it holds now is ours */

	/* In one run: */
	const char *const *values; /* wanted, written one after another; NULL: what it held before us */
	size_t n_values;
	const char *target; /* what it is to hold; NULL: nothing is to be done */
	bool is_due;	    /* it does not hold that, or is to be put back */
	bool is_written;
	int error; /* the first */
};

struct items {
	struct item *items;
	size_t count;
	char *profile; /* name of the one applied, or NULL */
};

void items_clear(struct items *items);

/* The one item of a knob. The pointer is valid until the next is added. NULL without memory. */
struct item *items_find_or_add(struct items *items, enum knob_tree tree, const char *path);

/* Drops those that are not on record, and of the others what is of one run. */
void items_end_run(struct items *items);

/* Frees *ret and replaces it by a copy; the copy of NULL is NULL. False without memory. */
bool copy_text(const char *text, char **ret);

/* folder: a descriptor of the runtime folder. */

/*
 * Returns 0 and those on record, to be cleared, none if there is no file; -EBADMSG for a file that is torn or not of
 * this format, -ESTALE for one of another boot, -EPROTONOSUPPORT for one of another version; or as state_file_open.
 */
int items_read(int folder, struct items *ret);

/*
 * Replaces the file atomically by those on record or due, for which whatever they hold then is ours. Removes it when
 * there is nothing to record. 0 or -errno.
 */
int items_write(int folder, const struct items *items);

/* The parser, for size bytes of text followed by a NUL, and the printer (to be freed; NULL without memory). */
int items_parse(const char *text, size_t size, const char *boot_now, struct items *ret);
char *items_text(const struct items *items, const char *boot_now);
