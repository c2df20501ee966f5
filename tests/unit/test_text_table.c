/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies the layout of tables. */

#include "test.h"

#include <schedqos/util/cleanup.h>

#include "../../src/cli/text_table.h"

static void assert_table(const char *rows, bool on_terminal, const char *want)
{
	struct text_buf in = { 0 }, out = { 0 };
	_cleanup_free_ char *text = NULL;

	text_buf_put(&in, rows, strlen(rows));
	text_table_print(&in, "lrl", on_terminal, &out);
	text = text_buf_take(&out);
	assert_string_equal(text, want);
}

TEST(lines_are_cut_at_the_edge)
{
	char text[] = "gr\xc3\xbc\xc3\x9f" "e long\nshort\n\nlast line";

	text_table_cut(text, 6);
	assert_string_equal(text, "gr\xc3\xbc\xc3\x9f" "e \nshort\n\nlast l");
}

TEST(columns_are_as_wide_as_needed_and_long_cells_are_cut_on_a_terminal)
{
	static const char rows[] = "NAME\tN\tLAST\ngr\xc3\xbc\xc3\x9f" "e-that-are-longer-than-that\t7\t\nb\t123\tx\n";

	assert_table(rows, false,
		     "NAME                              N LAST\n"
		     "gr\xc3\xbc\xc3\x9f" "e-that-are-longer-than-that   7\n"
		     "b                               123 x\n");
	assert_table(rows, true,
		     "NAME                       N LAST\n"
		     "gr\xc3\xbc\xc3\x9f" "e-that-are-longer-th   7\n"
		     "b                        123 x\n");
}

/* As from a bridge that somebody has taken over. */
TEST(more_cells_than_columns_stay_in_the_last_column)
{
	assert_table("A\tB\tC\nx\t1\ta\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\tn\to\tp\tq\n", false,
		     "A B C\nx 1 a b c d e f g h i j k l m n o p q\n");
}
