/* SPDX-License-Identifier: GPL-2.0-only */
/* The first line of the status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/cli/status_verdict.h"

static char line[512];

static const char *verdict(struct status_summary summary)
{
	return status_verdict(&summary, line, sizeof(line));
}

#define VERDICT(...) verdict((struct status_summary){ __VA_ARGS__ })

static void all_is_well(void **state)
{
	(void)state;
	assert_string_equal(VERDICT(.tasks = 412, .classes = 5, .crash_safe = true),
			    "well: 412 tasks in 5 classes, nothing lost, nothing refused");
	assert_string_equal(VERDICT(.tasks = 1, .classes = 1, .crash_safe = true,
				    .knobs_refused = true),
			    "well: 1 task in 1 class, nothing lost, nothing refused; some knobs of "
			    "the profile could "
			    "not be set");
}

static void each_thing_that_is_not_is_said(void **state)
{
	static const struct {
		struct status_summary summary;
		const char *said;
	} cases[] = {
		{ { .crash_safe = true, .reload_refused = true }, "the last reload was refused" },
		{ { .crash_safe = true, .suspended = true }, "tagging is suspended for a client" },
		{ { .crash_safe = true, .lost = 1 }, "events were lost once" },
		{ { .crash_safe = true, .lost = 3 }, "events were lost 3 times" },
		{ { .crash_safe = true, .receive_errors = 2 },
		  "events could not be received 2 times" },
		{ { .crash_safe = true, .refused = 2 }, "the kernel refused 2 times" },
		{ { .crash_safe = true, .not_kept = 2 },
		  "the kernel did not keep what was set 2 times" },
		{ { .crash_safe = true, .unknown_users = 1 }, "1 user is not known" },
		{ { .crash_safe = true, .unread = 2 }, "2 processes cannot be read" },
		{ { .crash_safe = true, .log_lost = 9 }, "9 lines of the log were lost" },
		{ { .crash_safe = true, .problems = 1 }, "1 problem below" },
		{ { .crash_safe = false }, "a crash could not be repaired" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[128] = "not well: ";

		strcat(expected, cases[i].said);
		strcat(expected, "; 0 tasks in 0 classes");
		assert_string_equal(verdict(cases[i].summary), expected);
	}
	assert_string_equal(
		VERDICT(.tasks = 2, .classes = 1, .crash_safe = true, .lost = 1, .refused = 1),
		"not well: events were lost once, the kernel refused once; 2 tasks in 1 class");
}

static void a_short_buffer_cuts_it(void **state)
{
	const struct status_summary summary = { .lost = UINT64_MAX,
						.refused = UINT64_MAX,
						.problems = UINT64_MAX };
	char whole[512], cut[512];

	(void)state;
	status_verdict(&summary, whole, sizeof(whole));
	for (size_t size = 1; size <= strlen(whole) + 1; size++) {
		memset(cut, 'x', sizeof(cut));
		status_verdict(&summary, cut, size);
		assert_int_equal(strlen(cut), size - 1);
		assert_memory_equal(cut, whole, size - 1);
		assert_int_equal(cut[size], 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well),
		cmocka_unit_test(each_thing_that_is_not_is_said),
		cmocka_unit_test(a_short_buffer_cuts_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
