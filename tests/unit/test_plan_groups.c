/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which class a process gets when it moves between cgroups. */
#include "fake_daemon.h"

#define GROUPS "'schedqos': { 'groups': { 'background': { 'max': 'QOS_BACKGROUND' }, 'useful': { 'max': 'QOS_UTILITY' } } }"
#define BROWSER                                                              \
	GROUPS ", 'browser': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { " \
	       "'io': 'QOS_UTILITY', 'bg': 'QOS_BACKGROUND' } }"

MACHINE_TEST(a_move_into_a_group_limits_and_a_move_out_of_it_ends_the_limit)
{
	start_and_run(m, BROWSER, "/usr/bin/browser");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	moves(m, 100, "/user.slice/background/app.scope");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	moves(m, 100, "/user.slice/useful/app.scope");
	assert_task(m, 100, UTILITY, REASON_RULE);
	moves(m, 100, "/user.slice/app.scope");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

/* The daemon reads no cgroup of this user's processes, because that takes too long. */
MACHINE_TEST(while_its_cgroup_is_not_read_a_process_keeps_its_limit_and_its_rule)
{
	start_and_run(m, BROWSER ", 'game': [{ 'qos': 'QOS_UTILITY', 'match': { 'cgroup': '/slow*' } }, "
			 "{ 'qos': 'QOS_USER_INTERACTIVE' }]", "/usr/bin/browser");
	spawns(m, INIT, 200, "/usr/bin/game");
	moves(m, 200, "/slow");
	moves(m, 100, "/background");
	assert_task(m, 200, UTILITY, REASON_RULE);
	m->spared = true;
	moves(m, 100, "/elsewhere");
	moves(m, 200, "/elsewhere");
	scan(m);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 200, UTILITY, REASON_RULE);
	/* A new process is matched without its cgroup. */
	spawns(m, 100, 101, "/usr/bin/game");
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	m->spared = false;
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 200, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(threads_are_limited_with_their_process)
{
	start_and_run(m, BROWSER, "/usr/bin/browser");
	for (pid_t tid = 101; tid <= 103; tid++)
		clones(m, 100, tid);
	renames(m, 101, "io");
	renames(m, 102, "bg");
	moves(m, 100, "/useful");
	assert_task(m, 101, UTILITY, REASON_THREAD);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
	assert_task(m, 103, UTILITY, REASON_RULE);
	/* Threads that are born or renamed under the limit are limited, too. */
	clones(m, 103, 104);
	assert_task(m, 104, UTILITY, REASON_RULE);
	renames(m, 104, "bg");
	assert_task(m, 104, BACKGROUND, REASON_THREAD);
	renames(m, 102, "other");
	assert_task(m, 102, UTILITY, REASON_RULE);
	forks(m, 101, 110);
	renames(m, 110, "other");
	assert_task(m, 110, UTILITY, REASON_RULE);
	moves(m, 100, "/");
	assert_task(m, 101, UTILITY, REASON_THREAD);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	assert_task(m, 103, INTERACTIVE, REASON_RULE);
	assert_task(m, 104, BACKGROUND, REASON_THREAD);
	stops_without_trace(m);
}

MACHINE_TEST(a_move_that_is_booked_late_covers_children_born_since)
{
	start_and_run(m, BROWSER, "/usr/bin/browser");
	clones(m, 100, 103);
	m->deaf = true;
	moves(m, 100, "/background");
	forks(m, 100, 101);
	clones(m, 100, 102);
	forks(m, 103, 104);
	m->deaf = false;
	hear(m);
	for (pid_t tid = 100; tid <= 104; tid++)
		assert_task(m, tid, BACKGROUND, REASON_RULE);
	stops_without_trace(m);
}

/* Nobody gets round a limit by choosing, just before it, a value that only the class made possible. */
MACHINE_TEST(a_value_that_only_the_class_made_possible_does_not_get_round_a_limit)
{
	start_and_run(m, BROWSER, "/usr/bin/browser");
	renice(m, 100, -3);
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice -3 slice 8 ms", REASON_CHANGED);
	moves(m, 100, "/background");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	/* A choice under the limit does not get round it, either. Neither choice returns when the limit ends. */
	renice(m, 100, -2);
	scan(m);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	moves(m, 100, "/");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

/* Chromium's threads choose the nice value 0. A choice returns when the limit ends. */
MACHINE_TEST(a_limit_lowers_what_somebody_has_chosen)
{
	start_and_run(m, BROWSER, "/usr/bin/browser");
	clones(m, 100, 101);
	clones(m, 100, 102);
	renice(m, 100, 0);
	renice(m, 101, 1);
	renice(m, 102, -8);
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 0 slice 8 ms", REASON_CHANGED);
	assert_task(m, 101, "SCHED_NORMAL nice 1 slice 8 ms", REASON_CHANGED);
	moves(m, 100, "/background");
	for (pid_t tid = 100; tid <= 102; tid++)
		assert_carries(m, tid, BACKGROUND);
	moves(m, 100, "/");
	assert_task(m, 100, "SCHED_NORMAL nice 0 slice 8 ms", REASON_CHANGED);
	assert_task(m, 101, "SCHED_NORMAL nice 1 slice 8 ms", REASON_CHANGED);
	assert_task(m, 102, "SCHED_NORMAL nice -8 slice 8 ms", REASON_CHANGED);
	stop(m);
	assert_carries(m, 100, PRISTINE);
	assert_carries(m, 101, "SCHED_NORMAL nice 1");
	assert_carries(m, 102, "SCHED_NORMAL nice -8");
}

MACHINE_TEST(a_rule_for_a_cgroup_takes_effect_at_the_move)
{
	start_and_run(m, "'game': [ { 'qos': 'QOS_USER_INTERACTIVE', 'match': { 'cgroup': '*/app.slice/*' } },"
			 " { 'qos': 'QOS_BACKGROUND' } ]",
		      "/usr/bin/game");
	clones(m, 100, 101);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	renice(m, 100, 9);
	moves(m, 100, "/user.slice/app.slice/game.scope");
	/* Somebody lowered it before the rule took effect. */
	assert_task(m, 100, "SCHED_NORMAL nice 9 slice 8 ms", REASON_RULE);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(without_groups_no_cgroup_is_read)
{
	start(m, "'browser': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_false(plan_needs_moves(m->plan));
	count_from_here(m);
	spawns(m, INIT, 100, "/usr/bin/browser");
	assert_false(m->fetched & FACT_CGROUP);
	reload(m, BROWSER);
	assert_true(plan_needs_moves(m->plan));
	reload(m, "'a': { 'match': { 'cgroup': '/x' } }");
	assert_true(plan_needs_moves(m->plan));
	/* It is read only for programs that the rule names. */
	count_from_here(m);
	execs(m, 100, "/usr/bin/b");
	assert_false(m->fetched & FACT_CGROUP);
	execs(m, 100, "/usr/bin/a");
	assert_true(m->fetched & FACT_CGROUP);
}

/* A process's children inherit from it, and so do programs that it execs. The same program of the process does not. */
MACHINE_TEST(an_inherited_rule_for_a_cgroup_ends_for_its_process_at_the_move)
{
	start_and_run(m, "'make': { 'qos': 'QOS_UTILITY', 'inherit': true }, 'app': { 'qos': 'QOS_BACKGROUND', "
			 "'inherit': true, 'match': { 'cgroup': '/bg*' } }",
		      "/usr/bin/app");
	moves(m, 100, "/bg");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	forks(m, 100, 101);
	execs(m, 101, "/usr/bin/other");
	moves(m, 100, "/");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
	/* Its parent has another inherited rule. */
	execs(m, 100, "/usr/bin/make");
	forks(m, 100, 102);
	execs(m, 102, "/usr/bin/app");
	moves(m, 102, "/bg");
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	moves(m, 102, "/");
	assert_task(m, 102, UTILITY, REASON_INHERITED);
	stops_without_trace(m);
}

MACHINE_TEST(a_move_of_a_process_that_is_gone_or_without_a_record_changes_nothing)
{
	const struct task_event move = { .what = EVENT_MOVE, .tid = 999 };

	start_and_run(m, BROWSER, "/usr/bin/browser");
	count_from_here(m);
	plan_book(m->plan, &move);
	hear(m);
	m->deaf = true;
	moves(m, 100, "/background");
	exits(m, 100);
	hear(m);
	assert_no_action(m);
}

MACHINE_TEST(a_limit_that_a_reload_brings_lowers_a_chosen_nice_value)
{
	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }", "/bin/app");
	renice(m, 100, 0);
	scan(m);
	moves(m, 100, "/bg");
	reload(m, "'schedqos': { 'groups': { '/bg': { 'max': 'QOS_BACKGROUND' } } }, 'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_int_equal(living(m, 100)->attr.nice, 4);
}

MACHINE_TEST(a_limit_lowers_a_chosen_nice_0_though_the_app_has_the_focus)
{
	const struct override focus = { .kind = OVERRIDE_SHOWN, .visibility.shown = SHOWN_FOCUSED };

	start_and_run(m, "'schedqos': { 'focus': 'QOS_USER_INITIATED', 'groups': { '/g': { 'max': 'QOS_UTILITY' } } }", "/bin/vi");
	asks(m, focus, 100);
	assert_carries(m, 100, INITIATED);
	renice(m, 100, 0);
	scan(m);
	moves(m, 100, "/g");
	assert_int_equal(living(m, 100)->attr.nice, 2);
}
