/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies which classes processes get by the files of their units. */
#include "fake_daemon.h"

#define RULES                                       \
	"'app': { 'qos': 'QOS_USER_INITIATED' }, "  \
	"'io': { 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }, " \
	"'make': { 'qos': 'QOS_UTILITY', 'inherit': true }"
#define SERVICE "/system.slice/a.service"
#define INNER	"/system.slice/a.service/b.scope"

static void set(struct machine *m, const char *cgroup, const char *qos, const char *inner)
{
	const struct unit_class units[] = { { .cgroup = cgroup, .qos = qos, .place = "a.conf:2" },
					    { .cgroup = INNER, .qos = inner, .place = "b.scope:3" } };

	assert_int_equal(plan_set_units(m->plan, 0, units, !!qos + !!inner), 0);
	hear(m);
}

/* Starts process 100, and moves it to a cgroup when the service has a class. */
static void runs_in(struct machine *m, const char *json, const char *exe, const char *cgroup)
{
	start_and_run(m, json, exe);
	set(m, SERVICE, "QOS_USER_INTERACTIVE", NULL);
	moves(m, 100, cgroup);
}

MACHINE_TEST(a_unit_s_class_is_for_processes_that_no_rule_names)
{
	runs_in(m, RULES, "/usr/bin/other", SERVICE);
	assert_task(m, 100, INTERACTIVE, REASON_UNIT);
	clones(m, 100, 101);
	forks(m, 101, 110);
	assert_task(m, 101, INTERACTIVE, REASON_UNIT);
	assert_task(m, 110, INTERACTIVE, REASON_UNIT);
	execs(m, 110, "/usr/bin/app");
	assert_task(m, 110, INITIATED, REASON_RULE);
	execs(m, 110, "/usr/bin/make");
	forks(m, 110, 111);
	execs(m, 111, "/usr/bin/other");
	assert_task(m, 111, UTILITY, REASON_INHERITED);
	stops_without_trace(m);
}

MACHINE_TEST(an_unknown_cgroup_frees_no_process_of_its_unit_s_class)
{
	start_and_run(m, RULES, "/usr/bin/other");
	set(m, SERVICE, "QOS_BACKGROUND", NULL);
	moves(m, 100, SERVICE);
	moves(m, 100, UNKNOWN_CGROUP);
	assert_task(m, 100, BACKGROUND, REASON_UNIT);
	reload(m, "'QOS_FIRST': { 'sched_nice': -9 }, " RULES);
	assert_task(m, 100, BACKGROUND, REASON_UNIT);
	stops_without_trace(m);
}

/* The rule has no class for the process itself. */
MACHINE_TEST(a_unit_s_class_is_for_threads_to_which_a_rule_gives_none)
{
	runs_in(m, RULES, "/usr/bin/io", SERVICE);
	clones(m, 100, 101);
	renames(m, 101, "bg");
	assert_task(m, 100, INTERACTIVE, REASON_UNIT);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
	stops_without_trace(m);
}

MACHINE_TEST(the_innermost_unit_counts_and_no_other_unit_of_that_name)
{
	static const struct {
		const char *cgroup, *attr;
		enum reason reason;
	} places[] = {
		{ SERVICE "/sub/sub", INTERACTIVE, REASON_UNIT },
		{ INNER, BACKGROUND, REASON_UNIT },
		{ INNER "/sub", BACKGROUND, REASON_UNIT },
		{ SERVICE "/sub/b.scope", INTERACTIVE, REASON_UNIT },
		{ SERVICE ".d", BY_DEFAULT, REASON_DEFAULT },
		{ "/user.slice" SERVICE, BY_DEFAULT, REASON_DEFAULT },
		{ "/", BY_DEFAULT, REASON_DEFAULT },
	};

	runs_in(m, RULES, "/usr/bin/other", "/");
	set(m, SERVICE, "QOS_USER_INTERACTIVE", "QOS_BACKGROUND");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		moves(m, 100, places[i].cgroup);
		assert_task(m, 100, places[i].attr, places[i].reason);
	}
	set(m, "/", "QOS_USER_INITIATED", NULL);
	assert_task(m, 100, INITIATED, REASON_UNIT);
	moves(m, 100, SERVICE);
	assert_task(m, 100, INITIATED, REASON_UNIT);
	stops_without_trace(m);
}

MACHINE_TEST(a_unit_s_class_follows_the_list_of_units_and_a_reload)
{
	runs_in(m, RULES, "/usr/bin/other", SERVICE);
	set(m, SERVICE, "QOS_BACKGROUND", NULL);
	assert_task(m, 100, BACKGROUND, REASON_UNIT);
	set(m, SERVICE, "QOS_OWN", NULL);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	reload(m, "'QOS_OWN': { 'sched_nice': -7 }");
	assert_task(m, 100, "SCHED_NORMAL nice -7", REASON_UNIT);
	assert_string_equal(units_find(plan_units(m->plan), SERVICE "/sub", 0)->is.place, "a.conf:2");
	reload(m, "'schedqos': { 'default': 'none' }");
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
	set(m, SERVICE, "QOS_UTILITY", NULL);
	assert_task(m, 100, UTILITY, REASON_UNIT);
	assert_true(plan_needs_moves(m->plan));
	set(m, NULL, NULL, NULL);
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
	assert_null(units_find(plan_units(m->plan), SERVICE, 0));
	assert_false(plan_needs_moves(m->plan));
	stops_without_trace(m);
}

/* A unit's class yields to choices as the default class does. */
MACHINE_TEST(a_unit_s_class_does_not_replace_a_choice)
{
	start(m, RULES);
	set(m, SERVICE, "QOS_USER_INTERACTIVE", NULL);
	forks(m, INIT, 100);
	moves(m, 100, SERVICE);
	renice(m, 100, 7);
	execs(m, 100, "/usr/bin/other");
	assert_task(m, 100, "SCHED_NORMAL nice 7", REASON_CHOSEN);
	stops_without_trace(m);
}

MACHINE_TEST(a_group_s_limit_and_an_override_have_priority_over_a_unit_s_class)
{
	const struct override override = { .kind = OVERRIDE_CLASS, .request.class = "QOS_USER_INITIATED", .pid = 100 };
	uint16_t number;

	runs_in(m, "'schedqos': { 'groups': { 'a.service': { 'max': 'QOS_UTILITY' } } }", "/usr/bin/other", SERVICE);
	assert_task(m, 100, UTILITY, REASON_UNIT);
	moves(m, 100, "/");
	moves(m, 100, SERVICE);
	assert_task(m, 100, UTILITY, REASON_UNIT);
	reload(m, RULES);
	assert_int_equal(plan_override_add(m->plan, &override, &number), 0);
	assert_int_equal(plan_override_join(m->plan, number, 100), 0);
	hear(m);
	assert_task(m, 100, INITIATED, REASON_OVERRIDE);
	ends(m, number);
	assert_task(m, 100, INTERACTIVE, REASON_UNIT);
	stops_without_trace(m);
}

/* ---- units of users ---- */

#define ALICE 1000
#define BOB   1001
#define OWN   "/user.slice/own.service"

static void user_says(struct machine *m, uid_t uid, const char *cgroup, const char *qos)
{
	const struct unit_class unit = { .cgroup = cgroup, .qos = qos, .place = "own.service:2" };

	assert_int_equal(plan_set_units(m->plan, uid, &unit, !!qos), 0);
	hear(m);
}

static void run_as(struct machine *m, pid_t pid, uid_t uid, const char *exe)
{
	forks(m, INIT, pid);
	living(m, pid)->uid = uid;
	moves(m, pid, OWN);
	execs(m, pid, exe);
}

MACHINE_TEST(a_user_s_unit_is_for_processes_that_run_as_nobody_else)
{
	start(m, RULES);
	user_says(m, ALICE, OWN, "QOS_BACKGROUND");
	run_as(m, 100, ALICE, "/usr/bin/other");
	run_as(m, 101, BOB, "/usr/bin/other");
	run_as(m, 102, ALICE, "/usr/bin/app");
	run_as(m, 103, ALICE, "/usr/bin/other");
	assert_task(m, 100, BACKGROUND, REASON_UNIT);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 102, INITIATED, REASON_RULE);
	living(m, 103)->is_privileged = true;
	execs(m, 103, "/usr/bin/other");
	assert_task(m, 103, BY_DEFAULT, REASON_DEFAULT);
	living(m, 103)->is_privileged = false;
	execs(m, 103, "/usr/bin/other");
	assert_task(m, 103, BACKGROUND, REASON_UNIT);
	assert_non_null(units_find(plan_units(m->plan), OWN, ALICE));
	assert_null(units_find(plan_units(m->plan), OWN, BOB));
	user_says(m, BOB, OWN, "QOS_UTILITY");
	assert_task(m, 101, UTILITY, REASON_UNIT);
	user_says(m, ALICE, OWN, NULL);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 101, UTILITY, REASON_UNIT);
	stops_without_trace(m);
}

/* It lowers below QOS_DEFAULT, or below the class of a system unit around it. */
MACHINE_TEST(a_user_s_unit_only_lowers)
{
	static const struct {
		const char *systems, *around, *users, *attr;
		enum reason reason;
	} cases[] = {
		{ NULL, OWN, "QOS_USER_INITIATED", BY_DEFAULT, REASON_DEFAULT },
		{ NULL, OWN, "QOS_UTILITY", UTILITY, REASON_UNIT },
		{ NULL, OWN, "QOS_NONE", BY_DEFAULT, REASON_DEFAULT },
		{ "QOS_NONE", OWN, "QOS_UTILITY", UTILITY, REASON_UNIT },
		{ "QOS_USER_INTERACTIVE", "/user.slice", "QOS_USER_INITIATED", INITIATED, REASON_UNIT },
		{ "QOS_USER_INTERACTIVE", OWN, "QOS_USER_INITIATED", INITIATED, REASON_UNIT },
		{ "QOS_USER_INTERACTIVE", OWN, "QOS_NONE", INTERACTIVE, REASON_UNIT },
		{ "QOS_USER_INITIATED", OWN, "QOS_USER_INTERACTIVE", INITIATED, REASON_UNIT },
		{ "QOS_BACKGROUND", "/user.slice", "QOS_UTILITY", BACKGROUND, REASON_UNIT },
		/* The system's unit is inside the user's. */
		{ "QOS_USER_INTERACTIVE", OWN "/sub", "QOS_BACKGROUND", INTERACTIVE, REASON_UNIT },
	};

	start(m, RULES);
	run_as(m, 100, ALICE, "/usr/bin/other");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const bool is_nearer = cases[i].around && strlen(cases[i].around) > strlen(OWN);

		moves(m, 100, is_nearer ? cases[i].around : OWN);
		set(m, cases[i].around, cases[i].systems, NULL);
		user_says(m, ALICE, OWN, cases[i].users);
		assert_task(m, 100, cases[i].attr, cases[i].reason);
	}
	stops_without_trace(m);
}

/* The rank of a class does not show its I/O priority. */
MACHINE_TEST(a_user_s_unit_gives_no_real_time_io_priority)
{
	start(m, "'QOS_LOW': { 'sched_nice': 9, 'io_class': 'realtime', 'io_priority': 0 }");
	run_as(m, 100, ALICE, "/usr/bin/other");
	user_says(m, ALICE, OWN, "QOS_LOW");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	reload(m, "'QOS_LOW': { 'sched_nice': 9 }");
	assert_task(m, 100, "SCHED_NORMAL nice 9", REASON_UNIT);
	assert_int_equal(plan_units(m->plan)->n_users, 1);
	stops_without_trace(m);
}

MACHINE_TEST(a_crash_ends_the_classes_of_units)
{
	runs_in(m, RULES, "/usr/bin/other", SERVICE);
	crash(m);
	start(m, RULES);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}

MACHINE_TEST(a_reset_leaves_a_task_alone_that_had_the_unit_s_class_on_request)
{
	const struct override request = { .kind = OVERRIDE_CLASS, .request.class = "QOS_UTILITY" };
	const struct unit_class unit = { .cgroup = "/s", .qos = "QOS_UTILITY", .place = "x" };

	start(m, "'x': { 'qos': 'QOS_UTILITY' }");
	plan_set_units(m->plan, 0, &unit, 1);
	hear(m);
	forks(m, INIT, 100);
	renice(m, 100, -6);
	moves(m, 100, "/s");
	execs(m, 100, "/bin/other");
	assert_int_equal(living(m, 100)->attr.nice, -6);
	ends(m, asks(m, request, 100));
	assert_int_equal(living(m, 100)->attr.nice, -6);
}
