/* SPDX-License-Identifier: GPL-2.0-only */
/* Talks to the daemon over its control interface, and reads its JSON answers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <cjson/cJSON.h>
#include <systemd/sd-bus.h>

#include <schedqos/util/cleanup.h>

DEFINE_CLEANUP(cJSON, cJSON_Delete)

/*
 * Opens the program's only connection: root's to the daemon, other users' to the bus, on which the bridge is. Does
 * nothing if it is already open. Returns 0, or -errno after logging the reason (not running, not allowed).
 */
int client_open(void);

/* The same, but logs nothing. -ENOENT and -ECONNREFUSED: no daemon runs; -EACCES and -EPERM: not allowed. */
int client_try(void);

/* Closes it, so that the next call opens another: the daemon may have been started or restarted since. */
void client_close(void);

/* Returns the connection; NULL before it is open. */
sd_bus *client_bus(void);

/* Returns whether the connection is to the bus. The bridge has a single interface there. */
bool client_is_bridged(void);

/* Returns a pidfd of the process, or -1 after logging the reason. */
int client_process(pid_t pid);

/*
 * Calls a method of one of the interfaces in bus_names.h. Root calls the daemon; other users call the bridge, where
 * polkit may ask for a password. types and values are those of the bridge's method, as for sd_bus_call_method. Returns
 * 0 with the reply, for the caller to unreference; or an exit status after logging the reason: EXIT_USAGE for an
 * unknown class or profile, EXIT_CONFIG for a configuration with errors.
 */
int client_call(const char *interface, const char *method, sd_bus_message **ret, const char *types, ...);

/* Copies a text from an answer, for the caller to free. A text from the bridge is made safe for a terminal. */
char *client_text(const char *text);

/* Parses JSON from an answer; as in client_text, its texts are safe. Returns NULL if it is not valid. */
cJSON *client_json(const char *text);

/* Prints JSON from an answer, after client_text. Returns an exit status. */
int client_print_json(const char *text);

/* Asks for the daemon's status. Returns an object for the caller to delete; NULL after logging the reason. */
cJSON *status_read(void);

/* ---- members of a JSON object: a missing one reads as "", 0 or false ---- */

const cJSON *member(const cJSON *object, const char *key); /* NULL if missing */
const char *member_text(const cJSON *object, const char *key);
uint64_t member_count(const cJSON *object, const char *key);
bool member_flag(const cJSON *object, const char *key);

/* Returns whether the member is there and neither false, null, 0 nor empty. */
bool member_holds(const cJSON *object, const char *key);

/* Returns whether the member is this text. */
bool member_is(const cJSON *object, const char *key, const char *text);

/* Returns the sum of the numbers in that object. */
uint64_t member_sum(const cJSON *object, const char *key);
