/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between two cgroups with the cpu controller their weights count before any nice value. So units get the weight of a
 * class, as the setting "weights" of the daemon's configuration has it. The service manager owns the cgroups and sets
 * them; the daemon itself has no way to it, so this runs beside it, as a unit of its own.
 */
#pragma once

#include <stdbool.h>

#include <schedqos/daemon/daemon.h>

/*
 * Follows the daemon's configuration, the units and the seats until it is told to stop or the daemon ends, and puts all
 * back then. Returns an exit status. user: NULL; or it is the caller's own manager, and the
 * configuration is read from there whenever the daemon has been started or reloaded.
 */
int weights_run(const struct config_paths *user);

/* Puts back what one that was killed has set. Returns an exit status. */
int weights_restore(bool is_user);
