/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the words known is near enough to a misspelt one to be worth a "did you mean". */
#include "test.h"

#include <stdbool.h>

#include <schedqos/util/text.h>

static const char *suggest(const char *word, const char *const *candidates, size_t n)
{
	struct suggestion suggestion = { .word = word };

	for (size_t i = 0; i < n; i++)
		suggest_offer(&suggestion, candidates[i]);
	return suggestion.best;
}

static void one_word_to_another(void **state)
{
	static const struct {
		const char *word, *known;
		bool near;
	} cases[] = {
		{ "qos", "qos", true },
		{ "QoS", "qos", true },	 /* capitals do not count */
		{ "quos", "qos", true }, /* one too many */
		{ "qs", "qos", true },	 /* one missing */
		{ "pos", "qos", true },	 /* one wrong */
		{ "qso", "qos", true },	 /* two swapped count as one */
		{ "ab", "ba", true },
		{ "abc", "cba", false },
		{ "x", "y", true }, /* one edit is always allowed */
		{ "x", "", true },
		{ "", "x", true },
		{ "", "xy", false },
		{ "abcde", "abxxe", false },  /* two edits in five */
		{ "abcdef", "abxxef", true }, /* two edits in six */
		{ "abcdef", "abcdefgh", true },
		{ "bcdefg", "abcdefghi", false },
		{ "abcdef", "abcd", true },
		{ "abcdef", "badcfe", false },
		{ "abcdefghi", "badcfeghi", true },
		{ "nice", "sched_nice", true }, /* the last part alone */
		{ "Background", "QOS_BACKGROUND", true },
		{ "ice", "sched_nice", false },
		{ "ice", "x_sched_nice", false },
		{ "sched", "sched_nice", false },
		{ "sched_prio", "sched_priority", true }, /* all but the last part's end */
		{ "sched_ni", "sched_priority", false },
		{ "no", "nothing", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *best = suggest(cases[i].word, &cases[i].known, 1);

		if ((best != NULL) != cases[i].near)
			fail_msg("%s and %s", cases[i].word, cases[i].known);
	}
}

static void the_nearest_wins_and_then_the_first(void **state)
{
	static const char *const near[] = { "abcdxx", "abcdex", "abcdey", "zzzzzz" };

	(void)state;
	assert_string_equal(suggest("abcdef", near, COUNT(near)), "abcdex");
	assert_null(suggest("abcdef", NULL, 0));
}

static void long_words_are_left_alone(void **state)
{
	char word[66], known[66];
	const char *candidate = known;

	(void)state;
	memset(word, 'a', sizeof(word));
	memset(known, 'a', sizeof(known));
	word[64] = known[63] = '\0';
	assert_non_null(suggest(word, &candidate, 1));
	word[64] = 'a';
	word[65] = '\0';
	assert_null(suggest(word, &candidate, 1));
	memset(known, 'a', sizeof(known));
	known[65] = '\0';
	word[64] = '\0';
	assert_null(suggest(word, &candidate, 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_word_to_another),
		cmocka_unit_test(the_nearest_wins_and_then_the_first),
		cmocka_unit_test(long_words_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
