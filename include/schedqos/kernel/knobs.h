/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own knobs: small files that root writes. No path leads out of its tree, whose folder is beneath a root
 * as in host.h. If that is /, and debugfs is not mounted there, it is mounted for ourselves alone, attached nowhere
 * (fsmount, since 5.2; needs CAP_SYS_ADMIN), and gone afterwards.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/util/terms.h>

/* Room for what a knob holds. */
#define KNOBS_VALUE_MAX 4096

/* The tree's folder. Static storage. */
const char *knobs_folder(enum knob_tree tree);

/*
 * What the knob holds, in the form in which it is written: of a choice, the one chosen; of debugfs' `features`,
 * which holds many words, the one that follows the file's name in the path ("features HRTICK") as it stands, WORD or
 * NO_WORD; else all of it, without spaces at its end. path is beneath the tree's folder. 0 or -errno: -ENOENT no such
 * knob, -EINVAL no such word, -EPERM kernel lockdown, -EXDEV a path that would lead out of the tree.
 */
int knobs_read(int root, enum knob_tree tree, const char *path, char buf[KNOBS_VALUE_MAX]);

/* Writes the value. 0 or -errno: the kernel's, or as above. */
int knobs_write(int root, enum knob_tree tree, const char *path, const char *value);

/* The parser behind knobs_read: text becomes the value, in place. Returns 0 or -EINVAL. */
int knobs_parse(enum knob_tree tree, const char *path, char *text);

/*
 * Whether two values are the same to the kernel: compared word by word, numbers and booleans by value. NULL is the same
 * as none.
 */
bool knobs_same(const char *a, const char *b);

/* Names, in byte order. */
struct knobs_names {
	char **items;
	size_t count;
};
void knobs_names_clear(struct knobs_names *names);

/* Appends the text and takes ownership of it; NULL: there was no memory for it. 0 or -ENOMEM. */
int knobs_names_add(struct knobs_names *names, char *text);

/* The cpufreq policies or block devices whose name matches the glob. 0 or -errno. */
int knobs_units(int root, enum knob_tree tree, const char *glob, struct knobs_names *ret);
