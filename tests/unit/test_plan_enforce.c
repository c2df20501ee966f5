/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how the plan undoes changes by others on a task whose rule enforces its class. */
#include "fake_daemon.h"

#define ENFORCED "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true }"

/* Starts the app with a thread 101, and a process 200 that no rule names. Then waits until nothing is fresh. */
static void starts(struct machine *m, const char *json)
{
	start_and_run(m, json, "/usr/bin/app");
	spawns(m, INIT, 200, "/usr/bin/cmd");
	clones(m, 100, 101);
	passes(m, m->pace);
	count_from_here(m);
}

MACHINE_TEST(a_change_is_put_back)
{
	starts(m, ENFORCED);
	for (int i = 0; i < 3; i++) {
		renice(m, 100, 7);
		look_at_enforced(m);
		assert_task(m, 100, INTERACTIVE, REASON_RULE);
		assert_true(m->last.is_enforced);
		passes(m, m->pace);
	}
	chrt(m, 101, POLICY_IDLE, 0);
	look_at_enforced(m);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	/* At the stop, the choices return. */
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 7");
	assert_carries(m, 101, "SCHED_IDLE nice 0");
}

MACHINE_TEST(only_tasks_whose_rule_enforces_are_looked_at)
{
	starts(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_false(plan_config(m->plan)->rules->enforce);
	renice(m, 100, 7);
	look_at_enforced(m);
	assert_no_fetch(m);
	reload(m, ENFORCED);
	assert_true(plan_config(m->plan)->rules->enforce);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	/* A task that nobody changed is not set. */
	renice(m, 200, 7);
	count_from_here(m);
	look_at_enforced(m);
	assert_no_action(m);
	assert_carries(m, 200, "SCHED_BATCH nice 7 slice 16 ms util 0..512");
}

MACHINE_TEST(a_rule_that_takes_effect_at_an_exec_puts_nothing_back)
{
	starts(m, ENFORCED);
	renice(m, 100, 7);
	execs(m, 100, "/usr/bin/app");
	assert_false(m->last.is_enforced);
}

/* The change happens between the set and the read of its result. */
MACHINE_TEST(a_change_while_another_is_put_back_is_put_back_too)
{
	struct task_attr now;

	starts(m, ENFORCED);
	m->hold = true;
	renice(m, 100, 7);
	look_at_enforced(m);
	assert_int_equal(kernel_sets(m, &m->held), 0);
	renice(m, 100, 9);
	now = attr_shown(m, living(m, 100));
	m->hold = m->has_held = false;
	assert_int_equal(plan_applied(m->plan, &m->held, 0, &now), PLAN_CHANGED);
	look_at_enforced(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 9");
}

MACHINE_TEST(enforce_raises_a_lowered_task)
{
	start(m, ENFORCED);
	forks(m, INIT, 100);
	renice(m, 100, 3);
	execs(m, 100, "/usr/bin/app");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	renice(m, 100, 10);
	look_at_enforced(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

MACHINE_TEST(a_change_under_an_inherited_rule_is_put_back)
{
	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true, 'inherit': true }", "/usr/bin/app");
	spawns(m, 100, 101, "/usr/bin/cmd");
	assert_task(m, 101, INTERACTIVE, REASON_INHERITED);
	renice(m, 101, 7);
	look_at_enforced(m);
	assert_task(m, 101, INTERACTIVE, REASON_INHERITED);
	stop(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 7");
}
