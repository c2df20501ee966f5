/* SPDX-License-Identifier: GPL-2.0-only */
/* What was read, for people, on stderr. */
#pragma once

#include <schedqos/daemon/config_load.h>

/*
 * A line for each file: how many rules, classes and profiles that are in force are from it; and one
 * for the whole. Warns if there was no file, or no rule. named: the files were named one by one,
 * and not found by paths.
 */
void list_files(const struct config *config, const struct config_paths *paths, bool named);
