/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "shown.h"

struct niri_workspace {
	uint64_t id;
	char output[64];
	bool is_active; /* on its output */
};

struct niri_window {
	uint64_t id, workspace; /* 0: on none */
	pid_t pid;
	bool is_focused;
};

/* What its events have told so far. Starts as all zeroes. */
struct niri_state {
	struct niri_workspace *workspaces;
	struct niri_window *windows;
	size_t n_workspaces, n_windows;
};

/* Takes an event, JSON. Returns whether it was of interest, or -errno. */
int niri_read_event(struct niri_state *state, const char *text, size_t len);

/* Puts its windows in place of those that there are. */
void niri_put(const struct niri_state *state, struct shown *shown);

void niri_clear(struct niri_state *state);
