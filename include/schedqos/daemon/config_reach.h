/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules that no program of this machine can match, as far as its files tell. */
#pragma once

#include <schedqos/config/config_text.h>

/*
 * Appends a warning for each path, a rule's pattern or its match.exe, that is no executable's: it passes through a
 * symbolic link (/proc/PID/exe has none), is a folder or a script; or there is no such file. And for each name that
 * is in none of the folders (separated by colons, as in PATH) but for the case of its letters. Rules that hold in
 * any user namespace are left out, since other files are mounted there; so are the files in /usr/share/schedqos; and in
 * folders app_configs, which are written for many machines, what is missing. Looks at files, which may
 * take long on a network: for checking a configuration, not for every start. Returns 0 or -ENOMEM.
 */
int config_check_reach(const struct config *config, const char *folders, struct config_errors *errors);
