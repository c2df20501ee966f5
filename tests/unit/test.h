/* SPDX-License-Identifier: GPL-2.0-only */
/* What every unit test includes: cmocka, which needs others before it, and what nearly all of them use. */
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
 * A test is there once it is written, TEST(name) { ... }: main(), in test.c, runs all of the
 * program's. TEST_IN has it run between set_up and tear_down, of cmocka's kind (NULL: none), and
 * TEST_OF gives it what set_up left in *state, as this parameter.
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
