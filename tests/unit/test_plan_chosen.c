/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan, as a specification: what somebody chose before a task's exec, for a task that no rule names: just that, and
 * nothing of ours beside it.
 */
#include "fake_daemon.h"

#define RULES                                          \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }," \
	"'util': { 'qos': 'QOS_UTILITY' },"            \
	"'gcc': { 'qos': 'QOS_BACKGROUND' }"

/* The daemon starts, then a shell of the default's class, 100, which forks 101. */
static void shell_forks(struct machine *m, const char *json)
{
	start_and_run(m, json, "/bin/sh");
	forks(m, 100, 101);
}

/* nice(1) adds to what the class gives: what it finds is what it was given. */
MACHINE_TEST(nice_adds_to_what_it_finds_and_that_is_the_choice)
{
	start(m, "");
	forks(m, INIT, 100);
	runs_nice(m, 100, 10, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice 12", REASON_CHOSEN);
	execs(m, 100, "/usr/bin/other");
	assert_task(m, 100, "SCHED_NORMAL nice 12", REASON_CHOSEN);
	spawns(m, 100, 101, "/usr/bin/child");
	assert_task(m, 101, "SCHED_NORMAL nice 12", REASON_CHOSEN);
	/* Of ours there is nothing left to add to. */
	runs_nice(m, 101, 5, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 17", REASON_CHOSEN);
}

/* It may be left of a class: until the next moment it stays, and the stop takes it back. */
MACHINE_TEST(what_lies_between_is_left_until_the_next_moment)
{
	start_and_run(m, RULES, "/usr/bin/gcc");
	renice(m, 100, -3);
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice -3 slice 20 ms util 0..256", REASON_CHANGED);
	execs(m, 100, "/usr/bin/gcc");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	renice(m, 100, -3);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

MACHINE_TEST(a_nice_that_is_also_a_class_s_is_a_choice_all_the_same)
{
	/* Where there are no slices, BATCH with nice 4 is all that BACKGROUND is. */
	m->kernel = (struct attr_caps){ 0 };
	shell_forks(m, RULES);
	renice(m, 101, 4);
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 4", REASON_CHOSEN);
}
