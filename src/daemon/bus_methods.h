/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The methods of the control interface: sd_bus_message_handler_t, userdata is the struct daemon. schedqos(8) describes
 * them. Those that answer a question change nothing.
 */
#pragma once

#include <systemd/sd-bus.h>

/* bus_status.c */
int bus_status(sd_bus_message *message, void *userdata, sd_bus_error *error);

/* bus_config.c */
int bus_get_config(sd_bus_message *message, void *userdata, sd_bus_error *error);
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
