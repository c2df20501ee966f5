/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how text is made safe to show, how numbers are parsed, and which word is suggested for a misspelt one. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>

#include <schedqos/util/text.h>

#define CASE(text, escaped) { text, sizeof(text) - 1, escaped }
#define STAYS(text)	    CASE(text, text)

TEST(text_that_is_not_printable_is_escaped)
{
	static const struct {
		const char *text;
		size_t len;
		const char *escaped;
	} cases[] = {
		STAYS(""),
		STAYS("a b~{\"'"),
		STAYS("gr\xc3\xbc\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80"),
		CASE("a\nb\tc\\d", "a\\nb\\tc\\\\d"),
		CASE("\x1b[31m\r\a\b", "\\x1b[31m\\x0d\\x07\\x08"),
		CASE("\0x\x7f", "\\x00x\\x7f"),
		/* C1 controls, and the no-break space after them */
		CASE("\xc2\x80\xc2\x9b\xc2\x9f", "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f"),
		STAYS("\xc2\xa0"),
		/* characters that turn or hide text: a soft hyphen, but not a visible one */
		CASE("\xc2\xad", "\\xc2\\xad"),
		STAYS("\xe2\x80\x90"),
		CASE("\xe2\x80\x8b", "\\xe2\\x80\\x8b"), /* zero width space */
		CASE("\xe2\x80\x8f", "\\xe2\\x80\\x8f"), /* right-to-left mark */
		CASE("\xe2\x80\xa8", "\\xe2\\x80\\xa8"), /* line separator */
		CASE("\xe2\x80\xae", "\\xe2\\x80\\xae"), /* right-to-left override */
		CASE("\xe2\x81\xa0", "\\xe2\\x81\\xa0"), /* word joiner */
		CASE("\xe2\x81\xa6", "\\xe2\\x81\\xa6"), /* left-to-right isolate */
		CASE("\xef\xbb\xbf", "\\xef\\xbb\\xbf"), /* byte order mark */
		CASE("\xef\xbf\xb9", "\\xef\\xbf\\xb9"), /* interlinear annotation */
		CASE("\xd8\x9c", "\\xd8\\x9c"), /* Arabic letter mark */
		CASE("\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"), /* tag letter A */
		/* no characters */
		CASE("\xef\xbf\xbe", "\\xef\\xbf\\xbe"),
		CASE("\xef\xbf\xbf", "\\xef\\xbf\\xbf"),
		CASE("\xef\xb7\x90\xef\xb7\xaf", "\\xef\\xb7\\x90\\xef\\xb7\\xaf"),
		CASE("\xf0\x9f\xbf\xbf", "\\xf0\\x9f\\xbf\\xbf"),
		STAYS("\xef\xb7\x8f\xef\xb7\xb0\xef\xbf\xbd"),
		/* broken UTF-8, byte by byte */
		CASE("\xff\xfe", "\\xff\\xfe"),
		CASE("\x80", "\\x80"),
		CASE("\xc3", "\\xc3"),
		CASE("\xc3(", "\\xc3("),
		CASE("\xe2\x82", "\\xe2\\x82"),
		CASE("\xe2\x82(", "\\xe2\\x82("),
		CASE("\xf0\x9f\x98", "\\xf0\\x9f\\x98"),
		/* overlong */
		CASE("\xc0\xaf", "\\xc0\\xaf"),
		CASE("\xc1\x81", "\\xc1\\x81"),
		CASE("\xe0\x80\xaf", "\\xe0\\x80\\xaf"),
		CASE("\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"),
		CASE("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"),
		CASE("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"),
		/* surrogates, and characters beyond Unicode */
		CASE("\xed\xa0\x80", "\\xed\\xa0\\x80"),
		CASE("\xed\xbf\xbf", "\\xed\\xbf\\xbf"),
		STAYS("\xed\x9f\xbf"),
		CASE("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"),
		CASE("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"),
		STAYS("\xf4\x8f\xbf\xbd"),
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *escaped = text_escape(cases[i].text, cases[i].len);

		assert_string_equal(escaped, cases[i].escaped);
		free(escaped);
	}
}

TEST(text_that_does_not_fit_is_cut_at_a_whole_character)
{
	/* The text of these 9 bytes in a buffer of each size. */
	static const char *const cut[] = { "", "", "a", "a", "a\\n", "a\\n", "a\\n\xc3\xbc", "a\\n\xc3\xbc", "a\\n\xc3\xbc",
					   "a\\n\xc3\xbc", "a\\n\xc3\xbc\\x01", "a\\n\xc3\xbc\\x01z" };
	const char *s = "a\n\xc3\xbc\x01z";

	for (size_t size = 1; size < COUNT(cut); size++) {
		char *buf = malloc(size);

		assert_ptr_equal(text_escape_to(buf, size, s, strlen(s)), buf);
		assert_string_equal(buf, cut[size]);
		free(buf);
	}
}

/* ---- numbers ---- */

TEST(only_digits_are_a_number)
{
	static const struct {
		const char *text;
		size_t len;
		uint64_t max;
		int result;
		uint64_t value;
	} cases[] = {
		{ "0", 1, 10, 0, 0 },
		{ "0010", 4, 10, 0, 10 },
		{ "18446744073709551615", 20, UINT64_MAX, 0, UINT64_MAX },
		{ "123456", 3, 1000, 0, 123 },
		{ "", 0, UINT64_MAX, -EINVAL, 0 },
		{ "-1", 2, UINT64_MAX, -EINVAL, 0 },
		{ "+1", 2, UINT64_MAX, -EINVAL, 0 },
		{ " 1", 2, UINT64_MAX, -EINVAL, 0 },
		{ "1 ", 2, UINT64_MAX, -EINVAL, 0 },
		{ "0x1", 3, UINT64_MAX, -EINVAL, 0 },
		{ "1e3", 3, UINT64_MAX, -EINVAL, 0 },
		{ "1.0", 3, UINT64_MAX, -EINVAL, 0 },
		{ "/", 1, UINT64_MAX, -EINVAL, 0 },
		{ ":", 1, UINT64_MAX, -EINVAL, 0 },
		{ "1\n", 2, UINT64_MAX, -EINVAL, 0 },
		{ "1\0002", 3, UINT64_MAX, -EINVAL, 0 },
		{ "11", 2, 10, -ERANGE, 0 },
		{ "18446744073709551616", 20, UINT64_MAX, -ERANGE, 0 },
		{ "18446744073709551620", 20, UINT64_MAX, -ERANGE, 0 },
		{ "340282366920938463463374607431768211456", 39, 10, -ERANGE, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 0;

		if (parse_u64(cases[i].text, cases[i].len, cases[i].max, &value) != cases[i].result ||
		    value != cases[i].value)
			fail_msg("%s", cases[i].text);
	}
}

/* ---- did you mean ---- */

static const char *suggest(const char *word, const char *const *candidates, size_t n)
{
	struct suggestion suggestion = { .word = word };

	for (size_t i = 0; i < n; i++)
		suggest_offer(&suggestion, candidates[i]);
	return suggestion.best;
}

TEST(close_words_and_abbreviations_are_suggested)
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
		{ "x", "y", true }, /* one edit is always close enough */
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

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *best = suggest(cases[i].word, &cases[i].known, 1);

		if ((best != NULL) != cases[i].near)
			fail_msg("%s and %s", cases[i].word, cases[i].known);
	}
}

TEST(the_closest_word_wins_and_then_the_first)
{
	static const char *const near[] = { "abcdxx", "abcdex", "abcdey", "zzzzzz" }, *const verbs[] = { "start", "status" };

	assert_string_equal(suggest("abcdef", near, COUNT(near)), "abcdex");
	/* An abbreviation wins over a typing error. */
	assert_string_equal(suggest("stat", verbs, COUNT(verbs)), "status");
	assert_null(suggest("abcdef", NULL, 0));
}

TEST(long_words_are_not_compared)
{
	char word[66], known[66];
	const char *candidate = known;

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

TEST(a_text_is_made_safe_in_place)
{
	char text[] = "a\x1b[31mb\\n\tc\n\xc2\x9b\xe2\x80\xae\xff\xc3\xa4";

	text_make_safe(text);
	assert_string_equal(text, "a?[31mb\\n\tc\n??????\xc3\xa4");
}
