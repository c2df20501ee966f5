/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: tasks found in /proc, at the start, after a loss and after a
 * reload. */
#include "fake_machine.h"

#define CHROME	    "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"
#define CHROME_SLOW "'chrome': { 'qos': 'QOS_BACKGROUND' }"
#define NONE	    "'schedqos': { 'default': 'none' }"
#define MAKE	    "'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }"

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
	assert_true(record(m, 100)->flags & TASK_SCANNED);
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
	plan_scan_begin(m->plan);
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
	const struct plan_seen seen = { .tid = 100, .tgid = 100, .parent_tgid = INIT };
	struct machine *m = *state;
	struct plan_action action;

	start(m, "");
	m->asked.facts = (struct facts){ .tid = 100, .tgid = 100 };
	assert_false(plan_seen(m->plan, &seen, &m->asked.facts, &action));
	assert_unknown(m, 100);
}

static void a_task_that_ends_while_it_is_looked_at_is_left_out(void **state)
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
		assert_unknown(m, 100);
	}
	assert_no_action(m);
}

/* ---- events that come after the scan ---- */

static void a_fork_event_does_not_overwrite_what_a_scan_found(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	m->deaf = true;
	m->pace = 1;
	forks(m, INIT, 100);
	execs(m, 100, "/usr/bin/chrome");
	plan_scan_begin(m->plan);
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	count_from_here(m);
	hear(m);
	assert_no_action(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_false(record(m, 100)->flags & TASK_SCANNED);
}

static void the_late_fork_event_itself_costs_nothing(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	m->lossy = true;
	begins_fork(m, INIT, 100);
	scan(m);
	m->lossy = false;
	m->ms -= 5; /* it was sent before the scan */
	count_from_here(m);
	ends_fork(m, 100);
	assert_no_fetch(m);
	assert_false(record(m, 100)->flags & TASK_SCANNED);
}

static void the_start_of_an_event_is_a_little_later_than_that_in_proc(void **state)
{
	struct machine *m = *state;

	start(m, "");
	begins_fork(m, INIT, 100);
	passes(m, 15);
	ends_fork(m, 100);
	begins_fork(m, INIT, 101);
	passes(m, 60);
	ends_fork(m, 101);
	scan(m);
	/* One is the task that the event told of, the other must be another. */
	assert_false(record(m, 100)->flags & TASK_SCANNED);
	assert_true(record(m, 101)->flags & TASK_SCANNED);
}

static void late_events_are_decided_when_all_of_them_are_heard(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/vi");
	m->deaf = m->late = true;
	execs(m, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	forks(m, 100, 102);
	hear(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	m->late = false;
	stop(m);
	assert_carries(m, 101, PRISTINE);
}

static void a_child_born_between_late_renames_has_the_class_of_its_own_name(void **state)
{
	struct machine *m = *state;

	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { "
		 "'even': 'QOS_BACKGROUND', 'odd': 'QOS_UTILITY' } }");
	spawns(m, INIT, 100, "/usr/bin/app");
	renames(m, 100, "odd");
	m->deaf = m->late = true;
	renames(m, 100, "even");
	forks(m, 100, 101);
	renames(m, 100, "odd");
	m->deaf = false;
	hear(m);
	assert_task(m, 100, UTILITY, REASON_THREAD);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
}

static void a_late_exec_of_a_dead_task_is_not_put_on_who_has_its_id(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/bin/sh");
	m->deaf = m->late = true;
	forks(m, 100, 101);
	execs(m, 101, "/usr/bin/chrome");
	exits(m, 101);
	forks(m, 100, 101);
	renice(m, 101, 7);
	hear(m);
	assert_carries(m, 101, "SCHED_BATCH nice 7 slice 16 ms util 0..512");
}

static void a_late_nice_is_known_by_the_exec_that_follows(void **state)
{
	struct machine *m = *state;

	start(m, "");
	spawns(m, INIT, 100, "/bin/sh");
	forks(m, 100, 101);
	m->deaf = m->late = true;
	execs(m, 101, "/usr/bin/nice");
	renice(m, 101, 2 + 7);
	execs(m, 101, "/usr/bin/cmd");
	hear(m);
	assert_task(m, 101, "SCHED_NORMAL nice 7", REASON_CHOSEN);
}

static void another_start_is_another_task(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 5);
	start(m, CHROME);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
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

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	m->lossy = true;
	exits(m, 101);
	m->pace = 0;
	spawns(m, INIT, 101, "/usr/bin/vi");
	scan(m);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	assert_int_equal(record(m, 101)->tgid, 101);
}

/* ---- after a loss ---- */

static void a_missed_exec_is_found(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/vi");
	m->lossy = true;
	execs(m, 100, "/usr/bin/chrome");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

static void at_a_missed_exec_an_explicit_rule_wins_as_well(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/vi");
	m->lossy = true;
	renice(m, 100, 12);
	execs(m, 100, "/usr/bin/chrome");
	m->lossy = false;
	scan(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 12");
}

static void a_task_that_somebody_changed_meanwhile_stays_changed(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 12);
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 12 slice 8 ms", REASON_CHANGED);
	scan(m);
	assert_task(m, 100, "SCHED_NORMAL nice 12 slice 8 ms", REASON_CHANGED);
}

static void a_missed_fork_s_child_takes_its_class(void **state)
{
	struct machine *m = *state;

	start(m, CHROME "," MAKE);
	spawns(m, INIT, 100, "/usr/bin/make");
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

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->lossy = true;
	forks(m, 100, 101);
	renice(m, 101, 19);
	execs(m, 101, "/usr/bin/vi");
	m->lossy = false;
	scan(m);
	assert_task(m, 101, "SCHED_NORMAL nice 19", REASON_CHOSEN);
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
	machine_task(m, 100)->parent = 99; /* which nobody ever heard of */
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

/* ---- reload ---- */

static void the_same_rules_again_change_nothing(void **state)
{
	struct machine *m = *state;

	start(m, CHROME "," MAKE);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	spawns(m, INIT, 200, "/usr/bin/make");
	spawns(m, 200, 201, "/usr/bin/sh");
	count_from_here(m);
	reload(m, CHROME "," MAKE);
	assert_no_action(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 201, BACKGROUND, REASON_INHERITED);
}

static void changed_rules_are_applied_to_running_tasks(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	spawns(m, INIT, 200, "/usr/bin/vi");
	reload(m, CHROME_SLOW ", 'vi': { 'qos': 'QOS_USER_INITIATED' }");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	assert_task(m, 200, INITIATED, REASON_RULE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 200, PRISTINE);
}

static void a_changed_class_is_applied_to_running_tasks(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	reload(m, CHROME ", 'QOS_USER_INTERACTIVE': { 'sched_nice': -7 }");
	assert_task(m, 100, "SCHED_NORMAL nice -7 slice 8 ms", REASON_RULE);
}

static void a_reload_yields_to_what_somebody_changed(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 10);
	scan(m);
	reload(m, CHROME);
	assert_task(m, 100, "SCHED_NORMAL nice 10 slice 8 ms", REASON_CHANGED);
}

static void a_removed_rule_leaves_the_default(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	reload(m, "");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	reload(m, NONE);
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
}

static void a_masked_rule_puts_back(void **state)
{
	struct machine *m = *state;

	start(m, NONE "," CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	reload_over(m, NONE "," CHROME, "'chrome': null");
	assert_task(m, 100, PRISTINE, REASON_NO_RULE);
}

static void what_is_inherited_is_found_again_by_its_pattern(void **state)
{
	struct machine *m = *state;

	start(m, MAKE);
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	exits(m, 100); /* nobody could find the ancestor now */
	reload(m, "'aaa': { 'qos': 'QOS_UTILITY', 'inherit': true }, "
		  "'make': { 'qos': 'QOS_USER_INITIATED', 'inherit': true }");
	assert_task(m, 101, INITIATED, REASON_INHERITED);
	spawns(m, 101, 102, "/usr/bin/as");
	assert_task(m, 102, INITIATED, REASON_INHERITED);
}

static void nothing_is_inherited_from_a_rule_that_is_gone(void **state)
{
	struct machine *m = *state;

	start(m, MAKE);
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	reload(m, "'make': { 'qos': 'QOS_BACKGROUND' }");
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	reload(m, "");
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
}

static void a_list_s_inheriting_rule_is_found_again(void **state)
{
	struct machine *m = *state;

	start(m, MAKE);
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	exits(m, 100);
	reload(m, "'make': [ { 'qos': 'QOS_UTILITY', 'match': { 'exe': '/opt/*' } }, "
		  "{ 'qos': 'QOS_USER_INITIATED', 'inherit': true } ]");
	assert_task(m, 101, INITIATED, REASON_INHERITED);
}

static void a_new_inheriting_rule_reaches_running_descendants(void **state)
{
	struct machine *m = *state;

	start(m, "");
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, 100, 101, "/usr/bin/sh");
	reload(m, MAKE);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, BACKGROUND, REASON_INHERITED);
}

static void attributes_of_the_last_configuration_are_known_as_ours(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	m->lossy = true;
	forks(m, 100, 101);
	reload(m, CHROME_SLOW);
	assert_task(m, 100, BACKGROUND, REASON_RULE);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	stop(m);
	assert_carries(m, 101, PRISTINE);
}

/* What it lacks of its parent's tag is not somebody's choice: nice(1) would have been asked for a step down. */
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

/* Whatever is on record of the parent: it may be that the kernel would not have us change it. */
static void a_task_born_before_its_parent_was_real_time_stays_fair(void **state)
{
	struct machine *m = *state;

	start(m, "");
	m->lossy = true;
	forks(m, INIT, 100);
	m->lossy = false;
	chrt(m, INIT, POLICY_RR, 5);
	m->refuse = 1;
	scan(m);
	m->refuse = 0;
	scan(m);
	assert_carries(m, 100, BY_DEFAULT);
	stop(m);
	assert_true(task_policy_is_fair(machine_task(m, 100)->attr.policy));
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
		MACHINE_TEST(a_task_that_ends_while_it_is_looked_at_is_left_out),
		MACHINE_TEST(a_fork_event_does_not_overwrite_what_a_scan_found),
		MACHINE_TEST(the_late_fork_event_itself_costs_nothing),
		MACHINE_TEST(the_start_of_an_event_is_a_little_later_than_that_in_proc),
		MACHINE_TEST(late_events_are_decided_when_all_of_them_are_heard),
		MACHINE_TEST(a_child_born_between_late_renames_has_the_class_of_its_own_name),
		MACHINE_TEST(a_late_exec_of_a_dead_task_is_not_put_on_who_has_its_id),
		MACHINE_TEST(a_late_nice_is_known_by_the_exec_that_follows),
		MACHINE_TEST(another_start_is_another_task),
		MACHINE_TEST(a_thread_that_became_a_process_is_another_task),
		MACHINE_TEST(a_missed_exec_is_found),
		MACHINE_TEST(at_a_missed_exec_an_explicit_rule_wins_as_well),
		MACHINE_TEST(a_task_that_somebody_changed_meanwhile_stays_changed),
		MACHINE_TEST(a_missed_fork_s_child_takes_its_class),
		MACHINE_TEST(a_missed_fork_s_niced_child_has_just_its_nice),
		MACHINE_TEST(an_orphan_born_since_we_listen_with_our_attributes_is_ours),
		MACHINE_TEST(an_old_task_with_the_same_attributes_is_somebody_s_choice),
		MACHINE_TEST(an_old_child_of_a_task_that_we_tag_has_what_it_has),
		MACHINE_TEST(a_nice_alone_is_no_mark_of_ours),
		MACHINE_TEST(the_same_rules_again_change_nothing),
		MACHINE_TEST(changed_rules_are_applied_to_running_tasks),
		MACHINE_TEST(a_changed_class_is_applied_to_running_tasks),
		MACHINE_TEST(a_reload_yields_to_what_somebody_changed),
		MACHINE_TEST(a_removed_rule_leaves_the_default),
		MACHINE_TEST(a_masked_rule_puts_back),
		MACHINE_TEST(what_is_inherited_is_found_again_by_its_pattern),
		MACHINE_TEST(nothing_is_inherited_from_a_rule_that_is_gone),
		MACHINE_TEST(a_list_s_inheriting_rule_is_found_again),
		MACHINE_TEST(a_new_inheriting_rule_reaches_running_descendants),
		MACHINE_TEST(attributes_of_the_last_configuration_are_known_as_ours),
		MACHINE_TEST(a_task_born_before_its_parent_was_tagged_is_as_it_was_born),
		MACHINE_TEST(a_task_born_before_its_parent_was_real_time_stays_fair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
