/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of tasks, and how a table is laid out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/util/cleanup.h>

#include "../../src/cli/tasks.h"
#include "../../src/cli/text_table.h"

static struct task_row rows[8];
static size_t n_rows;

static int set_up(void **state)
{
	(void)state;
	n_rows = 0;
	return 0;
}

static void add(pid_t tid, pid_t tgid, uint16_t rank, int16_t nice)
{
	rows[n_rows++] = (struct task_row){
		.tid = tid, .tgid = tgid, .rank = rank, .nice = nice, .tasks = 1, .usage = { .run_ns = 10 }
	};
}

static void threads_that_agree_are_one_row(void **state)
{
	(void)state;
	/* The leader's id need not be the lowest, once ids have wrapped round. */
	add(30, 50, 1, 0);
	add(50, 50, 1, 0);
	add(51, 50, 1, 0);
	add(60, 60, 1, 0);
	add(61, 60, 1, 5);
	task_rows_join(rows, &n_rows);
	task_rows_sort(rows, n_rows);
	assert_int_equal(n_rows, 3);
	assert_int_equal(rows[0].tid, 50);
	assert_int_equal(rows[0].tasks, 3);
	assert_int_equal(rows[0].usage.run_ns, 30);
	assert_int_equal(rows[1].tid, 60);
	assert_int_equal(rows[2].tid, 61);
}

static void higher_classes_come_first_and_none_last(void **state)
{
	(void)state;
	add(10, 10, 0xffff, 0);
	add(11, 11, 2, 0);
	add(12, 12, 0, 0);
	task_rows_sort(rows, n_rows);
	assert_int_equal(rows[0].tid, 12);
	assert_int_equal(rows[1].tid, 11);
	assert_int_equal(rows[2].tid, 10);
}

/* ---- tables ---- */

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
		cmocka_unit_test_setup(threads_that_agree_are_one_row, set_up),
		cmocka_unit_test_setup(higher_classes_come_first_and_none_last, set_up),
		cmocka_unit_test(a_table_is_as_wide_as_it_needs_or_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
