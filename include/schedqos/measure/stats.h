/* SPDX-License-Identifier: GPL-2.0-only */
/* Medians, percentiles, and whether two things differ. Pure. The method is that of
 * bench/schedqos_bench/stats.py. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Of so few pairs there is no interval of 95 %: even the range of n values covers their median with
 * a probability of just 1 - 2^(1-n), which is 88 % of 4.
 */
#define STATS_LEAST_PAIRS 5

/* The median; sorts the values. n > 0. */
double stats_median(double *values, size_t n);

/* By nearest rank, a value that was measured; the values are sorted, n > 0, 0 < percent <= 100. */
uint32_t stats_percentile(const uint32_t *sorted, size_t n, double percent);

void stats_sort(uint32_t *values, size_t n);

struct stats_difference {
	double before, after; /* medians */
	bool has_interval;    /* there were enough pairs */
	double low, high;     /* of after - before, 95 % */
	bool is_shown;	      /* the interval does not contain 0 */
};

/*
 * Compares what was measured in the same rounds, by bootstrap: rounds are drawn with replacement,
 * so that what slows down a whole round, and with it both, does not widen the interval. n > 0. The
 * same seed gives the same result. Returns 0 or -ENOMEM.
 */
int stats_compare(const double *before, const double *after, size_t n, uint64_t seed,
		  struct stats_difference *ret);

/* The next number of a sequence that a seed begins (splitmix64). */
uint64_t stats_random(uint64_t *seed);
