/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of tasks: found by tid, never moved, gone when removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/policy/tasks.h>

static int table_on(void **state)
{
	*state = tasks_new(NULL);
	return *state ? 0 : -1;
}

static int table_off(void **state)
{
	tasks_free(*state);
	return 0;
}

#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, table_on, table_off)

static void a_new_table_is_empty(void **state)
{
	struct tasks *tasks = *state;
	uint32_t cursor = 0;

	assert_int_equal(tasks_count(tasks), 0);
	assert_null(tasks_find(tasks, 1));
	assert_null(tasks_next(tasks, &cursor));
	tasks_free(NULL);
}

static void a_task_is_found_by_its_tid_until_it_is_removed(void **state)
{
	struct tasks *tasks = *state;
	struct task *task = tasks_add(tasks, 7);

	assert_int_equal(task->tid, 7);
	assert_int_equal(tasks_count(tasks), 1);
	assert_ptr_equal(tasks_find(tasks, 7), task);
	assert_null(tasks_find(tasks, 8));
	tasks_remove(tasks, task);
	assert_null(tasks_find(tasks, 7));
	assert_int_equal(tasks_count(tasks), 0);
}

static void a_tid_that_comes_again_begins_from_zero(void **state)
{
	struct tasks *tasks = *state;
	struct task *task = tasks_add(tasks, 7), *again, zero = { .tid = 7 };

	tasks_add(tasks, 7 + 1024);
	task->tgid = 3;
	task->flags = TASK_OWNED;
	task->known.nice = 5;
	again = tasks_add(tasks, 7);
	assert_ptr_equal(again, task);
	zero.next = again->next;
	assert_memory_equal(again, &zero, sizeof(zero));
	assert_int_equal(tasks_count(tasks), 2);
	assert_non_null(tasks_find(tasks, 7 + 1024));
}

static void a_removed_record_is_used_again(void **state)
{
	struct tasks *tasks = *state;
	struct task *task = tasks_add(tasks, 7), *other;
	size_t memory = tasks_memory(tasks);

	task->flags = TASK_OWNED;
	task->app = 9;
	tasks_remove(tasks, task);
	other = tasks_add(tasks, 8);
	assert_ptr_equal(other, task);
	assert_int_equal(other->app, 0);
	assert_int_equal(other->flags, 0);
	assert_int_equal(tasks_memory(tasks), memory);
}

static void tids_of_one_chain_are_told_apart(void **state)
{
	struct tasks *tasks = *state;
	struct task *a = tasks_add(tasks, 5), *b = tasks_add(tasks, 5 + 4096);
	struct task *c = tasks_add(tasks, 5 + 8192);

	tasks_remove(tasks, b);
	assert_ptr_equal(tasks_find(tasks, 5), a);
	assert_null(tasks_find(tasks, 5 + 4096));
	assert_ptr_equal(tasks_find(tasks, 5 + 8192), c);
	tasks_remove(tasks, c);
	tasks_remove(tasks, a);
	assert_int_equal(tasks_count(tasks), 0);
}

static void records_do_not_move_as_the_table_grows(void **state)
{
	enum { MANY = 20000 };
	struct tasks *tasks = *state;
	struct task **records = calloc(MANY + 1, sizeof(struct task *));

	for (pid_t tid = 1; tid <= MANY; tid++) {
		records[tid] = tasks_add(tasks, tid * 3);
		records[tid]->app = (uint32_t)tid;
	}
	assert_int_equal(tasks_count(tasks), MANY);
	for (pid_t tid = 1; tid <= MANY; tid++) {
		assert_ptr_equal(tasks_find(tasks, tid * 3), records[tid]);
		assert_int_equal(records[tid]->app, tid);
	}
	/* "At most 100 bytes a task." */
	assert_in_range(tasks_memory(tasks), MANY * 60, MANY * 100);
	free(records);
}

static void every_task_is_met_once(void **state)
{
	enum { MANY = 3000 };
	struct tasks *tasks = *state;
	static uint8_t met[MANY + 1];
	struct task *task;
	uint32_t cursor = 0;
	size_t count = 0;

	for (pid_t tid = 1; tid <= MANY; tid++)
		tasks_add(tasks, tid);
	for (pid_t tid = 10; tid <= MANY; tid += 10)
		tasks_remove(tasks, tasks_find(tasks, tid));
	while ((task = tasks_next(tasks, &cursor))) {
		assert_int_equal(met[task->tid]++, 0);
		assert_int_not_equal(task->tid % 10, 0);
		count++;
	}
	assert_int_equal(count, MANY - MANY / 10);
	assert_int_equal(tasks_count(tasks), count);
}

static void the_task_just_met_may_be_removed(void **state)
{
	struct tasks *tasks = *state;
	struct task *task;
	uint32_t cursor = 0;

	for (pid_t tid = 1; tid <= 3000; tid++)
		tasks_add(tasks, tid);
	while ((task = tasks_next(tasks, &cursor)))
		tasks_remove(tasks, task);
	assert_int_equal(tasks_count(tasks), 0);
}

/* ---- memory of the caller's ---- */

struct arena {
	struct task chunks[2][TASKS_CHUNK];
	size_t used, released;
};

static struct task *arena_grow(void *context)
{
	struct arena *arena = context;

	return arena->used < 2 ? arena->chunks[arena->used++] : NULL;
}

static void arena_release(void *context, struct task *chunk)
{
	struct arena *arena = context;

	assert_true(chunk == arena->chunks[0] || chunk == arena->chunks[1]);
	arena->released++;
}

static void records_live_where_the_caller_says(void **state)
{
	struct arena *arena = calloc(1, sizeof(*arena));
	const struct tasks_memory memory = { arena_grow, arena_release, arena };
	struct tasks *tasks = tasks_new(&memory);

	(void)state;
	for (pid_t tid = 1; tid <= 2 * TASKS_CHUNK; tid++)
		assert_non_null(tasks_add(tasks, tid));
	assert_int_equal(arena->used, 2);
	assert_in_range((char *)tasks_find(tasks, 1) - (char *)arena, 0, sizeof(arena->chunks));
	/* No memory for one more: what is there stays. */
	assert_null(tasks_add(tasks, 1000000));
	assert_int_equal(tasks_count(tasks), 2 * TASKS_CHUNK);
	tasks_remove(tasks, tasks_find(tasks, 1));
	assert_non_null(tasks_add(tasks, 1000000));
	tasks_free(tasks);
	assert_int_equal(arena->released, 2);
	free(arena);
}

static void a_record_that_is_given_up_is_nobody_s(void **state)
{
	struct tasks *tasks = *state;
	struct task *task = tasks_add(tasks, 7);

	/* What a crash leaves behind must not be taken for a task with something to undo. */
	task->flags = TASK_OWNED;
	tasks_remove(tasks, task);
	assert_int_equal(task->tid, 0);
	assert_int_equal(task->flags, 0);
}

/* ---- reasons ---- */

static void every_reason_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int a = 0; a < REASON_COUNT; a++) {
		assert_string_not_equal(reason_name(a), "?");
		for (int b = 0; b < a; b++)
			assert_string_not_equal(reason_name(a), reason_name(b));
	}
	assert_string_equal(reason_name(REASON_COUNT), "?");
	assert_string_equal(reason_name(REASON_NONE), "undecided");
	assert_string_equal(reason_name(REASON_CHOSEN), "chosen-by-others");
}

static void tagged_is_who_carries_a_tag(void **state)
{
	(void)state;
	for (int reason = 0; reason < REASON_COUNT; reason++)
		assert_int_equal(reason_is_tagged(reason),
				 reason == REASON_RULE || reason == REASON_THREAD ||
					 reason == REASON_INHERITED || reason == REASON_DEFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TABLE_TEST(a_new_table_is_empty),
		TABLE_TEST(a_task_is_found_by_its_tid_until_it_is_removed),
		TABLE_TEST(a_tid_that_comes_again_begins_from_zero),
		TABLE_TEST(a_removed_record_is_used_again),
		TABLE_TEST(tids_of_one_chain_are_told_apart),
		TABLE_TEST(records_do_not_move_as_the_table_grows),
		TABLE_TEST(every_task_is_met_once),
		TABLE_TEST(the_task_just_met_may_be_removed),
		TABLE_TEST(records_live_where_the_caller_says),
		TABLE_TEST(a_record_that_is_given_up_is_nobody_s),
		TABLE_TEST(every_reason_has_a_name_of_its_own),
		TABLE_TEST(tagged_is_who_carries_a_tag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
