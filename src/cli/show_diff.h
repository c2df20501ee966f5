/* SPDX-License-Identifier: GPL-2.0-only */
/* The difference between two configurations, for people. */
#pragma once

#include <stdio.h>

#include <schedqos/config/config_text.h>

/*
 * A line for each difference, then one that counts them, and one that tells how many running tasks
 * change class, where that can be told. Returns whether there is any difference.
 */
bool show_diff(FILE *out, const struct config *before, const struct config *after);
