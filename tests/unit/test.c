/* SPDX-License-Identifier: GPL-2.0-only */
/* The main program of each unit test: runs every TEST(). */
#include "test.h"

/* cmocka skips entries without a function. */
static struct CMUnitTest tests[128];
static size_t n_tests;

void test_add(const struct CMUnitTest *test)
{
	if (n_tests == COUNT(tests))
		abort();
	tests[n_tests++] = *test;
}

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
