/* SPDX-License-Identifier: GPL-2.0-only */
/* The control interface: its server, and its methods. schedqos(8) describes it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

#include <schedqos/policy/plan.h>

#include "held.h"

struct daemon;

/*
 * ---- methods: sd_bus_message_handler_t, userdata is the struct daemon. Those that answer a question change nothing. ----
 */

/* bus_status.c */
int bus_status(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* bus_config.c */
int bus_get_config(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_get_weights(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_set_sched_profile(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* bus_explain.c */
int bus_explain(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_explain_name(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* bus_list.c */
int bus_list_tasks(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* bus_overrides.c */
int bus_limit(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_lift(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_set(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_reset(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* bus_units.c */
int bus_set_unit_classes(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_set_weight_count(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* The units of one user that can have a class, and those of all users. */
#define BUS_UNITS_OF_USER_MAX  256
#define BUS_UNITS_OF_USERS_MAX 4096

/* Reads a(sss). Allocates the array, also where that fails; its texts are the message's. 0 or -errno: -EDQUOT for more than max. */
int bus_read_units(sd_bus_message *message, size_t max, struct unit_class **ret, size_t *ret_n);

/* Puts a user's in place of what was said before in his name. 0 or -errno: -EDQUOT: users have too many. */
int bus_units_put(struct daemon *daemon, struct holder holder, uid_t uid, const struct unit_class *units, size_t n);

/* Whether the client has said anything of units. */
bool bus_units_hold(const struct daemon *daemon, const sd_bus *bus);

/* Frees what is known of those who have; the tasks are left. */
void bus_units_free(struct daemon *daemon);

/* Forgets what the client has said of units, or if there is a name for whom. Call it before its connection is closed. */
void bus_units_drop(struct daemon *daemon, struct holder holder);

/* Says what went wrong with this target. */
struct daemon;
struct override;
int bus_refuse(const struct daemon *daemon, const struct override *asked, int r, sd_bus_error *error);

/* Whether /proc/PID/cgroup can have such a path. */
bool bus_is_cgroup_path(const char *path);

/* The class that the process is in now, empty for none of ours, and why. */
int bus_reply_with_class(sd_bus_message *message, const struct daemon *daemon, pid_t pid);

/* bus_users.c */
int bus_users_set(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_users_reset(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_users_limit(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_users_limit_cgroup(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_users_lift(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_users_lift_cgroup(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_users_shown(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_users_set_unit_classes(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_users_drop(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* ---- the server, on the private socket: one D-Bus peer for each connection ---- */

struct bus_server;

/*
 * Binds the socket, replacing that of a dead daemon; path must outlive the server. The instance lock must be held.
 * Returns 0 or -errno.
 */
int bus_server_new(struct daemon *daemon, const char *path, struct bus_server **ret);

/* All tasks are as a reload has it: tells the clients, and replies to the one that has called Reload. */
void bus_server_reloaded(struct bus_server *server);

/* Closes the connections and removes the socket. */
void bus_server_free(struct bus_server *server);
