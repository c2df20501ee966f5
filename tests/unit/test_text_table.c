/* SPDX-License-Identifier: GPL-2.0-only */
/* How a table is laid out. */

#include "test.h"

#include <schedqos/util/cleanup.h>

#include "../../src/cli/text_table.h"

static void assert_table(const char *rows, size_t width, const char *want)
{
	struct text_buf in = { 0 }, out = { 0 };
	_cleanup_free_ char *text = NULL;

	text_buf_put(&in, rows, strlen(rows));
	text_table_print(&in, "lrl", width, &out);
	text = text_buf_take(&out);
	assert_string_equal(text, want);
}

TEST(a_table_is_as_wide_as_it_needs_or_may)
{
	static const char rows[] = "NAME\tN\tLAST\ngr\xc3\xbc\xc3\x9f" "e-that-are-longer-than-that\t7\t\nb\t123\tx\n";

	assert_table(rows, 0,
		     "NAME                              N LAST\n"
		     "gr\xc3\xbc\xc3\x9f" "e-that-are-longer-than-that   7\n"
		     "b                               123 x\n");
	assert_table(rows, 80,
		     "NAME                       N LAST\n"
		     "gr\xc3\xbc\xc3\x9f" "e-that-are-longer-th   7\n"
		     "b                        123 x\n");
	assert_table(rows, 26,
		     "NAME\n"
		     "gr\xc3\xbc\xc3\x9f" "e-that-are-longer-th\n"
		     "b                        1\n");
}
