/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies what a reload does to running tasks. */
#include "fake_daemon.h"

#define CHROME "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"
#define MAKE   "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }"

MACHINE_TEST(the_same_rules_again_change_nothing)
{
	static const char rules[] = CHROME "," MAKE ", 'vlc': { 'qos': 'QOS_USER_INTERACTIVE', 'period': 8000000 }";

	start_and_run(m, rules, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/make");
	spawns(m, 200, 201, "/usr/bin/sh");
	/* The same class with a period counts as another class. */
	spawns(m, INIT, 300, "/usr/bin/vlc");
	renice(m, 300, -6);
	scan(m);
	count_from_here(m);
	reload(m, rules);
	assert_no_action(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 201, BACKGROUND, REASON_INHERITED);
}

/* A value that only the class made possible does not stay when the class changes. */
MACHINE_TEST(a_changed_class_takes_back_what_it_made_possible)
{
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, -3);
	scan(m);
	reload(m, "'QOS_USER_INTERACTIVE': { 'sched_nice': -1 }, 'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_int_equal(machine_task(m, 100)->attr.nice, -1);
	renice(m, 100, 5);
	reload(m, "'QOS_USER_INTERACTIVE': { 'sched_nice': -2 }, 'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_int_equal(machine_task(m, 100)->attr.nice, 5);
	stops_without_trace(m);
}

MACHINE_TEST(an_unchanged_class_keeps_a_choice_above_it)
{
#define LOW  "'QOS_LOW': { 'sched_nice': -1 }, 'chrome': { 'qos': 'QOS_LOW' }"
#define HIGH "'QOS_HIGH': { 'sched_nice': -8 }"
	start_and_run(m, LOW "," HIGH, "/usr/bin/chrome");
	renice(m, 100, -3);
	scan(m);
	reload(m, LOW "," HIGH);
	/* The class has another number now. */
	reload(m, HIGH ", 'vi': { 'qos': 'QOS_HIGH' }, " LOW);
	assert_int_equal(machine_task(m, 100)->attr.nice, -3);
	reload(m, HIGH ", 'QOS_LOW': { 'sched_nice': -2 }, 'chrome': { 'qos': 'QOS_LOW' }");
	assert_int_equal(machine_task(m, 100)->attr.nice, -2);
}

MACHINE_TEST(a_task_whose_rule_is_gone_can_be_decided_before_the_scan)
{
	start_and_run(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }",
		      "/usr/bin/chrome");
	clones(m, 100, 101);
	m->missing = FACT_ATTR;
	renames(m, 101, "bg"); /* the thread keeps its class for now */
	m->missing = 0;
	/* The class still exists, but no rule assigns it. */
	set_config(m, "'vi': { 'qos': 'QOS_BACKGROUND' }");
	forks(m, 101, 110);
	scan(m);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 110, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(nothing_is_inherited_from_a_rule_that_is_gone)
{
	start_and_run(m, MAKE, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	reload(m, "'make': { 'qos': 'QOS_BACKGROUND' }");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	reload(m, "");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
}

MACHINE_TEST(a_list_s_inheriting_rule_is_found_again)
{
	start_and_run(m, MAKE, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	exits(m, 100); /* now no ancestor can be found */
	reload(m, "'aaa': { 'qos': 'QOS_UTILITY', 'inherit': true }, "
		  "'make': [ { 'qos': 'QOS_UTILITY', 'match': { 'exe': '/opt/*' } }, "
		  "{ 'qos': 'QOS_USER_INITIATED', 'inherit': true } ]");
	assert_task(m, 101, INITIATED, REASON_INHERITED);
}

MACHINE_TEST(a_new_inheriting_rule_reaches_running_descendants)
{
	start_and_run(m, "", "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	reload(m, MAKE);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
}

MACHINE_TEST(a_reload_that_changes_nothing_keeps_a_renice_to_0)
{
	start_and_run(m, "", "/bin/vi");
	assert_carries(m, 100, BY_DEFAULT);
	renice(m, 100, 0);
	scan(m);
	assert_int_equal(living(m, 100)->attr.nice, 0);
	reload(m, "");
	assert_int_equal(living(m, 100)->attr.nice, 0);
}

/* Without a rule and a default there is no class, which is no reason to look for another one. */
MACHINE_TEST(a_reload_without_a_default_keeps_a_choice)
{
	static const char *const config = "'schedqos': { 'default': 'none' }, 'app': { 'qos': 'QOS_USER_INTERACTIVE' }";

	start_and_run(m, config, "/bin/app");
	execs(m, 100, "/bin/other");
	renice(m, 100, -2);
	scan(m);
	reload(m, config);
	assert_int_equal(living(m, 100)->attr.nice, -2);
}

MACHINE_TEST(a_rule_that_yields_now_or_no_longer_takes_effect_again)
{
	static const char *const yields = "'app': { 'qos': 'QOS_UTILITY', 'yield': true }", *const not = "'app': { 'qos': 'QOS_UTILITY' }";

	start(m, yields);
	forks(m, INIT, 100);
	renice(m, 100, -5);
	execs(m, 100, "/bin/app");
	assert_int_equal(living(m, 100)->attr.nice, -5);
	reload(m, not);
	assert_int_equal(living(m, 100)->attr.nice, 2);
	reload(m, yields);
	assert_int_equal(living(m, 100)->attr.nice, -5);
}
