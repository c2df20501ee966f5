/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "shown.h"

/* Puts the windows of sway's tree, JSON, in place of those that there are. `except` is not put. 0 or -EBADMSG. */
int sway_read_tree(struct shown *shown, const char *text, size_t len, pid_t except);
