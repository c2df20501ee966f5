/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's uevents for processors that come or go (NETLINK_KOBJECT_UEVENT). All others are filtered out. */
#pragma once

/*
 * Returns a socket that becomes readable when a processor has come online, has gone offline or was removed, or -errno.
 * Events are sent to the initial network namespace only.
 */
int uevent_open(void);

/* Discards everything queued. */
void uevent_drain(int fd);

/* Attaches the filter that uevent_open uses to a socket. 0 or -errno. */
int uevent_filter(int fd);
