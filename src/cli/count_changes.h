/* SPDX-License-Identifier: GPL-2.0-only */
/* How many tasks another configuration would move. */
#pragma once

#include <schedqos/config/config_diff.h>

/*
 * Counts the running tasks whose class, or its period, would be another one, by rehearsing both
 * configurations: nothing is set. before: what is in force, as items. 0 or -errno: it takes what a
 * daemon may.
 */
int count_changes(const struct config_items *before, const struct config *after, size_t *ret);
