/* SPDX-License-Identifier: GPL-2.0-only */
/* A source of windows: each compositor, or kind of them, has one, and that which runs is used. */
#pragma once

#include "focus.h"

struct source {
	const char *name; /* for people */
	/* The name on the session's bus that comes and goes with it; NULL: there is none. */
	const char *bus_name;
	/*
	 * Begins to put windows into focus->shown. 0; or -errno, with the reason for people in `why`: it does not run, or does
	 * not do what it should.
	 */
	int (*open)(struct focus *focus, void **ret, char *why, size_t size);
	/* Does not remove the windows. */
	void (*close)(void *source);
	/* A process that it has named has ended; NULL: its windows say so. */
	void (*ended)(void *source, pid_t pid);
};

extern const struct source source_hyprland, source_kwin, source_mutter, source_niri, source_sway, source_x11;
