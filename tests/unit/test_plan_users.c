/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies what overrides by users do, and what the visibility of their apps does. */
#include "fake_daemon.h"

#include <errno.h>

#define APP "'app': { 'qos': 'QOS_USER_INITIATED', 'thread_qos': { 'io': 'QOS_UTILITY' } }"

#define ALICE 1000
#define BOB   1001

/* Returns whether a user who requests this class for the process needs permission to raise. */
static bool needs_raise(const struct machine *m, uid_t uid, pid_t pid, const char *qos)
{
	const struct override asked = { .kind = OVERRIDE_CLASS, .uid = uid, .pid = pid, .request.class = qos };

	return plan_override_needs_raise(m->plan, &asked);
}

/* Starts a process of this user. */
static void runs_as(struct machine *m, pid_t pid, uid_t uid, const char *program)
{
	forks(m, INIT, pid);
	living(m, pid)->uid = uid;
	execs(m, pid, program);
}

/* Gives the process a class, by request of this user; 0 is root. */
static uint16_t gives(struct machine *m, uid_t uid, pid_t pid, const char *qos, bool raises)
{
	return asks(m, (struct override){ .kind = OVERRIDE_CLASS, .uid = uid, .request = { qos, true, raises } }, pid);
}

static uint16_t limits(struct machine *m, uid_t uid, pid_t pid, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.class = qos, .uid = uid }, pid);
}

MACHINE_TEST(a_user_s_class_raises_nothing_unless_it_says_so)
{
	uint16_t number;

	start(m, APP ", 'low': { 'qos': 'QOS_BACKGROUND' }");
	runs_as(m, 100, ALICE, "/usr/bin/app");
	assert_true(needs_raise(m, ALICE, 100, "QOS_USER_INTERACTIVE"));
	assert_false(needs_raise(m, ALICE, 100, "QOS_USER_INITIATED"));
	assert_false(needs_raise(m, 0, 100, "QOS_USER_INTERACTIVE"));
	number = gives(m, ALICE, 100, "QOS_UTILITY", false);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	/* A lower class by a rule stays, also that of a thread. */
	clones(m, 100, 101);
	renames(m, 101, "io");
	assert_carries(m, 101, UTILITY);
	forks(m, 100, 102);
	execs(m, 102, "/usr/bin/low");
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	execs(m, 102, "/usr/bin/app");
	assert_task(m, 102, UTILITY, REASON_OVERRIDE);
	ends(m, number);
	assert_task(m, 100, INITIATED, REASON_RULE);
	gives(m, ALICE, 102, "QOS_USER_INTERACTIVE", true);
	execs(m, 102, "/usr/bin/low");
	assert_task(m, 102, INTERACTIVE, REASON_OVERRIDE);
	stops_without_trace(m);
}

/* A class with real-time I/O takes permission wherever it stands, also if it gets that by a reload. */
MACHINE_TEST(a_user_s_class_gives_no_real_time_io_unless_it_says_so)
{
	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	gives(m, ALICE, 100, "QOS_UTILITY", false);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	reload(m, "'QOS_UTILITY': { 'io_class': 'realtime', 'io_priority': 4 }, " APP);
	assert_true(needs_raise(m, ALICE, 100, "QOS_UTILITY"));
	assert_false(needs_raise(m, ALICE, 100, "QOS_BACKGROUND"));
	assert_task(m, 100, INITIATED, REASON_RULE);
	gives(m, ALICE, 100, "QOS_UTILITY", true);
	assert_task(m, 100, UTILITY " io realtime 4", REASON_OVERRIDE);
	stops_without_trace(m);
}

/* A limit replaces the class by a lower one, which may have more of the disk. */
MACHINE_TEST(a_user_s_limit_gives_no_real_time_io)
{
	start(m, "'QOS_UTILITY': { 'io_class': 'realtime', 'io_priority': 4 }, " APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	limits(m, ALICE, 100, "QOS_UTILITY");
	assert_carries(m, 100, UTILITY);
	/* The class that it replaces has real-time I/O, too. */
	reload(m, "'QOS_UTILITY': { 'io_class': 'realtime', 'io_priority': 4 }, "
		  "'QOS_USER_INITIATED': { 'io_class': 'realtime', 'io_priority': 2 }, " APP);
	assert_carries(m, 100, UTILITY " io realtime 4");
	stops_without_trace(m);
}

/* The override takes effect like a rule, which does not raise what somebody has lowered. */
MACHINE_TEST(a_user_s_class_raises_no_lowered_task_unless_it_says_so)
{
	uint16_t number;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	renice(m, 100, 10);
	scan(m);
	number = gives(m, ALICE, 100, "QOS_UTILITY", false);
	assert_task(m, 100, "SCHED_BATCH nice 10 slice 16 ms util 0..512", REASON_OVERRIDE);
	ends(m, number);
	assert_int_equal(living(m, 100)->attr.nice, 10);
	gives(m, ALICE, 100, "QOS_UTILITY", true);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	stop(m);
}

#define CLASS OVERRIDE_CLASS
#define LIMIT OVERRIDE_LIMIT
#define ROOT  ((uid_t)0)

/*
 * Children of Alice's process: overrides that were requested for her process before the birth of the child, one for the
 * child after its exec, and the user as whom the child runs.
 */
static const struct {
	struct asked {
		uid_t uid;
		enum override_kind kind;
		const char *qos; /* NULL: none */
	} asked[2], then;
	uid_t owner; /* ROOT: Alice, but with privileges */
	const char *attr;
} children[] = {
	{ { { ALICE, CLASS, "QOS_BACKGROUND" } }, { 0 }, ALICE, BACKGROUND },
	{ { { ALICE, CLASS, "QOS_BACKGROUND" } }, { 0 }, ROOT, INITIATED },
	{ { { ALICE, CLASS, "QOS_BACKGROUND" } }, { 0 }, BOB, INITIATED },
	{ { { ALICE, LIMIT, "QOS_BACKGROUND" } }, { 0 }, ALICE, BACKGROUND },
	{ { { ALICE, LIMIT, "QOS_BACKGROUND" } }, { 0 }, ROOT, INITIATED },
	{ { { ALICE, LIMIT, "QOS_BACKGROUND" } }, { 0 }, BOB, INITIATED },
	/* A user's limit replaces neither a limit of root nor one of another user. */
	{ { { ROOT, LIMIT, "QOS_UTILITY" }, { ALICE, LIMIT, "QOS_BACKGROUND" } }, { 0 }, ALICE, BACKGROUND },
	{ { { ROOT, LIMIT, "QOS_UTILITY" }, { ALICE, LIMIT, "QOS_BACKGROUND" } }, { 0 }, ROOT, UTILITY },
	{ { { ALICE, LIMIT, "QOS_BACKGROUND" } }, { BOB, LIMIT, "QOS_UTILITY" }, BOB, UTILITY },
	{ { { ALICE, LIMIT, "QOS_UTILITY" } }, { ALICE, LIMIT, "QOS_BACKGROUND" }, ALICE, BACKGROUND },
	{ { { ALICE, LIMIT, "QOS_BACKGROUND" } }, { ALICE, LIMIT, "QOS_UTILITY" }, ALICE, BACKGROUND },
	/* Root's class has priority over a user's, in either order. */
	{ { { ALICE, CLASS, "QOS_BACKGROUND" }, { ROOT, CLASS, "QOS_UTILITY" } }, { 0 }, ALICE, UTILITY },
	{ { { ROOT, CLASS, "QOS_UTILITY" } }, { ALICE, CLASS, "QOS_BACKGROUND" }, ALICE, UTILITY },
};

static struct override child_is_asked(const struct asked *asked)
{
	struct override override = { .kind = asked->kind, .uid = asked->uid };

	if (asked->kind == CLASS)
		override.request = (struct class_request){ .class = asked->qos, .is_tree = true };
	else
		override.limit.class = asked->qos;
	return override;
}

MACHINE_TEST(a_user_s_override_covers_only_processes_that_run_as_nobody_else)
{
	pid_t pid = 100;

	start(m, APP);
	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++, pid += 2) {
		const uid_t owner = children[i].owner;

		runs_as(m, pid, ALICE, "/usr/bin/app");
		for (size_t k = 0; k < 2 && children[i].asked[k].qos; k++)
			asks(m, child_is_asked(&children[i].asked[k]), pid);
		forks(m, pid, pid + 1);
		living(m, pid + 1)->uid = owner ? owner : ALICE;
		living(m, pid + 1)->is_privileged = !owner;
		execs(m, pid + 1, "/usr/bin/app");
		if (children[i].then.qos)
			asks(m, child_is_asked(&children[i].then), pid + 1);
		assert_carries(m, pid + 1, children[i].attr);
	}
	stops_without_trace(m);
}

/* A child may run as Alice again, though its parent does not. And a process may change its user without an exec. */
MACHINE_TEST(the_user_of_a_process_is_checked_at_each_match)
{
	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	limits(m, ALICE, 100, "QOS_BACKGROUND");
	forks(m, 100, 101);
	living(m, 101)->is_privileged = true;
	execs(m, 101, "/usr/bin/app");
	clones(m, 101, 105);
	forks(m, 101, 103);
	living(m, 103)->is_privileged = false;
	assert_carries(m, 105, INITIATED);
	assert_task(m, 103, INITIATED, REASON_RULE);
	execs(m, 103, "/usr/bin/app");
	assert_carries(m, 103, BACKGROUND);
	living(m, 103)->uid = BOB;
	scan(m);
	assert_task(m, 103, INITIATED, REASON_RULE);
	assert_carries(m, 100, BACKGROUND);
	stops_without_trace(m);
}

MACHINE_TEST(root_s_class_has_priority_over_a_user_s)
{
	uint16_t users, roots, low;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	users = gives(m, ALICE, 100, "QOS_USER_INTERACTIVE", true);
	roots = gives(m, 0, 100, "QOS_UTILITY", true);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	low = limits(m, 0, 100, "QOS_BACKGROUND");
	limits(m, ALICE, 100, "QOS_UTILITY");
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	ends(m, low);
	ends(m, roots);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	ends(m, users);
	assert_task(m, 100, UTILITY, REASON_RULE);
	stops_without_trace(m);
}

/* No event tells that the child is a copy of its maker, but its nice value is not the child's choice. */
MACHINE_TEST(a_child_made_for_its_grandparent_does_not_stay_raised)
{
	uint16_t number;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	forks(m, 100, 101);
	number = gives(m, ALICE, 101, "QOS_USER_INTERACTIVE", true);
	/* The first child is always looked at. */
	forks(m, 101, 102);
	hear(m);
	forks_for_parent(m, 101, 103);
	forks_for_parent(m, 101, 104);
	/* It carried -4. */
	renice(m, 104, -3);
	hear(m);
	ends(m, number);
	assert_int_equal(living(m, 103)->attr.nice, -2);
	assert_int_equal(living(m, 104)->attr.nice, -2);
	/* The fake machine expects this choice to remain after the stop, so end the task first. */
	exits(m, 104);
	exits(m, 103);
	stops_without_trace(m);
}

/*
 * Each limit that may have been masked costs a search of its process's tree. A user's many overrides must not cost
 * others.
 */
MACHINE_TEST(only_limits_that_the_ended_one_may_have_masked_are_applied_again)
{
	struct overrides *overrides;
	uint16_t low, masked, class, roots;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	low = limits(m, ALICE, 100, "QOS_BACKGROUND");
	masked = limits(m, ALICE, 100, "QOS_UTILITY");
	class = gives(m, ALICE, 100, "QOS_UTILITY", false);
	roots = limits(m, 0, 100, "QOS_UTILITY");
	overrides = plan_overrides(m->plan);
	overrides_end(overrides, class);
	overrides_end(overrides, roots);
	assert_int_equal(overrides_next_masked(overrides, 0), 0);
	overrides_end(overrides, low);
	assert_int_equal(overrides_next_masked(overrides, 0), masked);
	assert_int_equal(overrides_next_masked(overrides, masked), 0);
	plan_remove_ended(m->plan);
	assert_int_equal(overrides_next_masked(overrides, 0), 0);
	stops_without_trace(m);
}

MACHINE_TEST(a_user_s_limit_on_a_cgroup_covers_only_that_user_s_processes)
{
	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	runs_as(m, 101, BOB, "/usr/bin/app");
	moves(m, 100, "/a");
	moves(m, 101, "/a");
	asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.cgroup = "/a", .limit.class = "QOS_UTILITY", .uid = ALICE }, 0);
	assert_task(m, 100, UTILITY, REASON_RULE);
	assert_task(m, 101, INITIATED, REASON_RULE);
	/* Root's limit covers both users. */
	asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .limit.cgroup = "/a", .limit.class = "QOS_BACKGROUND" }, 0);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	stops_without_trace(m);
}

/* ---- visibility ---- */

static uint16_t says(struct machine *m, uid_t uid, pid_t pid, enum shown shown)
{
	return asks(m, (struct override){ .kind = OVERRIDE_SHOWN, .uid = uid, .visibility.shown = shown,
					  .visibility.tty = living(m, pid)->tty }, pid);
}

#define LOW  "'low': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 'io': 'QOS_BACKGROUND' } }"
#define KEEP "'kept': { 'qos': 'QOS_USER_INITIATED', 'hidden': 'keep' }"

MACHINE_TEST(the_focus_raises_the_window_s_process_and_descendants_that_no_rule_names)
{
	uint16_t number;

	start(m, LOW);
	runs_as(m, 100, ALICE, "/usr/bin/low");
	clones(m, 100, 105);
	renames(m, 105, "io");
	number = says(m, ALICE, 100, SHOWN_FOCUSED);
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_task(m, 105, BACKGROUND, REASON_THREAD);
	forks(m, 100, 101);
	execs(m, 101, "/usr/bin/helper");
	assert_task(m, 101, INITIATED, REASON_DEFAULT);
	forks(m, 101, 102);
	execs(m, 102, "/usr/bin/low");
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	/* The window belongs to the parent, not to a child that has not called exec. */
	forks(m, 100, 103);
	assert_task(m, 103, BACKGROUND, REASON_RULE);
	/* The focus covers only processes that run as nobody but Alice. */
	living(m, 103)->is_privileged = true;
	execs(m, 103, "/usr/bin/helper");
	assert_task(m, 103, BY_DEFAULT, REASON_DEFAULT);
	ends(m, number);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}

MACHINE_TEST(the_focus_lowers_nothing_and_raises_no_lowered_task)
{
	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	runs_as(m, 100, ALICE, "/usr/bin/app");
	runs_as(m, 101, ALICE, "/usr/bin/other");
	runs_as(m, 102, ALICE, "/usr/bin/nice");
	renice(m, 102, 7);
	renice(m, 101, 5);
	scan(m);
	says(m, ALICE, 100, SHOWN_FOCUSED);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	/* Choices stay. */
	says(m, ALICE, 101, SHOWN_FOCUSED);
	assert_int_equal(living(m, 101)->attr.nice, 5);
	execs(m, 102, "/usr/bin/nice");
	says(m, ALICE, 102, SHOWN_FOCUSED);
	assert_task(m, 102, "SCHED_NORMAL nice 7", REASON_CHOSEN);
	limits(m, 0, 100, "QOS_BACKGROUND");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	stop(m);
}

MACHINE_TEST(a_hidden_app_is_lowered_unless_its_rule_keeps_its_class)
{
	uint16_t number;

	start(m, APP ", " LOW ", " KEEP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	runs_as(m, 101, ALICE, "/usr/bin/kept");
	number = says(m, ALICE, 100, SHOWN_HIDDEN);
	says(m, ALICE, 101, SHOWN_HIDDEN);
	assert_true(overrides_is_other_app(plan_overrides(m->plan), number, 101));
	assert_false(overrides_is_other_app(plan_overrides(m->plan), number, 100));
	assert_task(m, 100, UTILITY, REASON_RULE);
	assert_task(m, 101, INITIATED, REASON_RULE);
	forks(m, 100, 102);
	execs(m, 102, "/usr/bin/low");
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	execs(m, 102, "/usr/bin/app");
	assert_task(m, 102, UTILITY, REASON_RULE);
	execs(m, 102, "/usr/bin/kept");
	assert_task(m, 102, INITIATED, REASON_RULE);
	says(m, ALICE, 100, SHOWN_VISIBLE);
	ends(m, number);
	assert_task(m, 100, INITIATED, REASON_RULE);
	/* Only processes that run as nobody but Alice are lowered. */
	living(m, 101)->is_privileged = true;
	execs(m, 101, "/usr/bin/app");
	assert_task(m, 101, INITIATED, REASON_RULE);
	stops_without_trace(m);
}

/*
 * The shell in a terminal's window and its descendants are neither raised nor lowered, even if they leave their
 * terminal.
 */
MACHINE_TEST(processes_with_another_terminal_do_not_belong_to_the_app)
{
	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/terminal");
	says(m, ALICE, 100, SHOWN_FOCUSED);
	forks(m, 100, 101);
	living(m, 101)->tty = 34816;
	execs(m, 101, "/bin/bash");
	assert_task(m, 100, INITIATED, REASON_DEFAULT);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	forks(m, 101, 102);
	execs(m, 102, "/usr/bin/app");
	forks(m, 101, 103);
	living(m, 103)->tty = 0;
	execs(m, 103, "/usr/bin/server");
	assert_task(m, 103, BY_DEFAULT, REASON_DEFAULT);
	says(m, ALICE, 100, SHOWN_HIDDEN);
	assert_task(m, 102, INITIATED, REASON_RULE);
	/* An app that was started in a terminal shares it with its processes. */
	says(m, ALICE, 102, SHOWN_HIDDEN);
	assert_task(m, 102, UTILITY, REASON_RULE);
	forks(m, 102, 104);
	living(m, 104)->tty = 0;
	execs(m, 104, "/usr/bin/app");
	assert_task(m, 104, UTILITY, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(focus_null_neither_raises_nor_lowers)
{
	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	runs_as(m, 101, ALICE, "/usr/bin/other");
	says(m, ALICE, 100, SHOWN_HIDDEN);
	says(m, ALICE, 101, SHOWN_FOCUSED);
	reload(m, "'schedqos': { 'focus': null }, " APP);
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	reload(m, "'schedqos': { 'focus': 'QOS_USER_INTERACTIVE' }, " APP);
	assert_task(m, 100, UTILITY, REASON_RULE);
	assert_task(m, 101, INTERACTIVE, REASON_DEFAULT);
	stops_without_trace(m);
}

MACHINE_TEST(a_renice_to_0_outlasts_the_focus)
{
	const struct override focus = { .kind = OVERRIDE_SHOWN, .visibility.shown = SHOWN_FOCUSED };
	uint16_t number;

	start_and_run(m, "'schedqos': { 'focus': 'QOS_USER_INITIATED' }", "/bin/vi");
	renice(m, 100, 0);
	scan(m);
	number = asks(m, focus, 100);
	ends(m, number);
	assert_int_equal(living(m, 100)->attr.nice, 0);
}

/* As for a rule of its own: only the process with the window is raised. */
MACHINE_TEST(the_focus_raises_no_child_of_a_process_with_an_inherited_class)
{
	start(m, "'schedqos': { 'focus': 'QOS_USER_INITIATED' }, 'steam': { 'qos': 'QOS_BACKGROUND', 'inherit': true }");
	forks(m, INIT, 100);
	living(m, 100)->uid = ALICE;
	execs(m, 100, "/bin/steam");
	forks(m, 100, 101);
	execs(m, 101, "/bin/game");
	says(m, ALICE, 101, SHOWN_FOCUSED);
	for (pid_t child = 102; child < 105; child++) {
		forks(m, 101, child);
		assert_int_equal(living(m, child)->attr.nice, 4);
	}
	forks(m, 104, 105);
	assert_int_equal(living(m, 105)->attr.nice, 4);
}
