/* SPDX-License-Identifier: GPL-2.0-only */
/* The server and the methods of the control interface, which schedqos(8) describes. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

struct daemon;

/* ---- methods; userdata is the struct daemon. Methods that answer a question change nothing. ---- */

extern const sd_bus_vtable bus_manager_methods[], bus_overrides_methods[];

/* Marks a method that the bridge may call. For any other, sd-bus requires that the caller has our uid. */
#define BUS_FOR_BRIDGE SD_BUS_VTABLE_UNPRIVILEGED

/*
 * Returns 0 if the client may act for that user, else -EPERM: only root acts for root, and nobody for (uid_t)-1. Fills
 * in the client's credentials.
 */
int bus_check_user(sd_bus_message *message, uid_t uid, struct ucred *ret);

int bus_status(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_explain(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_explain_name(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_list_tasks(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_list_use(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* ---- the server, on the private socket: one D-Bus peer for each connection ---- */

struct bus_server;

/*
 * Binds the socket, replacing that of a dead daemon. path must outlive the server. The caller must hold the instance
 * lock. Sets daemon->changed. Returns 0 or -errno.
 */
int bus_server_new(struct daemon *daemon, const char *path, struct bus_server **ret);

/* Closes the connections and removes the socket. */
void bus_server_free(struct bus_server *server);
