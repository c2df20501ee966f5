/* SPDX-License-Identifier: GPL-2.0-only */
/* Ending the daemon that runs: what stop and restart have in common. */
#pragma once

#include <stdbool.h>

/*
 * Ends it and waits until it has put every task back and is gone. Returns 0, also when none ran
 * (*ret_was_running, unless NULL, tells), or -1 after saying why it could not.
 */
int stop_daemon(bool *ret_was_running);
