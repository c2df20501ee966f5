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

MACHINE_TEST(a_rule_takes_effect_as_after_a_stop)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renice(m, 100, 9);
	chrt(m, 101, POLICY_BATCH, 0);
	scan(m);
	crash(m);
	start(m, RULES);
	/* It does not raise. */
	assert_task(m, 100, "SCHED_NORMAL nice 9 slice 8 ms", REASON_RULE);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	stops_without_trace(m);
}

/* ---- at each point of a decision ---- */

/*
 * Task 100 calls exec, and the daemon is killed when it has decided: before it sets the task, or before it records
 * that.
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

MACHINE_TEST(before_the_set_and_after_it_a_crash_is_all_the_same)
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

MACHINE_TEST(so_is_one_in_the_midst_of_the_stop)
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

/* There was no event of it, and what it copied is put back in its process before they could be compared. */
MACHINE_TEST(a_restore_takes_our_attributes_from_a_task_born_unseen)
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

/* Killed between the two, and changed by somebody before the next start: that stays. */
MACHINE_TEST(what_is_chosen_after_a_crash_at_the_set_stays)
{
	for (int i = 0; i < 4; i++) {
		start(m, RULES);
		spawns(m, INIT, 101, "/usr/bin/make");
		forks(m, INIT, 100);
		dies_at(m, i % 2);
		if (i < 2)
			renice(m, 100, 12);
		start(m, RULES);
		/* Or after that, to what a class gives. */
		if (i >= 2)
			renice(m, 100, 4);
		scan(m);
		assert_carries(m, 100, i < 2 ? "SCHED_NORMAL nice 12 slice 8 ms" : "SCHED_NORMAL nice 4 slice 8 ms");
		stops_without_trace(m);
		machine_anew(m);
	}
}

/* ---- records that are kept ---- */

MACHINE_TEST(a_process_s_threads_are_known_as_such)
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

/* No configuration was put in force since, and nothing on record has it any more. */
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

/* Its parent's class came later: that its owner has chosen the same nice value since says nothing of a class. */
MACHINE_TEST(a_task_born_unseen_may_have_chosen_what_its_parent_got_since)
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
 * One that copied what its parent carried before may still be under way: the next child shows that, and none of before.
 */
MACHINE_TEST(a_child_of_before_the_crash_proves_nothing)
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

/* Nobody has chosen that it has none. */
MACHINE_TEST(what_had_no_class_gets_one_that_a_rule_gives_now)
{
	start(m, "'schedqos': { 'default': 'none' }, 'app': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/vi");
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
	crash(m);
	start(m, "'schedqos': { 'default': 'none' }, 'vi': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

MACHINE_TEST(what_was_chosen_under_an_inherited_rule)
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
