/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's knobs: small files that root writes. Each tree of knobs has a folder below a root (see host.h), and no
 * path leads out of it. If the root is / and debugfs is not mounted there, each access mounts it for itself, attached
 * to no namespace (fsmount: since 5.2, needs CAP_SYS_ADMIN).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/util/terms.h>

/* Size of a buffer for a knob's value. */
#define KNOBS_VALUE_MAX 4096

/* Returns the path of the tree's folder, below the root. Static storage. */
const char *knobs_folder(enum knob_tree tree);

/*
 * Reads a knob's value in the form in which it is written. `path` is relative to the tree's folder.
 *	- For a choice, that is the chosen word.
 *	- For the `features` file of debugfs, which holds many words, `path` is "features WORD", and the value is WORD
 *	  or NO_WORD.
 *	- For any other knob, it is the whole text without trailing spaces.
 *
 * Returns 0 or -errno: -ENOENT if there is no such knob, -EINVAL if there is no such word, -EPERM under kernel
 * lockdown, -EXDEV if the path would lead out of the tree, -EMSGSIZE if the value is too long.
 */
int knobs_read(int root, enum knob_tree tree, const char *path, char buf[KNOBS_VALUE_MAX]);

/* Writes the value. Returns 0 or -errno: the kernel's, or as above. */
int knobs_write(int root, enum knob_tree tree, const char *path, const char *value);

/* Turns the text of a knob's file into the value, in place, as knobs_read does. Returns 0 or -EINVAL. */
int knobs_parse(enum knob_tree tree, const char *path, char *text);

/*
 * Returns whether two values mean the same to the kernel. Compares word by word, numbers and booleans by value. NULL
 * equals nothing, not even NULL.
 */
bool knobs_same(const char *a, const char *b);

/* A list of names. knobs_units sorts it in byte order. */
struct knobs_names {
	char **items;
	size_t count;
};
void knobs_names_clear(struct knobs_names *names);

/*
 * Appends the text and takes ownership of it, also on failure. NULL means that the caller had no memory for it. Returns
 * 0 or -ENOMEM.
 */
int knobs_names_add(struct knobs_names *names, char *text);

/* Lists the cpufreq policies or block devices with names that match the glob. Returns 0 or -errno. */
int knobs_units(int root, enum knob_tree tree, const char *glob, struct knobs_names *ret);
