/* SPDX-License-Identifier: GPL-2.0-only */
/* Replacing a file as a whole. */
#pragma once

#include <stddef.h>

/*
 * Replaces the file at path by size bytes of text, or makes it. At any moment, also after a crash,
 * either the old file is there or the new one. Owner, group, mode, ACL and extended attributes are
 * kept; a new file belongs to the caller, with mode 0644. A symlink at path would be replaced:
 * resolve it before.
 *
 * temporary: a path on the same filesystem, where no file is, for the new file until it is whole. A
 * kill may leave it there. Returns 0, or -errno with the old file untouched and the temporary one
 * removed.
 */
int install_file(const char *path, const char *temporary, const char *text, size_t size);
