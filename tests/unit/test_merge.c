/* SPDX-License-Identifier: GPL-2.0-only */
/* The merge, as a table: what it would carry, what we know, what is theirs; what is found; what becomes of the record. */
#include "merge_case.h"

enum {
	POL = TASK_ATTR_POLICY,
	NICE = TASK_ATTR_NICE,
	SLICE = TASK_ATTR_SLICE,
	MIN = TASK_ATTR_UTIL_MIN,
	MAX = TASK_ATTR_UTIL_MAX,
	IO_BIT = TASK_ATTR_IO_PRIORITY,
	ALL = POL | NICE | SLICE | MIN | MAX,
};

struct row {
	const char *what;
	struct merge before;
	struct task_attr actual;
	struct merge after;
};

static const struct attr_caps caps = { true, true, 3 * MS, true };

/*
 * The built-in classes, of which the lowest nice is -4; one that is real-time, one that is SCHED_IDLE; one each with
 * real-time and with idle I/O.
 */
static int given_on(void **state)
{
	struct given *given = calloc(1, sizeof(*given));
	const struct qos_attr fifo = {
		.has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_FIFO, .priority = 5
	};
	const struct qos_attr idle = { .has = QOS_HAS_POLICY, .policy = POLICY_IDLE };
	const struct qos_attr io[] = {
		{ .has = QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL, .io_class = IO_CLASS_REALTIME, .io_level = 4 },
		{ .has = QOS_HAS_IO_CLASS, .io_class = IO_CLASS_IDLE },
	};

	if (!given)
		return -1;
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++) {
		if (given_add(given, &qos_builtin[i].attr) < 0)
			return -1;
	}
	*state = given;
	if (given_add(given, &io[0]) < 0 || given_add(given, &io[1]) < 0)
		return -1;
	return given_add(given, &fifo) < 0 || given_add(given, &idle) < 0 ? -1 : 0;
}

static int given_off(void **state)
{
	given_clear(*state);
	free(*state);
	return 0;
}

/* Returns how much of it is wrong. */
static int check(const struct row *row, const struct merge *is)
{
	int wrong = !is_same(row->what, "had", &is->had, &row->after.had);

	wrong += !is_same(row->what, "known", &is->known, &row->after.known);
	if (is->theirs == row->after.theirs)
		return wrong;
	print_error("%s: theirs is %#x, not %#x\n", row->what, is->theirs, row->after.theirs);
	return wrong + 1;
}

static void check_found(const struct row *rows, size_t n, const struct given *given)
{
	int wrong = 0;

	for (size_t i = 0; i < n; i++) {
		struct merge merge = rows[i].before;

		merge_found(&merge, &rows[i].actual, given);
		merge_reset_on_fork(&merge, &rows[i].actual);
		wrong += check(&rows[i], &merge);
	}
	assert_int_equal(wrong, 0);
}

static void check_unverified(const struct row *rows, size_t n, const struct given *given)
{
	int wrong = 0;

	for (size_t i = 0; i < n; i++) {
		struct merge merge = rows[i].before;

		merge_unverified(&merge, &rows[i].actual, given, &caps, true);
		merge_reset_on_fork(&merge, &rows[i].actual);
		wrong += check(&rows[i], &merge);
	}
	assert_int_equal(wrong, 0);
}

/* ---- found ---- */

static void an_attribute_as_known_is_untouched(void **state)
{
	static const struct row rows[] = {
		{ "nothing of ours", { NOTHING, NOTHING, 0 }, NOTHING, { NOTHING, NOTHING, 0 } },
		{ "ours", { NOTHING, OURS, 0 }, OURS, { NOTHING, OURS, 0 } },
		{ "theirs before", { NORMAL(9, 0, 0, 1024), BATCH(9, 20, 0, 256), NICE }, BATCH(9, 20, 0, 256),
		  { NORMAL(9, 0, 0, 1024), BATCH(9, 20, 0, 256), NICE } },
		{ "real time of ours", { NOTHING, FIFO(5, 0, 0), 0 }, FIFO(5, 0, 0), { NOTHING, FIFO(5, 0, 0), 0 } },
	};

	check_found(rows, COUNT(rows), *state);
	check_unverified(rows, COUNT(rows), *state);
}

static void an_attribute_not_as_known_was_chosen(void **state)
{
	static const struct row rows[] = {
		{ "policy", { NOTHING, OURS, 0 }, NORMAL(4, 20, 0, 256),
		  { NOTHING, NORMAL(4, 20, 0, 256), POL } },
		{ "nice", { NOTHING, OURS, 0 }, BATCH(9, 20, 0, 256),
		  { NORMAL(9, 0, 0, 1024), BATCH(9, 20, 0, 256), NICE } },
		{ "slice", { NOTHING, OURS, 0 }, BATCH(4, 5, 0, 256),
		  { NORMAL(0, 5, 0, 1024), BATCH(4, 5, 0, 256), SLICE } },
		{ "another class's slice", { NOTHING, OURS, 0 }, BATCH(4, 8, 0, 256),
		  { NORMAL(0, 8, 0, 1024), BATCH(4, 8, 0, 256), SLICE } },
		{ "no slice", { NOTHING, OURS, 0 }, BATCH(4, 0, 0, 256), { NOTHING, BATCH(4, 0, 0, 256), SLICE } },
		{ "no slice where one was had", { NORMAL(0, 5, 0, 1024), OURS, 0 }, BATCH(4, 0, 0, 256),
		  { NOTHING, BATCH(4, 0, 0, 256), SLICE } },
		{ "util_min", { NOTHING, OURS, 0 }, BATCH(4, 20, 100, 256),
		  { NORMAL(0, 0, 100, 1024), BATCH(4, 20, 100, 256), MIN } },
		{ "util_max", { NOTHING, OURS, 0 }, BATCH(4, 20, 0, 300),
		  { NORMAL(0, 0, 0, 300), BATCH(4, 20, 0, 300), MAX } },
		{ "no clamp", { NOTHING, OURS, 0 }, BATCH(4, 20, 0, 1024), { NOTHING, BATCH(4, 20, 0, 1024), MAX } },
		{ "all of it", { NOTHING, OURS, 0 }, IDLE(9, 5, 100, 300),
		  { IDLE(9, 5, 100, 300), IDLE(9, 5, 100, 300), ALL } },
		{ "one more", { NORMAL(0, 5, 0, 1024), BATCH(4, 5, 0, 256), SLICE }, BATCH(9, 5, 0, 256),
		  { NORMAL(9, 5, 0, 1024), BATCH(9, 5, 0, 256), SLICE | NICE } },
		{ "the same once more", { NORMAL(9, 0, 0, 1024), BATCH(9, 20, 0, 256), NICE }, BATCH(12, 20, 0, 256),
		  { NORMAL(12, 0, 0, 1024), BATCH(12, 20, 0, 256), NICE } },
		{ "of a task that had nothing of ours", { NOTHING, NOTHING, 0 }, NORMAL(3, 0, 0, 1024),
		  { NORMAL(3, 0, 0, 1024), NORMAL(3, 0, 0, 1024), NICE } },
	};

	check_found(rows, COUNT(rows), *state);
}

/* The lowest of a class's is -4. */
static void had_takes_no_nice_that_needs_privilege(void **state)
{
	static const struct row rows[] = {
		{ "above had", { NOTHING, OURS, 0 }, BATCH(2, 20, 0, 256),
		  { NORMAL(2, 0, 0, 1024), BATCH(2, 20, 0, 256), NICE } },
		{ "at had", { NOTHING, OURS, 0 }, BATCH(0, 20, 0, 256), { NOTHING, BATCH(0, 20, 0, 256), NICE } },
		{ "just below had", { NOTHING, OURS, 0 }, BATCH(-1, 20, 0, 256),
		  { NOTHING, BATCH(-1, 20, 0, 256), NICE } },
		{ "at the lowest class's", { NOTHING, OURS, 0 }, BATCH(-4, 20, 0, 256),
		  { NOTHING, BATCH(-4, 20, 0, 256), NICE } },
		{ "below the lowest class's", { NOTHING, OURS, 0 }, BATCH(-5, 20, 0, 256),
		  { NORMAL(-5, 0, 0, 1024), BATCH(-5, 20, 0, 256), NICE } },
		{ "back from where somebody lowered it", { NORMAL(9, 0, 0, 1024), BATCH(9, 20, 0, 256), NICE },
		  BATCH(4, 20, 0, 256), { NORMAL(9, 0, 0, 1024), BATCH(4, 20, 0, 256), NICE } },
		{ "above had below every class's", { NORMAL(-10, 0, 0, 1024), NORMAL(-4, 8, 0, 1024), 0 },
		  NORMAL(-7, 8, 0, 1024), { NORMAL(-7, 0, 0, 1024), NORMAL(-7, 8, 0, 1024), NICE } },
		{ "below had below every class's", { NORMAL(-10, 0, 0, 1024), NORMAL(-4, 8, 0, 1024), 0 },
		  NORMAL(-12, 8, 0, 1024), { NORMAL(-12, 0, 0, 1024), NORMAL(-12, 8, 0, 1024), NICE } },
		{ "the rest is believed all the same", { NOTHING, OURS, 0 }, BATCH(-4, 5, 0, 256),
		  { NORMAL(0, 5, 0, 1024), BATCH(-4, 5, 0, 256), NICE | SLICE } },
	};

	check_found(rows, COUNT(rows), *state);
	check_unverified(rows, COUNT(rows), *state);
}

static void without_a_class_with_nice_every_nice_is_theirs(void **state)
{
	static const struct row rows[] = {
		{ "below had", { NOTHING, NOTHING, 0 }, NORMAL(-1, 0, 0, 1024),
		  { NORMAL(-1, 0, 0, 1024), NORMAL(-1, 0, 0, 1024), NICE } },
	};
	const struct qos_attr no_nice = { .has = QOS_HAS_RUNTIME, .runtime = 5 * MS };
	struct given given = { .lowest_nice = GIVEN_NO_NICE };

	(void)state;
	check_found(rows, COUNT(rows), &given);
	assert_int_equal(given_add(&given, &no_nice), 0);
	check_found(rows, COUNT(rows), &given);
	given_clear(&given);
}

static void had_does_not_leave_idle_because_of_us(void **state)
{
	static const struct row rows[] = {
		{ "into it", { NOTHING, OURS, 0 }, IDLE(4, 20, 0, 256), { IDLE(0, 0, 0, 1024), IDLE(4, 20, 0, 256), POL } },
		{ "out of what a rule left", { IDLE(0, 0, 0, 1024), IDLE(4, 20, 0, 256), 0 }, NORMAL(4, 20, 0, 256),
		  { NOTHING, NORMAL(4, 20, 0, 256), POL } },
		{ "out of what a rule had raised", { IDLE(0, 0, 0, 1024), OURS, 0 }, NORMAL(4, 20, 0, 256),
		  { IDLE(0, 0, 0, 1024), NORMAL(4, 20, 0, 256), POL } },
		{ "back into it", { IDLE(0, 0, 0, 1024), OURS, 0 }, IDLE(4, 20, 0, 256),
		  { IDLE(0, 0, 0, 1024), IDLE(4, 20, 0, 256), POL } },
		{ "to real time", { IDLE(0, 0, 0, 1024), OURS, 0 }, FIFO(9, 4, 0),
		  { { POLICY_FIFO, 0, 0, 9, 0, 0, 0, 1024 }, { POLICY_FIFO, 0, 4, 9, 0, 20 * MS, 0, 1024 }, POL | MAX } },
	};

	check_found(rows, COUNT(rows), *state);
}

static void under_real_time_of_ours_no_more_than_that_is_ours(void **state)
{
	static const struct row rows[] = {
		{ "above", { NOTHING, FIFO(5, 0, 0), 0 }, FIFO(6, 0, 0), { FIFO(6, 0, 0), FIFO(6, 0, 0), POL } },
		{ "at, of the other kind", { NOTHING, FIFO(5, 0, 0), 0 }, RR(5, 0, 0), { NOTHING, RR(5, 0, 0), POL } },
		{ "below", { NOTHING, FIFO(5, 0, 0), 0 }, FIFO(4, 0, 0), { NOTHING, FIFO(4, 0, 0), POL } },
		{ "and back", { NOTHING, FIFO(4, 0, 0), POL }, FIFO(4, 0, 0), { NOTHING, FIFO(4, 0, 0), POL } },
		{ "out of it", { NOTHING, FIFO(5, 0, 0), 0 }, NORMAL(0, 0, 0, 1024), { NOTHING, NOTHING, POL } },
		{ "not ours, lower", { RR(7, 0, 0), RR(7, 0, 0), POL }, RR(3, 0, 0), { RR(3, 0, 0), RR(3, 0, 0), POL } },
		{ "not ours, out of it", { RR(7, 0, 0), RR(7, 0, 0), POL }, NOTHING, { NOTHING, NOTHING, POL } },
		{ "from a fair class", { NOTHING, NORMAL(-4, 8, 0, 1024), 0 }, FIFO(9, -4, 0),
		  { FIFO(9, 0, 0), FIFO(9, -4, 8), POL } },
	};

	check_found(rows, COUNT(rows), *state);
}

static void what_real_time_hides_is_as_it_was(void **state)
{
	static const struct row rows[] = {
		{ "as known", { NOTHING, FIFO(5, 4, 20), 0 }, FIFO(5, 4, 0), { NOTHING, FIFO(5, 4, 20), 0 } },
		{ "theirs, too", { FIFO(9, 3, 7), FIFO(9, 4, 20), POL }, RR(9, 4, 0), { RR(9, 3, 7), RR(9, 4, 20), POL } },
		{ "and comes back", { NOTHING, FIFO(5, 4, 20), 0 }, BATCH(4, 20, 0, 1024),
		  { BATCH(0, 0, 0, 1024), BATCH(4, 20, 0, 1024), POL } },
		{ "changed meanwhile", { NOTHING, FIFO(5, 4, 20), 0 }, BATCH(9, 5, 0, 1024),
		  { BATCH(9, 5, 0, 1024), BATCH(9, 5, 0, 1024), POL | NICE | SLICE } },
	};

	check_found(rows, COUNT(rows), *state);
}

static void a_nice_value_is_judged_under_real_time_as_well(void **state)
{
	static const struct row rows[] = {
		{ "lower", { FIFO(9, 0, 0), FIFO(9, -4, 8), POL }, FIFO(9, 5, 0),
		  { FIFO(9, 5, 0), FIFO(9, 5, 8), POL | NICE } },
		{ "left of a class's", { FIFO(9, 0, 0), FIFO(9, -4, 8), POL }, FIFO(9, -3, 0),
		  { FIFO(9, 0, 0), FIFO(9, -3, 8), POL | NICE } },
		{ "below every class's", { FIFO(9, 0, 0), FIFO(9, 0, 0), POL }, FIFO(9, -11, 0),
		  { FIFO(9, -11, 0), FIFO(9, -11, 0), POL | NICE } },
	};

	check_found(rows, COUNT(rows), *state);
}

/* The highest of a class's real-time I/O is level 4. */
static void had_takes_no_real_time_io_of_a_class(void **state)
{
	static const struct row rows[] = {
		{ "at a class's", { NOTHING, NOTHING, 0 }, IO(REALTIME, 4), { NOTHING, IO(REALTIME, 4), IO_BIT } },
		{ "below it", { NOTHING, IO(REALTIME, 4), 0 }, IO(REALTIME, 5), { NOTHING, IO(REALTIME, 5), IO_BIT } },
		{ "above it", { NOTHING, IO(REALTIME, 4), 0 }, IO(REALTIME, 3), { IO(REALTIME, 3), IO(REALTIME, 3), IO_BIT } },
		{ "below what it had", { IO(REALTIME, 2), IO(REALTIME, 2), IO_BIT }, IO(REALTIME, 6),
		  { IO(REALTIME, 6), IO(REALTIME, 6), IO_BIT } },
	};

	check_found(rows, COUNT(rows), *state);
}

static void had_takes_any_io_that_is_free_to_all(void **state)
{
	static const struct row rows[] = {
		{ "best effort", { NOTHING, NOTHING, 0 }, IO(BEST_EFFORT, 0), { IO(BEST_EFFORT, 0), IO(BEST_EFFORT, 0), IO_BIT } },
		{ "up from idle of ours", { NOTHING, IO(IDLE, 0), 0 }, IO(BEST_EFFORT, 0),
		  { IO(BEST_EFFORT, 0), IO(BEST_EFFORT, 0), IO_BIT } },
		{ "up from what it had", { IO(IDLE, 7), IO(IDLE, 7), IO_BIT }, IO(BEST_EFFORT, 2),
		  { IO(BEST_EFFORT, 2), IO(BEST_EFFORT, 2), IO_BIT } },
		{ "none again", { IO(BEST_EFFORT, 7), IO(IDLE, 0), 0 }, NOTHING, { NOTHING, NOTHING, IO_BIT } },
		{ "out of real time of ours", { NOTHING, IO(REALTIME, 4), 0 }, IO(IDLE, 7), { IO(IDLE, 7), IO(IDLE, 7), IO_BIT } },
	};

	check_found(rows, COUNT(rows), *state);
	check_unverified(rows, COUNT(rows), *state);
}

static void unverified_io_of_a_class_is_ours(void **state)
{
	static const struct row rows[] = {
		{ "idle", { NOTHING, NOTHING, 0 }, IO(IDLE, 0), { NOTHING, IO(IDLE, 0), 0 } },
		{ "of another level, as ionice sets it", { NOTHING, NOTHING, 0 }, IO(IDLE, 7), { IO(IDLE, 7), IO(IDLE, 7), IO_BIT } },
		{ "real time", { NOTHING, NOTHING, 0 }, IO(REALTIME, 4), { NOTHING, IO(REALTIME, 4), 0 } },
		{ "real time above it", { NOTHING, NOTHING, 0 }, IO(REALTIME, 0),
		  { IO(REALTIME, 0), IO(REALTIME, 0), IO_BIT } },
		{ "real time below it", { NOTHING, NOTHING, 0 }, IO(REALTIME, 7), { NOTHING, IO(REALTIME, 7), IO_BIT } },
	};

	check_unverified(rows, COUNT(rows), *state);
}

#define RESET(attr_policy, n) { attr_policy, 1, n, 0, 0, 0, 0, UTIL_FULL }

static void reset_on_fork_follows_what_is_found(void **state)
{
	static const struct row rows[] = {
		{ "set", { NOTHING, NOTHING, 0 }, RESET(POLICY_NORMAL, 0),
		  { RESET(POLICY_NORMAL, 0), RESET(POLICY_NORMAL, 0), 0 } },
		{ "cleared", { RESET(POLICY_NORMAL, 0), RESET(POLICY_NORMAL, 0), 0 }, NOTHING, { NOTHING, NOTHING, 0 } },
		{ "ours, of a deadline", { NOTHING, DEADLINE, 0 }, DEADLINE, { NOTHING, DEADLINE, 0 } },
		{ "theirs, of a deadline", { NOTHING, NOTHING, 0 }, DEADLINE, { DEADLINE, DEADLINE, POL } },
	};

	check_found(rows, COUNT(rows), *state);
	check_unverified(rows, COUNT(rows), *state);
}

/* ---- unverified records ---- */

static void unverified_slices_and_clamps_of_a_class_are_ours(void **state)
{
	static const struct row rows[] = {
		{ "slice", { NOTHING, OURS, 0 }, BATCH(4, 8, 0, 256), { NOTHING, BATCH(4, 8, 0, 256), 0 } },
		{ "slice of none", { NOTHING, OURS, 0 }, BATCH(4, 5, 0, 256),
		  { NORMAL(0, 5, 0, 1024), BATCH(4, 5, 0, 256), SLICE } },
		{ "util_max", { NOTHING, OURS, 0 }, BATCH(4, 20, 0, 512), { NOTHING, BATCH(4, 20, 0, 512), 0 } },
		{ "util_max of none", { NOTHING, OURS, 0 }, BATCH(4, 20, 0, 300),
		  { NORMAL(0, 0, 0, 300), BATCH(4, 20, 0, 300), MAX } },
		{ "util_min of none", { NOTHING, OURS, 0 }, BATCH(4, 20, 100, 256),
		  { NORMAL(0, 0, 100, 1024), BATCH(4, 20, 100, 256), MIN } },
		{ "of several classes", { NOTHING, OURS, 0 }, BATCH(4, 8, 0, 512), { NOTHING, BATCH(4, 8, 0, 512), 0 } },
		{ "what nobody has set is of no class", { NORMAL(0, 5, 0, 300), OURS, 0 }, BATCH(4, 0, 0, 1024),
		  { NOTHING, BATCH(4, 0, 0, 1024), SLICE | MAX } },
		{ "beside a choice", { NOTHING, OURS, 0 }, BATCH(9, 8, 0, 512),
		  { NORMAL(9, 0, 0, 1024), BATCH(9, 8, 0, 512), NICE } },
		{ "what was theirs", { NORMAL(9, 0, 0, 1024), BATCH(9, 20, 0, 256), NICE }, BATCH(9, 8, 0, 256),
		  { NORMAL(9, 0, 0, 1024), BATCH(9, 8, 0, 256), NICE } },
	};

	check_unverified(rows, COUNT(rows), *state);
}

static void an_unverified_policy_is_ours_with_the_rest_of_its_class(void **state)
{
	static const struct row rows[] = {
		{ "all of it", { NOTHING, OURS, 0 }, NORMAL(-2, 12, 0, 768), { NOTHING, NORMAL(-2, 12, 0, 768), NICE } },
		{ "but nice", { NOTHING, OURS, 0 }, NORMAL(9, 12, 0, 768),
		  { NORMAL(9, 0, 0, 1024), NORMAL(9, 12, 0, 768), NICE } },
		{ "but the I/O priority", { NOTHING, NOTHING, 0 },
		  { POLICY_BATCH, 0, 4, 0, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7), 20 * MS, 0, 256 },
		  { { POLICY_NORMAL, 0, 4, 0, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7), 0, 0, 1024 },
		    { POLICY_BATCH, 0, 4, 0, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7), 20 * MS, 0, 256 }, NICE | IO_BIT } },
		{ "alone", { NOTHING, OURS, 0 }, NORMAL(4, 20, 0, 256), { NOTHING, NORMAL(4, 20, 0, 256), POL } },
		{ "beside another class's slice", { NOTHING, NORMAL(-4, 8, 0, 1024), 0 }, BATCH(-4, 12, 0, 512),
		  { BATCH(0, 0, 0, 1024), BATCH(-4, 12, 0, 512), POL } },
		{ "real time", { NOTHING, NORMAL(4, 20, 0, 1024), 0 }, FIFO(5, 4, 0), { NOTHING, FIFO(5, 4, 20), 0 } },
		{ "over real time by choice", { FIFO(9, 0, 0), FIFO(9, 0, 0), POL }, NORMAL(-2, 12, 0, 768),
		  { NOTHING, NORMAL(-2, 12, 0, 768), POL | NICE } },
	};

	check_unverified(rows, COUNT(rows), *state);
}

static void but_never_in_the_task_s_favour(void **state)
{
	static const struct row rows[] = {
		{ "a class's nice", { NOTHING, OURS, 0 }, BATCH(2, 20, 0, 256),
		  { NORMAL(2, 0, 0, 1024), BATCH(2, 20, 0, 256), NICE } },
		{ "its own class's nice", { NOTHING, NOTHING, 0 }, OURS, { NORMAL(4, 0, 0, 1024), OURS, NICE } },
		{ "a class's nice below had", { NOTHING, OURS, 0 }, BATCH(-4, 8, 0, 256),
		  { NOTHING, BATCH(-4, 8, 0, 256), NICE } },
		{ "a class's SCHED_IDLE", { NOTHING, OURS, 0 }, IDLE(4, 0, 0, 1024),
		  { IDLE(0, 0, 0, 1024), IDLE(4, 0, 0, 1024), POL | SLICE | MAX } },
		{ "out of SCHED_IDLE by a class", { IDLE(0, 0, 0, 1024), OURS, 0 }, NORMAL(4, 12, 0, 768),
		  { IDLE(0, 0, 0, 1024), NORMAL(4, 12, 0, 768), POL } },
		{ "out of SCHED_IDLE", { IDLE(0, 0, 0, 1024), IDLE(0, 0, 0, 1024), 0 }, NORMAL(0, 0, 0, 1024),
		  { IDLE(0, 0, 0, 1024), NOTHING, POL } },
		{ "real time below a class's", { NOTHING, NORMAL(4, 20, 0, 1024), 0 }, FIFO(3, 4, 0),
		  { NOTHING, FIFO(3, 4, 20), POL } },
		{ "at a class's, of the other kind", { NOTHING, NORMAL(4, 20, 0, 1024), 0 }, RR(5, 4, 0),
		  { NOTHING, RR(5, 4, 20), POL } },
		{ "above every class's", { NOTHING, NORMAL(4, 20, 0, 1024), 0 }, RR(6, 4, 0),
		  { RR(6, 0, 0), RR(6, 4, 20), POL } },
		{ "a lower priority of its own", { FIFO(9, 0, 0), FIFO(9, 0, 0), POL }, FIFO(3, 0, 0),
		  { FIFO(3, 0, 0), FIFO(3, 0, 0), POL } },
	};

	check_unverified(rows, COUNT(rows), *state);
}

/* There nothing else marks a class but its nice value. */
static void without_slices_a_policy_is_ours_beside_its_class_s_nice(void **state)
{
	static const struct attr_caps old = { 0 };
	static const struct row rows[] = {
		{ "as a whole", { NOTHING, NOTHING, 0 }, BATCH(4, 0, 0, 1024),
		  { NORMAL(4, 0, 0, 1024), BATCH(4, 0, 0, 1024), NICE } },
		{ "another nice", { NOTHING, NOTHING, 0 }, BATCH(5, 0, 0, 1024),
		  { BATCH(5, 0, 0, 1024), BATCH(5, 0, 0, 1024), POL | NICE } },
	};
	int wrong = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct merge merge = rows[i].before;

		merge_unverified(&merge, &rows[i].actual, *state, &old, true);
		wrong += check(&rows[i], &merge);
	}
	assert_int_equal(wrong, 0);
}

/* A real-time class gives no slice: not having one is a choice. */
static void a_real_time_class_gives_no_slice(void **state)
{
	static const struct row rows[] = {
		{ "no slice", { NORMAL(0, 7, 0, 1024), NORMAL(0, 20, 0, 1024), 0 }, NORMAL(0, 0, 0, 1024),
		  { NOTHING, NOTHING, SLICE } },
	};
	const struct qos_attr fifo = {
		.has = QOS_HAS_POLICY | QOS_HAS_PRIORITY, .policy = POLICY_FIFO, .priority = 5
	};
	struct given given = { .lowest_nice = GIVEN_NO_NICE };

	(void)state;
	assert_int_equal(given_add(&given, &fifo), 0);
	check_unverified(rows, COUNT(rows), &given);
	given_clear(&given);
}

/* What the other record had; what the task had; what it takes over of the first. */
static void another_s_had_is_taken_over_where_it_gives_no_more(void **state)
{
	static const struct {
		const char *what;
		struct task_attr others, own, taken;
	} rows[] = {
		{ "lower", NORMAL(7, 5, 0, 300), NOTHING, NORMAL(7, 5, 0, 300) },
		{ "a nice value of ours", NORMAL(2, 5, 0, 1024), NORMAL(7, 0, 0, 1024), NORMAL(7, 5, 0, 1024) },
		{ "a privileged one", NORMAL(-9, 0, 0, 1024), NORMAL(7, 0, 0, 1024), NORMAL(-9, 0, 0, 1024) },
		{ "not idle", BATCH(0, 5, 0, 1024), IDLE(0, 0, 0, 1024), IDLE(0, 5, 0, 1024) },
		{ "real time of ours", FIFO(5, 0, 0), NOTHING, NOTHING },
		{ "real-time I/O of ours", IO(REALTIME, 4), NOTHING, NOTHING },
		{ "other I/O", IO(BEST_EFFORT, 0), IO(IDLE, 7), IO(BEST_EFFORT, 0) },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct merge record = { .had = rows[i].others };

		merge_limit_had(&record, &rows[i].own, *state);
		assert_true(is_same(rows[i].what, "had", &record.had, &rows[i].taken));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, given_on, given_off)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_attribute_as_known_is_untouched),
		TEST(an_attribute_not_as_known_was_chosen),
		TEST(had_takes_no_nice_that_needs_privilege),
		TEST(without_a_class_with_nice_every_nice_is_theirs),
		TEST(had_does_not_leave_idle_because_of_us),
		TEST(under_real_time_of_ours_no_more_than_that_is_ours),
		TEST(what_real_time_hides_is_as_it_was),
		TEST(a_nice_value_is_judged_under_real_time_as_well),
		TEST(had_takes_no_real_time_io_of_a_class),
		TEST(had_takes_any_io_that_is_free_to_all),
		TEST(unverified_io_of_a_class_is_ours),
		TEST(another_s_had_is_taken_over_where_it_gives_no_more),
		TEST(reset_on_fork_follows_what_is_found),
		TEST(unverified_slices_and_clamps_of_a_class_are_ours),
		TEST(an_unverified_policy_is_ours_with_the_rest_of_its_class),
		TEST(but_never_in_the_task_s_favour),
		TEST(without_slices_a_policy_is_ours_beside_its_class_s_nice),
		TEST(a_real_time_class_gives_no_slice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
