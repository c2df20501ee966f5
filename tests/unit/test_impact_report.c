/* SPDX-License-Identifier: GPL-2.0-only */
/* What `impact` says of what it has measured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/util/cleanup.h>

#include "../../src/cli/impact_report.h"

#define ROUNDS 6

static const char *const classes[] = { "QOS_A" };
static double off[ROUNDS * (IMPACT_FIGURES + IMPACT_MACHINE)],
	on[ROUNDS * (IMPACT_FIGURES + IMPACT_MACHINE)];

static struct impact_report report_of(size_t rounds)
{
	struct impact_report report = {
		.classes = classes,
		.n_classes = 1,
		.n_rounds = rounds,
		.round_ns = 20000000000,
		.values = { off, on },
		.busy = 0.9,
		.seed = 7,
	};

	for (size_t round = 0; round < rounds; round++) {
		for (unsigned figure = 0; figure < impact_count(1); figure++) {
			const size_t at = impact_at(&report, round, 0, figure);

			off[at] = on[at] = 100 + (double)round;
		}
		on[impact_at(&report, round, 0, IMPACT_P99)] = 20;
		on[impact_at(&report, round, 0, IMPACT_DELAY)] = NAN;
	}
	return report;
}

static void it_says_where_there_is_a_difference(void **state)
{
	const struct impact_report report = report_of(ROUNDS);
	_cleanup_free_ char *text = impact_text(&report, 0), *json = impact_json(&report);

	(void)state;
	assert_non_null(strstr(text, "QOS_A   probe late p99 (us)   102.5  20.0"));
	assert_non_null(strstr(text, "lower with tagging"));
	assert_non_null(strstr(text, "no difference shown"));
	/* What was not measured is not compared. */
	assert_null(strstr(text, "delay per wait"));
	assert_null(strstr(text, "idle"));
	assert_non_null(strstr(json, "\"difference_shown\": true"));
}

static void it_says_what_it_cannot_know(void **state)
{
	struct impact_report report = report_of(4);
	_cleanup_free_ char *few = impact_text(&report, 0), *idle = NULL;

	(void)state;
	assert_non_null(strstr(few, "too few rounds"));
	assert_null(strstr(few, "with tagging\n"));
	report.busy = 0.1;
	idle = impact_text(&report, 0);
	assert_non_null(strstr(idle, "nearly idle (10 % of its CPUs)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_where_there_is_a_difference),
		cmocka_unit_test(it_says_what_it_cannot_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
