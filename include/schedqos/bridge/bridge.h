/* SPDX-License-Identifier: GPL-2.0-only */
/* Services that run alongside the daemon, because it has no access to the system bus or to users' buses. */
#pragma once

#include <stdbool.h>

/* ---- users: a service without privileges on the system bus, which asks polkit and passes on allowed calls ---- */

/* org.schedqos1(5) describes the interface. The daemon checks each call again. */

/* The name and the interface on the system bus. The path is BUS_PATH, as on the daemon's own socket. */
#define BRIDGE_NAME "org.schedqos1"

/* Returned if the daemon does not run, or refuses the bridge's connection. */
#define BRIDGE_ERROR_NO_DAEMON "org.schedqos1.Error.NoDaemon"

/*
 * Serves until it is told to stop, until the daemon ends (a failure, after which the service manager starts it again),
 * or until some seconds have passed without a daemon. With is_system76 it also serves com.system76.Scheduler. Returns
 * an exit status.
 */
int bridge_run(bool is_system76);

/* ---- cpu weights of units ---- */

/*
 * Between two cgroups with the cpu controller their weights count before any nice value. So units get the weight of a
 * class, by the setting "weights" of the daemon's configuration. The service manager owns the cgroups and sets the
 * weights. The daemon has no access to it, so this runs as a unit of its own.
 */
/*
 * Follows the daemon's configuration, the units and the seats until it is told to stop or the daemon ends; then puts
 * all weights back. Returns an exit status. With is_user it works on units of the caller's own manager, and asks the
 * bridge instead of the daemon.
 */
int weights_run(bool is_user);

/* Puts back the weights that a killed run has set. Returns an exit status. */
int weights_restore(bool is_user);
