/* SPDX-License-Identifier: GPL-2.0-only */
/* Talking to the daemon over its control interface. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <cjson/cJSON.h>
#include <systemd/sd-bus.h>

#include <schedqos/util/cleanup.h>

DEFINE_CLEANUP(cJSON, cJSON_Delete)

/*
 * There is one connection, made when it is first needed: as root to the daemon, else to the bus on which the bridge is.
 * Returns 0, or -errno after logging why there is none (not running, not allowed).
 */
int client_open(void);

/* The same, but logs nothing. -ENOENT and -ECONNREFUSED: no daemon runs; -EACCES and -EPERM: not allowed. */
int client_try(void);

/* The connection, once it is there. */
sd_bus *client_bus(void);

/* Whether that is the bus: then there is but one interface. */
bool client_is_bridged(void);

/* A descriptor of the process, or -1 after saying why there is none. */
int client_process(pid_t pid);

/*
 * Calls a method of one of the interfaces in daemon.h, or of the bridge's, where polkit may ask for a password; types
 * and values as sd_bus_call_method has them. 0 and the reply, for the caller to unreference; or an exit status after
 * saying why: that of wrong usage where there is no such class or profile, EXIT_CONFIG for a configuration with errors.
 */
int client_call(const char *interface, const char *method, sd_bus_message **ret, const char *types, ...);

/*
 * Gives the process (0: this one) a class, with its descendants if inherit says so, until it ends. Returns
 * when its tasks carry it: 0, or an exit status after saying why it is not so. *ret_given: whether it is in force
 * nevertheless.
 */
int client_set_class(pid_t pid, const char *qos, bool inherit, bool *ret_given);

/* What the daemon says of itself, for the caller to delete; NULL after logging what went wrong. */
cJSON *status_read(void);

/* ---- a member of what it answers in JSON; reading what is not there gives "", 0 and false ---- */

const cJSON *member(const cJSON *object, const char *key); /* NULL: it is not there */
const char *member_text(const cJSON *object, const char *key);
uint64_t member_count(const cJSON *object, const char *key);
bool member_flag(const cJSON *object, const char *key);

/* Whether it is this text. */
bool member_is(const cJSON *object, const char *key, const char *text);

/* The sum of an object's numbers. */
uint64_t member_sum(const cJSON *object, const char *key);
