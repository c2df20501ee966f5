/* SPDX-License-Identifier: GPL-2.0-only */
/* What to do with a knob, case by case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../src/machine/knob_plan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void same_values(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "schedutil", "schedutil", true },
		{ "schedutil", "performance", false },
		{ "sched", "schedutil", false },
		{ "16000000", "16000000", true },
		{ "0x10", "16", true },
		{ "+5", "5", true },
		{ "-1", "18446744073709551615", false },
		{ "10", "1", false },
		{ "4096\t131072 1", "4096 131072\t1", true },
		{ "4096 131072", "4096 131072 1", false },
		{ " 1 \n", "1", true },
		{ "1", "Y", true },
		{ "0", "N", true },
		{ "on", "1", true },
		{ "0", "Y", false },
		{ "1", "2", false },
		{ "2", "Y", false },
		{ "HRTICK", "NO_HRTICK", false },
		{ "", "", true },
		{ "", "0", false },
		{ NULL, NULL, true },
		{ NULL, "", false },
		{ "0", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (knob_same(cases[i].a, cases[i].b) != cases[i].same ||
		    knob_same(cases[i].b, cases[i].a) != cases[i].same)
			fail_msg("%s and %s", cases[i].a, cases[i].b);
	}
}

struct decision {
	const char *before, *set; /* on record; before NULL: nothing is */
	bool writing;
	const char *present, *wanted;
	enum knob_step step;
};

static void decisions(void **state)
{
	static const struct decision cases[] = {
		/* Nothing on record. */
		{ NULL, NULL, false, "A", NULL, KNOB_LEAVE },
		{ NULL, NULL, false, "A", "A", KNOB_LEAVE },
		{ NULL, NULL, false, "A", "B", KNOB_TAKE },
		/* Ours: it was A before us, and is B since. */
		{ "A", "B", false, "B", NULL, KNOB_PUT_BACK },
		{ "A", "B", false, "B", "B", KNOB_LEAVE },
		{ "A", "B", false, "B", "C", KNOB_CHANGE },
		{ "A", "B", false, "B", "A", KNOB_PUT_BACK },
		/* Changed by others since: to something else, or back. */
		{ "A", "B", false, "X", NULL, KNOB_FORGET },
		{ "A", "B", false, "A", NULL, KNOB_FORGET },
		{ "A", "B", false, "X", "B", KNOB_TAKE },
		{ "A", "B", false, "X", "X", KNOB_FORGET },
		{ "A", "B", false, "A", "A", KNOB_FORGET },
		{ "A", "B", false, "A", "B", KNOB_TAKE },
		/* Killed before, during or after the write; the kernel turned our B into b. */
		{ "A", NULL, true, "A", NULL, KNOB_PUT_BACK },
		{ "A", NULL, true, "b", NULL, KNOB_PUT_BACK },
		{ "A", "B", true, "B", NULL, KNOB_PUT_BACK },
		{ "A", "B", true, "C", NULL, KNOB_PUT_BACK },
		{ "A", "B", true, "C", "D", KNOB_CHANGE },
		{ "A", "B", true, "C", "C", KNOB_LEAVE },
		{ "A", "B", true, "A", "A", KNOB_FORGET },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct decision *want = &cases[i];
		const struct knob_record record = { .before = (char *)want->before,
						    .set = (char *)want->set,
						    .writing = want->writing };
		enum knob_step step =
			knob_decide(want->before ? &record : NULL, want->present, want->wanted);

		if (step != want->step)
			fail_msg("case %zu: %d, not %d", i, step, want->step);
	}
}

static void decisions_about_side_effects(void **state)
{
	static const struct {
		const char *before, *set, *present;
		enum knob_step cause, step;
	} cases[] = {
		{ NULL, NULL, "A", KNOB_TAKE, KNOB_TAKE },
		{ "A", "B", "B", KNOB_CHANGE, KNOB_CHANGE },
		{ "A", "B", "X", KNOB_CHANGE, KNOB_TAKE },
		{ "A", NULL, NULL, KNOB_CHANGE, KNOB_CHANGE },
		{ "A", "B", "B", KNOB_LEAVE, KNOB_LEAVE },
		{ "A", "B", "X", KNOB_LEAVE, KNOB_LEAVE },
		{ "A", "B", "B", KNOB_PUT_BACK, KNOB_PUT_BACK },
		{ "A", "A", "A", KNOB_PUT_BACK, KNOB_PUT_BACK },
		{ "A", NULL, NULL, KNOB_PUT_BACK, KNOB_PUT_BACK },
		{ "A", NULL, "X", KNOB_PUT_BACK, KNOB_FORGET },
		{ "A", "B", "X", KNOB_PUT_BACK, KNOB_FORGET },
		{ "A", "B", "B", KNOB_FORGET, KNOB_FORGET },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct knob_record record = { .before = (char *)cases[i].before,
						    .set = (char *)cases[i].set };
		enum knob_step step = knob_decide_caused(cases[i].before ? &record : NULL,
							 cases[i].present, cases[i].cause);

		if (step != cases[i].step)
			fail_msg("case %zu: %d, not %d", i, step, cases[i].step);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_values),
		cmocka_unit_test(decisions),
		cmocka_unit_test(decisions_about_side_effects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
