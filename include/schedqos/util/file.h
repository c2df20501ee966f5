/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads until the end of the file, or until size bytes are there. Returns their number, or -errno. No NUL is added. */
ssize_t read_full(int fd, char *buf, size_t size);

/*
 * Reads up to size bytes into memory that the caller frees, with a NUL after them that *ret_size does not count. 0 or
 * -errno.
 */
int read_text(int fd, size_t size, char **ret, size_t *ret_size);

/*
 * The same of a file, opened without blocking in case it is a FIFO; -EINVAL: not a regular one; -EFBIG: larger than
 * max.
 */
int read_text_file(const char *path, size_t max, char **ret, size_t *ret_size);

/* Writes all of it, however many calls that takes. 0, or -errno with some of it written. */
int write_full(int fd, const void *buf, size_t size);

/* Opens a folder to list its entries; path is relative to `folder`. 0 or -errno. */
int open_list(int folder, const char *path, DIR **ret);

/* ---- the runtime folder ---- */

/*
 * The runtime folder: what must survive a crash, so that a later run, as root, can put it back. So a file there is
 * trusted only if it is complete, of this boot, and nobody else can reach it. One that never will be is set aside; one
 * that cannot be read now stays.
 */

#ifndef RUNDIR
#define RUNDIR "/run"
#endif

#define STATE_FOLDER RUNDIR "/schedqos"

/* The records of knobs and of tasks. */
#define STATE_KNOBS "knobs.json"
#define STATE_TASKS "state"

/* Suffix of a file that has been set aside. */
#define STATE_DAMAGED ".damaged"

/* Opens a folder, which is made if it does not exist: the runtime folder, or any. A descriptor, or -errno. */
int folder_open(const char *path, mode_t mode);
int state_folder_open(void);

/*
 * Opens the file for reading. Returns a descriptor, with the size in bytes in *ret_size; -ENOENT; -EPERM for one that
 * is not a regular file of our own user's that no one else can reach; or another -errno: it may be read another time.
 */
int state_file_open(int folder, const char *name, size_t *ret_size);

/* 0, also when there is none, or -errno. */
int state_file_remove(int folder, const char *name);

/*
 * error: of reading the file. If the file exists but will never be of use to us, it is renamed to NAME.damaged, since
 * what to do about it is up to the administrator, or removed if there is one already. That is logged, of `what` for
 * people. Returns 0 then; else error, or -errno of the renaming.
 */
int state_file_set_aside(int folder, const char *name, const char *what, int error);

/* Why a file could not be read, for people. */
const char *state_file_fault(int error);
