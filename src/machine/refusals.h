/* SPDX-License-Identifier: GPL-2.0-only */
/* Knobs that could not be set, in lines for people: "PATH: reason", safe for a terminal. */
#pragma once

#include <schedqos/kernel/knobs.h>

#include "items.h"

/*
 * Adds a line. error: the kernel's -errno, or 0 where it accepted what was wanted, but holds something else: now. Of
 * several processors or disks that refuse a file for one reason, the first is named. On lack of memory, lines are left
 * out.
 */
void refusals_add(struct knobs_names *lines, const struct item *item, int error, const char *wanted, const char *now);
