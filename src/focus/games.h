/* SPDX-License-Identifier: GPL-2.0-only */
/* What is played: the games that are registered with GameMode, on the session's bus. */
#pragma once

#include "focus.h"

/* Keeps `shown` told of them; ends with the bus. 0 or -errno. */
int games_open(struct focus *focus);

/* For people: whether GameMode runs. */
const char *games_describe(struct focus *focus);
