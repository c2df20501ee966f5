/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must survive a crash: files of JSON in the runtime folder, each an object. They tell a later run, as root, what
 * to write where; so a file is believed only if it is whole, ours alone, and of this boot.
 */
#pragma once

#include <cjson/cJSON.h>

#include <schedqos/util/state_folder.h>

#define STATE_SIZE_MAX (16 * 1024 * 1024)

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
