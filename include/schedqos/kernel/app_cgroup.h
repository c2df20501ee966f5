/* SPDX-License-Identifier: GPL-2.0-only */
/* How systemd names the cgroups of desktop apps. */
#pragma once

/*
 * Returns the length of the part of a cgroup's path that names the unit which holds only one app; 0 if there is no such
 * unit; -ENOENT if the cgroup belongs to the session itself and to no app.
 *
 * systemd starts each app of a desktop as a unit in app.slice of the user's manager, or in a slice app-NAME.slice below
 * it: https://systemd.io/DESKTOP_ENVIRONMENTS. dbus.service also runs programs that the session bus has started.
 */
int app_cgroup(const char *cgroup);
