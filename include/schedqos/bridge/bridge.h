/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way to the daemon for who is not root: a service on the system bus, without privileges, that asks polkit and passes
 * on what is allowed. org.schedqos1(5) describes it. The daemon checks all of it again.
 */
#pragma once

#include <stdbool.h>

/* On the system bus the name and the interface; the path is BUS_PATH, as on the daemon's own socket. */
#define BRIDGE_NAME "org.schedqos1"

/* Returned where the daemon does not run, or lets nobody in. */
#define BRIDGE_ERROR_NO_DAEMON "org.schedqos1.Error.NoDaemon"

/*
 * Serves until it is told to stop, or for a while nobody has called and nobody holds anything. is_system76: serves the
 * interface com.system76.Scheduler instead, until it is told to stop. Returns an exit status.
 */
int bridge_run(bool is_system76);
