/* SPDX-License-Identifier: GPL-2.0-only */
/* The control interface: its server, and its methods. schedqos(8) describes it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

#include <schedqos/policy/overrides.h>

struct daemon;

/* ---- methods; userdata is the struct daemon. Those that answer a question change nothing. ---- */

extern const sd_bus_vtable bus_manager_methods[], bus_overrides_methods[], bus_units_methods[];

/* The bridge may call what is marked so. sd-bus asks of all else that the caller has our uid. */
#define BUS_FOR_BRIDGE SD_BUS_VTABLE_UNPRIVILEGED

int bus_status(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_list_tasks(sd_bus_message *message, void *userdata, sd_bus_error *error);

/*
 * Fills in who asks: root, or in a user's name the bridge; and for what, a pid unless there is a cgroup. 0 or -errno: -EPERM:
 * the caller may not ask in that name.
 */
int bus_take(sd_bus_message *message, uint32_t uid, const char *holder, uint32_t pid, struct override *ret);

/* Whether he may ask for something for that cgroup: 0, -ENOTDIR: it is none, or -EPERM. */
int bus_check_cgroup(uid_t uid, const char *cgroup);

/* Says what went wrong with this target. */
int bus_refuse(const struct daemon *daemon, const struct override *asked, int r, sd_bus_error *error);

/* Forgets what the client has said of units, or if there is a name for whom. Call it before its connection is closed. */
void bus_units_drop(struct daemon *daemon, const struct holder *whom);

/* ---- the server, on the private socket: one D-Bus peer for each connection ---- */

struct bus_server;

/*
 * Binds the socket, replacing that of a dead daemon; path must outlive the server. The instance lock must be held. Sets
 * daemon->changed. Returns 0 or -errno.
 */
int bus_server_new(struct daemon *daemon, const char *path, struct bus_server **ret);

/* Closes the connections and removes the socket. */
void bus_server_free(struct bus_server *server);
