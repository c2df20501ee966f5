/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how each attribute is judged by the task's own record, and each bound. Copies are in test_plan_fork.c. */
#include "test.h"

#include "../../src/policy/plan_private.h"

#define MS	 1000000U
#define CHOSEN_P TASK_ATTR_POLICY
#define CHOSEN_N TASK_ATTR_NICE
#define CHOSEN_S TASK_ATTR_SLICE

#define PRISTINE    { .util_max = UTIL_FULL }
#define NORMAL(n)   { .nice = (n), .util_max = UTIL_FULL }
#define BATCH(n, s) { .policy = POLICY_BATCH, .nice = (n), .slice_ns = (s) * MS, .util_max = UTIL_FULL }
#define FAIR(n, s)  { .nice = (n), .slice_ns = (s) * MS, .util_max = UTIL_FULL }
#define IDLE(n)	    { .policy = POLICY_IDLE, .nice = (n), .util_max = UTIL_FULL }
#define FIFO(p)	    { .policy = POLICY_FIFO, .rt_priority = (p), .util_max = UTIL_FULL }
#define IO(class, level) { .io_priority = IO_PRIORITY(class, level), .util_max = UTIL_FULL }
#define UI	    FAIR(-4, 8)
#define UTILITY	    BATCH(2, 16)

struct row {
	const char *what;
	struct task_attr had, known, actual;
	uint8_t flags, theirs;
	struct task_attr had_then;
	uint8_t theirs_then;
};

static void check_rows(const struct row *rows, size_t n_rows, const struct given *given)
{
	for (size_t i = 0; i < n_rows; i++) {
		const struct row *row = &rows[i];
		struct task task = { .had = row->had, .known = row->known, .flags = row->flags, .theirs = row->theirs };
		char got[TASK_ATTR_TEXT_MAX], want[TASK_ATTR_TEXT_MAX];

		judge_by_own_record(&task, &row->actual, given);
		if (!task_attr_equal(&task.had, &row->had_then) || task.theirs != row->theirs_then)
			fail_msg("%s: had %s, not %s; theirs %x, not %x", row->what, task_attr_text(&task.had, got),
				 task_attr_text(&row->had_then, want), task.theirs, row->theirs_then);
		if (attr_difference(&row->actual, &task.known))
			fail_msg("%s: known is not what was found", row->what);
	}
}

#define CHECK(rows, given) check_rows(rows, sizeof(rows) / sizeof(rows[0]), given)

/* The most that the classes of the announcement give. */
static const struct given classes = { .lowest_nice = -4, .raised_nice = -20 };

TEST(an_attribute_that_differs_from_the_record_was_chosen)
{
	static const struct row rows[] = {
		{ "as known", PRISTINE, UTILITY, UTILITY, 0, 0, PRISTINE, 0 },
		{ "as known, and chosen before", NORMAL(7), BATCH(7, 16), BATCH(7, 16), 0, CHOSEN_N, NORMAL(7), CHOSEN_N },
		{ "a slice", PRISTINE, UTILITY, BATCH(2, 5), 0, 0, FAIR(0, 5), CHOSEN_S },
		{ "a slice that a class gives as well", PRISTINE, UTILITY, BATCH(2, 20), 0, 0, FAIR(0, 20), CHOSEN_S },
		{ "none", FAIR(0, 5), UTILITY, BATCH(2, 0), 0, 0, PRISTINE, CHOSEN_S },
		{ "a policy", PRISTINE, UTILITY, FAIR(2, 16), 0, 0, PRISTINE, CHOSEN_P },
		{ "a lower nice value", PRISTINE, UTILITY, BATCH(9, 16), 0, 0, NORMAL(9), CHOSEN_N },
		{ "SCHED_IDLE", PRISTINE, UI, IDLE(-4), 0, 0, IDLE(0), CHOSEN_P | CHOSEN_S },
	};

	CHECK(rows, &classes);
}

TEST(a_choice_becomes_had_only_if_no_class_made_it_possible)
{
	static const struct row rows[] = {
		{ "between had and the lowest of any class", PRISTINE, UTILITY, BATCH(-3, 16), TASK_TOUCHED, 0, PRISTINE, CHOSEN_N },
		{ "the lowest", PRISTINE, UTILITY, BATCH(-4, 16), TASK_TOUCHED, 0, PRISTINE, CHOSEN_N },
		{ "below it", PRISTINE, UTILITY, BATCH(-5, 16), TASK_TOUCHED, 0, NORMAL(-5), CHOSEN_N },
		{ "on a task that never had a class", PRISTINE, PRISTINE, NORMAL(-3), 0, 0, NORMAL(-3), CHOSEN_N },
		{ "or may have been another's copy", PRISTINE, PRISTINE, NORMAL(-3), TASK_COPY, 0, PRISTINE, CHOSEN_N },
		{ "out of SCHED_IDLE", IDLE(0), IDLE(0), NORMAL(0), 0, 0, NORMAL(0), CHOSEN_P },
		{ "out of it by a class first", IDLE(0), UI, BATCH(-4, 8), TASK_TOUCHED, 0, IDLE(0), CHOSEN_P },
		{ "real time", PRISTINE, PRISTINE, FIFO(5), 0, 0, FIFO(5), CHOSEN_P },
		{ "less real time than known", PRISTINE, FIFO(5), FIFO(3), TASK_TOUCHED, 0, PRISTINE, CHOSEN_P },
		{ "real-time I/O", PRISTINE, PRISTINE, IO(IO_CLASS_REALTIME, 4), 0, 0, IO(IO_CLASS_REALTIME, 4),
		  TASK_ATTR_IO_PRIORITY },
	};

	CHECK(rows, &classes);
}

TEST(a_copy_is_judged_by_what_classes_have_raised)
{
	static const struct given raised = {
		.lowest_nice = -4, .highest_rank = 5, .raised_nice = 10, .raised_idle = true
	};
	static const struct row rows[] = {
		{ "out of SCHED_IDLE", IDLE(0), IDLE(0), NORMAL(0), TASK_COPY, 0, IDLE(0), CHOSEN_P },
		{ "no copy", IDLE(0), IDLE(0), NORMAL(0), 0, 0, NORMAL(0), CHOSEN_P },
		{ "real time of a class", PRISTINE, PRISTINE, FIFO(5), TASK_COPY, 0, PRISTINE, CHOSEN_P },
		{ "above every class's", PRISTINE, PRISTINE, FIFO(6), TASK_COPY, 0, FIFO(6), CHOSEN_P },
	};

	CHECK(rows, &raised);
}
