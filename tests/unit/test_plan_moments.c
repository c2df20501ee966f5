/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies when a rule takes effect, and that attributes which somebody chooses afterwards stay until a rule takes
 * effect again. The class decides all other attributes.
 */
#include "fake_daemon.h"

#include <errno.h>

#define THREADS                                                                                 \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'ThreadPoolForeg': 'QOS_UTILITY', " \
	"'pool-*': 'QOS_UTILITY', 'bg': 'QOS_BACKGROUND' } }"

/* ---- renames ---- */

/* Chromium's threads do this: they copy the interactive main thread, set a nice value, and then name themselves. */
MACHINE_TEST(a_thread_that_sets_its_nice_and_then_its_name_gets_its_class)
{
	start_and_run(m, THREADS, "/usr/bin/chrome");
	for (pid_t tid = 101; tid <= 110; tid++) {
		clones(m, 100, tid);
		renice(m, tid, 0);
		renames(m, tid, "ThreadPoolForeg");
		assert_task(m, tid, UTILITY, REASON_THREAD);
	}
	stops_without_trace(m);
}

MACHINE_TEST(a_thread_that_lowered_itself_stays_lowered_when_it_names_itself)
{
	start_and_run(m, THREADS, "/usr/bin/chrome");
	clones(m, 100, 101);
	renice(m, 101, 9);
	renames(m, 101, "ThreadPoolForeg");
	assert_task(m, 101, "SCHED_BATCH nice 9 slice 16 ms util 0..512", REASON_THREAD);
	stops_without_trace(m);
}

MACHINE_TEST(a_rename_within_a_class_keeps_what_somebody_chose)
{
	start_and_run(m, THREADS, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "pool-1");
	machine_task(m, 101)->attr.slice_ns = machine_task(m, 101)->without.slice_ns = 5 * MS;
	renames(m, 101, "pool-2");
	scan(m);
	assert_task(m, 101, "SCHED_BATCH nice 2 slice 5 ms util 0..512", REASON_CHANGED);
	renames(m, 101, "ThreadPoolForeg");
	scan(m);
	assert_task(m, 101, "SCHED_BATCH nice 2 slice 5 ms util 0..512", REASON_CHANGED);
	stops_without_trace(m);
}

MACHINE_TEST(a_rename_that_brings_another_class_replaces_what_somebody_chose)
{
	start_and_run(m, THREADS, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "pool-1");
	machine_task(m, 101)->attr.slice_ns = machine_task(m, 101)->without.slice_ns = 5 * MS;
	scan(m);
	assert_task(m, 101, "SCHED_BATCH nice 2 slice 5 ms util 0..512", REASON_CHANGED);
	renames(m, 101, "bg");
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
	renames(m, 101, "pool-1");
	assert_task(m, 101, UTILITY, REASON_THREAD);
	stops_without_trace(m);
}

/* ---- choices of programs ---- */

MACHINE_TEST(an_attribute_that_a_program_changes_stays_and_the_class_decides_the_others)
{
	static const struct {
		struct task_attr sets;
		const char *carries, *after;
	} cases[] = {
		{ { POLICY_BATCH, 0, 9, 0, 0, 20 * MS, 0, 256 }, "SCHED_BATCH nice 9 slice 20 ms util 0..256",
		  "SCHED_NORMAL nice 9" },
		{ { POLICY_NORMAL, 0, 4, 0, 0, 20 * MS, 0, 256 }, "SCHED_NORMAL nice 4 slice 20 ms util 0..256",
		  "SCHED_NORMAL nice 0" },
		{ { POLICY_IDLE, 0, 4, 0, 0, 20 * MS, 0, 256 }, "SCHED_IDLE nice 4 util 0..256",
		  "SCHED_IDLE nice 0" },
		{ { POLICY_BATCH, 0, 4, 0, 0, 7 * MS, 0, 256 }, "SCHED_BATCH nice 4 slice 7 ms util 0..256",
		  "SCHED_NORMAL nice 0 slice 7 ms" },
		{ { POLICY_BATCH, 0, 4, 0, 0, 0, 0, 256 }, "SCHED_BATCH nice 4 util 0..256", "SCHED_NORMAL nice 0" },
		{ { POLICY_BATCH, 0, 4, 0, 0, 20 * MS, 0, 100 }, "SCHED_BATCH nice 4 slice 20 ms util 0..100",
		  "SCHED_NORMAL nice 0 util 0..100" },
		{ { POLICY_BATCH, 0, 4, 0, 0, 20 * MS, 50, 256 }, "SCHED_BATCH nice 4 slice 20 ms util 50..256",
		  "SCHED_NORMAL nice 0 util 50..1024" },
	};

	start(m, "'gcc': { 'qos': 'QOS_BACKGROUND' }");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t pid = (pid_t)(100 + i);

		spawns(m, INIT, pid, "/usr/bin/gcc");
		assert_task(m, pid, BACKGROUND, REASON_RULE);
		machine_task(m, pid)->attr = cases[i].sets;
	}
	for (int looks = 0; looks < 3; looks++) {
		scan(m);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			assert_task(m, (pid_t)(100 + i), cases[i].carries, REASON_CHANGED);
	}
	stop(m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_task(m, (pid_t)(100 + i), cases[i].after, REASON_UNDONE);
}

/* The kernel refuses a util_min above util_max, and somebody may choose only one of the two. */
MACHINE_TEST(util_max_counts_if_util_min_is_above_it)
{
	start_and_run(m, THREADS, "/usr/bin/chrome");
	machine_task(m, 100)->attr.util_min = machine_task(m, 100)->without.util_min = 600;
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice -4 slice 8 ms util 600..1024", REASON_CHANGED);
	reload(m, THREADS ", 'QOS_USER_INTERACTIVE': { 'sched_util_max': 512 }");
	assert_task(m, 100, "SCHED_NORMAL nice -4 slice 8 ms util 512..512", REASON_CHANGED);
	stops_without_trace(m);
}

/* nice(1) adds to the nice value that it finds, which may come from a class. */
MACHINE_TEST(a_nice_value_that_nice_1_computes_from_a_class_is_a_choice)
{
	start(m, "");
	forks(m, INIT, 100);
	runs_nice(m, 100, 10, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice 12", REASON_CHOSEN);
	execs(m, 100, "/usr/bin/other");
	assert_task(m, 100, "SCHED_NORMAL nice 12", REASON_CHOSEN);
	spawns(m, 100, 101, "/usr/bin/child");
	assert_task(m, 101, "SCHED_NORMAL nice 12", REASON_CHOSEN);
	/* No class is left to add to. */
	runs_nice(m, 101, 5, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 17", REASON_CHOSEN);
}

/* ---- yield ---- */

MACHINE_TEST(yield_decides_whether_a_rule_replaces_earlier_choices)
{
	static const struct {
		const char *yield;
		struct task_attr chosen;
		const char *carries;
		enum reason reason;
	} cases[] = {
		{ "", { POLICY_NORMAL, 0, 9, 0, 0, 0, 0, 1024 }, "SCHED_NORMAL nice 9 slice 8 ms", REASON_RULE },
		{ "", { POLICY_NORMAL, 0, -7, 0, 0, 0, 0, 1024 }, INTERACTIVE, REASON_RULE },
		{ "", { POLICY_IDLE, 0, 0, 0, 0, 0, 0, 1024 }, "SCHED_IDLE nice -4", REASON_RULE },
		{ "", { POLICY_NORMAL, 0, 0, 0, 0, 5 * MS, 0, 300 }, INTERACTIVE, REASON_RULE },
		{ ", 'yield': false", { POLICY_NORMAL, 0, 9, 0, 0, 0, 0, 1024 }, INTERACTIVE, REASON_RULE },
		{ ", 'yield': false", { POLICY_IDLE, 0, 9, 0, 0, 0, 0, 1024 }, INTERACTIVE, REASON_RULE },
		{ ", 'yield': true", { POLICY_NORMAL, 0, 0, 0, 0, 0, 0, 1024 }, INTERACTIVE, REASON_RULE },
		{ ", 'yield': true", { POLICY_NORMAL, 0, 9, 0, 0, 0, 0, 1024 }, "SCHED_NORMAL nice 9", REASON_CHOSEN },
		{ ", 'yield': true", { POLICY_NORMAL, 0, -7, 0, 0, 0, 0, 1024 }, "SCHED_NORMAL nice -7", REASON_CHOSEN },
		{ ", 'yield': true", { POLICY_IDLE, 0, 0, 0, 0, 0, 0, 1024 }, "SCHED_IDLE nice 0", REASON_CHOSEN },
		{ ", 'yield': true", { POLICY_NORMAL, 0, 0, 0, 0, 5 * MS, 0, 1024 }, "SCHED_NORMAL nice 0 slice 5 ms",
		  REASON_CHOSEN },
		{ ", 'yield': true", { POLICY_NORMAL, 0, 0, 0, 0, 0, 0, 300 }, "SCHED_NORMAL nice 0 util 0..300",
		  REASON_CHOSEN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char rules[256];

		snprintf(rules, sizeof(rules), "'chrome': { 'qos': 'QOS_USER_INTERACTIVE'%s }", cases[i].yield);
		start(m, rules);
		forks(m, INIT, 100);
		sets(m, 100, cases[i].chosen);
		execs(m, 100, "/usr/bin/chrome");
		assert_task(m, 100, cases[i].carries, cases[i].reason);
		/* Another look changes nothing. */
		scan(m);
		assert_task(m, 100, cases[i].carries, cases[i].reason);
		stops_without_trace(m);
		machine_anew(m);
	}
}

MACHINE_TEST(a_task_is_left_alone_until_a_rule_takes_effect)
{
	start(m, "'vi': { 'qos': 'QOS_USER_INTERACTIVE' }");
	forks(m, INIT, 100);
	renice(m, 100, 9);
	execs(m, 100, "/usr/bin/cmd");
	assert_task(m, 100, "SCHED_NORMAL nice 9", REASON_CHOSEN);
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .nice = 12, .slice_ns = 7 * MS, .util_max = 500 });
	count_from_here(m);
	scan(m);
	assert_no_action(m);
	assert_task(m, 100, "SCHED_BATCH nice 12 slice 7 ms util 0..500", REASON_CHOSEN);
	/* A lower nice value is not taken for a choice, because it may be left over from a class. */
	machine_task(m, 100)->attr.nice = 3;
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice 3 slice 7 ms util 0..500", REASON_CHOSEN);
	execs(m, 100, "/usr/bin/vi");
	assert_task(m, 100, "SCHED_NORMAL nice 12 slice 8 ms", REASON_RULE);
	stops_without_trace(m);
}

/* ---- reload ---- */

MACHINE_TEST(a_reload_of_the_same_rules_keeps_what_somebody_chose)
{
	start_and_run(m, THREADS, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/vi");
	renice(m, 100, 10);
	renice(m, 200, 10);
	reload(m, THREADS);
	reload(m, "'aaa': { 'qos': 'QOS_UTILITY' }, " THREADS);
	assert_task(m, 100, "SCHED_NORMAL nice 10 slice 8 ms", REASON_CHANGED);
	assert_task(m, 200, "SCHED_BATCH nice 10 slice 16 ms util 0..512", REASON_CHANGED);
	/* Other attributes of the class change. */
	reload(m, THREADS ", 'QOS_USER_INTERACTIVE': { 'sched_runtime': 6000000, 'sched_nice': -6 }");
	assert_task(m, 100, "SCHED_NORMAL nice 10 slice 6 ms", REASON_CHANGED);
	stops_without_trace(m);
}

MACHINE_TEST(so_does_one_if_a_later_rule_of_a_list_matches)
{
	static const char list[] = "'vi': [ { 'qos': 'QOS_BACKGROUND', 'match': { 'argv': '-R' } },"
				   " { 'qos': 'QOS_USER_INTERACTIVE' } ]";

	start_and_run(m, list, "/usr/bin/vi");
	renice(m, 100, 10);
	reload(m, list);
	assert_task(m, 100, "SCHED_NORMAL nice 10 slice 8 ms", REASON_CHANGED);
	/* In a shorter list another rule is for it, which takes effect, but raises nothing. */
	reload(m, "'vi': { 'qos': 'QOS_BACKGROUND' }");
	assert_task(m, 100, "SCHED_BATCH nice 10 slice 20 ms util 0..256", REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(a_reload_that_brings_another_class_replaces_what_somebody_chose)
{
	start_and_run(m, THREADS, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/vi");
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .slice_ns = 5 * MS, .util_max = 250 });
	sets(m, 200, (struct task_attr){ .policy = POLICY_NORMAL, .slice_ns = 5 * MS, .util_max = 250 });
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice 0 slice 5 ms util 0..250", REASON_CHANGED);
	assert_task(m, 200, "SCHED_NORMAL nice 0 slice 5 ms util 0..250", REASON_CHANGED);
	reload(m, "'chrome': { 'qos': 'QOS_USER_INITIATED' }, 'vi': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_task(m, 200, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(choices_are_judged_again_when_the_mode_of_the_default_class_changes)
{
#define PRISTINE_MODE "'schedqos': { 'default': 'pristine' }"
#define ALL_MODE      "'schedqos': { 'default': 'all' }"
#define NONE_MODE     "'schedqos': { 'default': 'none' }"
	static const struct {
		const char *mode;
		const char *niced, *plain, *changed;
		enum reason niced_for, plain_for, changed_for;
	} cases[] = {
		{ PRISTINE_MODE, "SCHED_NORMAL nice 5", BY_DEFAULT, "SCHED_BATCH nice 9 slice 16 ms util 0..512",
		  REASON_CHOSEN, REASON_DEFAULT, REASON_CHANGED },
		{ ALL_MODE, "SCHED_BATCH nice 5 slice 16 ms util 0..512", BY_DEFAULT,
		  "SCHED_BATCH nice 9 slice 16 ms util 0..512", REASON_DEFAULT, REASON_DEFAULT, REASON_DEFAULT },
		{ NONE_MODE, "SCHED_NORMAL nice 5", PRISTINE, "SCHED_NORMAL nice 9", REASON_NO_RULE, REASON_NO_RULE,
		  REASON_NO_RULE },
		{ ALL_MODE, "SCHED_BATCH nice 5 slice 16 ms util 0..512", BY_DEFAULT,
		  "SCHED_BATCH nice 9 slice 16 ms util 0..512", REASON_DEFAULT, REASON_DEFAULT, REASON_DEFAULT },
		{ PRISTINE_MODE, "SCHED_NORMAL nice 5", BY_DEFAULT, "SCHED_NORMAL nice 9", REASON_CHOSEN, REASON_DEFAULT,
		  REASON_CHOSEN },
		{ NONE_MODE, "SCHED_NORMAL nice 5", PRISTINE, "SCHED_NORMAL nice 9", REASON_NO_RULE, REASON_NO_RULE,
		  REASON_NO_RULE },
		{ PRISTINE_MODE, "SCHED_NORMAL nice 5", BY_DEFAULT, "SCHED_NORMAL nice 9", REASON_CHOSEN, REASON_DEFAULT,
		  REASON_CHOSEN },
	};

	spawns(m, INIT, 100, "/usr/bin/vi");
	renice(m, 100, 5);
	spawns(m, INIT, 101, "/usr/bin/vi");
	spawns(m, INIT, 102, "/usr/bin/vi");
	start(m, PRISTINE_MODE);
	renice(m, 102, 9);
	scan(m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reload(m, cases[i].mode);
		assert_task(m, 100, cases[i].niced, cases[i].niced_for);
		assert_task(m, 101, cases[i].plain, cases[i].plain_for);
		assert_task(m, 102, cases[i].changed, cases[i].changed_for);
	}
	stops_without_trace(m);
}

/* ---- inheritance ---- */

#define MAKE(more) "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true" more " }"

MACHINE_TEST(nothing_is_inherited_from_a_task_that_is_not_fair)
{
	start(m, MAKE(""));
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_FIFO, 9);
	execs(m, 100, "/usr/bin/make");
	assert_task(m, 100, "SCHED_FIFO priority 9", REASON_NOT_FAIR);
	forks(m, 100, 101);
	sets(m, 101, task_attr_pristine);
	execs(m, 101, "/usr/bin/sh");
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(an_inherited_rule_replaces_what_was_chosen_before_the_ancestor_s_exec)
{
	start(m, MAKE(""));
	forks(m, INIT, 100);
	sets(m, 100, (struct task_attr){ .policy = POLICY_NORMAL, .nice = 3, .slice_ns = 5 * MS, .util_max = 300 });
	execs(m, 100, "/usr/bin/make");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	spawns(m, 100, 101, "/usr/bin/sh");
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
	/* It yields to any later choice. */
	forks(m, 101, 102);
	machine_task(m, 102)->attr.slice_ns = machine_task(m, 102)->without.slice_ns = 7 * MS;
	execs(m, 102, "/usr/bin/as");
	assert_task(m, 102, "SCHED_NORMAL nice 3 slice 7 ms util 0..300", REASON_CHOSEN);
	stops_without_trace(m);
}

MACHINE_TEST(an_inherited_rule_for_the_seat_raises_nobody_elsewhere)
{
	start(m, "'steam': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true, 'raise': 'seat' }");
	forks(m, INIT, 100);
	execs(m, 100, "/usr/bin/steam");
	spawns(m, 100, 101, "/usr/bin/game");
	assert_task(m, 101, INTERACTIVE, REASON_INHERITED);
	/* The child changed its user, as su does. */
	forks(m, 100, 102);
	machine_task(m, 102)->is_elsewhere = true;
	execs(m, 102, "/usr/bin/sh");
	assert_task(m, 102, BY_DEFAULT, REASON_DEFAULT);
	spawns(m, 102, 103, "/usr/bin/game");
	assert_task(m, 103, BY_DEFAULT, REASON_DEFAULT);
	/* A reload does not raise it, either. */
	reload(m, "'steam': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true, 'raise': 'seat' }, 'vi': {}");
	assert_task(m, 101, INTERACTIVE, REASON_INHERITED);
	assert_task(m, 103, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}

MACHINE_TEST(a_renice_outlasts_a_rename_within_a_class)
{
	start_and_run(m, THREADS, "/usr/bin/chrome");
	renice(m, 100, 10);
	renames(m, 100, "other");
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 10 slice 8 ms", REASON_CHANGED);
	stops_without_trace(m);
}

MACHINE_TEST(a_lowered_task_that_gets_no_real_time_class_keeps_its_slice)
{
	start(m, "'QOS_RT': { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 5 }, 'app': { 'qos': 'QOS_RT' }");
	spawns(m, INIT, 100, "/usr/bin/sh");
	renice(m, 100, 5);
	living(m, 100)->attr.slice_ns = living(m, 100)->without.slice_ns = 7000000;
	execs(m, 100, "/usr/bin/app");
	assert_carries(m, 100, "SCHED_NORMAL nice 5 slice 7 ms");
	stops_without_trace(m);
}

MACHINE_TEST(an_inherited_rule_yields_at_every_exec)
{
	start(m, "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }");
	spawns(m, INIT, 200, "/usr/bin/make");
	spawns(m, 200, 201, "/usr/bin/sh");
	living(m, 201)->attr.nice = -3;
	execs(m, 201, "/usr/bin/cc");
	assert_task(m, 201, PRISTINE, REASON_CHOSEN);
	execs(m, 201, "/usr/bin/ld");
	assert_task(m, 201, PRISTINE, REASON_CHOSEN);
	stops_without_trace(m);
}
