/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that after the stop every task carries what it would carry without us. */
#include "fake_daemon.h"

#define CHROME \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }"

static void begins_undo(struct machine *m)
{
	hear(m);
	plan_undo_begin(m->plan);
}

MACHINE_TEST(a_child_born_during_the_stop_is_put_back)
{
	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->deaf = true;
	m->pace = 10;
	begins_undo(m);
	forks(m, 100, 101);
	clones(m, 100, 102);
	stop(m);
	assert_task(m, 101, PRISTINE, REASON_UNDONE);
	assert_task(m, 102, PRISTINE, REASON_UNDONE);
}

/* The child is born with the class of its origin. */
MACHINE_TEST(a_child_whose_fork_outlasts_the_stop_is_put_back_later)
{
	start_and_run(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }", "/usr/bin/chrome");
	forks(m, 100, 103);
	begins_fork(m, 100, 101);
	stop(m);
	assert_carries(m, 100, PRISTINE);
	m->lossy = true;
	ends_fork(m, 101);
	/* No other task is touched, whatever it has chosen since. */
	renice(m, 103, -3);
	forks(m, 103, 104);
	m->lossy = false;
	looks_again(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 103, "SCHED_NORMAL nice -3");
	assert_carries(m, 104, "SCHED_NORMAL nice -3");
	assert_int_equal(m->last.tid, 101);
}

/* No record tells what it had, so it gets no more than the least that any task had which a rule raised. */
MACHINE_TEST(an_orphan_whose_fork_outlasts_the_stop_gets_no_more_than_its_parent_had)
{
	struct task_attr interactive;

	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'yield': false }");
	forks(m, INIT, 100);
	renice(m, 100, 10);
	execs(m, 100, "/usr/bin/app");
	interactive = living(m, 100)->attr;
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 10");
	m->lossy = true;
	forks(m, 100, 101);
	sets(m, 101, interactive);
	exits(m, 100);
	m->lossy = false;
	looks_again(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 10");
}

/* The scan finds the process that the child copied. */
MACHINE_TEST(a_child_whose_fork_was_under_way_at_a_crash_is_put_back)
{
	start(m, "'schedqos': { 'default': 'none' }, 'make': { 'qos': 'QOS_BACKGROUND' }");
	spawns(m, INIT, 90, "/usr/bin/sh");
	spawns(m, 90, 100, "/usr/bin/make");
	assert_carries(m, 100, BACKGROUND);
	begins_fork(m, 100, 101);
	execs(m, 100, "/usr/bin/vi");
	assert_carries(m, 100, PRISTINE);
	m->missing = FACT_ATTR;
	ends_fork(m, 101);
	assert_carries(m, 101, BACKGROUND);
	crash(m);
	m->missing = 0;
	restores(m);
	assert_carries_what_it_would(m);
}
