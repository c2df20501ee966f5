/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ULL

/* Returns the time of the clock in nanoseconds. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Returns the length in nanoseconds of the clock tick in which /proc/PID/stat counts. */
static inline uint64_t clock_tick_ns(void)
{
	return NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* Returns the time since boot in clock ticks, the unit of start times in /proc/PID/stat. */
static inline uint64_t clock_ticks(void)
{
	return clock_ns(CLOCK_BOOTTIME) / clock_tick_ns();
}

/* Returns CLOCK_MONOTONIC in milliseconds, truncated to 32 bits. */
static inline uint32_t clock_ms(void)
{
	return (uint32_t)(clock_ns(CLOCK_MONOTONIC) / 1000000);
}

/* Returns the same at the last tick, up to 10 ms ago. Reading the exact clock may be a system call, this never is. */
static inline uint32_t clock_tick_ms(void)
{
	return (uint32_t)(clock_ns(CLOCK_MONOTONIC_COARSE) / 1000000);
}

/* Returns whether the first of two such times, which may have wrapped around, is before the second. */
static inline bool is_before(uint32_t a_ms, uint32_t b_ms)
{
	return (int32_t)(a_ms - b_ms) < 0;
}
