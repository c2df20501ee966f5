/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs beside the daemon, since that has no way to it: the two buses. */
#pragma once

#include <stdbool.h>

/* ---- users: a service on the system bus, without privileges, that asks polkit and passes on what is allowed ---- */

/* org.schedqos1(5) describes it. The daemon checks all of it again. */

/* On the system bus the name and the interface; the path is BUS_PATH, as on the daemon's own socket. */
#define BRIDGE_NAME "org.schedqos1"

/* Returned where the daemon does not run, or lets nobody in. */
#define BRIDGE_ERROR_NO_DAEMON "org.schedqos1.Error.NoDaemon"

/*
 * Serves until it is told to stop; or the daemon ends, which is a failure, after which the service manager starts the
 * next one; or some seconds have passed without any daemon. is_system76: has the name com.system76.Scheduler as well.
 * Returns an exit status.
 */
int bridge_run(bool is_system76);

/* ---- cpu weights of units ---- */

/*
 * Between two cgroups with the cpu controller their weights count before any nice value. So units get the weight of a
 * class, as the setting "weights" of the daemon's configuration has it. The service manager owns the cgroups and sets
 * them; the daemon itself has no way to it, so this runs beside it, as a unit of its own.
 */
/*
 * Follows the daemon's configuration, the units and the seats until it is told to stop or the daemon ends, and puts all
 * back then. Returns an exit status. is_user: they are those of the caller's own manager, who asks the bridge.
 */
int weights_run(bool is_user);

/* Puts back what one that was killed has set. Returns an exit status. */
int weights_restore(bool is_user);
