/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: what somebody chose, and who was born of that task before we came to look. */
#include "fake_daemon.h"

#define RULES                                          \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }," \
	"'util': { 'qos': 'QOS_UTILITY' },"            \
	"'gcc': { 'qos': 'QOS_BACKGROUND' }"

/* A process of the default's class, 100; from here on the daemon hears late. */
static void receives_late(struct machine *m)
{
	start_and_run(m, RULES, "/bin/sh");
	passes(m, m->pace);
	m->deaf = true;
	m->pace = 10;
}

/* What a command forks before we have come to its nice value was born with ours beside it. */
static void a_child_born_before_its_parent_s_nice_was_seen_has_just_that(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	forks(m, INIT, 200);
	m->deaf = true;
	m->pace = 10;
	renice(m, 100, 19);
	execs(m, 100, "/usr/bin/cmd");
	runs_nice(m, 200, 5, "/usr/bin/cmd");
	spawns(m, 100, 101, "/bin/sh");
	forks(m, 100, 102);
	spawns(m, 200, 201, "/bin/sh");
	assert_carries(m, 101, "SCHED_BATCH nice 19 slice 16 ms util 0..512");
	assert_carries(m, 201, "SCHED_BATCH nice 7 slice 16 ms util 0..512");
	hear(m);
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
	assert_task(m, 102, "SCHED_NORMAL nice 19", REASON_CHOSEN);
	assert_task(m, 200, "SCHED_NORMAL nice 7", REASON_CHOSEN);
	assert_task(m, 201, "SCHED_NORMAL nice 7", REASON_CHOSEN);
}

static void a_child_born_before_its_parent_s_policy_was_seen_has_just_that(void **state)
{
	struct machine *m = *state;

	start_and_run(m, "'sh': { 'qos': 'QOS_USER_INTERACTIVE' }", "/bin/sh");
	forks(m, 100, 101);
	m->deaf = true;
	m->pace = 10;
	chrt(m, 101, POLICY_IDLE, 0);
	execs(m, 101, "/usr/bin/cmd");
	spawns(m, 101, 102, "/usr/bin/other");
	hear(m);
	assert_task(m, 101, "SCHED_IDLE nice 0", REASON_CHOSEN);
	assert_task(m, 102, "SCHED_IDLE nice 0", REASON_CHOSEN);
}

/* Met in /proc, its fork unheard, no less. */
static void a_task_found_later_was_born_reset_as_well(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 10;
	renice(m, 100, 19);
	execs(m, 100, "/usr/bin/cmd");
	m->lossy = true;
	forks(m, 100, 101);
	m->lossy = false;
	hear(m);
	scan(m);
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
}

/* As daemons come about: the one in between is gone. */
static void a_grandchild_of_a_niced_program_is_niced_as_much(void **state)
{
	struct machine *m = *state;

	receives_late(m);
	renice(m, 100, 12);
	execs(m, 100, "/usr/sbin/daemon");
	forks(m, 100, 101);
	forks(m, 101, 102);
	exits(m, 101);
	hear(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 12");
}

/* Born before we came to its parent, but after we came to what its parent's parent had chosen. */
static void a_grandchild_born_late_is_niced_as_much(void **state)
{
	struct machine *m = *state;

	receives_late(m);
	renice(m, 100, 9);
	execs(m, 100, "/usr/bin/cmd");
	forks(m, 100, 101);
	m->deaf = false;
	hear_first(m, 1);
	m->deaf = true;
	passes(m, 1900);
	forks(m, 101, 102);
	passes(m, 200);
	forks(m, 101, 103);
	hear(m);
	stops_without_trace(m);
}

static void a_child_of_a_niced_program_that_another_has_replaced_is_niced_as_much(void **state)
{
	struct machine *m = *state;

	receives_late(m);
	renice(m, 100, 12);
	execs(m, 100, "/usr/bin/wrapper");
	forks(m, 100, 101);
	execs(m, 100, "/usr/bin/cmd");
	hear(m);
	assert_task(m, 100, "SCHED_NORMAL nice 12", REASON_CHOSEN);
	assert_task(m, 101, "SCHED_NORMAL nice 12", REASON_CHOSEN);
}

/* In the same class as before: only its late fork event shows which nice value it was born with. */
static void a_child_born_before_its_parent_was_reniced_does_not_get_that(void **state)
{
	struct machine *m = *state;

	receives_late(m);
	execs(m, 100, "/usr/bin/util");
	forks(m, 100, 101);
	renice(m, 100, 15);
	hear(m);
	assert_task(m, 101, UTILITY, REASON_RULE);
	stops_without_trace(m);
}

static void but_one_born_after_it_does(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/usr/bin/chrome");
	m->pace = 10;
	renice(m, 100, 9);
	execs(m, 100, "/usr/bin/chrome");
	m->deaf = true;
	execs(m, 100, "/usr/lib/gcc");
	forks(m, 100, 101);
	hear(m);
	assert_task(m, 101, "SCHED_BATCH nice 9 slice 20 ms util 0..256", REASON_RULE);
	stops_without_trace(m);
}

static void what_was_taken_long_ago_is_not_what_a_child_was_born_with(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/bin/sh");
	chrt(m, 100, POLICY_IDLE, 0);
	execs(m, 100, "/usr/bin/util");
	renice(m, 100, 9);
	execs(m, 100, "/usr/bin/util");
	passes(m, 3000);
	m->pace = 10;
	execs(m, 100, "/usr/lib/gcc");
	execs(m, 100, "/usr/bin/util");
	/* With that it carries once more what we took from it at first, over another nice value. */
	chrt(m, 100, POLICY_IDLE, 0);
	forks(m, 100, 101);
	execs(m, 101, "/usr/bin/chrome");
	stop(m);
	assert_carries(m, 101, "SCHED_IDLE nice 9");
}

static void a_child_born_before_its_parent_went_real_time_is_ours(void **state)
{
	struct machine *m = *state;

	receives_late(m);
	execs(m, 100, "/usr/lib/gcc");
	forks(m, 100, 101);
	chrt(m, 100, POLICY_RR, 7);
	hear(m);
	assert_task(m, 100, "SCHED_RR priority 7", REASON_NOT_FAIR);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	stops_without_trace(m);
}

static void a_child_born_real_time_loses_our_clamp_as_well(void **state)
{
	struct machine *m = *state;

	receives_late(m);
	chrt(m, 100, POLICY_RR, 7);
	execs(m, 100, "/usr/bin/cmd");
	forks(m, 100, 101);
	assert_carries(m, 101, "SCHED_RR priority 7 util 0..512");
	hear(m);
	assert_carries(m, 100, "SCHED_RR priority 7");
	assert_carries(m, 101, "SCHED_RR priority 7");
}

/* ---- known limits: in an unverified record, what a class gives counts as ours ---- */

static void a_newborn_s_choice_of_what_a_class_gives_counts_as_ours(void **state)
{
	static const struct {
		struct task_attr chosen;
		const char *carries, *after;
	} cases[] = {
		{ { POLICY_BATCH, 0, 5, 0, 0, 16 * MS, 0, 512 }, "SCHED_NORMAL nice 5 slice 8 ms", "SCHED_NORMAL nice 5" },
		{ { POLICY_BATCH, 0, 5, 0, 0, 16 * MS, 0, 1024 }, "SCHED_BATCH nice 5 slice 8 ms", "SCHED_BATCH nice 5" },
		{ { POLICY_NORMAL, 0, 5, 0, 0, 7 * MS, 0, 300 }, "SCHED_NORMAL nice 5 slice 7 ms util 0..300",
		  "SCHED_NORMAL nice 5 slice 7 ms util 0..300" },
		{ { POLICY_NORMAL, 0, 1, 0, 0, 0, 0, 1024 }, "SCHED_NORMAL nice 1", "SCHED_NORMAL nice 1" },
	};
	struct machine *m = *state;

	start(m, RULES);
	forks(m, INIT, 100);
	m->pace = 10;
	execs(m, 100, "/usr/bin/chrome");
	m->deaf = true;
	for (int i = 0; i < 4; i++) {
		forks(m, 100, 101 + i);
		sets(m, 101 + i, cases[i].chosen);
	}
	hear(m);
	for (int i = 0; i < 4; i++)
		assert_task(m, 101 + i, cases[i].carries, REASON_CHANGED);
	m->deaf = false;
	stop(m);
	for (int i = 0; i < 4; i++)
		assert_carries(m, 101 + i, cases[i].after);
}

/* Though nobody gave it to any task. */
static void so_does_the_child_of_a_task_without_events(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }");
	m->lossy = true;
	spawns(m, INIT, 100, "/usr/bin/cmd");
	sets(m, 100, (struct task_attr){ .slice_ns = 16 * MS, .util_max = UTIL_FULL });
	spawns(m, INIT, 101, "/usr/bin/cmd");
	sets(m, 101, (struct task_attr){ .nice = 2, .slice_ns = 5 * MS, .util_max = UTIL_FULL });
	m->lossy = false;
	scan(m);
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
	assert_task(m, 101, "SCHED_NORMAL nice 2 slice 5 ms", REASON_NO_RULE);
}

/* What was chosen for the parent later, and lies below its class, is not the child's. */
static void a_child_gets_of_its_parent_s_choices_only_what_it_carries(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/usr/bin/util");
	passes(m, 3000);
	renice(m, 100, 9);
	forks(m, 100, 101);
	passes(m, 3000);
	machine_task(m, 100)->attr.slice_ns = machine_task(m, 100)->without.slice_ns = 7 * MS;
	execs(m, 100, "/usr/bin/util");
	assert_carries(m, 100, "SCHED_BATCH nice 9 slice 16 ms util 0..512");
	passes(m, 3000);
	scan(m);
	assert_carries(m, 101, "SCHED_BATCH nice 9 slice 16 ms util 0..512");
	stops_without_trace(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 9 slice 7 ms");
	assert_carries(m, 101, "SCHED_NORMAL nice 9");
}

/* The class that its parent got meanwhile is none of what it copied, though it looks the same. */
static void a_child_that_lowered_itself_to_its_parent_s_later_class_stays_there(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }, 'QOS_SPARE': { 'sched_policy': 'SCHED_IDLE' },"
		 "'spare': { 'qos': 'QOS_SPARE' }, 'util': { 'qos': 'QOS_UTILITY' }");
	spawns(m, INIT, 100, "/bin/sh");
	passes(m, 3000);
	forks(m, 100, 101);
	passes(m, 3000);
	chrt(m, 101, POLICY_IDLE, 0);
	execs(m, 100, "/usr/bin/spare");
	assert_carries(m, 100, "SCHED_IDLE nice 0");
	passes(m, 3000);
	execs(m, 101, "/usr/bin/util");
	assert_carries(m, 101, "SCHED_IDLE nice 2 util 0..512");
	stop(m);
	assert_carries(m, 101, "SCHED_IDLE nice 0");
}

static void chooses_slice(struct machine *m, pid_t tid, unsigned ms)
{
	living(m, tid)->attr.slice_ns = living(m, tid)->without.slice_ns = ms * MS;
}

/* What no class gives is nobody's but its own, though it looks like what its maker carried before that changed. */
static void where_nothing_is_given_nothing_is_ever_set(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }");
	spawns(m, INIT, 100, "/bin/sh");
	m->pace = 10;
	chooses_slice(m, 100, 11);
	renice(m, 100, 1);
	execs(m, 100, "/bin/sh");
	chooses_slice(m, 100, 30);
	renice(m, 100, 9);
	execs(m, 100, "/bin/sh");
	chooses_slice(m, 100, 11);
	renice(m, 100, 1);
	count_from_here(m);
	clones(m, 100, 101);
	forks(m, 100, 102);
	scan(m);
	stop(m);
	assert_int_equal(m->actions, 0);
	assert_carries(m, 101, "SCHED_NORMAL nice 1 slice 11 ms");
	assert_carries(m, 102, "SCHED_NORMAL nice 1 slice 11 ms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_child_born_before_its_parent_s_nice_was_seen_has_just_that),
		MACHINE_TEST(a_child_born_before_its_parent_s_policy_was_seen_has_just_that),
		MACHINE_TEST(a_task_found_later_was_born_reset_as_well),
		MACHINE_TEST(a_grandchild_of_a_niced_program_is_niced_as_much),
		MACHINE_TEST(a_grandchild_born_late_is_niced_as_much),
		MACHINE_TEST(a_child_of_a_niced_program_that_another_has_replaced_is_niced_as_much),
		MACHINE_TEST(a_child_born_before_its_parent_was_reniced_does_not_get_that),
		MACHINE_TEST(but_one_born_after_it_does),
		MACHINE_TEST(what_was_taken_long_ago_is_not_what_a_child_was_born_with),
		MACHINE_TEST(a_child_born_before_its_parent_went_real_time_is_ours),
		MACHINE_TEST(a_child_born_real_time_loses_our_clamp_as_well),
		MACHINE_TEST(a_newborn_s_choice_of_what_a_class_gives_counts_as_ours),
		MACHINE_TEST(so_does_the_child_of_a_task_without_events),
		MACHINE_TEST(a_child_gets_of_its_parent_s_choices_only_what_it_carries),
		MACHINE_TEST(a_child_that_lowered_itself_to_its_parent_s_later_class_stays_there),
		MACHINE_TEST(where_nothing_is_given_nothing_is_ever_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
