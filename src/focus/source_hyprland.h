/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "shown.h"

/* What Hyprland answers to j/clients, j/monitors and j/activewindow. */
struct hyprland_answers {
	const char *clients, *monitors, *active;
};

/* Puts the windows in place of those that there are. 0 or -EBADMSG. */
int hyprland_read(struct shown *shown, const struct hyprland_answers *answers);
