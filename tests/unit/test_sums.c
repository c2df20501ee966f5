/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that the use of each task, living or ended, is counted once, in the row to which the task belongs. */
#include "test.h"

#include "../../src/tagging/sums.h"

#define BEGIN_US 1000000000ULL
#define MS	 1000000ULL /* ns */

static struct sums *sums;

static int set_up(void **state)
{
	(void)state;
	sums = sums_new();
	sums_begin(sums, BEGIN_US);
	return !sums;
}

static int tear_down(void **state)
{
	(void)state;
	sums_free(sums);
	return 0;
}

/* Returns the row of a program; the name "" stands for the tag's rule. */
static struct use_row *row_of(uint16_t tag, const char *program, const char *class)
{
	struct sums_key key;

	memset(&key, 0, sizeof(key));
	key.tag = tag;
	key.rule = *program ? 0 : 7;
	key.of = *program ? USE_OF_PROGRAM : USE_OF_RULE;
	memcpy(key.program, program, strlen(program));
	return sums_row_for(sums, &key, class, *program ? NULL : "rule");
}

static struct use_row *row(uint16_t tag, const char *program)
{
	return row_of(tag, program, tag == 1 ? "QOS_ONE" : tag == 2 ? "QOS_TWO" : NULL);
}

/*
 * Returns the figures of a task that was born at born_ms and has used cpu_ms, as read at now_ms. Times count from
 * BEGIN_US.
 */
static struct task_use use(pid_t tid, int born_ms, int now_ms, uint64_t cpu_ms)
{
	return (struct task_use){
		.tid = tid,
		.tgid = tid,
		.comm = "program",
		.cpu_ns = cpu_ms * MS,
		.run_ns = cpu_ms * MS,
		.delay_ns = cpu_ms * 2 * MS,
		.waits = cpu_ms,
		.age_us = (uint64_t)(now_ms - born_ms) * 1000,
		.has_delays = true,
		.has_longest = true,
		.longest_ns = cpu_ms * MS,
		.ends_process = true,
	};
}

static void lives(struct use_row *in, pid_t tid, int born_ms, int now_ms, uint64_t cpu_ms)
{
	const struct task_use one = use(tid, born_ms, now_ms, cpu_ms);

	sums_add_living(sums, in, &one, BEGIN_US + (uint64_t)now_ms * 1000);
}

/* Adds the record of an ended task, which is received 30 ms later. */
static void ends(struct use_row *in, pid_t tid, int born_ms, int now_ms, uint64_t cpu_ms)
{
	const struct task_use one = use(tid, born_ms, now_ms, cpu_ms);

	sums_add_ended(sums, in, &one, BEGIN_US + (uint64_t)now_ms * 1000 + 30000);
}

static const struct use_class *class_of(const char *name)
{
	const struct use_class *class;

	for (size_t i = 0; (class = sums_class_at(sums, i)); i++) {
		if (strcmp(class->name, name) == 0)
			return class;
	}
	return NULL;
}

#define OLD -10000

TEST_IN(use_before_the_first_look_does_not_count, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	sums_begin_round(sums);
	lives(one, 10, OLD, 1, 500);
	sums_end_round(sums, 0);
	assert_int_equal(one->living, 1);
	assert_int_equal(one->cpu_ns, 0);
	assert_int_equal(one->delay_ns, 0);
	assert_int_equal(one->longest_us[0], 0);
	/* The same holds for a task that ends before the first look. */
	ends(one, 11, OLD, 5, 400);
	assert_int_equal(one->cpu_ns, 0);
	assert_int_equal(one->ended, 1);
}

TEST_IN(use_after_the_first_look_counts, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	sums_begin_round(sums);
	lives(one, 10, OLD, 1, 500);
	sums_end_round(sums, 0);
	sums_begin_round(sums);
	lives(one, 10, OLD, 1000, 530);
	sums_end_round(sums, 30 * MS);
	assert_int_equal(one->cpu_ns, 30 * MS);
	assert_int_equal(one->run_ns, 30 * MS);
	assert_int_equal(one->delay_ns, 60 * MS);
	assert_int_equal(one->waits, 30);
	/* Its record at the end brings the rest. */
	ends(one, 10, OLD, 1500, 550);
	assert_int_equal(one->cpu_ns, 50 * MS);
	assert_int_equal(one->ended, 1);
	assert_int_equal(class_of("QOS_ONE")->cpu_ns, 50 * MS);
	assert_int_equal(class_of("QOS_ONE")->delay_ns, 100 * MS);
}

TEST_IN(a_task_that_is_born_and_ends_between_looks_counts_completely, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	sums_begin_round(sums);
	sums_end_round(sums, 0);
	ends(one, 20, 100, 200, 40);
	/* This is another task with the same id. */
	ends(one, 20, 3000, 3100, 30);
	assert_int_equal(one->cpu_ns, 70 * MS);
	assert_int_equal(one->ended, 2);
	assert_int_equal(one->living, 0);
}

/* A zombie goes on using time after its record, and is seen until its parent reaps it. */
TEST_IN(a_zombie_counts_once, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	sums_begin_round(sums);
	sums_end_round(sums, 0);
	ends(one, 20, 100, 200, 40);
	for (int i = 0; i < 3; i++) {
		sums_begin_round(sums);
		lives(one, 20, 100, 1000 * (i + 1), 42);
		sums_end_round(sums, 42 * MS);
		assert_int_equal(one->living, 0);
	}
	assert_int_equal(one->cpu_ns, 42 * MS);
	assert_int_equal(one->ended, 1);
}

/* The task ends during the look at all tasks. Its record is read after the look, and has less than the look found. */
TEST_IN(a_record_that_is_read_late_adds_nothing, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	sums_begin_round(sums);
	lives(one, 20, 100, 201, 42);
	sums_end_round(sums, 0);
	ends(one, 20, 100, 200, 40);
	assert_int_equal(one->cpu_ns, 42 * MS);
	assert_int_equal(one->ended, 1);
}

/* Nothing wakes the daemon for a record, so it may be read much later. */
TEST_IN(a_record_that_is_read_much_later_is_of_the_same_task, set_up, tear_down)
{
	struct use_row *one = row(1, "");
	const struct task_use late = use(20, 100, 1200, 45);

	sums_begin_round(sums);
	lives(one, 20, 100, 1000, 42);
	sums_end_round(sums, 0);
	sums_add_ended(sums, one, &late, BEGIN_US + 60000000);
	assert_int_equal(one->cpu_ns, 45 * MS);
}

TEST_IN(after_a_loss_a_task_that_has_used_less_is_another, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	sums_begin_round(sums);
	lives(one, 20, 100, 1000, 42);
	sums_end_round(sums, 0);
	sums_note_loss(sums);
	ends(one, 20, 1500, 1600, 5);
	assert_int_equal(one->cpu_ns, 47 * MS);
}

/*
 * The threads of a process may end by the thousand, so its name is read once. Then the process counts from its birth.
 */
TEST_IN(a_process_whose_name_was_read_counts_from_its_birth, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	assert_null(sums_program(sums, 20));
	sums_name_program(sums, 20, "a name of 16 byt", BEGIN_US + 2000000);
	assert_string_equal(sums_program(sums, 20), "a name of 16 by");
	ends(one, 20, 1900, 2100, 42);
	assert_int_equal(one->cpu_ns, 42 * MS);
	assert_int_equal(one->ended, 1);
}

TEST_IN(an_id_that_is_reused_is_another_task, set_up, tear_down)
{
	struct use_row *one = row(1, ""), *two = row(2, "");

	sums_begin_round(sums);
	lives(one, 20, 100, 1000, 40);
	sums_end_round(sums, 0);
	/* The record of the first task was lost. */
	sums_begin_round(sums);
	lives(two, 20, 1500, 2000, 50);
	sums_end_round(sums, 0);
	assert_int_equal(one->cpu_ns, 40 * MS);
	assert_int_equal(two->cpu_ns, 50 * MS);
}

/* The use since the previous look counts for the class that the task has now. */
TEST_IN(a_task_that_changes_its_class_counts_for_the_new_one, set_up, tear_down)
{
	struct use_row *one = row(1, ""), *two = row(2, "");

	sums_begin_round(sums);
	lives(one, 10, OLD, 1, 500);
	sums_end_round(sums, 0);
	sums_begin_round(sums);
	lives(two, 10, OLD, 1000, 530);
	sums_end_round(sums, 30 * MS);
	assert_int_equal(one->cpu_ns, 0);
	assert_int_equal(one->living, 0);
	assert_int_equal(two->cpu_ns, 30 * MS);
	assert_int_equal(two->living, 1);
}

TEST_IN(each_reader_has_its_own_longest_wait, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	sums_begin_round(sums);
	lives(one, 10, OLD, 1, 9);
	sums_end_round(sums, 0);
	sums_begin_round(sums);
	lives(one, 10, OLD, 1000, 12);
	sums_end_round(sums, 3 * MS);
	assert_int_equal(one->longest_us[0], 12000);
	assert_int_equal(one->longest_us[USE_READERS - 1], 12000);
	sums_forget_longest(sums, 0);
	/* There was no longer wait since. */
	sums_begin_round(sums);
	lives(one, 10, OLD, 2000, 12);
	sums_end_round(sums, 3 * MS);
	assert_int_equal(one->longest_us[0], 0);
	assert_int_equal(one->longest_us[USE_READERS - 1], 12000);
}

/* ---- CPU time of the machine that no task reports ---- */

static void begin_counting(void)
{
	sums_begin_round(sums);
	sums_end_round(sums, 1000 * MS);
}

static void look_again(uint64_t busy_ms)
{
	sums_begin_round(sums);
	sums_end_round(sums, busy_ms * MS);
}

TEST_IN(the_time_of_ending_is_shared_among_ended_tasks, set_up, tear_down)
{
	struct use_row *one = row(1, ""), *two = row(2, "");

	begin_counting();
	for (int i = 0; i < 300; i++)
		ends(one, 100 + i, 100, 200, 1);
	for (int i = 0; i < 100; i++)
		ends(two, 1000 + i, 100, 200, 1);
	look_again(1000 + 400 + 40);
	assert_int_equal(one->ending_ns, 30 * MS);
	assert_int_equal(two->ending_ns, 10 * MS);
	assert_int_equal(one->cpu_ns, 330 * MS);
	assert_int_equal(class_of("QOS_TWO")->cpu_ns, 110 * MS);
	/* The time is not shared out twice. */
	look_again(1000 + 400 + 40);
	assert_int_equal(one->cpu_ns, 330 * MS);
}

TEST_IN(a_process_with_much_memory_gets_more_of_the_time_of_ending, set_up, tear_down)
{
	struct use_row *one = row(1, ""), *two = row(2, "");
	struct task_use large = use(100, 100, 200, 0), thread = use(101, 100, 200, 0);

	large.rss_kb = 1000000;
	thread.rss_kb = 1000000;
	thread.ends_process = false;
	begin_counting();
	sums_add_ended(sums, one, &large, BEGIN_US + 200000);
	sums_add_ended(sums, two, &thread, BEGIN_US + 200000);
	look_again(1000 + 30);
	assert_true(one->ending_ns > 29 * MS);
	assert_true(two->ending_ns < MS);
}

/* The time may be that of an unknown task instead of the end of this one. */
TEST_IN(no_more_time_is_shared_out_than_ending_can_take, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	begin_counting();
	ends(one, 100, 100, 200, 1);
	look_again(1000 + 1000);
	assert_true(one->ending_ns < MS);
}

TEST_IN(time_that_is_missing_after_a_loss_has_a_row_of_its_own, set_up, tear_down)
{
	struct use_row *one = row(1, "");
	const struct use_row *lost = NULL;

	begin_counting();
	ends(one, 100, 100, 200, 1);
	sums_note_loss(sums);
	look_again(1000 + 501);
	for (size_t i = 0; (lost = sums_row_at(sums, i)) && lost->of != USE_OF_LOST; i++)
		;
	assert_non_null(lost);
	assert_int_equal(lost->cpu_ns, 500 * MS);
	assert_int_equal(one->cpu_ns, 1 * MS);
	assert_int_equal(class_of(USE_NO_CLASS)->cpu_ns, 500 * MS);
}

/* Ticks during a long look are at first in only one of the two sums. */
TEST_IN(time_that_is_counted_early_is_subtracted_later, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	begin_counting();
	ends(one, 100, 100, 200, 10);
	look_again(1000 + 2); /* 8 ms less than were counted */
	for (int i = 0; i < 100; i++)
		ends(one, 200 + i, 300, 400, 0);
	look_again(1000 + 2 + 9);
	assert_int_equal(one->ending_ns, 1 * MS);
}

/* ---- rows ---- */

/* After a reload, other rules may have the same numbers, and the same rules other numbers. */
TEST_IN(another_configuration_has_the_same_rows_for_the_same_names, set_up, tear_down)
{
	struct use_row *one = row(1, ""), *two = row(2, "");

	assert_ptr_equal(row(1, ""), one);
	assert_string_equal(one->class, "QOS_ONE");
	assert_string_equal(one->rule, "rule");
	sums_forget_keys(sums);
	assert_ptr_equal(row_of(2, "", "QOS_ONE"), one);
	assert_ptr_equal(row_of(1, "", "QOS_TWO"), two);
	assert_ptr_equal(row_of(2, "", "QOS_ONE"), one);
	sums_forget_keys(sums);
	assert_ptr_not_equal(row_of(1, "", "QOS_THREE"), one);
}

TEST_IN(reloads_do_not_use_up_the_rows, set_up, tear_down)
{
	for (int i = 0; i < 5000; i++) {
		row(1, "program");
		sums_forget_keys(sums);
	}
	assert_int_equal(row(1, "program")->of, USE_OF_PROGRAM);
}

/* Any user may run programs of any name. */
TEST_IN(the_number_of_rows_is_limited, set_up, tear_down)
{
	char name[16];
	size_t n = 0;

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		row(1, name);
	}
	while (sums_row_at(sums, n))
		n++;
	assert_in_range(n, 1000, 1100);
	assert_int_equal(row(1, "one more")->of, USE_OF_OTHERS);
}

TEST_IN(many_ended_tasks_make_a_look_necessary, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	begin_counting();
	assert_false(sums_is_crowded(sums));
	for (int i = 0; i < 40000; i++)
		ends(one, 100 + i, 100, 200, 0);
	assert_true(sums_is_crowded(sums));
	look_again(1000);
	assert_false(sums_is_crowded(sums));
}

TEST_IN(only_the_sums_of_classes_outlast_a_new_beginning, set_up, tear_down)
{
	struct use_row *one = row(1, "");

	begin_counting();
	ends(one, 100, 100, 200, 10);
	sums_begin(sums, BEGIN_US + 1000000);
	assert_int_equal(class_of("QOS_ONE")->cpu_ns, 10 * MS);
	assert_int_equal(row(1, "")->cpu_ns, 0);
}

TEST_IN(a_process_has_the_name_of_its_leader, set_up, tear_down)
{
	sums_begin_round(sums);
	assert_null(sums_program(sums, 10));
	lives(row(1, "program"), 10, OLD, 1, 1);
	assert_string_equal(sums_program(sums, 10), "program");
	sums_end_round(sums, 0);
	assert_string_equal(sums_program(sums, 10), "program");
}

/* The first round may look at a thread before the leader, whose name it needs then. */
TEST_IN(a_leader_whose_name_was_asked_for_by_a_thread_is_not_counted_from_its_birth, set_up, tear_down)
{
	sums_begin_round(sums);
	sums_name_program(sums, 10, "program", BEGIN_US);
	lives(row(1, "program"), 10, OLD, 1, 3600000);
	sums_end_round(sums, 0);
	assert_int_equal(row(1, "program")->cpu_ns, 0);
}
