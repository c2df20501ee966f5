/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts the time of a fork event to the start time that /proc shows for the child. Events carry CLOCK_MONOTONIC,
 * which stands still while the machine is suspended; /proc has CLOCK_BOOTTIME, which does not.
 */
#pragma once

#include <stdint.h>

/* All times are in ns. Zero-initialize it before the first update. */
struct boot_clock {
	uint64_t offset;       /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	uint64_t offset_then;  /* ... before the last suspend */
	uint64_t after, until; /* the last suspend was between these, CLOCK_MONOTONIC */
	uint64_t updated;
};

/* Call it with both clocks, CLOCK_BOOTTIME read first, before receiving the events that are to be converted. */
void boot_clock_update(struct boot_clock *clock, uint64_t boottime, uint64_t monotonic);

/* CLOCK_BOOTTIME of an event, taken to be after the last suspend if it can have been. */
uint64_t boot_clock_at(const struct boot_clock *clock, uint64_t event);

/* CLOCK_BOOTTIME of an event, taken to be before the last suspend if it can have been. */
uint64_t boot_clock_then(const struct boot_clock *clock, uint64_t event);
