/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how the plan describes a task for output, and a task that does not exist. */
#include "fake_daemon.h"

#include <errno.h>

#define CHROME "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"

static struct plan_detail detail;

#define assert_attr(attr, text)                                      \
	do {                                                         \
		char buf[TASK_ATTR_TEXT_MAX];                        \
                                                                     \
		assert_string_equal(task_attr_text(attr, buf), text); \
	} while (0)

static void look_at(struct machine *m, pid_t tid)
{
	const struct task before = *record(m, tid);

	assert_int_equal(plan_detail(m->plan, record(m, tid), facts_of(m, tid, tid), &detail), 0);
	/* A query changes nothing. */
	assert_memory_equal(record(m, tid), &before, sizeof(before));
}

MACHINE_TEST(a_task_in_its_class_has_no_differences)
{
	start_and_run(m, CHROME, "/usr/bin/chrome");
	look_at(m, 100);
	assert_int_equal(detail.reason, REASON_RULE);
	assert_attr(&detail.actual, INTERACTIVE);
	assert_attr(&detail.want, INTERACTIVE);
	assert_attr(&detail.class, INTERACTIVE);
	assert_int_equal(detail.theirs | detail.withheld, 0);
}

MACHINE_TEST(an_attribute_that_somebody_lowered_is_withheld)
{
	start(m, CHROME);
	forks(m, INIT, 100);
	renice(m, 100, 19);
	execs(m, 100, "/usr/bin/chrome");
	look_at(m, 100);
	assert_int_equal(detail.reason, REASON_RULE);
	assert_attr(&detail.want, "SCHED_NORMAL nice 19 slice 8 ms");
	assert_attr(&detail.class, INTERACTIVE);
	assert_int_equal(detail.withheld, TASK_ATTR_NICE);
}

/* The daemon has not looked at the task since. */
MACHINE_TEST(a_change_is_described_as_such_before_and_after_a_look)
{
	start_and_run(m, CHROME, "/usr/bin/chrome");
	renice(m, 100, 7);
	look_at(m, 100);
	assert_int_equal(detail.reason, REASON_CHANGED);
	assert_int_equal(detail.theirs, TASK_ATTR_NICE);
	assert_attr(&detail.actual, "SCHED_NORMAL nice 7 slice 8 ms");
	assert_int_equal(record(m, 100)->theirs, 0);
	/* After a look, it still counts as a change, not as a value from before the class. */
	scan(m);
	look_at(m, 100);
	assert_int_equal(record(m, 100)->theirs, TASK_ATTR_NICE);
	assert_int_equal(detail.theirs, TASK_ATTR_NICE);
	assert_int_equal(detail.withheld, 0);
	stops_without_trace(m);
}

MACHINE_TEST(a_task_without_a_class_is_described_by_what_it_had)
{
	start_and_run(m, "'schedqos': { 'default': 'none' }", "/usr/bin/cmd");
	look_at(m, 100);
	assert_int_equal(detail.reason, REASON_NO_RULE);
	assert_attr(&detail.class, PRISTINE);
	assert_attr(&detail.want, PRISTINE);
	exits(m, 100);
	assert_int_equal(plan_detail(m->plan, record(m, 100), facts_of(m, 100, 100), &detail), -ESRCH);
}

MACHINE_TEST(a_limit_or_the_focus_gives_another_class)
{
	const struct override limit = { .kind = OVERRIDE_LIMIT, .limit.class = "QOS_UTILITY" };
	const struct override focus = { .kind = OVERRIDE_SHOWN, .visibility.shown = SHOWN_FOCUSED };
	uint16_t number;

	start_and_run(m, CHROME, "/usr/bin/chrome");
	number = asks(m, limit, 100);
	look_at(m, 100);
	assert_true(detail.is_limited && !detail.is_raised);
	ends(m, number);
	look_at(m, 100);
	assert_false(detail.is_limited || detail.is_raised);
	execs(m, 100, "/usr/bin/cmd");
	asks(m, focus, 100);
	look_at(m, 100);
	assert_true(detail.is_raised && !detail.is_limited);
}
