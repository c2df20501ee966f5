/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: tasks found in /proc, at the start and after a loss. */
#include "fake_daemon.h"

#define CHROME "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"
#define MAKE   "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }"

/* ---- the first scan ---- */

static void tasks_that_were_there_take_their_class(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/vi");
	start(m, CHROME);
	assert_ptr_equal(plan_config(m->plan), m->config);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 200, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, INIT, BY_DEFAULT, REASON_DEFAULT);
}

static void threads_that_were_there_take_the_class_of_their_names(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	clones(m, 100, 102);
	renames(m, 102, "bg");
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "
		 "'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	assert_task(m, 102, BACKGROUND, REASON_THREAD);
	/* Which of them creates the next one is not known. */
	clones(m, 102, 103);
	assert_task(m, 103, BACKGROUND, REASON_THREAD);
	clones(m, 101, 104);
	assert_task(m, 104, INTERACTIVE, REASON_RULE);
}

static void a_leader_that_leaves_scanned_threads_makes_a_mixed_process(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', "
		 "'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	renames(m, 100, "bg");
	clones(m, 101, 102);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
}

static void parents_come_first_so_that_children_inherit(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	spawns(m, 101, 90, "/usr/bin/as");
	start(m, MAKE);
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
	assert_task(m, 90, BACKGROUND, REASON_INHERITED);
}

static void a_scan_sees_each_task_once(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	start(m, CHROME);
	assert_true(plan_is_seen(m->plan, 100));
	assert_false(plan_is_seen(m->plan, 101));
	forks(m, 100, 101);
	assert_true(plan_is_seen(m->plan, 101));
	plan_scan_begin(m->plan, true);
	assert_false(plan_is_seen(m->plan, 100));
	/* Its parent is still to be looked at, and so is it. */
	forks(m, 100, 102);
	assert_false(plan_is_seen(m->plan, 102));
}

static void a_second_scan_changes_nothing_and_asks_no_base_slice(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	start(m, CHROME);
	scan(m);
	assert_no_action(m);
	assert_false(m->fetched & FACT_BASE);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

static void a_process_without_an_executable_is_left_out(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "");
	start(m, "");
	assert_unknown(m, 100);
}

static void a_process_that_ends_during_the_scan_is_left_out(void **state)
{
	const struct plan_found found = { .tid = 100, .tgid = 100, .parent_tgid = INIT };
	struct machine *m = *state;
	struct plan_due due;

	start(m, "");
	m->asked.facts = (struct facts){ .tid = 100, .tgid = 100 };
	plan_book_found(m->plan, &found, &m->asked.facts);
	assert_false(plan_next(m->plan, &due));
	assert_unknown(m, 100);
}

static void a_task_that_ends_while_it_is_looked_at_is_left_alone(void **state)
{
	static const enum fact facts[] = { FACT_EXE, FACT_ARGV, FACT_COMM, FACT_ATTR };
	struct machine *m = *state;

	start(m, "'chrome': { 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/chrome");
	count_from_here(m);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		plan_exited(m->plan, 100);
		m->missing = facts[i];
		scan(m);
	}
	assert_no_action(m);
}

/* ---- after a loss ---- */

static void a_missed_exec_is_found(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/usr/bin/vi");
	m->lossy = true;
	execs(m, 100, "/usr/bin/chrome");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

static void at_a_missed_exec_an_explicit_rule_wins_as_well(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/usr/bin/vi");
	m->lossy = true;
	renice(m, 100, 12);
	execs(m, 100, "/usr/bin/chrome");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 12 slice 8 ms", REASON_RULE);
	stops_without_trace(m);
}

static void a_task_that_somebody_changed_meanwhile_stays_changed(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/usr/bin/chrome");
	renice(m, 100, 12);
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 12 slice 8 ms", REASON_CHANGED);
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 12 slice 8 ms", REASON_CHANGED);
}

static void what_a_process_whose_other_threads_have_ended_chooses_is_its_own(void **state)
{
	struct machine *m = *state;

	start_and_run(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }",
		      "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	clones(m, 100, 102);
	exits(m, 101);
	exits(m, 102);
	/* As the sweep does it. */
	plan_exited(m->plan, 101);
	plan_exited(m->plan, 102);
	sets(m, 100, (struct task_attr){ .policy = POLICY_BATCH, .slice_ns = 15 * MS, .util_max = 1024, .nice = 19 });
	m->lossy = true;
	scan(m);
	m->lossy = false;
	stop(m);
	assert_carries(m, 100, "SCHED_BATCH nice 19 slice 15 ms");
}

static void another_start_is_another_task(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 5);
	start(m, CHROME);
	assert_task(m, 100, "SCHED_NORMAL nice 5 slice 8 ms", REASON_RULE);
	m->lossy = true;
	exits(m, 100);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	scan(m);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void a_thread_that_became_a_process_is_another_task(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/usr/bin/chrome");
	clones(m, 100, 101);
	m->lossy = true;
	exits(m, 101);
	m->pace = 0;
	spawns(m, INIT, 101, "/usr/bin/vi");
	scan(m);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	assert_int_equal(record(m, 101)->tgid, 101);
}

static void a_missed_fork_s_child_takes_its_class(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME "," MAKE, "/usr/bin/make");
	m->lossy = true;
	forks(m, 100, 101);
	clones(m, 101, 102);
	spawns(m, 101, 103, "/usr/bin/as");
	m->lossy = false;
	count_from_here(m);
	scan(m);
	assert_no_action(m);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_task(m, 102, BACKGROUND, REASON_RULE);
	assert_task(m, 103, BACKGROUND, REASON_INHERITED);
	stop(m);
	for (pid_t tid = 100; tid <= 103; tid++)
		assert_carries(m, tid, PRISTINE);
}

static void a_missed_fork_s_niced_child_has_just_its_nice(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/usr/bin/chrome");
	m->lossy = true;
	forks(m, 100, 101);
	renice(m, 101, 19);
	execs(m, 101, "/usr/bin/vi");
	m->lossy = false;
	scan(m);
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
}

static void a_task_born_before_its_parent_was_tagged_is_as_it_was_born(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }");
	m->lossy = true;
	spawns(m, INIT, 100, "/usr/bin/nice");
	m->lossy = false;
	reload(m, "");
	assert_task(m, INIT, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

/* ---- tasks that carry our attributes, and nobody knows why ---- */

static const struct task_attr interactive = {
	.nice = -4,
	.slice_ns = 8 * MS,
	.util_max = UTIL_FULL,
};

static void an_orphan_born_since_we_listen_with_our_attributes_is_ours(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	m->lossy = true;
	begins_fork(m, KTHREADD, 100);
	machine_task(m, 100)->parent = 99; /* which has no record */
	sets(m, 100, interactive);
	execs(m, 100, "/usr/bin/vi");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void an_old_task_with_the_same_attributes_is_somebody_s_choice(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/vi");
	sets(m, 100, interactive);
	start(m, CHROME);
	assert_task(m, 100, INTERACTIVE, REASON_CHOSEN);
	stop(m);
	assert_carries(m, 100, INTERACTIVE);
}

static void an_old_child_of_a_task_that_we_tag_has_what_it_has(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, 100, 101, "/usr/bin/vi");
	sets(m, 101, interactive);
	start(m, CHROME);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 101, INTERACTIVE, REASON_CHOSEN);
	stop(m);
	assert_carries(m, 101, INTERACTIVE);
}

static void a_nice_alone_is_no_mark_of_ours(void **state)
{
	struct machine *m = *state;

	start(m, "'QOS_NICE': { 'sched_nice': 5 }, 'cc': { 'qos': 'QOS_NICE' }");
	m->lossy = true;
	begins_fork(m, KTHREADD, 100);
	machine_task(m, 100)->parent = 99;
	renice(m, 100, 5);
	execs(m, 100, "/usr/bin/vi");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 5", REASON_CHOSEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(tasks_that_were_there_take_their_class),
		MACHINE_TEST(threads_that_were_there_take_the_class_of_their_names),
		MACHINE_TEST(a_leader_that_leaves_scanned_threads_makes_a_mixed_process),
		MACHINE_TEST(parents_come_first_so_that_children_inherit),
		MACHINE_TEST(a_scan_sees_each_task_once),
		MACHINE_TEST(a_second_scan_changes_nothing_and_asks_no_base_slice),
		MACHINE_TEST(a_process_without_an_executable_is_left_out),
		MACHINE_TEST(a_process_that_ends_during_the_scan_is_left_out),
		MACHINE_TEST(a_task_that_ends_while_it_is_looked_at_is_left_alone),
		MACHINE_TEST(a_missed_exec_is_found),
		MACHINE_TEST(at_a_missed_exec_an_explicit_rule_wins_as_well),
		MACHINE_TEST(a_task_that_somebody_changed_meanwhile_stays_changed),
		MACHINE_TEST(what_a_process_whose_other_threads_have_ended_chooses_is_its_own),
		MACHINE_TEST(another_start_is_another_task),
		MACHINE_TEST(a_thread_that_became_a_process_is_another_task),
		MACHINE_TEST(a_missed_fork_s_child_takes_its_class),
		MACHINE_TEST(a_missed_fork_s_niced_child_has_just_its_nice),
		MACHINE_TEST(a_task_born_before_its_parent_was_tagged_is_as_it_was_born),
		MACHINE_TEST(an_orphan_born_since_we_listen_with_our_attributes_is_ours),
		MACHINE_TEST(an_old_task_with_the_same_attributes_is_somebody_s_choice),
		MACHINE_TEST(an_old_child_of_a_task_that_we_tag_has_what_it_has),
		MACHINE_TEST(a_nice_alone_is_no_mark_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
