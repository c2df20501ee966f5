/* SPDX-License-Identifier: GPL-2.0-only */
/* Strict numbers: digits only, the whole text, within the range. */
#include "test.h"

#include <errno.h>

#include <schedqos/util/text.h>

#define UNTOUCHED 4711

static uint64_t value;

static int parse(const char *text, uint64_t max)
{
	value = UNTOUCHED;
	return parse_u64(text, strlen(text), max, &value);
}

static void digits_are_a_number(void **state)
{
	(void)state;
	assert_int_equal(parse("0", 10), 0);
	assert_int_equal(value, 0);
	assert_int_equal(parse("0010", 10), 0);
	assert_int_equal(value, 10);
	assert_int_equal(parse("18446744073709551615", UINT64_MAX), 0);
	assert_true(value == UINT64_MAX);
}

static void only_the_given_bytes_count(void **state)
{
	(void)state;
	assert_int_equal(parse_u64("123456", 3, 1000, &value), 0);
	assert_int_equal(value, 123);
}

static void anything_else_is_no_number(void **state)
{
	static const char *const bad[] = { "",	  "-1", "+1",  " 1", "1 ", "1a", "0x1",
					   "1e3", ".",	"1.0", "/",  ":",  "\n", "1\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i], UINT64_MAX), -EINVAL);
		assert_int_equal(value, UNTOUCHED);
	}
	assert_int_equal(parse_u64("1\0002", 3, UINT64_MAX, &value), -EINVAL);
}

static void a_number_beyond_the_range_is_refused(void **state)
{
	static const char *const large[] = { "11", "18446744073709551616", "99999999999999999999",
					     "340282366920938463463374607431768211456" };

	(void)state;
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		assert_int_equal(parse(large[i], 10), -ERANGE);
		assert_int_equal(value, UNTOUCHED);
	}
	assert_int_equal(parse("18446744073709551616", UINT64_MAX), -ERANGE);
	assert_int_equal(parse("18446744073709551620", UINT64_MAX), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_are_a_number),
		cmocka_unit_test(only_the_given_bytes_count),
		cmocka_unit_test(anything_else_is_no_number),
		cmocka_unit_test(a_number_beyond_the_range_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
