/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/measure/stats.h>

#include <errno.h>
#include <stdlib.h>

#include <schedqos/util/cleanup.h>

#define RESAMPLES 4000

/* What lies outside the interval, at each end, in 1/1000. */
#define TAIL 25

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_doubles(const void *a, const void *b)
{
	return COMPARE(*(const double *)a, *(const double *)b);
}

static int compare_numbers(const void *a, const void *b)
{
	return COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

double stats_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void stats_sort(uint32_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_numbers);
}

/* In whole thousandths, since a product of fractions may miss the rank. */
uint32_t stats_percentile(const uint32_t *sorted, size_t n, double percent)
{
	const size_t thousandths = (size_t)(percent * 1000 + 0.5);
	const size_t rank = (n * thousandths + 99999) / 100000;

	return sorted[rank ? rank - 1 : 0];
}

uint64_t stats_random(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

struct drawn {
	double *before, *after; /* of n rounds */
	double *differences;	/* of RESAMPLES medians */
};

static void draw(const double *before, const double *after, size_t n, uint64_t *seed,
		 const struct drawn *drawn)
{
	for (size_t i = 0; i < RESAMPLES; i++) {
		for (size_t j = 0; j < n; j++) {
			const size_t round = stats_random(seed) % n;

			drawn->before[j] = before[round];
			drawn->after[j] = after[round];
		}
		drawn->differences[i] =
			stats_median(drawn->after, n) - stats_median(drawn->before, n);
	}
	qsort(drawn->differences, RESAMPLES, sizeof(*drawn->differences), compare_doubles);
}

int stats_compare(const double *before, const double *after, size_t n, uint64_t seed,
		  struct stats_difference *ret)
{
	_cleanup_free_ double *memory = calloc(2 * n + RESAMPLES, sizeof(*memory));
	struct drawn drawn;

	if (!memory)
		return -ENOMEM;
	drawn = (struct drawn){ memory, memory + n, memory + 2 * n };
	for (size_t i = 0; i < n; i++) {
		drawn.before[i] = before[i];
		drawn.after[i] = after[i];
	}
	*ret = (struct stats_difference){
		.before = stats_median(drawn.before, n),
		.after = stats_median(drawn.after, n),
		.has_interval = n >= STATS_LEAST_PAIRS,
	};
	if (!ret->has_interval)
		return 0;
	draw(before, after, n, &seed, &drawn);
	ret->low = drawn.differences[RESAMPLES * TAIL / 1000 - 1];
	ret->high = drawn.differences[RESAMPLES * (1000 - TAIL) / 1000 - 1];
	ret->is_shown = ret->low > 0 || ret->high < 0;
	return 0;
}
