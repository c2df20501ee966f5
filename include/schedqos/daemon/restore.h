/* SPDX-License-Identifier: GPL-2.0-only */
/* Repairs what a killed daemon, or a sched profile applied without one, has left behind. */
#pragma once

/*
 * Puts back everything that nobody has changed since, and removes the records. Refuses while a daemon runs. Returns 0
 * if nothing is left to do, else 1; logs what was done and what went wrong.
 */
int restore_run(void);
