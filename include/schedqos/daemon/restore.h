/* SPDX-License-Identifier: GPL-2.0-only */
/* Mending what a killed daemon, or a sched profile applied without one, has left behind. */
#pragma once

/*
 * Puts everything back, where nobody has changed it since, and removes the records of it. Refuses while a daemon runs.
 * Returns 0 when nothing is left to do, or 1; says what was done and what went wrong.
 */
int restore_run(void);
