/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies what overrides, which somebody requests at run time, do to tasks. */
#include "fake_daemon.h"

#include <errno.h>

#define APP "'app': { 'qos': 'QOS_USER_INITIATED', 'thread_qos': { 'io': 'QOS_UTILITY' } }"
#define FAST "'QOS_FAST': { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': -7, 'sched_runtime': 3000000 }"

static uint16_t gives(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = qos }, pid);
}

static uint16_t gives_tree(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.is_tree = true, .request.class = qos }, pid);
}

static uint16_t limits(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.class = qos }, pid);
}

MACHINE_TEST(a_class_by_override_replaces_rule_and_choice_until_it_ends)
{
	uint16_t number;

	start(m, "'app': { 'qos': 'QOS_BACKGROUND', 'yield': true }");
	forks(m, INIT, 100);
	renice(m, 100, 7);
	execs(m, 100, "/usr/bin/app");
	clones(m, 100, 101);
	assert_task(m, 100, "SCHED_NORMAL nice 7", REASON_CHOSEN);
	number = gives(m, 100, "QOS_USER_INTERACTIVE");
	assert_task(m, 100, INTERACTIVE, REASON_OVERRIDE);
	assert_task(m, 101, INTERACTIVE, REASON_OVERRIDE);
	execs(m, 100, "/usr/bin/other");
	assert_task(m, 100, INTERACTIVE, REASON_OVERRIDE);
	execs(m, 100, "/usr/bin/app");
	ends(m, number);
	assert_task(m, 100, "SCHED_NORMAL nice 7", REASON_CHOSEN);
	assert_int_equal(record(m, 100)->joined[SLOT_CLASS], 0);
	stops_without_trace(m);
}

MACHINE_TEST(a_choice_after_the_override_stays)
{
	uint16_t number, again;

	start_and_run(m, APP, "/usr/bin/app");
	number = gives(m, 100, "QOS_BACKGROUND");
	renice(m, 100, 9);
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice 9 slice 20 ms util 0..256", REASON_CHANGED);
	/* The same class, requested again, replaces the choice. */
	again = gives(m, 100, "QOS_BACKGROUND");
	ends(m, number);
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	renice(m, 100, 9);
	ends(m, again);
	assert_task(m, 100, "SCHED_NORMAL nice 9 slice 12 ms util 0..768", REASON_CHANGED);
	stop(m);
	assert_task(m, 100, "SCHED_NORMAL nice 9", REASON_UNDONE);
}

MACHINE_TEST(children_do_not_get_the_class_of_an_override)
{
	start_and_run(m, APP, "/usr/bin/app");
	gives(m, 100, "QOS_BACKGROUND");
	clones(m, 100, 101);
	renames(m, 101, "io");
	assert_task(m, 101, BACKGROUND, REASON_OVERRIDE);
	forks(m, 100, 102);
	assert_task(m, 102, INITIATED, REASON_RULE);
	forks(m, 100, 103);
	execs(m, 103, "/usr/bin/other");
	assert_task(m, 103, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}

MACHINE_TEST(children_get_the_class_of_an_override_for_a_tree)
{
	uint16_t number;

	start_and_run(m, APP, "/usr/bin/app");
	forks(m, 100, 101); /* born before the override */
	number = gives_tree(m, 100, "QOS_BACKGROUND");
	assert_task(m, 101, INITIATED, REASON_RULE);
	forks(m, 100, 109);
	count_from_here(m);
	forks(m, 100, 102);
	forks(m, 102, 103);
	assert_no_fetch(m);
	exits(m, 102);
	execs(m, 103, "/usr/bin/other");
	forks(m, 103, 104);
	assert_task(m, 104, BACKGROUND, REASON_OVERRIDE);
	ends(m, number);
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_task(m, 103, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 104, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}

/* The forks are booked only after the override, or their events are lost. */
MACHINE_TEST(an_override_for_a_tree_covers_children_whose_fork_is_booked_late_or_lost)
{
	start_and_run(m, APP, "/usr/bin/app");
	m->deaf = true;
	forks(m, 100, 101);
	clones(m, 100, 102);
	gives_tree(m, 100, "QOS_BACKGROUND");
	m->deaf = false;
	hear(m);
	m->lossy = true;
	forks(m, 100, 103);
	clones(m, 100, 104);
	m->lossy = false;
	scan(m);
	for (pid_t tid = 101; tid <= 104; tid++)
		assert_task(m, tid, BACKGROUND, REASON_OVERRIDE);
	stops_without_trace(m);
}

MACHINE_TEST(a_limit_replaces_no_choice_below_it)
{
	uint16_t number;

	start_and_run(m, APP, "/usr/bin/app");
	clones(m, 100, 101);
	renames(m, 101, "io");
	renice(m, 100, 6);
	number = limits(m, 100, "QOS_BACKGROUND");
	assert_task(m, 100, "SCHED_BATCH nice 6 slice 20 ms util 0..256", REASON_CHANGED);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
	forks(m, 101, 102);
	execs(m, 102, "/usr/bin/app");
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	ends(m, number);
	assert_task(m, 100, "SCHED_NORMAL nice 6 slice 12 ms util 0..768", REASON_CHANGED);
	assert_task(m, 101, UTILITY, REASON_THREAD);
	assert_task(m, 102, INITIATED, REASON_RULE);
	stop(m);
	assert_carries(m, 102, PRISTINE);
}

MACHINE_TEST(a_limit_keeps_the_period)
{
	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'period': 8000000 },"
			 " 'other': { 'qos': 'QOS_UTILITY', 'period': 8000000 }", "/usr/bin/app");
	limits(m, 100, "QOS_UTILITY");
	assert_task(m, 100, "SCHED_BATCH nice 2 slice 8 ms util 0..512", REASON_RULE);
	limits(m, 100, "QOS_BACKGROUND");
	/* No rule gives that class with this period. */
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	stops_without_trace(m);
}

/*
 * The last class counts, and the lowest limit, whichever came first. When an override ends, those that it covered count
 * again.
 */
MACHINE_TEST(the_last_class_and_the_lowest_limit_count)
{
	uint16_t outer, inner, high, low;

	start_and_run(m, APP, "/usr/bin/app");
	outer = gives_tree(m, 100, "QOS_UTILITY");
	forks(m, 100, 101);
	inner = gives(m, 101, "QOS_USER_INTERACTIVE");
	high = limits(m, 101, "QOS_USER_INITIATED");
	assert_task(m, 101, INITIATED, REASON_OVERRIDE);
	low = limits(m, 101, "QOS_BACKGROUND");
	forks(m, 101, 102);
	assert_task(m, 101, BACKGROUND, REASON_OVERRIDE);
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	assert_true(plan_override_covers(m->plan, high, 101));
	assert_int_equal(limits(m, 101, "QOS_UTILITY"), low + 1);
	assert_task(m, 101, BACKGROUND, REASON_OVERRIDE);
	ends(m, low);
	assert_task(m, 101, UTILITY, REASON_OVERRIDE);
	ends(m, low + 1);
	assert_task(m, 101, INITIATED, REASON_OVERRIDE);
	ends(m, high);
	assert_task(m, 101, INTERACTIVE, REASON_OVERRIDE);
	ends(m, inner);
	assert_task(m, 101, INITIATED, REASON_RULE);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	ends(m, outer);
	assert_task(m, 100, INITIATED, REASON_RULE);
	/* There are 65,535 numbers, so they are used again. */
	assert_int_equal(gives(m, 100, "QOS_UTILITY"), outer);
	stops_without_trace(m);
}

MACHINE_TEST(the_lower_of_a_group_s_limit_and_an_override_counts)
{
	start_and_run(m, "'schedqos': { 'groups': { 'low': { 'max': 'QOS_UTILITY' } } }," APP, "/usr/bin/app");
	gives(m, 100, "QOS_USER_INTERACTIVE");
	moves(m, 100, "/low/x");
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	limits(m, 100, "QOS_USER_INITIATED");
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	moves(m, 100, "/");
	assert_task(m, 100, INITIATED, REASON_OVERRIDE);
	stops_without_trace(m);
}

MACHINE_TEST(a_limit_on_a_cgroup_covers_the_processes_in_it_and_below)
{
	uint16_t limit;

	start_and_run(m, APP, "/usr/bin/app");
	spawns(m, INIT, 101, "/usr/bin/app");
	snprintf(living(m, 101)->cgroup, sizeof(living(m, 101)->cgroup), "/a/bc");
	moves(m, 100, "/a/b/c.scope");
	assert_false(plan_needs_moves(m->plan));
	limit = asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.cgroup = "/a/b", .limit.class = "QOS_BACKGROUND" }, 0);
	assert_true(plan_needs_moves(m->plan));
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, INITIATED, REASON_RULE);
	clones(m, 101, 102);
	forks(m, 100, 103);
	moves(m, 101, "/a/b");
	moves(m, 100, "/a");
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	assert_task(m, 103, BACKGROUND, REASON_RULE);
	ends(m, limit);
	assert_task(m, 102, INITIATED, REASON_RULE);
	limit = asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.cgroup = "/", .limit.class = "QOS_UTILITY" }, 0);
	assert_task(m, 100, UTILITY, REASON_RULE);
	ends(m, limit);
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_false(plan_needs_moves(m->plan));
	stops_without_trace(m);
}

MACHINE_TEST(a_reload_looks_up_the_class_of_an_override_again)
{
	bool raises;

	start_and_run(m, FAST "," APP, "/usr/bin/app");
	spawns(m, INIT, 101, "/usr/bin/app");
	gives(m, 100, "QOS_FAST");
	limits(m, 101, "QOS_BACKGROUND");
	renice(m, 101, 9);
	assert_task(m, 100, "SCHED_NORMAL nice -7 slice 3 ms", REASON_OVERRIDE);
	spawns(m, INIT, 102, "/usr/bin/other");
	gives(m, 102, "QOS_BACKGROUND");
	renice(m, 102, 11);
	reload(m, "'schedqos': { 'default': 'none' }, 'QOS_A': { 'sched_nice': 1 },"
		  " 'QOS_FAST': { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': -9 }");
	assert_task(m, 100, "SCHED_NORMAL nice -9", REASON_OVERRIDE);
	assert_carries(m, 102, "SCHED_BATCH nice 11 slice 20 ms util 0..256");
	reload(m, APP);
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_int_equal(overrides_class(plan_overrides(m->plan), record(m, 100), &raises), TAG_NONE);
	assert_false(raises);
	assert_carries(m, 101, "SCHED_BATCH nice 9 slice 20 ms util 0..256");
	reload(m, FAST "," APP);
	assert_task(m, 100, "SCHED_NORMAL nice -7 slice 3 ms", REASON_OVERRIDE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

MACHINE_TEST(a_crash_ends_all_overrides)
{
	start_and_run(m, APP, "/usr/bin/app");
	spawns(m, INIT, 101, "/usr/bin/other");
	renice(m, 101, 3);
	gives_tree(m, 100, "QOS_BACKGROUND");
	gives(m, 101, "QOS_USER_INTERACTIVE");
	crash(m);
	start(m, APP);
	assert_task(m, 100, INITIATED, REASON_RULE);
	/* No rule gave it a class, so its earlier choice returns. */
	assert_task(m, 101, "SCHED_NORMAL nice 3", REASON_CHOSEN);
	gives(m, 101, "QOS_USER_INTERACTIVE");
	crash(m);
	restores(m);
	assert_carries(m, 100, PRISTINE);
	assert_carries(m, 101, "SCHED_NORMAL nice 3");
}

MACHINE_TEST(an_override_does_not_cover_a_process_that_reuses_the_id)
{
	start_and_run(m, APP, "/usr/bin/app");
	gives(m, 100, "QOS_BACKGROUND");
	exits(m, 100);
	spawns(m, INIT, 100, "/usr/bin/app");
	assert_task(m, 100, INITIATED, REASON_RULE);
	m->lossy = true;
	gives(m, 100, "QOS_BACKGROUND");
	exits(m, 100);
	passes(m, 3000);
	spawns(m, INIT, 100, "/usr/bin/app");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, INITIATED, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(a_class_by_override_leaves_real_time_alone)
{
	start_and_run(m, APP, "/usr/bin/app");
	chrt(m, 100, POLICY_FIFO, 20);
	gives(m, 100, "QOS_BACKGROUND");
	assert_task(m, 100, "SCHED_FIFO priority 20", REASON_NOT_FAIR);
	chrt(m, 100, POLICY_NORMAL, 0);
	scan(m);
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	stop(m);
}

MACHINE_TEST(an_override_for_an_unknown_class_or_process_is_refused)
{
	const struct override unknown = { .kind = OVERRIDE_CLASS, .request.class = "QOS_NONE" };
	uint16_t number;

	start_and_run(m, APP, "/usr/bin/app");
	clones(m, 100, 101);
	assert_int_equal(plan_override_add(m->plan, &unknown, &number), -ENOENT);
	number = gives(m, 100, "QOS_BACKGROUND");
	assert_int_equal(plan_override_join(m->plan, number, 999), -ESRCH);
	assert_int_equal(plan_override_join(m->plan, number, 101), -ESRCH);
	assert_task(m, 101, BACKGROUND, REASON_OVERRIDE);
	stops_without_trace(m);
}

/* Somebody may request such a class at any time, and tasks that carry it outlive a reload. */
MACHINE_TEST(a_class_that_no_rule_names_counts_as_given)
{
	start(m, FAST "," APP);
	assert_int_equal(plan_given(m->plan)->lowest_nice, -7);
	reload(m, APP);
	assert_int_equal(plan_given(m->plan)->lowest_nice, -7);
}
