/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how problems are kept for the status. */
#include "test.h"

#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

static void drop(int level, bool is_plain, const char *text)
{
	(void)level;
	(void)is_plain;
	(void)text;
}

/* The text becomes part of JSON. */
TEST(a_long_problem_is_cut_at_a_whole_character)
{
	char name[sizeof((struct problem){ 0 }.text) + 8];

	log_set_sink(drop);
	for (size_t ascii = 0; ascii < 8; ascii++) {
		struct problem problem = { 0 };

		memset(name, 'x', ascii);
		for (size_t i = ascii; i < sizeof(name) - 4; i += 3)
			strcpy(name + i, "\xe2\x82\xac");
		problem_report(&problem, "%s", name);
		assert_in_range(strlen(problem.text), sizeof(problem.text) - 5, sizeof(problem.text) - 1);
		for (const char *c = problem.text + ascii; *c; c += 3)
			assert_int_equal(text_utf8_length(c, strlen(c)), 3);
	}
}
