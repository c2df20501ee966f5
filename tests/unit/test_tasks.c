/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies the table of records: a record is found by tid or by its process, and never moves. */

#include "test.h"

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

/* Puts the record of a process with one thread. */
static struct task *put(struct tasks *tasks, pid_t tid)
{
	return tasks_put(tasks, &(struct task){ .tid = tid, .tgid = tid });
}

static struct task *put_thread(struct tasks *tasks, pid_t tgid, pid_t tid)
{
	return tasks_put(tasks, &(struct task){ .tid = tid, .tgid = tgid });
}

#define TABLE_TEST(name) TEST_OF(name, struct tasks *tasks, table_on, table_off)

TABLE_TEST(a_new_table_is_empty)
{
	uint32_t cursor = 0;

	assert_int_equal(tasks_count(tasks), 0);
	assert_null(tasks_find(tasks, 1));
	assert_null(tasks_next(tasks, &cursor));
	tasks_free(NULL);
}

/* Tids that differ by this number share a chain (HEADS in tasks.c). */
#define SAME_CHAIN 16384

TABLE_TEST(a_reused_tid_is_another_task)
{
	struct task *task = put(tasks, 7), *again;

	put(tasks, 7 + SAME_CHAIN);
	task->flags = TASK_FRESH;
	task->known.nice = 5;
	assert_ptr_equal(tasks_find(tasks, 7), task);
	again = put(tasks, 7);
	assert_ptr_equal(again, tasks_find(tasks, 7));
	assert_int_equal(again->flags, 0);
	assert_int_equal(again->known.nice, 0);
	assert_int_equal(tasks_count(tasks), 2);
	assert_non_null(tasks_find(tasks, 7 + SAME_CHAIN));
	tasks_remove(tasks, again);
	assert_null(tasks_find(tasks, 7));
	assert_non_null(tasks_find(tasks, 7 + SAME_CHAIN));
	assert_int_equal(tasks_count(tasks), 1);
}

TABLE_TEST(a_put_record_is_a_copy)
{
	const struct task from = {
		.tid = 7,
		.tgid = 7,
		.start = 1,
		.rule = 2,
		.had = { .nice = 3, .util_max = UTIL_FULL },
		.known = { .nice = 4, .util_max = UTIL_FULL },
		.theirs = TASK_ATTR_SLICE,
		.next = 77,
		.next_thread = 77,
		.last_thread = 77,
	};
	const struct task *task = tasks_put(tasks, &from);

	assert_int_equal(task->start, 1);
	assert_int_equal(task->rule, 2);
	assert_int_equal(task->had.nice, 3);
	assert_int_equal(task->known.nice, 4);
	assert_int_equal(task->theirs, TASK_ATTR_SLICE);
	/* The table's own fields are not copied. */
	assert_null(tasks_next_thread(tasks, task));
	assert_null(tasks_find(tasks, 8));
}

TABLE_TEST(records_do_not_move_as_the_table_grows)
{
	enum { MANY = 20000 };
	struct task **records = calloc(MANY + 1, sizeof(struct task *));

	for (pid_t tid = 1; tid <= MANY; tid++) {
		records[tid] = put(tasks, tid * 3);
		records[tid]->rule = (uint32_t)tid;
	}
	assert_int_equal(tasks_count(tasks), MANY);
	for (pid_t tid = 1; tid <= MANY; tid++) {
		assert_ptr_equal(tasks_find(tasks, tid * 3), records[tid]);
		assert_int_equal(records[tid]->rule, tid);
	}
	/* The heads of the chains take memory, too. */
	assert_in_range(tasks_memory(tasks), MANY * sizeof(struct task), MANY * 100);
	free(records);
}

TABLE_TEST(every_task_is_returned_once)
{
	enum { MANY = 3000 };
	static uint8_t returned[MANY + 1];
	struct task *task;
	uint32_t cursor = 0;
	size_t count = 0;

	for (pid_t tid = 1; tid <= MANY; tid++)
		put(tasks, tid);
	for (pid_t tid = 10; tid <= MANY; tid += 10)
		tasks_remove(tasks, tasks_find(tasks, tid));
	while ((task = tasks_next(tasks, &cursor))) {
		assert_int_equal(returned[task->tid]++, 0);
		assert_int_not_equal(task->tid % 10, 0);
		count++;
	}
	assert_int_equal(count, MANY - MANY / 10);
	assert_int_equal(tasks_count(tasks), count);
}

/* ---- memory from the caller ---- */

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

TEST(records_are_in_the_caller_s_memory)
{
	struct arena *arena = calloc(1, sizeof(*arena));
	const struct tasks_memory memory = { .grow = arena_grow, .release = arena_release, .context = arena };
	struct tasks *tasks = tasks_new(&memory);

	for (pid_t tid = 1; tid <= 2 * TASKS_CHUNK; tid++)
		assert_non_null(put(tasks, tid));
	assert_int_equal(arena->used, 2);
	assert_in_range((char *)tasks_find(tasks, 1) - (char *)arena, 0, sizeof(arena->chunks));
	/* There is no memory for one more record. The others stay. */
	assert_null(put(tasks, 1000000));
	assert_int_equal(tasks_count(tasks), 2 * TASKS_CHUNK);
	tasks_remove(tasks, tasks_find(tasks, 1));
	tasks_remove(tasks, tasks_find(tasks, 2));
	assert_non_null(put(tasks, 1000000));
	assert_non_null(put(tasks, 1000001));
	tasks_free(tasks);
	assert_int_equal(arena->released, 2);
	free(arena);
}

/* ---- threads ---- */

static void assert_threads(const struct tasks *tasks, pid_t tgid, const pid_t *tids)
{
	const struct task *thread = tasks_find(tasks, tgid);

	for (; *tids; tids++) {
		thread = tasks_next_thread(tasks, thread);
		assert_non_null(thread);
		assert_int_equal(thread->tid, *tids);
	}
	assert_null(tasks_next_thread(tasks, thread));
}

#define THREADS(...) ((const pid_t[]){ __VA_ARGS__, 0 })
#define NO_THREADS   ((const pid_t[]){ 0 })

TABLE_TEST(a_removed_record_is_not_returned)
{
	put(tasks, 10);
	for (pid_t tid = 11; tid <= 14; tid++)
		put_thread(tasks, 10, tid);
	tasks_remove(tasks, tasks_find(tasks, 12)); /* in the middle, */
	assert_threads(tasks, 10, THREADS(14, 13, 11));
	tasks_remove(tasks, tasks_find(tasks, 14)); /* the first, */
	assert_threads(tasks, 10, THREADS(13, 11));
	tasks_remove(tasks, tasks_find(tasks, 11)); /* the last */
	assert_threads(tasks, 10, THREADS(13));
	put_thread(tasks, 10, 15);
	assert_threads(tasks, 10, THREADS(15, 13));
}

TABLE_TEST(a_reused_tid_of_a_thread_does_not_join_the_former_process)
{
	put(tasks, 10);
	put_thread(tasks, 10, 11);
	put_thread(tasks, 10, 12);
	put(tasks, 11);
	assert_threads(tasks, 10, THREADS(12));
	assert_threads(tasks, 11, NO_THREADS);
}

TABLE_TEST(removing_a_leader_removes_its_threads)
{
	put(tasks, 10);
	put_thread(tasks, 10, 11);
	put_thread(tasks, 10, 12);
	put(tasks, 20);
	put_thread(tasks, 20, 21);
	tasks_remove(tasks, tasks_find(tasks, 10));
	assert_int_equal(tasks_count(tasks), 2);
	assert_null(tasks_find(tasks, 11));
	assert_null(tasks_find(tasks, 12));
	assert_threads(tasks, 20, THREADS(21));
	/* A leader whose id another process has taken over removes its threads, too. */
	put(tasks, 20);
	assert_null(tasks_find(tasks, 21));
	assert_threads(tasks, 20, NO_THREADS);
}

TABLE_TEST(a_thread_without_a_leader_s_record_has_no_other_threads)
{
	struct task *thread = put_thread(tasks, 10, 11);

	assert_null(tasks_next_thread(tasks, thread));
	put(tasks, 10);
	assert_threads(tasks, 10, NO_THREADS);
	tasks_remove(tasks, thread);
	tasks_remove(tasks, tasks_find(tasks, 10));
	assert_int_equal(tasks_count(tasks), 0);
}

/* The event of its fork was lost, so the record with its id is that of another process's thread. */
TABLE_TEST(a_thread_is_not_a_leader)
{
	const struct task *leader = put(tasks, 10), *thread = put_thread(tasks, 10, 11), *other;

	other = put_thread(tasks, 11, 12);
	assert_ptr_equal(tasks_leader(tasks, thread->tgid), leader);
	assert_ptr_equal(tasks_leader(tasks, 10), leader);
	assert_null(tasks_leader(tasks, other->tgid));
	assert_null(tasks_leader(tasks, 11));
	assert_null(tasks_leader(tasks, 13));
}

/* ---- reasons ---- */

TABLE_TEST(every_reason_has_a_name_of_its_own)
{
	for (int a = 0; a < REASON_COUNT; a++) {
		assert_string_not_equal(reason_name(a), "?");
		for (int b = 0; b < a; b++)
			assert_string_not_equal(reason_name(a), reason_name(b));
	}
	assert_string_equal(reason_name(REASON_COUNT), "?");
	assert_string_equal(reason_name(REASON_NONE), "undecided");
	assert_string_equal(reason_name(REASON_CHOSEN), "chosen-by-others");
}

TABLE_TEST(state_and_assignment_make_the_reason)
{
	static const struct {
		enum task_state state;
		enum reason by;
		uint8_t theirs;
		enum reason reason;
	} cases[] = {
		{ TASK_UNDECIDED, REASON_NONE, 0, REASON_NONE },
		{ TASK_UNDECIDED, REASON_RULE, 0, REASON_NONE },
		{ TASK_TAGGED, REASON_RULE, 0, REASON_RULE },
		{ TASK_TAGGED, REASON_THREAD, 0, REASON_THREAD },
		{ TASK_TAGGED, REASON_INHERITED, 0, REASON_INHERITED },
		{ TASK_TAGGED, REASON_DEFAULT, 0, REASON_DEFAULT },
		{ TASK_TAGGED, REASON_OVERRIDE, 0, REASON_OVERRIDE },
		{ TASK_TAGGED, REASON_RULE, TASK_ATTR_NICE, REASON_CHANGED },
		{ TASK_LEFT_ALONE, REASON_NO_RULE, 0, REASON_NO_RULE },
		{ TASK_LEFT_ALONE, REASON_NO_RULE, TASK_ATTR_NICE, REASON_NO_RULE },
		{ TASK_LEFT_ALONE, REASON_DEFAULT, 0, REASON_CHOSEN },
		{ TASK_LEFT_ALONE, REASON_RULE, TASK_ATTR_NICE, REASON_CHOSEN },
		{ TASK_NOT_FAIR, REASON_RULE, TASK_ATTR_POLICY, REASON_NOT_FAIR },
		{ TASK_REFUSED, REASON_RULE, 0, REASON_REFUSED },
		{ TASK_NOT_KEPT, REASON_RULE, 0, REASON_NOT_KEPT },
		{ TASK_UNDONE, REASON_RULE, TASK_ATTR_NICE, REASON_UNDONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct task task = {
			.state = cases[i].state,
			.own.by = cases[i].by,
			.theirs = cases[i].theirs,
		};

		assert_string_equal(reason_name(task_reason(&task)), reason_name(cases[i].reason));
	}
}
