/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own knobs: small files that root writes. They are reached through the directory descriptor of their
 * tree, and no path leads out of it: no "..", no symbolic link, no other file system mounted over a part of it.
 */
#pragma once

#include <limits.h>
#include <stddef.h>

#include <schedqos/util/knob_tree.h>

/* In place of a descriptor: not opened yet, since it has not been needed. */
#define KNOBS_UNOPENED INT_MIN

struct knobs {
	int tree[KNOB_TREES]; /* directory descriptor, KNOBS_UNOPENED, or the -errno that opening gave */
};

/* Room for what a knob holds, and for its whole path. */
#define KNOBS_VALUE_MAX 4096
#define KNOBS_PATH_MAX	512

/*
 * The machine's own trees, each opened when it is first needed. debugfs that is not mounted at /sys/kernel/debug is
 * mounted for ourselves alone, attached nowhere (fsmount, since 5.2; needs CAP_SYS_ADMIN), and gone with knobs_close.
 * A test puts in descriptors of its own folders.
 */
void knobs_init(struct knobs *knobs);
void knobs_close(struct knobs *knobs);

/* 0, or the -errno for which the whole tree is unavailable: -ENOENT if this kernel has none. */
int knobs_open(struct knobs *knobs, enum knob_tree tree);

/* The tree's usual folder, for people: "/sys/block". Static storage. */
const char *knobs_folder(enum knob_tree tree);

/* The knob's path beneath that folder, for people: "vda/queue/scheduler". Returns buf. */
const char *knobs_name(enum knob_tree tree, const char *path, char buf[KNOBS_PATH_MAX]);

/*
 * What the knob holds, in the form in which it is written: of a choice, the one chosen; of debugfs' `features`,
 * which holds many words, the named one as it stands, WORD or NO_WORD (word is NULL for any other file); else all
 * of it, without spaces at its end. 0 or -errno: -ENOENT no such knob, -EINVAL no such word, -EPERM kernel
 * lockdown, -ELOOP, -ENOTDIR and -EXDEV for a path that would leave the tree.
 */
int knobs_read(struct knobs *knobs, enum knob_tree tree, const char *path, const char *word,
	       char buf[KNOBS_VALUE_MAX]);

/* Writes the value, in one write. 0 or -errno: the kernel's, or as above. */
int knobs_write(struct knobs *knobs, enum knob_tree tree, const char *path, const char *value);

/* The parser behind knobs_read: text becomes the value, in place. Returns 0 or -EINVAL. */
int knobs_parse(enum knob_tree tree, const char *path, const char *word, char *text);

/* Names, in byte order. */
struct knobs_names {
	char **items;
	size_t count;
};
void knobs_names_clear(struct knobs_names *names);

/* Appends the text and takes ownership of it; NULL: there was no memory for it. 0 or -ENOMEM. */
int knobs_names_add(struct knobs_names *names, char *text);

/* The cpufreq policies or block devices whose name matches the glob. 0 or -errno. */
int knobs_units(struct knobs *knobs, enum knob_tree tree, const char *glob,
		struct knobs_names *ret);

/*
 * The paths of other existing knobs that the kernel resets by itself when this one is written: with another
 * scheduler a block device loses its queue's depth, its write-back throttling and the old scheduler's own settings
 * (seen on 6.18). Usually none. 0 or -errno.
 */
int knobs_disturbed(struct knobs *knobs, enum knob_tree tree, const char *path,
		    struct knobs_names *ret);
