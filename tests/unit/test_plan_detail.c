/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: what it tells people about a task, and about one that does not exist. */
#include "fake_daemon.h"

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
	assert_int_equal(plan_detail(m->plan, record(m, tid), facts_of(m, tid, tid), &detail), 0);
}

MACHINE_TEST(a_task_in_its_class)
{
	start_and_run(m, CHROME, "/usr/bin/chrome");
	look_at(m, 100);
	assert_int_equal(detail.reason, REASON_RULE);
	assert_attr(&detail.actual, INTERACTIVE);
	assert_attr(&detail.want, INTERACTIVE);
	assert_attr(&detail.class, INTERACTIVE);
	assert_int_equal(detail.changed | detail.withheld, 0);
}

MACHINE_TEST(what_somebody_has_lowered_is_withheld)
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

/* Nobody has looked at it since, and this changes nothing. */
MACHINE_TEST(what_somebody_has_just_changed)
{
	start_and_run(m, CHROME, "/usr/bin/chrome");
	renice(m, 100, 7);
	look_at(m, 100);
	assert_int_equal(detail.reason, REASON_CHANGED);
	assert_int_equal(detail.changed, TASK_ATTR_NICE);
	assert_attr(&detail.actual, "SCHED_NORMAL nice 7 slice 8 ms");
	assert_int_equal(record(m, 100)->theirs, 0);
	stops_without_trace(m);
}

MACHINE_TEST(a_task_without_a_class)
{
	start_and_run(m, "'schedqos': { 'default': 'none' }", "/usr/bin/cmd");
	look_at(m, 100);
	assert_int_equal(detail.reason, REASON_NO_RULE);
	assert_attr(&detail.class, PRISTINE);
	assert_attr(&detail.want, PRISTINE);
}
