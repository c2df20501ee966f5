/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a task of which an event tells was born, as /proc tells it. Events have CLOCK_MONOTONIC, which stands still
 * while the machine is suspended; starts in /proc are of CLOCK_BOOTTIME, which does not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All times are in ns. Zeroed, it is ready for the first update. */
struct boot_clock {
	uint64_t offset;       /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	uint64_t offset_then;  /* ... before the last suspend, which was ... */
	uint64_t after, until; /* ... between these two, CLOCK_MONOTONIC */
	uint64_t updated;
};

/* To be called with both clocks, CLOCK_BOOTTIME read first, before events are received that it is to judge. */
void boot_clock_update(struct boot_clock *clock, uint64_t boottime, uint64_t monotonic);

/* CLOCK_BOOTTIME at the time of an event, if it was after the last suspend. */
uint64_t boot_clock_at(const struct boot_clock *clock, uint64_t event);

/* ... if it was before that. The same, if it cannot have been. */
uint64_t boot_clock_then(const struct boot_clock *clock, uint64_t event);
