/* SPDX-License-Identifier: GPL-2.0-only */
/* Medians, percentiles, and when a difference counts as shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <schedqos/measure/stats.h>
#include <schedqos/util/cleanup.h>

static void percentiles_are_measured_values(void **state)
{
	uint32_t values[1000];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		values[i] = 1000 - i;
	stats_sort(values, 1000);
	assert_int_equal(stats_percentile(values, 1000, 50), 500);
	assert_int_equal(stats_percentile(values, 1000, 99), 990);
	assert_int_equal(stats_percentile(values, 1000, 99.9), 999);
	assert_int_equal(stats_percentile(values, 1000, 100), 1000);
	assert_int_equal(stats_percentile(values, 1, 0.01), 1);
}

static struct stats_difference compare(const double *before, const double *after, size_t n)
{
	struct stats_difference difference;

	assert_int_equal(stats_compare(before, after, n, 1, &difference), 0);
	return difference;
}

static void a_clear_difference_is_shown_and_noise_is_not(void **state)
{
	const double before[] = { 100, 104, 98, 101, 97, 103 },
		     lower[] = { 50, 53, 49, 52, 48, 51 };
	const double noise[] = { 101, 99, 102, 98, 103, 97 };
	struct stats_difference difference = compare(before, lower, 6);

	(void)state;
	assert_true(difference.is_shown);
	assert_true(difference.high < -40 && difference.low > -60);
	assert_true(difference.before > 100.4 && difference.before < 100.6);
	assert_false(compare(before, noise, 6).is_shown);
	assert_false(compare(before, before, 6).is_shown);
}

/* What slows down a whole round slows down both, and does not widen the interval. */
static void rounds_are_compared_in_pairs(void **state)
{
	const double before[] = { 100, 200, 300, 400, 500, 600 },
		     after[] = { 110, 210, 310, 410, 510, 610 };
	const struct stats_difference difference = compare(before, after, 6);

	(void)state;
	assert_true(difference.is_shown);
	assert_true(difference.low > 9.9 && difference.high < 10.1);
}

static void few_rounds_have_no_interval(void **state)
{
	const double before[] = { 1, 1, 1, 1 }, after[] = { 9, 9, 9, 9 };

	(void)state;
	assert_false(compare(before, after, 4).has_interval);
	assert_false(compare(before, after, 4).is_shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_measured_values),
		cmocka_unit_test(a_clear_difference_is_shown_and_noise_is_not),
		cmocka_unit_test(rounds_are_compared_in_pairs),
		cmocka_unit_test(few_rounds_have_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
