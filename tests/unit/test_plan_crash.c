/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies how the plan takes over after a crash without losing anything. */
#include "fake_daemon.h"

#define RULES                                                                                     \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }, " \
	"'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }"

MACHINE_TEST(a_start_after_a_crash_changes_nothing_and_its_stop_gives_back_what_each_had)
{
	spawns(m, INIT, 90, "/usr/bin/chrome");
	renice(m, 90, 6);
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	spawns(m, INIT, 200, "/usr/bin/make");
	spawns(m, 200, 201, "/usr/bin/sh");
	crash(m);
	count_from_here(m);
	start(m, RULES);
	assert_no_action(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
	assert_task(m, 201, BACKGROUND, REASON_INHERITED);
	stops_without_trace(m);
}

MACHINE_TEST(rules_take_effect_at_the_start_after_a_crash)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renice(m, 100, 9);
	chrt(m, 101, POLICY_BATCH, 0);
	scan(m);
	crash(m);
	start(m, RULES);
	/* A rule that yields does not raise it. */
	assert_task(m, 100, "SCHED_NORMAL nice 9 slice 8 ms", REASON_RULE);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

/* ---- crashes at each point of a decision ---- */

/*
 * Task 100 calls exec. The daemon decides, and is killed before it sets the task or, if is_set, before it records that.
 */
static void dies_at(struct machine *m, bool is_set)
{
	m->hold = true;
	execs(m, 100, "/usr/bin/chrome");
	assert_true(m->has_held);
	if (is_set)
		assert_int_equal(kernel_sets(m, &m->held), 0);
	m->hold = m->has_held = false;
	assert_carries(m, 101, BACKGROUND);
	crash(m);
}

MACHINE_TEST(a_crash_before_or_after_a_set_loses_nothing)
{
	static const struct {
		struct task_attr chosen;
		const char *carries;
	} cases[] = {
		{ { POLICY_NORMAL, 0, 0, 0, 0, 0, 0, 1024 }, INTERACTIVE },
		{ { POLICY_NORMAL, 0, 9, 0, 0, 0, 0, 1024 }, "SCHED_NORMAL nice 9 slice 8 ms" },
		{ { POLICY_NORMAL, 0, -7, 0, 0, 0, 0, 1024 }, INTERACTIVE },
		{ { POLICY_IDLE, 0, 0, 0, 0, 0, 0, 1024 }, "SCHED_IDLE nice -4" },
		{ { POLICY_NORMAL, 0, 3, 0, 0, 5 * MS, 50, 300 }, "SCHED_NORMAL nice 3 slice 8 ms util 50..1024" },
	};

	for (size_t i = 0; i < 3 * sizeof(cases) / sizeof(cases[0]); i++) {
		start(m, RULES);
		spawns(m, INIT, 101, "/usr/bin/make");
		forks(m, INIT, 100);
		sets(m, 100, cases[i / 3].chosen);
		dies_at(m, i % 3 != 0);
		if (i % 3 == 2) {
			restores(m);
		} else {
			start(m, RULES);
			assert_task(m, 100, cases[i / 3].carries, REASON_RULE);
			stops_without_trace(m);
		}
		assert_carries_what_it_would(m);
		machine_anew(m);
	}
}

MACHINE_TEST(a_crash_during_the_stop_loses_nothing)
{
	for (int is_set = 0; is_set < 2; is_set++) {
		start(m, "'schedqos': { 'default': 'none' }," RULES);
		forks(m, INIT, 100);
		renice(m, 100, 9);
		execs(m, 100, "/usr/bin/chrome");
		m->hold = true;
		plan_undo_begin(m->plan);
		hear(m);
		assert_int_equal(m->held.tid, 100);
		if (is_set)
			assert_int_equal(kernel_sets(m, &m->held), 0);
		m->hold = m->has_held = false;
		crash(m);
		restores(m);
		assert_carries_what_it_would(m);
		machine_anew(m);
	}
}

/* No event told of the thread's birth. Its process is put back first, so the two can no longer be compared. */
MACHINE_TEST(a_restore_takes_our_attributes_from_tasks_whose_birth_we_missed)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/make");
	crash(m);
	clones(m, 100, 101);
	renice(m, 101, 17);
	forks(m, 100, 102);
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .nice = 9, .slice_ns = 30 * MS, .util_max = 256 });
	restores(m);
	assert_carries(m, 101, "SCHED_NORMAL nice 17");
	assert_carries(m, 102, PRISTINE);
	assert_carries(m, 100, "SCHED_NORMAL nice 9 slice 30 ms");
}

/* The daemon is killed before or after the set. Somebody changes the task before or after the next start. */
MACHINE_TEST(a_choice_after_a_crash_at_a_set_stays)
{
	for (int i = 0; i < 4; i++) {
		start(m, RULES);
		spawns(m, INIT, 101, "/usr/bin/make");
		forks(m, INIT, 100);
		dies_at(m, i % 2);
		if (i < 2)
			renice(m, 100, 12);
		start(m, RULES);
		/* The choice after the start equals what a class gives. */
		if (i >= 2)
			renice(m, 100, 4);
		scan(m);
		assert_carries(m, 100, i < 2 ? "SCHED_NORMAL nice 12 slice 8 ms" : "SCHED_NORMAL nice 4 slice 8 ms");
		stops_without_trace(m);
		machine_anew(m);
	}
}

/* ---- records of the daemon before ---- */

MACHINE_TEST(the_threads_of_a_process_are_still_known_after_a_crash)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	clones(m, 100, 102);
	renames(m, 101, "bg");
	crash(m);
	start(m, RULES);
	execs(m, 100, "/usr/bin/vi");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	assert_unknown(m, 102);
	stops_without_trace(m);
}

/* No record shows it any longer, and no configuration was put in force since. */
MACHINE_TEST(that_a_class_has_raised_a_task_is_remembered)
{
	uint16_t number;

	start(m, RULES);
	forks(m, INIT, 100);
	chrt(m, 100, POLICY_IDLE, 0);
	number = asks(m, (struct override){ .kind = OVERRIDE_CLASS, .request.class = "QOS_USER_INTERACTIVE" }, 100);
	assert_carries(m, 100, INTERACTIVE);
	m->lossy = true;
	forks(m, 100, 101);
	forks(m, 101, 102);
	exits(m, 101);
	m->lossy = false;
	ends(m, number);
	crash(m);
	start(m, RULES);
	stop(m);
	assert_int_equal(living(m, 102)->attr.policy, POLICY_IDLE);
}

/* The parent got its class later, so the same nice value of the child is the choice of its owner. */
MACHINE_TEST(a_task_whose_birth_we_missed_may_have_chosen_what_its_parent_got_since)
{
	start(m, RULES);
	m->lossy = true;
	forks(m, INIT, 100);
	m->lossy = false;
	renice(m, 100, 4);
	execs(m, INIT, "/usr/bin/make");
	assert_carries(m, INIT, BACKGROUND);
	execs(m, 100, "/usr/bin/chrome");
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 4");
}

/*
 * A fork that copied the former attributes may still be under way. The next child can show that there is none, but a
 * child from before the crash cannot.
 */
MACHINE_TEST(a_child_from_before_the_crash_does_not_end_the_freshness_of_its_parent)
{
	start_and_run(m, "'app': { 'qos': 'QOS_BACKGROUND' }", "/usr/bin/app");
	m->missing = FACT_ATTR;
	forks(m, 100, 101);
	crash(m);
	m->missing = 0;
	start(m, "'app': { 'qos': 'QOS_BACKGROUND' }");
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_true(record(m, 100)->flags & TASK_FRESH);
	forks(m, 100, 102);
	assert_false(record(m, 100)->flags & TASK_FRESH);
	stops_without_trace(m);
}

/* That a task had no class is nobody's choice. */
MACHINE_TEST(a_task_that_had_no_class_gets_one_by_a_rule_of_the_next_start)
{
	start(m, "'schedqos': { 'default': 'none' }, 'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/vi");
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
	crash(m);
	start(m, "'schedqos': { 'default': 'none' }, 'vi': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

MACHINE_TEST(an_inherited_rule_replaces_choices_at_the_start_after_a_crash)
{
	start(m, "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }");
	spawns(m, INIT, 200, "/usr/bin/make");
	spawns(m, 200, 201, "/usr/bin/sh");
	living(m, 201)->attr.nice = -3;
	scan(m);
	assert_task(m, 201, "SCHED_BATCH nice -3 slice 20 ms util 0..256", REASON_CHANGED);
	crash(m);
	start(m, "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }");
	assert_task(m, 201, BACKGROUND, REASON_INHERITED);
	stops_without_trace(m);
}

/* The thread was never looked at, and its slice, which nobody has found, tells nothing about its nice value. */
MACHINE_TEST(a_leader_that_is_reniced_before_a_crash_does_not_lower_its_thread)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/plain");
	living(m, 100)->attr.slice_ns = living(m, 100)->without.slice_ns = 7 * MS;
	clones(m, 100, 101);
	renice(m, 100, 19);
	crash(m);
	start(m, RULES);
	stops_without_trace(m);
}

/*
 * The daemon is killed before it looks at the child, whose record lacks the slice that the parent had chosen. What the
 * parent chooses after the fork says nothing about the child.
 */
MACHINE_TEST(after_a_crash_a_copy_is_not_compared_with_later_choices_of_its_parent)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/make");
	forks(m, 100, 101);
	living(m, 100)->attr.slice_ns = living(m, 100)->without.slice_ns = 7 * MS;
	renice(m, 100, 19);
	forks(m, 100, 102);
	chrt(m, 100, POLICY_NORMAL, 0);
	crash(m);
	start(m, RULES);
	stop(m);
	assert_carries(m, 102, "SCHED_NORMAL nice 19 slice 7 ms");
	assert_carries_what_it_would(m);
}
