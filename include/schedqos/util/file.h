/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <dirent.h>
#include <sys/types.h>

/* Reads until the end of the file, or until size bytes are there. Returns their number, or -errno. No NUL is added. */
ssize_t read_full(int fd, char *buf, size_t size);

/*
 * Reads up to size bytes into memory that the caller frees, with a NUL after them that *ret_size does not count. 0 or
 * -errno.
 */
int read_text(int fd, size_t size, char **ret, size_t *ret_size);

/* Writes all of it, however many calls that takes. 0, or -errno with some of it written. */
int write_full(int fd, const void *buf, size_t size);

/* Opens a folder to list its entries; path is relative to `folder`. 0 or -errno. */
int open_list(int folder, const char *path, DIR **ret);
