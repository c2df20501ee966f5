/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the daemon for a class over the rules: what `set`, `reset`, `run` and `limit` share. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

/* Parses an operand that is a process id. Returns false after saying what is wrong. */
bool parse_pid(const char *text, pid_t *ret);

/* Says why a call failed. Returns the exit status. */
int override_failed(const sd_bus_error *error, int r);

/*
 * Gives the process (0: this one) a class, with its descendants if inherit says so, until it ends: as root by the control
 * interface, else as an ordinary user. Returns when its tasks carry it: 0, or an exit status after saying why it is not
 * so. *ret_given: whether it is in force nevertheless.
 */
int override_set(pid_t pid, const char *qos, bool inherit, bool *ret_given);

/* Ends that. Returns as override_set does. */
int override_reset(pid_t pid);
