/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "shown.h"

/* Puts the windows that our script in KWin lists in place of those that there are. 0 or -EBADMSG. */
int kwin_read_windows(struct shown *shown, const char *text);
