/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must survive a crash: files of JSON in the runtime folder, each an object. They tell a later run, as root, what
 * to write where; so a file is believed only if it is whole, ours alone, and of this boot.
 */
#pragma once

#include <stdbool.h>

#include <cjson/cJSON.h>

#define STATE_SIZE_MAX (16 * 1024 * 1024)

/* The records of knobs (system_profile.h) and of tasks (state.h). */
#define STATE_KNOBS "knobs.json"
#define STATE_TASKS "state"

/* The end of the name of one that has been set aside. */
#define STATE_DAMAGED ".damaged"

/* Makes the runtime folder, if it is not there, and opens it. A descriptor, or -errno. */
int state_folder_open(void);

/* What state_file_read returns for this errno of opening the file. */
int state_file_open_error(int error);

/*
 * Reads the file. Returns 0 and its contents, to be freed with cJSON_Delete; -ENOENT; -EPERM for one that is not a
 * regular file of our own user's that no one else can reach; -EBADMSG for one that is torn; -ESTALE for one of
 * another boot; or another -errno: it may be read another time.
 */
int state_file_read(int folder, const char *name, cJSON **ret);

/* The parser behind it: size bytes of text and a NUL behind them. 0, -EBADMSG or -ESTALE. */
int state_file_parse(const char *text, size_t size, const char *boot_now, cJSON **ret);

/* Writes content, to which the boot is added, so that the file is always the old one or the new one. 0 or -errno. */
int state_file_write(int folder, const char *name, cJSON *content);

/* 0, also when there is none, or -errno. */
int state_file_remove(int folder, const char *name);

/* Whether this error of state_file_read or state_read says that the file is there, and will never be of use to us. */
bool state_file_is_void(int error);

/*
 * What to do about such a file is up to people: it gets .damaged at its end. Returns 0; 1 if there was such a file
 * already, and this one has been removed; or -errno.
 */
int state_file_set_aside(int folder, const char *name);

/* Why state_file_read or state_read failed, for people. */
const char *state_file_fault(int error);
