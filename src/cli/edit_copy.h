/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The copy of a file while it is edited: /etc/.schedqos.json.edit/schedqos.json for
 * /etc/schedqos.json. The folder is the lock of an edit, takes whatever files the editor makes
 * beside the copy, and goes when the edit ends. An edit that was killed leaves it, and the next one
 * finds it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct edit_copy {
	char *target; /* the file to be edited, with symlinks followed; it need not exist */
	char *folder; /* of the copy */
	char *path; /* of the copy, in it; there is no file yet after edit_copy_open, unless is_left
		     */
	char *new_path; /* in it as well: for install_file */
	int lock;
	char *before; /* what the target holds; NULL: it does not exist */
	size_t before_size;
	bool is_left; /* by an edit that did not end */
};

/*
 * Locks the file, makes the folder and reads the target. 0, or -errno after logging what is wrong:
 * somebody else edits it, it is no file, there is no permission.
 */
int edit_copy_open(struct edit_copy *copy, const char *file);

/* Writes the copy, in place of one that was left. 0, or -errno after logging why not. */
int edit_copy_write(const struct edit_copy *copy, const char *text, size_t size);

/* Reads the copy. 0, or -errno after logging why not. The caller frees it. */
int edit_copy_read(const struct edit_copy *copy, char **ret, size_t *ret_size);

/* Whether the target still holds what it held at the beginning. */
bool edit_copy_is_current(const struct edit_copy *copy);

/* Ends the edit. keep: leaves the copy for the next one, and says where it is. */
void edit_copy_close(struct edit_copy *copy, bool keep);
