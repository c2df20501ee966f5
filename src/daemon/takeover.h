/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the loop hangs, the program goes on in a child, which takes over as after a crash. What is left of the parent,
 * which may not even be killable, stays the process that somebody started and waits for: it passes signals on, and
 * ends as the child ends.
 */
#pragma once

struct daemon;

/* Has the watch take over when a look of the calling thread hangs. Returns 0 or -errno. */
int takeover_prepare(struct daemon *daemon);
