/* SPDX-License-Identifier: GPL-2.0-only */
/* Included by every unit test: cmocka with the headers that it needs first, and macros that nearly all tests use. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Defines a test, as TEST(name) { ... }; main() in test.c runs all of them. TEST_IN runs it between set_up and
 * tear_down, functions as cmocka wants them (NULL: none). TEST_OF also passes *state, which set_up has set, as this
 * parameter.
 */
#define TEST_OF(name, parameter, set_up, tear_down)                                            \
	static void name(parameter);                                                           \
	static void name##_runs(void **state)                                                  \
	{                                                                                      \
		name(*state);                                                                  \
	}                                                                                      \
	static __attribute__((constructor)) void name##_is_there(void)                         \
	{                                                                                      \
		test_add(&(struct CMUnitTest){ #name, name##_runs, set_up, tear_down, NULL }); \
	}                                                                                      \
	static void name(__attribute__((unused)) parameter)
#define TEST_IN(name, set_up, tear_down) TEST_OF(name, void *unused, set_up, tear_down)
#define TEST(name)			 TEST_IN(name, NULL, NULL)

void test_add(const struct CMUnitTest *test);
