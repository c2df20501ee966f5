/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan: what a process gets that moves between cgroups. */
#include "fake_daemon.h"

#define GROUPS "'schedqos': { 'groups': { 'background': { 'max': 'QOS_BACKGROUND' }, 'useful': { 'max': 'QOS_UTILITY' } } }"
#define BROWSER                                                              \
	GROUPS ", 'browser': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { " \
	       "'io': 'QOS_UTILITY', 'bg': 'QOS_BACKGROUND' } }"

MACHINE_TEST(a_move_takes_effect_at_once_and_both_ways)
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

/* Reading about the user's processes takes too long for now. */
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
	/* What is started is matched without. */
	spawns(m, 100, 101, "/usr/bin/game");
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	m->spared = false;
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 200, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(threads_are_limited_likewise)
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
	/* Also those that are named while they are limited, or born. */
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

MACHINE_TEST(a_move_that_is_heard_late_is_the_child_s_too)
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

/* Not what only the class made possible: nobody gets round a limit by choosing something just before it. */
MACHINE_TEST(what_the_class_made_possible_does_not)
{
	start_and_run(m, BROWSER, "/usr/bin/browser");
	renice(m, 100, -3);
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice -3 slice 8 ms", REASON_CHANGED);
	moves(m, 100, "/background");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	/* Nor does such a choice meanwhile; and neither returns. */
	renice(m, 100, -2);
	scan(m);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	moves(m, 100, "/");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

/* Chromium has each new thread choose the nice value 0. What was chosen returns when the limit ends. */
MACHINE_TEST(a_limit_holds_what_somebody_has_chosen)
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

MACHINE_TEST(a_rule_for_a_cgroup_takes_effect)
{
	start_and_run(m, "'game': [ { 'qos': 'QOS_USER_INTERACTIVE', 'match': { 'cgroup': '*/app.slice/*' } },"
			 " { 'qos': 'QOS_BACKGROUND' } ]",
		      "/usr/bin/game");
	clones(m, 100, 101);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	renice(m, 100, 9);
	moves(m, 100, "/user.slice/app.slice/game.scope");
	/* Lowered before the rule took effect. */
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
	/* But of those only whom the rule could be for are asked for it. */
	count_from_here(m);
	execs(m, 100, "/usr/bin/b");
	assert_false(m->fetched & FACT_CGROUP);
	execs(m, 100, "/usr/bin/a");
	assert_true(m->fetched & FACT_CGROUP);
}

/* What it starts, or executes, descends from it. It does not descend from itself. */
MACHINE_TEST(a_rule_that_is_inherited_ends_with_its_cgroup)
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
	/* Its parent hands on another one. */
	execs(m, 100, "/usr/bin/make");
	forks(m, 100, 102);
	execs(m, 102, "/usr/bin/app");
	moves(m, 102, "/bg");
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	moves(m, 102, "/");
	assert_task(m, 102, UTILITY, REASON_INHERITED);
	stops_without_trace(m);
}

MACHINE_TEST(a_process_that_is_gone_or_unknown_moves)
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

MACHINE_TEST(a_reload_s_limit_holds)
{
	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }", "/bin/app");
	renice(m, 100, 0);
	scan(m);
	moves(m, 100, "/bg");
	reload(m, "'schedqos': { 'groups': { '/bg': { 'max': 'QOS_BACKGROUND' } } }, 'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_int_equal(living(m, 100)->attr.nice, 4);
}

MACHINE_TEST(a_limit_under_the_focus_drops_nice_0)
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
