/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Somebody without privileges on the made-up machine, who does whatever he may: the kernel lets him choose names, slices,
 * clamps and policies, lower himself, and fork in every way. And what happens about him meanwhile.
 */
#pragma once

#include "fake_daemon.h"

struct user {
	struct machine *m;
	pid_t tid;	/* of his tasks, the one that does the next step */
	pid_t last_tid; /* of his youngest */
	const char *rules, *other_rules; /* for start() and reload() */
};

/*
 * Steps with a comma between, e.g. "is gnome-shell, nice -3, fork, seen":
 *
 *	is NAME, execs NAME		exec under that name; as a thread
 *	names NAME			renames itself
 *	nice N, slice MS, util_max N	if he may
 *	io N, io idle, io none		by ionice, N being a level of best effort
 *	normal, batch, idle, priority N	likewise
 *	reset-on-fork
 *	fork, thread, fork-for-parent	and the new one does the next step (CLONE_PARENT)
 *	orphan				of a child that is gone
 *	parent, youngest		its parent does the next step; the youngest of all
 *	storm, calm			events are lost; no longer, and a scan makes good for it
 *	behind, heard			events wait; all are booked
 *	seen				all are booked, and a scan finds every task
 *	reload rules, reload other
 *	kill, start rules, start other	the daemon
 */
void user_does(struct user *user, const char *steps);
