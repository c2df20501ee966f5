/* SPDX-License-Identifier: GPL-2.0-only */
/* Serves the control interface on the private socket, one D-Bus peer for each connection. */
#pragma once

struct bus_server;
struct daemon;

/*
 * Binds the socket, in place of a dead daemon's; path must outlive the server. The instance lock must be held. Returns 0
 * or -errno.
 */
int bus_server_new(struct daemon *daemon, const char *path, struct bus_server **ret);

/* All tasks have been looked at: answers the client that asked for a reload before that. */
void bus_server_reloaded(struct bus_server *server);

/* Closes the connections and removes the socket. */
void bus_server_free(struct bus_server *server);
