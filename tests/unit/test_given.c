/* SPDX-License-Identifier: GPL-2.0-only */
/* What classes have given, and what a child is born with: what the merge goes by. */
#include "merge_case.h"

static void each_class_is_given_once(void **state)
{
	struct given given = { 0 };
	struct qos_attr attr = qos_builtin[0].attr;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(given_add(&given, &attr), 0);
	assert_int_equal(given.count, 1);
	attr.runtime++;
	assert_int_equal(given_add(&given, &attr), 0);
	attr.has &= ~QOS_HAS_NICE;
	assert_int_equal(given_add(&given, &attr), 0);
	assert_int_equal(given.count, 3);
	given_clear(&given);
	assert_int_equal(given.count, 0);
	assert_int_equal(given.lowest_nice, GIVEN_NO_NICE);
}

static void the_lowest_nice_is_of_those_that_have_one(void **state)
{
	static const struct {
		struct qos_attr attr;
		int lowest;
	} rows[] = {
		{ { .has = QOS_HAS_POLICY, .nice = -20 }, GIVEN_NO_NICE },
		{ { .has = QOS_HAS_NICE, .nice = 19 }, 19 },
		{ { .has = QOS_HAS_NICE, .nice = -3 }, -3 },
		{ { .has = QOS_HAS_NICE, .nice = 4 }, -3 },
		{ { .has = QOS_HAS_NICE | QOS_HAS_POLICY, .policy = POLICY_BATCH, .nice = -7 }, -7 },
		{ { .has = QOS_HAS_RUNTIME, .runtime = 5 * MS }, -7 },
	};
	struct given given = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(given_add(&given, &rows[i].attr), 0);
		assert_int_equal(given.lowest_nice, rows[i].lowest);
	}
	given_clear(&given);
}

static void the_highest_rank_is_real_time_s_or_deadline_s(void **state)
{
	static const struct {
		struct qos_attr attr;
		int highest;
	} rows[] = {
		{ { .has = QOS_HAS_POLICY | QOS_HAS_NICE, .policy = POLICY_BATCH, .nice = 9 }, 0 },
		{ { .has = QOS_HAS_PRIORITY, .policy = POLICY_FIFO, .priority = 9 }, 0 },
		{ { .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_FIFO, .priority = 3 }, 3 },
		{ { .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_RR, .priority = 7 }, 7 },
		{ { .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_FIFO, .priority = 5 }, 7 },
		{ { .has = QOS_HAS_POLICY, .policy = POLICY_DEADLINE }, 100 },
	};
	struct given given = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(given_add(&given, &rows[i].attr), 0);
		assert_int_equal(given.highest_rank, rows[i].highest);
	}
	given_clear(&given);
	assert_int_equal(given.highest_rank, 0);
}

static void the_highest_io_is_of_real_time_only(void **state)
{
	static const struct {
		struct qos_attr attr;
		bool has;
		uint8_t highest;
	} rows[] = {
		{ { .has = QOS_HAS_NICE, .nice = 9 }, false, 0 },
		{ { .has = QOS_HAS_IO_CLASS, .io_class = IO_CLASS_IDLE }, true, 0 },
		{ { .has = QOS_HAS_IO_CLASS, .io_class = IO_CLASS_BEST_EFFORT }, true, 0 },
		{ { .has = QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL, .io_class = IO_CLASS_REALTIME, .io_level = 5 }, true,
		  IO_PRIORITY(IO_CLASS_REALTIME, 5) },
		{ { .has = QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL, .io_class = IO_CLASS_REALTIME, .io_level = 3 }, true,
		  IO_PRIORITY(IO_CLASS_REALTIME, 3) },
		{ { .has = QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL, .io_class = IO_CLASS_REALTIME, .io_level = 6 }, true,
		  IO_PRIORITY(IO_CLASS_REALTIME, 3) },
	};
	struct given given = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(given_add(&given, &rows[i].attr), 0);
		assert_int_equal(given.count, i + 1);
		assert_int_equal(given.has_io_priority, rows[i].has);
		assert_int_equal(given.highest_io, rows[i].highest);
	}
	given_clear(&given);
	assert_false(given.has_io_priority);
}

/* ---- born ---- */

static void a_child_is_born_as_the_kernel_has_it(void **state)
{
	static const struct {
		const char *what;
		struct task_attr attr, born;
	} rows[] = {
		{ "without reset-on-fork", BATCH(-7, 8, 10, 300), BATCH(-7, 8, 10, 300) },
		{ "real time without it", FIFO(5, -4, 8), FIFO(5, -4, 8) },
		{ "NORMAL", { POLICY_NORMAL, 1, 5, 0, 0, 8 * MS, 10, 300 }, NORMAL(5, 0, 0, 1024) },
		{ "a negative nice", { POLICY_NORMAL, 1, -5, 0, 0, 8 * MS, 10, 300 }, NOTHING },
		{ "BATCH", { POLICY_BATCH, 1, -5, 0, 0, 8 * MS, 0, 1024 }, BATCH(0, 0, 0, 1024) },
		{ "IDLE", { POLICY_IDLE, 1, 3, 0, 0, 0, 0, 1024 }, IDLE(3, 0, 0, 1024) },
		{ "FIFO", { POLICY_FIFO, 1, 7, 5, 0, 8 * MS, 0, 1024 }, NOTHING },
		{ "RR", { POLICY_RR, 1, -7, 99, 0, 0, 10, 300 }, NOTHING },
		{ "DEADLINE", DEADLINE, NOTHING },
		{ "I/O priority", { POLICY_NORMAL, 1, -5, 0, IO_PRIORITY(IO_CLASS_IDLE, 0), 0, 0, 1024 }, IO(IDLE, 0) },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct task_attr born = attr_after_fork(&rows[i].attr);

		assert_true(is_same(rows[i].what, "what it is born with", &born, &rows[i].born));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class_is_given_once),
		cmocka_unit_test(the_lowest_nice_is_of_those_that_have_one),
		cmocka_unit_test(the_highest_rank_is_real_time_s_or_deadline_s),
		cmocka_unit_test(the_highest_io_is_of_real_time_only),
		cmocka_unit_test(a_child_is_born_as_the_kernel_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
