/* SPDX-License-Identifier: GPL-2.0-only */
/* A log-linear histogram of times: every bin is at most 1/128 of its values wide, from 1 ns to 18 minutes. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#define HISTOGRAM_STEP_BITS 7
#define HISTOGRAM_STEPS	    (1U << HISTOGRAM_STEP_BITS)
#define HISTOGRAM_BITS	    40
#define HISTOGRAM_BINS	    ((HISTOGRAM_BITS - HISTOGRAM_STEP_BITS + 1) * HISTOGRAM_STEPS)

/* Zeroed is empty. */
struct histogram {
	uint64_t count, min, max, sum; /* of the values as they were, not of their bins */
	uint64_t bins[HISTOGRAM_BINS];
};

/* A value of 2^40 ns or more is counted in the last bin; min, max and sum still see all of it. */
void histogram_add(struct histogram *histogram, uint64_t ns);

/*
 * The percentile by nearest rank: the upper edge of its bin, but
 * no more than the greatest value. In hundredths of a percent, so that the rank is exact: 9990 is
 * p99.9. 0 when it is empty.
 */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned hundredths);

/* As a JSON object in microseconds: samples, min, mean, max, p50 ... p99.99, and bins as [upper edge, count]. */
void histogram_print(const struct histogram *histogram, FILE *file);
