/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <schedqos/config/ananicy.h>

/*
 * Writes the texts into the file `path`; or, if there are several, into NAME-1.json, NAME-2.json
 * ... beside it, which a daemon reads in this order. A folder, or a path that ends in a slash,
 * stands for ananicy.json in it; NULL for the standard output. Each file appears at once, whole.
 * What an earlier import has left beside it under other numbers is removed. Logs what was written.
 * 0, or -errno after logging why.
 */
int import_write(const char *path, const struct ananicy_output *output);
