/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads `size` bytes, or fewer if the file ends first. Returns the number of bytes read, or -errno. Adds no NUL. */
ssize_t read_full(int fd, char *buf, size_t size);

/*
 * Reads at most `size` bytes into new memory, which the caller frees, and adds a NUL that *ret_size does not count.
 * Returns 0 or -errno.
 */
int read_text(int fd, size_t size, char **ret, size_t *ret_size);

/*
 * Reads a regular file like read_text, and never blocks on a FIFO. Returns 0, -EINVAL if it is not a regular file,
 * -EFBIG if it is larger than `max` bytes, or another -errno.
 */
int read_text_file(const char *path, size_t max, char **ret, size_t *ret_size);

/* Writes all `size` bytes, in several calls if necessary. Returns 0, or -errno after a partial write. */
int write_full(int fd, const void *buf, size_t size);

/* Opens a folder for listing; `path` is relative to `folder`. Returns 0 or -errno. The caller closes *ret. */
int open_list(int folder, const char *path, DIR **ret);

/* ---- the runtime folder ---- */

/*
 * The runtime folder holds the records that must survive a crash, so that a later run, as root, can undo what the
 * daemon set. A file there is trusted only if it is complete, was written during this boot, and no other user can write
 * or replace it. A file that can never be trusted is set aside; a file that cannot be read at the moment stays.
 */

#ifndef RUNDIR
#define RUNDIR "/run"
#endif

#define STATE_FOLDER RUNDIR "/schedqos"

/* Names of the record of knobs and of the record of tasks. */
#define STATE_KNOBS "knobs.json"
#define STATE_TASKS "state"

/* Suffix of a file that was set aside. */
#define STATE_DAMAGED ".damaged"

/* Open a folder, any or the runtime folder, and create it first if it is missing. Return a descriptor or -errno. */
int folder_open(const char *path, mode_t mode);
int state_folder_open(void);

/*
 * Opens a file of the runtime folder for reading. Returns a descriptor and the file's size in bytes in *ret_size;
 * -ENOENT if it does not exist; -EPERM if it can never be trusted: not a regular file, not owned by our user, or open
 * to others; or another -errno, after which a later attempt may succeed.
 */
int state_file_open(int folder, const char *name, size_t *ret_size);

/* Removes a file of the runtime folder. Returns 0, even if it did not exist, or -errno. */
int state_file_remove(int folder, const char *name);

/*
 * Sets aside a file that could not be used. `error` is the result of reading it, `what` describes it in the log.
 *
 * If `error` says that the file can never be used, the function renames it to NAME.damaged for the administrator, or
 * removes it if such a file already exists, logs that and returns 0. Otherwise it returns `error`. It returns -errno if
 * the renaming fails.
 */
int state_file_set_aside(int folder, const char *name, const char *what, int error);

/* Describes why a file of the runtime folder could not be read. */
const char *state_file_fault(int error);
