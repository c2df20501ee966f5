/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan: what somebody asks for at run time, over the rules. */
#include "fake_daemon.h"

#include <errno.h>

#define APP "'app': { 'qos': 'QOS_USER_INITIATED', 'thread_qos': { 'io': 'QOS_UTILITY' } }"
#define FAST "'QOS_FAST': { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': -7, 'sched_runtime': 3000000 }"

/* For a process, or with a cgroup for those in it. */
static uint16_t asks(struct machine *m, struct override override, pid_t pid)
{
	uint16_t number;

	override.pid = pid;

	assert_int_equal(plan_override_add(m->plan, &override, &number), 0);
	if (pid)
		assert_int_equal(plan_override_join(m->plan, number, pid), 0);
	hear(m);
	return number;
}

static uint16_t gives(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_CLASS, .qos = qos }, pid);
}

static uint16_t gives_tree(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_CLASS, .is_tree = true, .qos = qos }, pid);
}

static uint16_t limits(struct machine *m, pid_t pid, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .is_tree = true, .qos = qos }, pid);
}

/* As the tagger does, for processes that are known to descend from its own. */
static void ends(struct machine *m, uint16_t number)
{
	uint16_t covered = 0;

	overrides_disable(plan_overrides(m->plan), number);
	while ((covered = overrides_next_covered(plan_overrides(m->plan), covered, number)))
		plan_override_join(m->plan, covered, overrides_get(plan_overrides(m->plan), covered)->pid);
	plan_override_remove(m->plan, number);
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
	assert_int_equal(record(m, 100)->joined[SLOT_CLASS], 0);
	stops_without_trace(m);
}

static void what_is_chosen_since_stays(void **state)
{
	struct machine *m = *state;
	uint16_t number, again;

	start_and_run(m, APP, "/usr/bin/app");
	number = gives(m, 100, "QOS_BACKGROUND");
	renice(m, 100, 9);
	scan(m);
	assert_task(m, 100, "SCHED_BATCH nice 9 slice 20 ms util 0..256", REASON_CHANGED);
	/* Until it is asked for again. */
	again = gives(m, 100, "QOS_BACKGROUND");
	ends(m, number);
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	renice(m, 100, 9);
	ends(m, again);
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

/* One class, the last; and of limits the lowest, whichever came first. Those that it has covered are not lost. */
static void several_for_one_process(void **state)
{
	struct machine *m = *state;
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
	assert_true(plan_override_holds(m->plan, high, 101));
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
	uint16_t limit;

	start_and_run(m, APP, "/usr/bin/app");
	spawns(m, INIT, 101, "/usr/bin/app");
	snprintf(living(m, 101)->cgroup, sizeof(living(m, 101)->cgroup), "/a/bc");
	moves(m, 100, "/a/b/c.scope");
	assert_false(plan_needs_moves(m->plan));
	limit = asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .cgroup = "/a/b", .qos = "QOS_BACKGROUND" }, 0);
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
	limit = asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .cgroup = "/", .qos = "QOS_UTILITY" }, 0);
	assert_task(m, 100, UTILITY, REASON_RULE);
	ends(m, limit);
	assert_task(m, 100, INITIATED, REASON_RULE);
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
	assert_int_equal(plan_override_add(m->plan, &unknown, &number), -ENOENT);
	number = gives(m, 100, "QOS_BACKGROUND");
	assert_int_equal(plan_override_join(m->plan, number, 999), -ESRCH);
	assert_int_equal(plan_override_join(m->plan, number, 101), -ESRCH);
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

/* ---- users' ---- */

#define ALICE 1000
#define BOB   1001

/* Her process of that program. */
static void runs_as(struct machine *m, pid_t pid, uid_t uid, const char *program)
{
	forks(m, INIT, pid);
	living(m, pid)->uid = uid;
	execs(m, pid, program);
}

static uint16_t user_gives(struct machine *m, uid_t uid, pid_t pid, const char *qos, bool raises)
{
	return asks(m, (struct override){ .kind = OVERRIDE_CLASS, .is_tree = true, .qos = qos, .uid = uid, .raises = raises },
		    pid);
}

static uint16_t user_limits(struct machine *m, uid_t uid, pid_t pid, const char *qos)
{
	return asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .is_tree = true, .qos = qos, .uid = uid }, pid);
}

static void a_user_s_never_raises_unless_it_says_so(void **state)
{
	struct machine *m = *state;
	uint16_t number;

	start(m, APP ", 'low': { 'qos': 'QOS_BACKGROUND' }");
	runs_as(m, 100, ALICE, "/usr/bin/app");
	assert_true(plan_override_needs_raise(m->plan, "QOS_USER_INTERACTIVE", 100));
	assert_false(plan_override_needs_raise(m->plan, "QOS_USER_INITIATED", 100));
	number = user_gives(m, ALICE, 100, "QOS_UTILITY", false);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	/* What rules give less stays so, a thread's class as well. */
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
	user_gives(m, ALICE, 102, "QOS_USER_INTERACTIVE", true);
	execs(m, 102, "/usr/bin/low");
	assert_task(m, 102, INTERACTIVE, REASON_OVERRIDE);
	stops_without_trace(m);
}

/* It takes effect as a rule does: not over what somebody has lowered. */
static void nor_what_somebody_lowered(void **state)
{
	struct machine *m = *state;
	uint16_t number;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	renice(m, 100, 10);
	scan(m);
	number = user_gives(m, ALICE, 100, "QOS_UTILITY", false);
	assert_task(m, 100, "SCHED_BATCH nice 10 slice 16 ms util 0..512", REASON_OVERRIDE);
	ends(m, number);
	assert_int_equal(living(m, 100)->attr.nice, 10);
	user_gives(m, ALICE, 100, "QOS_UTILITY", true);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	stop(m);
}

/* What runs as another user or with privileges is as without it; what is hers again below that is of the tree. */
static void is_for_what_is_his_alone(struct machine *m, bool is_limit)
{
	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	if (is_limit)
		user_limits(m, ALICE, 100, "QOS_BACKGROUND");
	else
		user_gives(m, ALICE, 100, "QOS_BACKGROUND", false);
	forks(m, 100, 101);
	living(m, 101)->is_privileged = true;
	execs(m, 101, "/usr/bin/app");
	clones(m, 101, 105);
	forks(m, 101, 102);
	living(m, 102)->uid = BOB;
	living(m, 102)->is_privileged = false;
	execs(m, 102, "/usr/bin/app");
	forks(m, 101, 103);
	living(m, 103)->is_privileged = false;
	living(m, 103)->uid = ALICE;
	assert_task(m, 101, INITIATED, REASON_RULE);
	assert_carries(m, 105, INITIATED);
	assert_task(m, 102, INITIATED, REASON_RULE);
	assert_task(m, 103, INITIATED, REASON_RULE);
	execs(m, 103, "/usr/bin/app");
	assert_carries(m, 103, BACKGROUND);
	/* Once more without an exec, as by a scan. */
	living(m, 103)->uid = BOB;
	scan(m);
	assert_task(m, 103, INITIATED, REASON_RULE);
	assert_carries(m, 100, BACKGROUND);
	stops_without_trace(m);
}

static void a_user_s_class_is_for_what_is_his_alone(void **state)
{
	is_for_what_is_his_alone(*state, false);
}

static void and_so_is_his_limit(void **state)
{
	is_for_what_is_his_alone(*state, true);
}

static void root_s_goes_before_a_user_s(void **state)
{
	struct machine *m = *state;
	uint16_t users, roots, low;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	users = user_gives(m, ALICE, 100, "QOS_USER_INTERACTIVE", true);
	roots = gives(m, 100, "QOS_UTILITY");
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	low = limits(m, 100, "QOS_BACKGROUND");
	user_limits(m, ALICE, 100, "QOS_UTILITY");
	assert_task(m, 100, BACKGROUND, REASON_OVERRIDE);
	ends(m, low);
	ends(m, roots);
	assert_task(m, 100, UTILITY, REASON_OVERRIDE);
	ends(m, users);
	assert_task(m, 100, UTILITY, REASON_RULE);
	stops_without_trace(m);
}

/* A user's limit that does not count for what runs as root leaves root's in force there. */
static void a_lower_limit_of_a_user_hides_none_of_root_s(void **state)
{
	struct machine *m = *state;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	limits(m, 100, "QOS_UTILITY");
	user_limits(m, ALICE, 100, "QOS_BACKGROUND");
	assert_carries(m, 100, BACKGROUND);
	forks(m, 100, 101);
	living(m, 101)->is_privileged = true;
	execs(m, 101, "/usr/bin/app");
	assert_task(m, 101, UTILITY, REASON_RULE);
	/* Nor one of another user's, who then limits what is his. */
	living(m, 101)->is_privileged = false;
	living(m, 101)->uid = BOB;
	user_limits(m, BOB, 101, "QOS_USER_INITIATED");
	assert_task(m, 101, UTILITY, REASON_RULE);
	stops_without_trace(m);
}

/* Of whom no event says that the child is a copy of its maker. */
static void a_child_made_for_its_grandparent_does_not_stay_raised(void **state)
{
	struct machine *m = *state;
	uint16_t number;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	forks(m, 100, 101);
	number = user_gives(m, ALICE, 101, "QOS_USER_INTERACTIVE", true);
	/* The first child is looked at in any case. */
	forks(m, 101, 102);
	hear(m);
	forks_for_parent(m, 101, 103);
	forks_for_parent(m, 101, 104);
	/* From -4. */
	renice(m, 104, -3);
	hear(m);
	ends(m, number);
	assert_carries(m, 103, INITIATED);
	assert_int_equal(living(m, 104)->attr.nice, -2);
	/* The machine takes the choice for one that the stop leaves. */
	exits(m, 104);
	stops_without_trace(m);
}

/* Each one that may have been covered has its tree looked for in /proc: what a user has many of is not to cost others. */
static void who_is_looked_for_at_an_end(void **state)
{
	const struct overrides *overrides;
	struct machine *m = *state;
	uint16_t low, covered, class, roots;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	low = user_limits(m, ALICE, 100, "QOS_BACKGROUND");
	covered = user_limits(m, ALICE, 100, "QOS_UTILITY");
	class = user_gives(m, ALICE, 100, "QOS_UTILITY", false);
	roots = limits(m, 100, "QOS_UTILITY");
	overrides = plan_overrides(m->plan);
	assert_int_equal(overrides_next_covered(overrides, 0, low), covered);
	assert_int_equal(overrides_next_covered(overrides, covered, low), 0);
	assert_int_equal(overrides_next_covered(overrides, 0, class), 0);
	assert_int_equal(overrides_next_covered(overrides, 0, roots), 0);
	stops_without_trace(m);
}

static void a_user_s_cgroup(void **state)
{
	struct machine *m = *state;

	start(m, APP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	runs_as(m, 101, BOB, "/usr/bin/app");
	moves(m, 100, "/a");
	moves(m, 101, "/a");
	asks(m, (struct override){ .kind = OVERRIDE_LIMIT, .cgroup = "/a", .qos = "QOS_UTILITY", .uid = ALICE }, 0);
	assert_task(m, 100, UTILITY, REASON_RULE);
	assert_task(m, 101, INITIATED, REASON_RULE);
	stops_without_trace(m);
}

/* ---- what is seen ---- */

static uint16_t says(struct machine *m, uid_t uid, pid_t pid, enum shown shown)
{
	return asks(m, (struct override){ .kind = OVERRIDE_SHOWN, .uid = uid, .qos = "", .shown = shown,
					  .tty = living(m, pid)->tty }, pid);
}

#define LOW  "'low': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 'io': 'QOS_BACKGROUND' } }"
#define KEEP "'kept': { 'qos': 'QOS_USER_INITIATED', 'hidden': 'keep' }"

static void the_focus_raises_the_window_s_process_and_what_no_rule_names(void **state)
{
	struct machine *m = *state;
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
	/* As after fork: the window is the other one's. */
	forks(m, 100, 103);
	assert_task(m, 103, BACKGROUND, REASON_RULE);
	ends(m, number);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	stops_without_trace(m);
}

static void the_focus_takes_nothing(void **state)
{
	struct machine *m = *state;

	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	runs_as(m, 100, ALICE, "/usr/bin/app");
	runs_as(m, 101, ALICE, "/usr/bin/other");
	runs_as(m, 102, ALICE, "/usr/bin/nice");
	renice(m, 102, 7);
	renice(m, 101, 5);
	scan(m);
	says(m, ALICE, 100, SHOWN_FOCUSED);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	/* Nor anything that somebody has chosen. */
	says(m, ALICE, 101, SHOWN_FOCUSED);
	assert_int_equal(living(m, 101)->attr.nice, 5);
	execs(m, 102, "/usr/bin/nice");
	says(m, ALICE, 102, SHOWN_FOCUSED);
	assert_task(m, 102, "SCHED_NORMAL nice 7", REASON_CHOSEN);
	limits(m, 100, "QOS_BACKGROUND");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	stop(m);
}

static void what_is_hidden_is_lowered_unless_its_rule_keeps_it(void **state)
{
	struct machine *m = *state;
	uint16_t number;

	start(m, APP ", " LOW ", " KEEP);
	runs_as(m, 100, ALICE, "/usr/bin/app");
	runs_as(m, 101, ALICE, "/usr/bin/kept");
	number = says(m, ALICE, 100, SHOWN_HIDDEN);
	says(m, ALICE, 101, SHOWN_HIDDEN);
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
	/* Only of what is hers alone. */
	living(m, 101)->is_privileged = true;
	execs(m, 101, "/usr/bin/app");
	assert_task(m, 101, INITIATED, REASON_RULE);
	stops_without_trace(m);
}

/* A terminal's shell, and what that starts, is neither raised nor lowered; nor is what has left its terminal since. */
static void what_has_another_terminal_is_not_of_the_app(void **state)
{
	struct machine *m = *state;

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
	/* One that was started in a terminal has its. */
	says(m, ALICE, 102, SHOWN_HIDDEN);
	assert_task(m, 102, UTILITY, REASON_RULE);
	stops_without_trace(m);
}

static void off_means_that_nothing_is(void **state)
{
	struct machine *m = *state;

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

static void which_cgroup_is_an_app_s(void **state)
{
	static const struct {
		const char *cgroup;
		int want; /* length */
	} cases[] = {
#define USER "/user.slice/user-7.slice/user@7.service"
#define IS(path, rest) { path rest, sizeof(path) - 1 }
		IS(USER "/app.slice/app-gnome-firefox-12.scope", ""),
		IS(USER "/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope", ""),
		IS(USER "/app.slice/snap.x.scope", "/inner/y.scope"),
		IS(USER "/app-graphical.slice/app-x.service", ""),
		IS(USER "/app.slice/dbus-:1.2-org.gnome.Nautilus@0.service", ""),
		{ USER "/app.slice/dbus.service", 0 },
		{ USER "/app.slice/dbus-broker.service", 0 },
		{ USER "/app.slice", 0 },
		{ USER "/application.slice/x.scope", 0 },
		{ USER "/background.slice/x.service", 0 },
		{ USER "/session.slice/plasma-kwin.service", -ENOENT },
		{ USER "/init.scope", -ENOENT },
		{ USER, 0 },
		{ "/user.slice/user-7.slice/session-2.scope", 0 },
		{ "/system.slice/app.slice/x.scope", 0 },
		{ "/session.slice/x.scope", 0 },
		{ "/", 0 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(overrides_app(cases[i].cgroup), cases[i].want);
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
		MACHINE_TEST(an_id_that_is_used_again),
		MACHINE_TEST(real_time_is_left_alone),
		MACHINE_TEST(bad_ones),
		MACHINE_TEST(classes_that_no_rule_names),
		MACHINE_TEST(a_user_s_never_raises_unless_it_says_so),
		MACHINE_TEST(nor_what_somebody_lowered),
		MACHINE_TEST(a_user_s_class_is_for_what_is_his_alone),
		MACHINE_TEST(and_so_is_his_limit),
		MACHINE_TEST(root_s_goes_before_a_user_s),
		MACHINE_TEST(a_lower_limit_of_a_user_hides_none_of_root_s),
		MACHINE_TEST(a_child_made_for_its_grandparent_does_not_stay_raised),
		MACHINE_TEST(who_is_looked_for_at_an_end),
		MACHINE_TEST(a_user_s_cgroup),
		MACHINE_TEST(the_focus_raises_the_window_s_process_and_what_no_rule_names),
		MACHINE_TEST(the_focus_takes_nothing),
		MACHINE_TEST(what_is_hidden_is_lowered_unless_its_rule_keeps_it),
		MACHINE_TEST(what_has_another_terminal_is_not_of_the_app),
		MACHINE_TEST(off_means_that_nothing_is),
		cmocka_unit_test(which_cgroup_is_an_app_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
