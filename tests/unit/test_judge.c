/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose each attribute of a task is: every line of the judgement, and every bound. */
#include "test.h"

#include "../../src/policy/judge.h"

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
#define UI	    FAIR(-4, 8)
#define UTILITY	    BATCH(2, 16)
#define BACKGROUND  BATCH(4, 20)

#define FAIR_HAS (QOS_HAS_POLICY | QOS_HAS_NICE | QOS_HAS_RUNTIME)

static const struct qos_attr classes[] = {
	{ .has = FAIR_HAS, .policy = POLICY_NORMAL, .nice = -4, .runtime = 8 * MS },
	{ .has = FAIR_HAS | QOS_HAS_UTIL_MIN, .policy = POLICY_BATCH, .nice = 2, .runtime = 16 * MS, .util_min = 32 },
	{ .has = FAIR_HAS | QOS_HAS_UTIL_MAX | QOS_HAS_IO_CLASS, .policy = POLICY_BATCH, .nice = 4, .runtime = 20 * MS,
	  .util_max = 256, .io_class = IO_CLASS_IDLE },
};
static const struct qos_attr real_time = { .has = QOS_HAS_POLICY | QOS_HAS_PRIORITY,
					   .policy = POLICY_FIFO,
					   .priority = 5 };

static struct given given;

static int set_up(void **state)
{
	(void)state;
	given_init(&given);
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		assert_int_equal(given_add(&given, &classes[i]), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	given_clear(&given);
	return 0;
}

struct row {
	const char *what;
	struct task_attr had, known, actual;
	uint8_t flags, theirs;
	bool is_vouched;
	struct task_attr had_then;
	uint8_t theirs_then;
};

static void check_rows(const struct row *rows, size_t n_rows, const struct attr_caps *caps)
{
	for (size_t i = 0; i < n_rows; i++) {
		const struct row *row = &rows[i];
		struct task task = { .had = row->had, .known = row->known, .flags = row->flags, .theirs = row->theirs };
		char got[TASK_ATTR_TEXT_MAX], want[TASK_ATTR_TEXT_MAX];

		judge(&task, &row->actual, row->is_vouched, &given, caps);
		if (!task_attr_equal(&task.had, &row->had_then) || task.theirs != row->theirs_then)
			fail_msg("%s: had %s, not %s; theirs %x, not %x", row->what, task_attr_text(&task.had, got),
				 task_attr_text(&row->had_then, want), task.theirs, row->theirs_then);
		if (attr_difference(&row->actual, &task.known))
			fail_msg("%s: known is not what was found", row->what);
	}
}

#define CHECK(rows, ...) check_rows(rows, sizeof(rows) / sizeof(rows[0]), &(const struct attr_caps){ __VA_ARGS__ })

#define TEST_JUDGE_TEST(name) TEST_IN(name, set_up, tear_down)

TEST_JUDGE_TEST(each_line)
{
	static const struct row rows[] = {
		/* A slice or clamp that a class gives. */
		{ "a class's slice", PRISTINE, UTILITY, BATCH(2, 20), 0, 0, false, PRISTINE, 0 },
		{ "... over a chosen one", FAIR(0, 5), BATCH(2, 5), BATCH(2, 8), 0, CHOSEN_S, false, FAIR(0, 5), 0 },
		{ "another slice", PRISTINE, UTILITY, BATCH(2, 5), 0, 0, false, FAIR(0, 5), CHOSEN_S },
		{ "none", PRISTINE, UTILITY, BATCH(2, 0), 0, 0, false, PRISTINE, CHOSEN_S },
		{ "a class's clamp", PRISTINE, PRISTINE, { .util_max = 256 }, 0, 0, false, PRISTINE, 0 },
		{ "... the lower one", PRISTINE, PRISTINE, { .util_min = 32, .util_max = UTIL_FULL }, 0, 0, false, PRISTINE, 0 },
		{ "another clamp", PRISTINE, PRISTINE, { .util_max = 255 }, 0, 0, false, { .util_max = 255 },
		  TASK_ATTR_UTIL_MAX },
		{ "a chosen slice that a class gives by now", FAIR(0, 8), FAIR(0, 8), FAIR(0, 8), 0, CHOSEN_S, false, FAIR(0, 8), 0 },
		/* As known. */
		{ "as known", PRISTINE, UTILITY, UTILITY, TASK_TOUCHED, 0, false, PRISTINE, 0 },
		{ "... and theirs", NORMAL(9), BATCH(9, 16), BATCH(9, 16), 0, CHOSEN_N, false, NORMAL(9), CHOSEN_N },
		/* A copy. */
		{ "a class that its origin vouches for", PRISTINE, UI, UTILITY, TASK_COPY, 0, true, PRISTINE, 0 },
		{ "... not", PRISTINE, UI, UTILITY, TASK_COPY, 0, false, NORMAL(2), CHOSEN_N },
		{ "... above had", NORMAL(0), UTILITY, UI, TASK_COPY, 0, false, PRISTINE, 0 },
		{ "... above what somebody lowered", NORMAL(9), UTILITY, BATCH(9, 20), TASK_COPY, 0, false, NORMAL(9), 0 },
		{ "... raised above that", NORMAL(9), UTILITY, BATCH(4, 20), TASK_COPY, 0, false, NORMAL(9), 0 },
		{ "... and out of SCHED_IDLE", IDLE(0), UTILITY, UI, TASK_COPY, 0, false, IDLE(0), 0 },
		{ "its own nice value beside a class's slice", PRISTINE, UTILITY, FAIR(0, 8), TASK_COPY, 0, false, PRISTINE, CHOSEN_N },
		{ "... of a class that lowers it", NORMAL(1), UI, BATCH(1, 16), TASK_COPY, 0, false, NORMAL(1), CHOSEN_N },
		{ "what it had", PRISTINE, UI, PRISTINE, TASK_COPY, 0, false, PRISTINE, 0 },
		{ "a nice value beside a class's slice", PRISTINE, UI, BATCH(3, 16), TASK_COPY, 0, true, NORMAL(3), CHOSEN_N },
		{ "... and a policy", PRISTINE, UI, FAIR(3, 16), TASK_COPY, 0, true, NORMAL(3), CHOSEN_N },
		{ "beside what is theirs", NORMAL(7), FAIR(7, 8), BATCH(7, 20), TASK_COPY, CHOSEN_N, true, NORMAL(7),
		  CHOSEN_N },
		{ "... and a class's I/O priority", PRISTINE, FAIR(-3, 8),
		  { POLICY_BATCH, 0, -3, 0, IO_PRIORITY(IO_CLASS_IDLE, 0), 20 * MS, 0, UTIL_FULL }, TASK_COPY, CHOSEN_N,
		  true, PRISTINE, CHOSEN_N },
		{ "SCHED_IDLE", PRISTINE, UI, { POLICY_IDLE, 0, -4, 0, 0, 8 * MS, 0, UTIL_FULL }, TASK_COPY, 0, false, IDLE(0),
		  CHOSEN_P },
		{ "a class's nice value alone, under it", IDLE(0), IDLE(2), IDLE(4), TASK_COPY, 0, true, IDLE(4), CHOSEN_N },
		{ "what has left real time", FIFO(9), FIFO(9), UTILITY, TASK_COPY, CHOSEN_P, false, BATCH(2, 0),
		  CHOSEN_P | CHOSEN_N },
		{ "... that its origin vouches for", FIFO(9), FIFO(9), UTILITY, TASK_COPY, CHOSEN_P, true, BATCH(0, 0), CHOSEN_P },
		{ "born without its slice", NORMAL(-7), FAIR(-7, 8), PRISTINE, TASK_COPY, 0, false, PRISTINE,
		  CHOSEN_N | CHOSEN_S },
		/* About to be set. */
		{ "what it was to be set from", PRISTINE, UI, BATCH(12, 20), TASK_SETTING, 0, true, NORMAL(12), CHOSEN_N },
		{ "... but for a policy", PRISTINE, UI, IDLE(0), TASK_SETTING, 0, true, IDLE(0), CHOSEN_P },
		/* Anything else. */
		{ "a nice value", PRISTINE, UTILITY, BATCH(7, 16), TASK_TOUCHED, 0, false, NORMAL(7), CHOSEN_N },
		{ "a policy", PRISTINE, UTILITY, FAIR(2, 16), TASK_TOUCHED, 0, false, PRISTINE, CHOSEN_P },
		{ "an I/O priority", PRISTINE, PRISTINE, { .util_max = UTIL_FULL, .io_priority = IO_PRIORITY(IO_CLASS_IDLE, 0) },
		  0, 0, false, { .util_max = UTIL_FULL, .io_priority = IO_PRIORITY(IO_CLASS_IDLE, 0) },
		  TASK_ATTR_IO_PRIORITY },
	};

	CHECK(rows, true, true, 3 * MS, true);
}

TEST_JUDGE_TEST(each_bound)
{
	static const struct row rows[] = {
		{ "between", PRISTINE, UTILITY, BATCH(-3, 16), TASK_TOUCHED, 0, false, PRISTINE, CHOSEN_N },
		{ "... of a copy", PRISTINE, UTILITY, BATCH(-3, 16), TASK_COPY, 0, false, PRISTINE, CHOSEN_N },
		{ "... of one that was never touched", NORMAL(9), NORMAL(9), NORMAL(0), 0, 0, false, PRISTINE, CHOSEN_N },
		{ "below every class", PRISTINE, UTILITY, BATCH(-5, 16), TASK_TOUCHED, 0, false, NORMAL(-5), CHOSEN_N },
		{ "out of SCHED_IDLE", IDLE(0), IDLE(0), NORMAL(0), TASK_TOUCHED, 0, false, PRISTINE, CHOSEN_P },
		{ "... that a class had raised", IDLE(0), UTILITY, FAIR(2, 16), TASK_TOUCHED, 0, false, IDLE(0), CHOSEN_P },
		{ "... by SCHED_EXT", IDLE(0), UTILITY, { .policy = POLICY_EXT, .nice = 2, .slice_ns = 16 * MS, .util_max = UTIL_FULL },
		  TASK_TOUCHED, 0, false, IDLE(0), CHOSEN_P },
		{ "... of a copy", IDLE(0), IDLE(0), NORMAL(0), TASK_COPY, 0, false, PRISTINE, CHOSEN_P },
		{ "real time", PRISTINE, UTILITY, FIFO(3), TASK_TOUCHED, 0, false, FIFO(3), CHOSEN_P | CHOSEN_N },
		{ "... less than what was chosen", FIFO(9), FIFO(9), FIFO(3), TASK_TOUCHED, 0, false, FIFO(3), CHOSEN_P },
		{ "real-time I/O", PRISTINE, PRISTINE,
		  { .util_max = UTIL_FULL, .io_priority = IO_PRIORITY(IO_CLASS_REALTIME, 4) }, 0, 0, false,
		  { .util_max = UTIL_FULL, .io_priority = IO_PRIORITY(IO_CLASS_REALTIME, 4) }, TASK_ATTR_IO_PRIORITY },
	};
	static const struct row with_real_time[] = {
		{ "the class's priority", PRISTINE, FIFO(5), FIFO(3), TASK_TOUCHED, 0, false, PRISTINE, CHOSEN_P },
		{ "... as SCHED_RR", PRISTINE, FIFO(5), { .policy = POLICY_RR, .rt_priority = 5, .util_max = UTIL_FULL }, TASK_TOUCHED, 0,
		  false, PRISTINE, CHOSEN_P },
		{ "above it", PRISTINE, FIFO(5), FIFO(6), TASK_TOUCHED, 0, false, FIFO(6), CHOSEN_P },
		{ "a copy's", PRISTINE, UI, FIFO(5), TASK_COPY, 0, false, PRISTINE, 0 },
		{ "... above it", PRISTINE, PRISTINE, FIFO(6), TASK_COPY, 0, false, FIFO(6), CHOSEN_P },
	};
	static const struct row once_raised[] = {
		{ "a copy of SCHED_IDLE, when that was raised", IDLE(0), IDLE(0), NORMAL(0), TASK_COPY, 0, false, IDLE(0),
		  CHOSEN_P },
		{ "... of one that we have looked at", IDLE(0), IDLE(0), NORMAL(0), TASK_TOUCHED, 0, false, PRISTINE, CHOSEN_P },
	};
	const struct task_attr idle = IDLE(0), normal = NORMAL(0);

	CHECK(rows, true, true, 3 * MS, true);
	given_note_raise(&given, &idle, &normal);
	CHECK(once_raised, true, true, 3 * MS, true);
	assert_int_equal(given_add(&given, &real_time), 0);
	CHECK(with_real_time, true, true, 3 * MS, true);
}

TEST_JUDGE_TEST(without_slices_policy_and_nice_are_the_signature)
{
	static const struct row rows[] = {
		{ "a class", PRISTINE, NORMAL(-4), BATCH(2, 0), TASK_COPY, 0, true, PRISTINE, 0 },
		{ "... under SCHED_IDLE", IDLE(0), IDLE(2), IDLE(4), TASK_COPY, 0, true, IDLE(0), 0 },
		{ "its policy alone", PRISTINE, NORMAL(-4), BATCH(-4, 0), TASK_COPY, 0, true,
		  { .policy = POLICY_BATCH, .util_max = UTIL_FULL }, CHOSEN_P },
	};

	CHECK(rows, false, false, 0, false);
}

/* Whoever nobody knows the maker of may come from the least that was ever raised. */
TEST_JUDGE_TEST(who_was_raised_is_remembered)
{
	const struct task_attr lowered = NORMAL(9), raised = UI, pristine = PRISTINE, idle = IDLE(0);
	struct task_attr had = pristine;

	given_lower(&given, &raised, &had);
	assert_int_equal(had.nice, 0);
	given_note_raise(&given, &pristine, &raised);
	given_note_raise(&given, &lowered, &raised);
	given_lower(&given, &(struct task_attr)NORMAL(9), &had);
	assert_int_equal(had.nice, 0);
	given_lower(&given, &(struct task_attr)NORMAL(-5), &had);
	assert_int_equal(had.nice, 0);
	given_lower(&given, &raised, &had);
	assert_int_equal(had.nice, 9);
	given_note_raise(&given, &idle, &raised);
	had = (struct task_attr)FIFO(3);
	given_lower(&given, &raised, &had);
	assert_false(attr_difference(&had, &(struct task_attr)IDLE(9)));
}

TEST_JUDGE_TEST(what_classes_give_is_summed_up)
{
	const struct qos_attr io = { .has = QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL,
				     .io_class = IO_CLASS_REALTIME,
				     .io_level = 6 };
	struct given none;

	given_init(&none);
	assert_int_equal(none.lowest_nice, GIVEN_NICE_NONE);
	assert_int_equal(given.lowest_nice, -4);
	assert_int_equal(given.highest_rank, 0);
	assert_true(given.has_io_priority);
	assert_int_equal(given.highest_io, 0);
	assert_int_equal(given_add(&given, &io), 0);
	assert_int_equal(given.highest_io, IO_PRIORITY(IO_CLASS_REALTIME, 6));
	assert_int_equal(given_add(&given, &real_time), 0);
	assert_int_equal(given_add(&given, &real_time), 0);
	assert_int_equal(given.count, 5);
	assert_int_equal(given.highest_rank, 5);
}

/* Of a task of which nobody knows: what anybody may choose is no sign of a class that has no slice. */
TEST_JUDGE_TEST(what_tells_of_a_class)
{
	static const struct qos_attr without_slice[] = {
		{ .has = QOS_HAS_POLICY, .policy = POLICY_IDLE },
		{ .has = QOS_HAS_POLICY | QOS_HAS_NICE, .policy = POLICY_NORMAL, .nice = 7 },
		{ .has = QOS_HAS_POLICY | QOS_HAS_NICE, .policy = POLICY_NORMAL, .nice = -9 },
	};
	static const struct {
		struct task_attr carries;
		bool fits, fits_without_slices;
	} rows[] = {
		{ UI, true, true },	     { FAIR(9, 16), true, false }, { FAIR(-4, 3), false, true },
		{ PRISTINE, false, false },  { IDLE(0), false, true },	   { NORMAL(7), false, true },
		{ NORMAL(-9), true, true },  { FIFO(5), true, true },	   { NORMAL(3), false, false },
	};

	for (size_t i = 0; i < sizeof(without_slice) / sizeof(*without_slice); i++)
		assert_int_equal(given_add(&given, &without_slice[i]), 0);
	assert_int_equal(given_add(&given, &real_time), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct attr_caps caps[] = { { .slice = true }, { .slice = false } };

		if (given_fits(&given, &rows[i].carries, &caps[0]) != rows[i].fits)
			fail_msg("row %zu", i);
		if (!rows[i].carries.slice_ns &&
		    given_fits(&given, &rows[i].carries, &caps[1]) != rows[i].fits_without_slices)
			fail_msg("row %zu without slices", i);
	}
}
