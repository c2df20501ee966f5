/* SPDX-License-Identifier: GPL-2.0-only */
/* Serves the control interface on the private socket, one D-Bus peer for each connection. */
#pragma once

struct bus_server;
struct daemon;

/*
 * Binds the socket, replacing that of a dead daemon; path must outlive the server. The instance lock must be held.
 * Returns 0 or -errno.
 */
int bus_server_new(struct daemon *daemon, const char *path, struct bus_server **ret);

/* A requested scan is done: replies to the client that has called Reload. */
void bus_server_reloaded(struct bus_server *server);

/* Closes the connections and removes the socket. */
void bus_server_free(struct bus_server *server);
