/* SPDX-License-Identifier: GPL-2.0-only */
/* Stopping the running daemon, for stop and restart. */
#pragma once

#include <stdbool.h>

/*
 * Stops it and waits until it has put every task back and exited. Returns 0, also when none ran
 * (*ret_was_running, unless NULL, tells), or -1 after logging why it failed.
 */
int stop_daemon(bool *ret_was_running);
