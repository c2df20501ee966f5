/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

/* Whether somebody is logged in at a seat: not a login screen, not from afar, not on the way out. */
bool seat_is_used(void);
