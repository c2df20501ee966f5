/* SPDX-License-Identifier: GPL-2.0-only */
/* The knobs that a sched profile sets, and their record: a JSON file in the runtime folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/util/terms.h>

/* One knob of the machine. Values have the form in which they are written to it. */
struct item {
	enum knob_tree tree;
	char *path; /* see knobs.h */

	/* Recorded until the knob is put back: */
	bool is_recorded;
	char *before; /* value before schedqos first wrote it */
	char *set;    /* value after we wrote it; NULL if a write was about to happen: then any value counts as ours */
	/* It could not be set when the profile changed, because the CPUs of its cpufreq policy were offline. */
	bool is_deferred;

	/* Used within one run: */
	const char *const *values; /* wanted values, written one after another; NULL: put `before` back */
	size_t n_values;
	const char *target; /* value that the knob should have; NULL: leave it alone */
	bool is_due;	    /* its value differs from the target, or it has to be put back */
	bool is_written;
	int error; /* the first error */
};

struct items {
	struct item *items;
	size_t count;
	char *profile; /* name of the applied profile, or NULL */
};

void items_clear(struct items *items);

/*
 * Returns the item of a knob, added if it did not exist; NULL if there is no memory. The pointer is valid until the
 * next item is added.
 */
struct item *items_find_or_add(struct items *items, enum knob_tree tree, const char *path);

/* Ends a run: removes items that are not recorded, and clears the fields of one run in the others. */
void items_end_run(struct items *items);

/* Frees *ret and replaces it by a copy of `text`, which may be NULL. Returns false if there is no memory. */
bool copy_text(const char *text, char **ret);

/* In the following functions, `folder` is a descriptor of the runtime folder. */

/*
 * Reads the record. Returns 0 and its items, which the caller clears, none if there is no file; -EBADMSG if the file is
 * corrupt or not in our format; -ESTALE if it is from another boot; -EPROTONOSUPPORT if another version wrote it; or an
 * error of state_file_open.
 */
int items_read(int folder, struct items *ret);

/*
 * Replaces the record atomically by the items that are recorded or about to be written; for the latter, any value will
 * count as ours. Removes the file if there is nothing to record. Returns 0 or -errno.
 */
int items_write(int folder, const struct items *items);

/* Parse `size` bytes of text followed by a NUL, and print. The caller frees the text; NULL if there is no memory. */
int items_parse(const char *text, size_t size, const char *boot_now, struct items *ret);
char *items_text(const struct items *items, const char *boot_now);
