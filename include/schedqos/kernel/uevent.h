/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's word that a processor has come or gone (NETLINK_KOBJECT_UEVENT). Of all else nothing is received. */
#pragma once

/*
 * Returns a socket that is readable when a processor has come online or was taken out, or -errno. It is heard in the
 * initial network namespace only.
 */
int uevent_open(void);

/* Takes all that is queued. */
void uevent_drain(int fd);

/* The filter behind uevent_open, for a socket that datagrams come to. 0 or -errno. */
int uevent_filter(int fd);
