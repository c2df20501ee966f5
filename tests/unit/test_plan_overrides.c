/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan: what somebody asks for at run time, over the rules. */
#include "fake_daemon.h"

#include <errno.h>

#define APP "'app': { 'qos': 'QOS_USER_INITIATED', 'thread_qos': { 'io': 'QOS_UTILITY' } }"
#define FAST "'QOS_FAST': { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': -7, 'sched_runtime': 3000000 }"

/* For a process, or with a cgroup for those in it. */
static uint16_t asks(struct machine *m, const struct override *override, pid_t pid)
{
	uint16_t number;

	assert_int_equal(plan_override_add(m->plan, override, m->ms, &number), 0);
	if (pid)
		assert_int_equal(plan_override_join(m->plan, number, pid, m->ms), 0);
	hear(m);
	return number;
}

static uint16_t gives(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, &(struct override){ .kind = OVERRIDE_CLASS, .qos = qos }, pid);
}

static uint16_t gives_tree(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, &(struct override){ .kind = OVERRIDE_CLASS, .is_tree = true, .qos = qos }, pid);
}

static uint16_t limits(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, &(struct override){ .kind = OVERRIDE_LIMIT, .is_tree = true, .qos = qos }, pid);
}

static void ends(struct machine *m, uint16_t number)
{
	plan_override_remove(m->plan, number, m->ms);
	hear(m);
}

static void a_class_goes_over_everything_and_comes_off_again(void **state)
{
	struct machine *m = *state;
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
	assert_int_equal(record(m, 100)->overrides, 0);
	stops_without_trace(m);
}

static void what_is_chosen_since_stays(void **state)
{
	struct machine *m = *state;
	uint16_t number;

	start_and_run(m, APP, "/usr/bin/app");
	number = gives(m, 100, "QOS_BACKGROUND");
	renice(m, 100, 9);
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice 9 slice 20 ms util 0..256", REASON_CHANGED);
	/* Until it is asked for again. */
	assert_int_equal(plan_override_change(m->plan, number, "QOS_BACKGROUND", m->ms), 0);
	hear(m);
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	renice(m, 100, 9);
	ends(m, number);
	assert_task(m, 100, "SCHED_NORMAL nice 9 slice 12 ms util 0..768", REASON_CHANGED);
	stop(m);
	assert_task(m, 100, "SCHED_NORMAL nice 9", REASON_UNDONE);
}

static void children_are_as_they_would_be(void **state)
{
	struct machine *m = *state;

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

static void a_tree_hands_it_on(void **state)
{
	struct machine *m = *state;
	uint16_t number;

	start_and_run(m, APP, "/usr/bin/app");
	forks(m, 100, 101); /* before */
	number = gives_tree(m, 100, "QOS_BACKGROUND");
	assert_task(m, 101, INITIATED, REASON_RULE);
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

/* Also where the fork is heard of only after the override, or not at all. */
static void a_late_or_lost_fork(void **state)
{
	struct machine *m = *state;

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

static void a_limit_is_no_exec(void **state)
{
	struct machine *m = *state;
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
	assert_int_equal(plan_override_change(m->plan, number, "QOS_UTILITY", m->ms), 0);
	hear(m);
	assert_task(m, 102, UTILITY, REASON_RULE);
	ends(m, number);
	assert_task(m, 100, "SCHED_NORMAL nice 6 slice 12 ms util 0..768", REASON_CHANGED);
	assert_task(m, 101, UTILITY, REASON_THREAD);
	assert_task(m, 102, INITIATED, REASON_RULE);
	stop(m);
	assert_carries(m, 102, PRISTINE);
}

static void a_limit_keeps_the_period(void **state)
{
	struct machine *m = *state;

	start_and_run(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'period': 8000000 },"
			 " 'other': { 'qos': 'QOS_UTILITY', 'period': 8000000 }", "/usr/bin/app");
	limits(m, 100, "QOS_UTILITY");
	assert_task(m, 100, "SCHED_BATCH nice 2 slice 8 ms util 0..512", REASON_RULE);
	limits(m, 100, "QOS_BACKGROUND");
	/* No rule gives that class at this period. */
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	stops_without_trace(m);
}

static void several_for_one_process(void **state)
{
	struct machine *m = *state;
	uint16_t outer, inner, strict;

	start_and_run(m, APP, "/usr/bin/app");
	outer = gives_tree(m, 100, "QOS_UTILITY");
	forks(m, 100, 101);
	inner = gives(m, 101, "QOS_USER_INTERACTIVE");
	strict = limits(m, 100, "QOS_USER_INITIATED");
	forks(m, 101, 102);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	assert_task(m, 101, INTERACTIVE, REASON_OVERRIDE); /* born before the limit, and it has not joined */
	assert_task(m, 102, UTILITY, REASON_OVERRIDE);
	assert_int_equal(plan_override_join(m->plan, strict, 101, m->ms), 0);
	hear(m);
	assert_task(m, 101, INITIATED, REASON_OVERRIDE);
	limits(m, 101, "QOS_BACKGROUND");
	assert_task(m, 101, BACKGROUND, REASON_OVERRIDE);
	/* Asked for last. */
	assert_int_equal(plan_override_change(m->plan, outer, "QOS_USER_INTERACTIVE", m->ms), 0);
	hear(m);
	assert_task(m, 100, INITIATED, REASON_OVERRIDE);
	ends(m, strict);
	assert_task(m, 100, INTERACTIVE, REASON_OVERRIDE);
	ends(m, inner);
	ends(m, outer);
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	stops_without_trace(m);
}

static void a_group_s_limit_goes_first(void **state)
{
	struct machine *m = *state;

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

static void a_cgroup(void **state)
{
	struct machine *m = *state;
	uint16_t limit, class;

	start_and_run(m, APP, "/usr/bin/app");
	spawns(m, INIT, 101, "/usr/bin/app");
	snprintf(living(m, 101)->cgroup, sizeof(living(m, 101)->cgroup), "/a/bc");
	moves(m, 100, "/a/b/c.scope");
	assert_false(plan_needs_moves(m->plan));
	limit = asks(m, &(struct override){ .kind = OVERRIDE_LIMIT, .cgroup = "/a/b/", .qos = "QOS_BACKGROUND" }, 0);
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
	class = asks(m, &(struct override){ .kind = OVERRIDE_CLASS, .cgroup = "/", .qos = "QOS_USER_INTERACTIVE" }, 0);
	assert_task(m, 100, INTERACTIVE, REASON_OVERRIDE);
	assert_task(m, 102, BACKGROUND, REASON_OVERRIDE);
	ends(m, limit);
	assert_task(m, 102, INTERACTIVE, REASON_OVERRIDE);
	ends(m, class);
	assert_task(m, 102, INITIATED, REASON_RULE);
	assert_false(plan_needs_moves(m->plan));
	stops_without_trace(m);
}

static void a_reload_looks_its_class_up_again(void **state)
{
	struct machine *m = *state;

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
	assert_carries(m, 101, "SCHED_BATCH nice 9 slice 20 ms util 0..256");
	reload(m, FAST "," APP);
	assert_task(m, 100, "SCHED_NORMAL nice -7 slice 3 ms", REASON_OVERRIDE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void a_crash_leaves_nothing(void **state)
{
	struct machine *m = *state;

	start_and_run(m, APP, "/usr/bin/app");
	spawns(m, INIT, 101, "/usr/bin/other");
	renice(m, 101, 3);
	gives_tree(m, 100, "QOS_BACKGROUND");
	gives(m, 101, "QOS_USER_INTERACTIVE");
	crash(m);
	start(m, APP);
	assert_task(m, 100, INITIATED, REASON_RULE);
	/* It had nothing of its own before, so what somebody chose is what it had. */
	assert_task(m, 101, "SCHED_NORMAL nice 3", REASON_CHOSEN);
	gives(m, 101, "QOS_USER_INTERACTIVE");
	crash(m);
	restores(m);
	assert_carries(m, 100, PRISTINE);
	assert_carries(m, 101, "SCHED_NORMAL nice 3");
}

/* As when the state file of an earlier daemon can be read only after a while. */
static void another_plan_takes_them_over(void **state)
{
	struct machine *m = *state;
	struct plan *old;
	uint16_t number;

	start_and_run(m, FAST "," APP, "/usr/bin/app");
	spawns(m, INIT, 101, "/usr/bin/app");
	number = gives_tree(m, 100, "QOS_FAST");
	limits(m, 101, "QOS_BACKGROUND");
	old = m->plan;
	stop(m);
	start(m, FAST "," APP);
	assert_task(m, 100, INITIATED, REASON_RULE);
	plan_take_overrides(m->plan, old, m->ms);
	plan_free(old);
	hear(m);
	assert_task(m, 100, "SCHED_NORMAL nice -7 slice 3 ms", REASON_OVERRIDE);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_int_equal(plan_given(m->plan)->lowest_nice, -7);
	ends(m, number);
	assert_task(m, 100, INITIATED, REASON_RULE);
	stops_without_trace(m);
}

static void an_id_that_is_used_again(void **state)
{
	struct machine *m = *state;

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

static void real_time_is_left_alone(void **state)
{
	struct machine *m = *state;

	start_and_run(m, APP, "/usr/bin/app");
	chrt(m, 100, POLICY_FIFO, 20);
	gives(m, 100, "QOS_BACKGROUND");
	assert_task(m, 100, "SCHED_FIFO priority 20", REASON_NOT_FAIR);
	chrt(m, 100, POLICY_NORMAL, 0);
	scan(m);
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	stop(m);
}

static void bad_ones(void **state)
{
	const struct override unknown = { .kind = OVERRIDE_CLASS, .qos = "QOS_NONE" };
	struct machine *m = *state;
	uint16_t number;

	start_and_run(m, APP, "/usr/bin/app");
	clones(m, 100, 101);
	assert_int_equal(plan_override_add(m->plan, &unknown, m->ms, &number), -ENOENT);
	number = gives(m, 100, "QOS_BACKGROUND");
	assert_int_equal(plan_override_change(m->plan, number, "QOS_NONE", m->ms), -ENOENT);
	assert_int_equal(plan_override_join(m->plan, number, 999, m->ms), -ESRCH);
	assert_int_equal(plan_override_join(m->plan, number, 101, m->ms), -ESRCH);
	assert_task(m, 101, BACKGROUND, REASON_OVERRIDE);
	stops_without_trace(m);
}

/* What no rule gives is unknown to the merge until an override may give it. */
static void classes_that_no_rule_names(void **state)
{
	struct machine *m = *state;

	start_and_run(m, FAST "," APP, "/usr/bin/app");
	assert_int_equal(plan_given(m->plan)->lowest_nice, -2);
	gives(m, 100, "QOS_BACKGROUND");
	assert_int_equal(plan_given(m->plan)->lowest_nice, -7);
	reload(m, APP);
	assert_int_equal(plan_given(m->plan)->lowest_nice, -7);
}

/* ---- what ordinary users ask for ---- */

#define USER 1000

static uint16_t user_gives(struct machine *m, pid_t pid, const char *qos, bool is_tree)
{
	return asks(m, &(struct override){ .kind = OVERRIDE_CLASS, .is_tree = is_tree, .qos = qos, .uid = USER }, pid);
}

static enum plan_objection objection(struct machine *m, pid_t pid, const char *qos)
{
	const struct config *config = plan_config(m->plan);
	uint8_t raised;

	return plan_override_objection(m->plan, pid, qos_class_find(config->classes, config->n_classes, qos), &raised);
}

/* Whatever happens later: a lower nice value of the process's own, a child's of its own. */
static void a_user_only_lowers(void **state)
{
	struct machine *m = *state;
	uint16_t number;

	start_and_run(m, FAST "," APP, "/usr/bin/app");
	assert_int_equal(objection(m, 100, "QOS_BACKGROUND"), OBJECTION_NONE);
	assert_int_equal(objection(m, 100, "QOS_FAST"), OBJECTION_RAISES);
	number = user_gives(m, 100, "QOS_BACKGROUND", true);
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	assert_int_equal(plan_override_uid(m->plan, 100), USER);
	forks(m, 100, 101);
	renice(m, 101, 9);
	execs(m, 101, "/usr/bin/other");
	assert_task(m, 101, "SCHED_BATCH nice 9 slice 20 ms util 0..256", REASON_OVERRIDE);
	assert_int_equal(objection(m, 101, "QOS_BACKGROUND"), OBJECTION_RAISES);
	/* Of a class that would raise only the rest is put on. */
	assert_int_equal(plan_override_change(m->plan, number, "QOS_FAST", m->ms), 0);
	hear(m);
	assert_task(m, 100, "SCHED_NORMAL nice 0 slice 3 ms", REASON_OVERRIDE);
	assert_task(m, 101, "SCHED_NORMAL nice 9 slice 3 ms", REASON_OVERRIDE);
	ends(m, number);
	assert_task(m, 100, INITIATED, REASON_RULE);
	assert_task(m, 101, "SCHED_NORMAL nice 9", REASON_CHOSEN);
	stop(m);
	assert_task(m, 101, "SCHED_NORMAL nice 9", REASON_UNDONE);
}

static void root_goes_before_users(void **state)
{
	struct machine *m = *state;
	uint16_t root, user;

	start_and_run(m, APP, "/usr/bin/app");
	root = gives(m, 100, "QOS_USER_INTERACTIVE");
	assert_int_equal(objection(m, 100, "QOS_BACKGROUND"), OBJECTION_ROOT);
	user = user_gives(m, 100, "QOS_BACKGROUND", false);
	assert_task(m, 100, INTERACTIVE, REASON_OVERRIDE);
	ends(m, root);
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	ends(m, user);
	limits(m, 100, "QOS_BACKGROUND");
	user_gives(m, 100, "QOS_UTILITY", false);
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	stops_without_trace(m);
}

static void what_is_enforced_is_no_users(void **state)
{
	struct machine *m = *state;

	start_and_run(m, "'app': { 'qos': 'QOS_BACKGROUND', 'enforce': 'program', 'inherit': true }", "/usr/bin/app");
	forks(m, 100, 101);
	execs(m, 101, "/usr/bin/other");
	for (pid_t pid = 100; pid <= 101; pid++) {
		assert_int_equal(objection(m, pid, "QOS_UTILITY"), OBJECTION_ENFORCED);
		user_gives(m, pid, "QOS_UTILITY", false);
		assert_task(m, pid, BACKGROUND, pid == 100 ? REASON_RULE : REASON_INHERITED);
	}
	reload(m, APP);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	stops_without_trace(m);
}

static void objections(void **state)
{
	struct machine *m = *state;

	start_and_run(m, APP, "/usr/bin/app");
	clones(m, 100, 101);
	assert_int_equal(objection(m, 101, "QOS_UTILITY"), OBJECTION_UNKNOWN);
	assert_int_equal(objection(m, 999, "QOS_UTILITY"), OBJECTION_UNKNOWN);
	chrt(m, 100, POLICY_FIFO, 3);
	scan(m);
	assert_int_equal(objection(m, 100, "QOS_UTILITY"), OBJECTION_NOT_FAIR);
}

/* Sets that come and go must not add up: there are 65,535 of them. */
static void numbers_of_sets_are_used_again(void **state)
{
	struct machine *m = *state;
	uint16_t outer, inner, highest = 0;

	start_and_run(m, APP, "/usr/bin/app");
	outer = user_gives(m, 100, "QOS_UTILITY", true);
	for (int i = 0; i < 20; i++) {
		forks(m, 100, 101);
		inner = user_gives(m, 101, "QOS_BACKGROUND", true);
		forks(m, 101, 102);
		assert_task(m, 102, BACKGROUND, REASON_OVERRIDE);
		if (record(m, 102)->overrides > highest)
			highest = record(m, 102)->overrides;
		ends(m, inner);
		assert_task(m, 102, UTILITY, REASON_OVERRIDE);
		exits(m, 102);
		exits(m, 101);
	}
	assert_in_range(highest, 1, 3);
	ends(m, outer);
	assert_task(m, 100, INITIATED, REASON_RULE);
	stops_without_trace(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_class_goes_over_everything_and_comes_off_again),
		MACHINE_TEST(what_is_chosen_since_stays),
		MACHINE_TEST(children_are_as_they_would_be),
		MACHINE_TEST(a_tree_hands_it_on),
		MACHINE_TEST(a_late_or_lost_fork),
		MACHINE_TEST(a_limit_is_no_exec),
		MACHINE_TEST(a_limit_keeps_the_period),
		MACHINE_TEST(several_for_one_process),
		MACHINE_TEST(a_group_s_limit_goes_first),
		MACHINE_TEST(a_cgroup),
		MACHINE_TEST(a_reload_looks_its_class_up_again),
		MACHINE_TEST(a_crash_leaves_nothing),
		MACHINE_TEST(another_plan_takes_them_over),
		MACHINE_TEST(an_id_that_is_used_again),
		MACHINE_TEST(real_time_is_left_alone),
		MACHINE_TEST(bad_ones),
		MACHINE_TEST(classes_that_no_rule_names),
		MACHINE_TEST(a_user_only_lowers),
		MACHINE_TEST(root_goes_before_users),
		MACHINE_TEST(what_is_enforced_is_no_users),
		MACHINE_TEST(objections),
		MACHINE_TEST(numbers_of_sets_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
