/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task chose, made safe to show: printable UTF-8 stays, all else is escaped. */

#include "test.h"

#include <schedqos/util/text.h>

#define assert_escapes(text, escaped)                             \
	do {                                                      \
		char *e_ = text_escape((text), sizeof(text) - 1); \
		assert_string_equal(e_, escaped);                 \
		free(e_);                                         \
	} while (0)

static void printable_text_stays(void **state)
{
	(void)state;
	assert_escapes("", "");
	assert_escapes("a b~{\"'", "a b~{\"'");
	assert_escapes("gr\xc3\xbc\xc3\x9f"
		       "e \xe2\x82\xac \xf0\x9f\x98\x80",
		       "gr\xc3\xbc\xc3\x9f"
		       "e \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void controls_are_escaped(void **state)
{
	(void)state;
	assert_escapes("a\nb\tc\\d", "a\\nb\\tc\\\\d");
	assert_escapes("\x1b[31m\r\a\b", "\\x1b[31m\\x0d\\x07\\x08");
	assert_escapes("\0x\x7f", "\\x00x\\x7f");
}

static void c1_controls_are_escaped(void **state)
{
	(void)state;
	assert_escapes("\xc2\x80\xc2\x9b\xc2\x9f", "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f");
	assert_escapes("\xc2\xa0", "\xc2\xa0");
}

static void what_turns_or_hides_text_is_escaped(void **state)
{
	static const char *const characters[] = {
		"\xe2\x80\x8b",	    /* zero width space */
		"\xe2\x80\x8e",	    /* left-to-right mark */
		"\xe2\x80\x8f",	    /* right-to-left mark */
		"\xe2\x80\xa8",	    /* line separator */
		"\xe2\x80\xa9",	    /* paragraph separator */
		"\xe2\x80\xaa",	    /* left-to-right embedding */
		"\xe2\x80\xae",	    /* right-to-left override */
		"\xe2\x81\xa0",	    /* word joiner */
		"\xe2\x81\xa6",	    /* left-to-right isolate */
		"\xe2\x81\xa9",	    /* pop directional isolate */
		"\xef\xbb\xbf",	    /* byte order mark */
		"\xef\xbf\xb9",	    /* interlinear annotation */
		"\xd8\x9c",	    /* Arabic letter mark */
		"\xf3\xa0\x81\x81", /* tag letter A */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++) {
		char *escaped = text_escape(characters[i], strlen(characters[i]));

		assert_int_equal(escaped[0], '\\');
		assert_int_equal(strlen(escaped), 4 * strlen(characters[i]));
		free(escaped);
	}
	assert_escapes("\xc2\xad", "\\xc2\\xad");	/* soft hyphen */
	assert_escapes("\xe2\x80\x90", "\xe2\x80\x90"); /* a hyphen that shows */
}

static void broken_utf8_is_escaped_byte_by_byte(void **state)
{
	(void)state;
	assert_escapes("\xff\xfe", "\\xff\\xfe");
	assert_escapes("\x80", "\\x80");
	assert_escapes("\xc3", "\\xc3");
	assert_escapes("\xc3(", "\\xc3(");
	assert_escapes("\xe2\x82", "\\xe2\\x82");
	assert_escapes("\xe2\x82(", "\\xe2\\x82(");
	assert_escapes("\xf0\x9f\x98", "\\xf0\\x9f\\x98");
}

static void overlong_utf8_is_escaped(void **state)
{
	(void)state;
	assert_escapes("\xc0\xaf", "\\xc0\\xaf");
	assert_escapes("\xc1\x81", "\\xc1\\x81");
	assert_escapes("\xe0\x80\xaf", "\\xe0\\x80\\xaf");
	assert_escapes("\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf");
	assert_escapes("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
	assert_escapes("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
}

static void surrogates_and_what_is_beyond_unicode_are_escaped(void **state)
{
	(void)state;
	assert_escapes("\xed\xa0\x80", "\\xed\\xa0\\x80");
	assert_escapes("\xed\xbf\xbf", "\\xed\\xbf\\xbf");
	assert_escapes("\xed\x9f\xbf", "\xed\x9f\xbf");
	assert_escapes("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	assert_escapes("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
	assert_escapes("\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd");
}

static void a_character_s_length_is_that_of_its_utf8(void **state)
{
	(void)state;
	assert_int_equal(text_utf8_length("a", 1), 1);
	assert_int_equal(text_utf8_length("\0", 1), 1);
	assert_int_equal(text_utf8_length("\xc3\xbcx", 3), 2);
	assert_int_equal(text_utf8_length("\xe2\x82\xac", 3), 3);
	assert_int_equal(text_utf8_length("\xf0\x9f\x98\x80", 4), 4);
	assert_int_equal(text_utf8_length("\xf0\x9f\x98\x80", 3), 0);
	assert_int_equal(text_utf8_length("a", 0), 0);
	assert_int_equal(text_utf8_length("\x80", 1), 0);
}

static void what_does_not_fit_is_cut_at_a_whole_character(void **state)
{
	const char *s = "a\n\xc3\xbc\x01z"; /* becomes a \n u-umlaut \x01 z: 10 bytes */
	static const char *const cut[] = { "",
					   "",
					   "a",
					   "a",
					   "a\\n",
					   "a\\n",
					   "a\\n\xc3\xbc",
					   "a\\n\xc3\xbc",
					   "a\\n\xc3\xbc",
					   "a\\n\xc3\xbc",
					   "a\\n\xc3\xbc\\x01",
					   "a\\n\xc3\xbc\\x01z",
					   "a\\n\xc3\xbc\\x01z" };

	(void)state;
	for (size_t size = 1; size < sizeof(cut) / sizeof(cut[0]); size++) {
		char *buf = malloc(size);

		assert_ptr_equal(text_escape_to(buf, size, s, strlen(s)), buf);
		assert_string_equal(buf, cut[size]);
		free(buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printable_text_stays),
		cmocka_unit_test(controls_are_escaped),
		cmocka_unit_test(c1_controls_are_escaped),
		cmocka_unit_test(what_turns_or_hides_text_is_escaped),
		cmocka_unit_test(broken_utf8_is_escaped_byte_by_byte),
		cmocka_unit_test(overlong_utf8_is_escaped),
		cmocka_unit_test(surrogates_and_what_is_beyond_unicode_are_escaped),
		cmocka_unit_test(a_character_s_length_is_that_of_its_utf8),
		cmocka_unit_test(what_does_not_fit_is_cut_at_a_whole_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
