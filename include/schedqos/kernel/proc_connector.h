/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proc connector: netlink events from the kernel for every fork, exec and rename on the machine. Exits, which
 * it reports as well, are not subscribed to. It works in the initial network, PID and user namespaces only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <schedqos/util/terms.h>

struct proc_connector;

/*
 * Subscribes to the events in `wanted` (enum event_kind; a kernel before 6.6 sends all kinds, of which a socket filter
 * drops the others) with a receive buffer of this many bytes, above the system's limit if the capability allows.
 * Returns 0 or -errno: -EPERM without CAP_NET_ADMIN, -ECONNREFUSED outside the initial network
 * namespace, -EPROTONOSUPPORT when the kernel has no connector.
 */
int proc_connector_open(uint32_t wanted, int buffer_size, struct proc_connector **ret);
void proc_connector_close(struct proc_connector *connector);

int proc_connector_fd(const struct proc_connector *connector);

/* Whether this kernel sends a subscription only the events it wants (since 6.6), so that no socket filter has to. */
bool proc_connector_has_filter(void);

/*
 * Checks that events arrive on this subscription, which must include forks or renames: forks a child that renames
 * itself and ends, and looks for an event of it, dropping all others. Returns 0, -ENODATA if there is none, or another
 * -errno.
 */
int proc_connector_probe(struct proc_connector *connector);

/*
 * Receives up to `max` events without waiting. Returns their number, 0 when there is none (what was received may
 * all have been of other kinds: *ret_drained tells whether the queue was empty), or -errno: -ENOBUFS when the
 * kernel has dropped events, after which receiving goes on.
 */
int proc_connector_receive(struct proc_connector *connector, struct task_event *events, size_t max,
			   bool *ret_drained);

/*
 * Decodes one datagram. Returns 1 and the event, without its start; 0 for another kind of event; -EBADMSG if
 * malformed.
 */
int proc_connector_decode(const void *datagram, size_t size, struct task_event *ret);
