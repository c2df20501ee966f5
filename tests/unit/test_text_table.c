/* SPDX-License-Identifier: GPL-2.0-only */
/* How a table is laid out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/util/cleanup.h>

#include "../../src/cli/text_table.h"

static void assert_table(struct text_table *table, size_t width, const char *want)
{
	struct text_buf out = { 0 };
	_cleanup_free_ char *text = NULL;

	text_table_print(table, width, &out);
	text = text_buf_take(&out);
	assert_string_equal(text, want);
}

static void a_table_is_as_wide_as_it_needs_or_may(void **state)
{
	struct text_table table = {
		.columns = { { "NAME", false, true }, { "N", true, false } },
		.n_columns = 2,
	};

	(void)state;
	text_table_add(&table, "%s",
		       "gr\xc3\xbc\xc3\x9f"
		       "e-and-more");
	text_table_add(&table, "%d", 7);
	text_table_add(&table, "%s", "b");
	text_table_add(&table, "%d", 123);
	assert_table(&table, 0,
		     "NAME             N\n"
		     "gr\xc3\xbc\xc3\x9f"
		     "e-and-more   7\n"
		     "b              123\n");
	assert_table(&table, 16,
		     "NAME           N\n"
		     "gr\xc3\xbc\xc3\x9f"
		     "e-and-mo   7\n"
		     "b            123\n");
	/* What cannot give way is cut. */
	assert_table(&table, 14,
		     "NAME\n"
		     "gr\xc3\xbc\xc3\x9f"
		     "e-and-mo\n"
		     "b            1\n");
	text_table_clear(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_is_as_wide_as_it_needs_or_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
