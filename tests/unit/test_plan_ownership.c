/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: whose task is it? What somebody chose, and what is ours. */
#include "fake_daemon.h"

#define CHROME "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"
#define THREADS \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }"
#define ENFORCED "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'enforce': true }"
#define ALL	 "'schedqos': { 'default': 'all' }"
#define NONE	 "'schedqos': { 'default': 'none' }"

/* ---- the default's three modes ---- */

static void default_all_takes_what_somebody_chose(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/cmd");
	renice(m, 100, 5);
	start(m, ALL);
	/* But for a nice value that it was lowered to. */
	assert_task(m, 100, "SCHED_BATCH nice 5 slice 16 ms util 0..512", REASON_DEFAULT);
	forks(m, 100, 101);
	renice(m, 101, 19);
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_BATCH nice 19 slice 16 ms util 0..512", REASON_DEFAULT);
	stops_without_trace(m);
}

static void default_none_leaves_all_alone_but_rules(void **state)
{
	struct machine *m = *state;

	start_and_run(m, NONE "," CHROME, "/usr/bin/cmd");
	assert_no_action(m);
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	execs(m, 100, "/usr/bin/cmd");
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
}

static void default_none_lets_descendants_inherit(void **state)
{
	struct machine *m = *state;

	start(m, NONE ", 'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }");
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
}

/* ---- explicit rules ---- */

/* Niced by somebody before it execs. */
static void starts_niced(struct machine *m, const char *json, int nice, const char *command)
{
	start(m, json);
	forks(m, INIT, 100);
	renice(m, 100, nice);
	execs(m, 100, command);
}

static void an_explicit_rule_wins_over_what_was_chosen_before_its_exec(void **state)
{
	struct machine *m = *state;

	starts_niced(m, CHROME, -7, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

static void a_later_change_stays(void **state)
{
	struct machine *m = *state;

	start_and_run(m, THREADS, "/usr/bin/chrome");
	renice(m, 100, 10);
	renames(m, 100, "other");
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 10 slice 8 ms", REASON_CHANGED);
	stops_without_trace(m);
}

static void an_explicit_rule_wins_again_at_the_next_exec(void **state)
{
	struct machine *m = *state;

	start_and_run(m, THREADS, "/usr/bin/chrome");
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .slice_ns = 5 * MS, .util_max = 300 });
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice 0 slice 5 ms util 0..300", REASON_CHANGED);
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

static void a_thread_that_somebody_changed_does_not_hold_back_the_others(void **state)
{
	struct machine *m = *state;

	start_and_run(m, THREADS, "/usr/bin/chrome");
	clones(m, 100, 101);
	clones(m, 100, 102);
	renice(m, 101, 10);
	scan(m);
	renames(m, 102, "bg");
	assert_task(m, 101, "SCHED_NORMAL nice 10 slice 8 ms", REASON_CHANGED);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
}

static void a_task_reset_to_pristine_stays_so_until_a_rule_takes_effect(void **state)
{
	struct machine *m = *state;

	start_and_run(m, THREADS, "/usr/bin/chrome");
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .nice = -4, .util_max = UTIL_FULL });
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice -4", REASON_CHANGED);
	sets(m, 100, task_attr_pristine);
	scan(m);
	assert_task(m, 100, PRISTINE, REASON_CHANGED);
	renames(m, 100, "bg");
	assert_task(m, 100, BACKGROUND, REASON_THREAD);
	stops_without_trace(m);
}

static void a_task_of_the_default_reset_to_pristine_is_ours_at_exec(void **state)
{
	struct machine *m = *state;

	start_and_run(m, "", "/usr/bin/cmd");
	sets(m, 100, task_attr_pristine);
	execs(m, 100, "/usr/bin/other");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
}

static void enforce_puts_the_class_back(void **state)
{
	struct machine *m = *state;

	start_and_run(m, ENFORCED, "/usr/bin/chrome");
	renice(m, 100, 10);
	look_at_enforced(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	chrt(m, 100, POLICY_BATCH, 0);
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, "SCHED_BATCH nice 10");
}

static void a_reload_that_enforces_takes_back_what_is_theirs(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/usr/bin/chrome");
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .slice_ns = 5 * MS, .util_max = UTIL_FULL });
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice 0 slice 5 ms", REASON_CHANGED);
	reload(m, ENFORCED);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

static void enforce_raises_a_lowered_task(void **state)
{
	struct machine *m = *state;

	starts_niced(m, ENFORCED, 3, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	renice(m, 100, 10);
	look_at_enforced(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

static void a_yielding_rule_leaves_what_was_chosen_before_its_exec(void **state)
{
	struct machine *m = *state;

	start(m, "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true, 'yield': true }, "
		 "'cc1': { 'qos': 'QOS_BACKGROUND', 'yield': true }");
	spawns(m, INIT, 100, "/bin/sh");
	forks(m, 100, 101);
	renice(m, 101, 19);
	execs(m, 101, "/usr/bin/make");
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
	forks(m, 101, 102);
	execs(m, 102, "/bin/sh");
	assert_task(m, 102, "SCHED_NORMAL nice 19", REASON_CHOSEN);
	execs(m, 102, "/usr/lib/cc1");
	assert_task(m, 102, "SCHED_NORMAL nice 19", REASON_CHOSEN);
}

static void a_yielding_rule_takes_what_nobody_chose(void **state)
{
	struct machine *m = *state;

	start(m, "'make': { 'qos': 'QOS_UTILITY' }, "
		 "'cc1': { 'qos': 'QOS_USER_INTERACTIVE', 'yield': true }");
	spawns(m, INIT, 100, "/usr/bin/make");
	forks(m, 100, 101);
	execs(m, 101, "/usr/lib/cc1");
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
}

static void enforce_does_not_take_a_task_out_of_real_time(void **state)
{
	struct machine *m = *state;

	start_and_run(m, ENFORCED, "/usr/bin/chrome");
	chrt(m, 100, POLICY_RR, 7);
	look_at_enforced(m);
	assert_task(m, 100, "SCHED_RR priority 7", REASON_NOT_FAIR);
}

static void a_clamp_that_cannot_be_put_back_makes_no_task_ours(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_RR, 7);
	m->refuse = 1;
	execs(m, 100, "/usr/bin/cmd");
	m->refuse = 0;
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, "SCHED_RR priority 7", REASON_NOT_FAIR);
	stop(m);
	assert_carries(m, 100, "SCHED_RR priority 7");
}

/* Between the look and the set: the policy is not put back. */
static void a_task_that_leaves_real_time_during_a_set_is_looked_at_again(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_RR, 7);
	m->hold = true;
	execs(m, 100, "/usr/bin/cmd");
	chrt(m, 100, POLICY_NORMAL, 0);
	carry_out(m);
	assert_int_equal(m->result, PLAN_CHANGED);
	assert_carries(m, 100, "SCHED_NORMAL nice 2 slice 16 ms util 0..512");
	hear(m);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}

static void enforce_tags_a_task_that_leaves_real_time(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }," ENFORCED);
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_RR, 5);
	execs(m, 100, "/usr/bin/chrome");
	assert_task(m, 100, "SCHED_RR priority 5", REASON_NOT_FAIR);
	chrt(m, 100, POLICY_NORMAL, 0);
	renice(m, 100, 7);
	look_at_enforced(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

/* ---- children of a task that somebody chose something for ---- */

static void children_without_a_rule_get_what_their_ancestor_had(void **state)
{
	struct machine *m = *state;

	starts_niced(m, CHROME, 7, "/usr/bin/chrome");
	spawns(m, 100, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 7", REASON_CHOSEN);
	spawns(m, 101, 102, "/usr/bin/cmd");
	assert_task(m, 102, "SCHED_NORMAL nice 7", REASON_CHOSEN);
}

static void children_that_inherit_take_the_class_over_their_ancestor_s_nice(void **state)
{
	struct machine *m = *state;

	starts_niced(m, "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }", 7, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/as");
	assert_task(m, 101, "SCHED_BATCH nice 7 slice 20 ms util 0..256", REASON_INHERITED);
	stops_without_trace(m);
}

static void a_descendant_that_was_niced_does_not_inherit(void **state)
{
	struct machine *m = *state;

	start_and_run(m, "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }", "/usr/bin/make");
	forks(m, 100, 101);
	renice(m, 101, 15);
	execs(m, 101, "/usr/bin/as");
	assert_task(m, 101, "SCHED_NORMAL nice 15", REASON_CHOSEN);
	spawns(m, 101, 102, "/usr/bin/sh");
	assert_task(m, 102, "SCHED_NORMAL nice 15", REASON_CHOSEN);
}

static void a_child_of_a_changed_task_has_what_it_was_born_with(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/usr/bin/chrome");
	forks(m, 100, 109);
	renice(m, 100, 10);
	count_from_here(m);
	forks(m, 100, 101);
	assert_no_fetch(m);
	execs(m, 101, "/usr/bin/cmd");
	assert_task(m, 101, "SCHED_NORMAL nice 10", REASON_CHOSEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(default_all_takes_what_somebody_chose),
		MACHINE_TEST(default_none_leaves_all_alone_but_rules),
		MACHINE_TEST(default_none_lets_descendants_inherit),
		MACHINE_TEST(an_explicit_rule_wins_over_what_was_chosen_before_its_exec),
		MACHINE_TEST(a_later_change_stays),
		MACHINE_TEST(an_explicit_rule_wins_again_at_the_next_exec),
		MACHINE_TEST(a_thread_that_somebody_changed_does_not_hold_back_the_others),
		MACHINE_TEST(a_task_reset_to_pristine_stays_so_until_a_rule_takes_effect),
		MACHINE_TEST(a_task_of_the_default_reset_to_pristine_is_ours_at_exec),
		MACHINE_TEST(enforce_puts_the_class_back),
		MACHINE_TEST(a_reload_that_enforces_takes_back_what_is_theirs),
		MACHINE_TEST(enforce_raises_a_lowered_task),
		MACHINE_TEST(a_yielding_rule_leaves_what_was_chosen_before_its_exec),
		MACHINE_TEST(a_yielding_rule_takes_what_nobody_chose),
		MACHINE_TEST(enforce_does_not_take_a_task_out_of_real_time),
		MACHINE_TEST(a_clamp_that_cannot_be_put_back_makes_no_task_ours),
		MACHINE_TEST(a_task_that_leaves_real_time_during_a_set_is_looked_at_again),
		MACHINE_TEST(enforce_tags_a_task_that_leaves_real_time),
		MACHINE_TEST(children_without_a_rule_get_what_their_ancestor_had),
		MACHINE_TEST(children_that_inherit_take_the_class_over_their_ancestor_s_nice),
		MACHINE_TEST(a_descendant_that_was_niced_does_not_inherit),
		MACHINE_TEST(a_child_of_a_changed_task_has_what_it_was_born_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
