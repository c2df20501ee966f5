/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: events that arrive late, after a scan or behind many others. */
#include "fake_daemon.h"

#define CHROME "'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }"
#define NESTED                                                  \
	"'outer': { 'qos': 'QOS_BACKGROUND', 'inherit': true }," \
	"'inner': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true }"

static void a_fork_event_does_not_overwrite_what_a_scan_found(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	m->deaf = true;
	m->pace = 1;
	forks(m, INIT, 100);
	execs(m, 100, "/usr/bin/chrome");
	plan_scan_begin(m->plan, true);
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

/* Preempted in the midst of it, as on a busy machine. */
static void a_fork_may_take_however_long_to_send_its_event(void **state)
{
	struct machine *m = *state;

	start(m, "'make': { 'qos': 'QOS_BACKGROUND' }, 'chrome': { 'qos': 'QOS_USER_INTERACTIVE' }");
	spawns(m, INIT, 100, "/usr/bin/make");
	living(m, 100)->start -= 300;
	reload(m, "'make': { 'qos': 'QOS_USER_INTERACTIVE' }");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void a_later_start_is_another_task_s(void **state)
{
	struct machine *m = *state;

	start(m, "");
	forks(m, INIT, 100);
	forks(m, INIT, 101);
	living(m, 100)->start += 1;
	living(m, 101)->start += 2;
	scan(m);
	assert_false(record(m, 100)->flags & TASK_SCANNED);
	assert_true(record(m, 101)->flags & TASK_SCANNED);
}


/* ---- when it is time ---- */

static void what_is_young_is_decided_at_once(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 3;
	execs(m, 100, "/usr/bin/chrome");
	forks(m, INIT, 101);
	hear_first(m, 1);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

static void late_events_wait_until_all_are_booked(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	forks(m, INIT, 100);
	forks(m, INIT, 101);
	m->deaf = true;
	m->pace = 11;
	execs(m, 100, "/usr/bin/chrome");
	m->pace = 0;
	execs(m, 101, "/usr/bin/chrome");
	forks(m, INIT, 102);
	passes(m, 11);
	hear_first(m, 1);
	assert_carries(m, 100, BY_DEFAULT);
	/* Nor is anybody decided before who was marked before. */
	hear_first(m, 1);
	assert_carries(m, 101, BY_DEFAULT);
	hear(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
}

static void but_no_longer_than_two_seconds(void **state)
{
	struct machine *m = *state;
	pid_t tid = 200;

	start(m, CHROME);
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 50;
	execs(m, 100, "/usr/bin/chrome");
	for (int i = 0; i < 3; i++)
		forks(m, INIT, tid++);
	for (uint32_t began = m->ms; m->ms - began < 2000;) {
		hear_first(m, 1);
		assert_carries(m, 100, BY_DEFAULT);
		forks(m, INIT, tid);
		exits(m, tid++ - 3);
	}
	hear_first(m, 1);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
}

/* ---- in the order of time ---- */

static void late_events_are_decided_when_all_are_booked(void **state)
{
	struct machine *m = *state;

	start(m, "'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': "
		 "'QOS_BACKGROUND' } }");
	spawns(m, INIT, 100, "/usr/bin/vi");
	m->deaf = true;
	execs(m, 100, "/usr/bin/chrome");
	clones(m, 100, 101);
	renames(m, 101, "bg");
	forks(m, 100, 102);
	hear(m);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 101, PRISTINE);
}

static void a_child_inherits_what_its_parents_late_exec_makes_of_the_parent(void **state)
{
	struct machine *m = *state;

	start(m, NESTED);
	/* One of the two orders of their records is the one in which they must not be decided. */
	spawns(m, INIT, 100, "/usr/bin/outer");
	spawns(m, INIT, 101, "/bin/true");
	forks(m, 100, 102);
	exits(m, 101);
	plan_exited(m->plan, 101);
	m->deaf = true;
	execs(m, 102, "/usr/bin/inner");
	forks(m, 102, 103);
	execs(m, 103, "/usr/bin/middle");
	forks(m, 103, 104);
	execs(m, 104, "/usr/bin/leaf");
	/* As daemons come about: the one in between is gone. */
	forks(m, 104, 105);
	forks(m, 105, 106);
	exits(m, 105);
	hear(m);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	assert_task(m, 103, INTERACTIVE, REASON_INHERITED);
	assert_task(m, 104, INTERACTIVE, REASON_INHERITED);
	assert_task(m, 106, INTERACTIVE, REASON_INHERITED);
}

static void a_child_of_a_dead_parent_whose_late_exec_nobody_saw_inherits_as_before(void **state)
{
	struct machine *m = *state;

	start(m, NESTED);
	spawns(m, INIT, 100, "/usr/bin/outer");
	forks(m, 100, 101);
	m->deaf = true;
	execs(m, 101, "/usr/bin/inner");
	forks(m, 101, 102);
	exits(m, 101);
	execs(m, 102, "/usr/bin/leaf");
	hear(m);
	assert_task(m, 102, BACKGROUND, REASON_INHERITED);
}

static void a_child_born_before_its_parents_late_exec_keeps_what_it_inherited(void **state)
{
	struct machine *m = *state;

	start(m, NESTED);
	spawns(m, INIT, 100, "/usr/bin/outer");
	forks(m, 100, 101);
	m->deaf = true;
	forks(m, 101, 102);
	execs(m, 101, "/usr/bin/inner");
	execs(m, 102, "/usr/bin/leaf");
	hear(m);
	assert_task(m, 102, BACKGROUND, REASON_INHERITED);
}

static void a_child_born_between_late_renames_has_the_class_of_its_own_name(void **state)
{
	struct machine *m = *state;

	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { "
		 "'even': 'QOS_BACKGROUND', 'odd': 'QOS_UTILITY' } }");
	spawns(m, INIT, 100, "/usr/bin/app");
	renames(m, 100, "odd");
	m->deaf = true;
	renames(m, 100, "even");
	forks(m, 100, 101);
	renames(m, 100, "odd");
	m->deaf = false;
	hear(m);
	assert_task(m, 100, UTILITY, REASON_THREAD);
	assert_task(m, 101, BACKGROUND, REASON_THREAD);
}

/* What its parent runs by then is newer than its birth, whose event is still queued. */
static void a_child_born_before_a_late_rename_is_seen_has_the_class_of_its_own_name(void **state)
{
	struct machine *m = *state;

	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { "
		 "'even': 'QOS_BACKGROUND', 'odd': 'QOS_UTILITY' } }");
	spawns(m, INIT, 100, "/usr/bin/app");
	clones(m, 100, 101);
	renames(m, 100, "even");
	renames(m, 101, "even");
	m->deaf = true;
	for (pid_t creator = 100; creator <= 101; creator++) {
		renames(m, creator, "odd");
		forks(m, creator, creator + 2);
		renames(m, creator, "even");
		m->deaf = false;
		hear_first(m, 1);
		m->deaf = true;
		assert_carries(m, creator, BACKGROUND);
		hear(m);
		assert_task(m, creator, BACKGROUND, REASON_THREAD);
		assert_task(m, creator + 2, UTILITY, REASON_THREAD);
	}
	stop(m);
	assert_carries(m, 102, PRISTINE);
	assert_carries(m, 103, PRISTINE);
}

static void a_child_of_a_program_that_another_has_replaced_is_what_it_was_born_as(void **state)
{
	struct machine *m = *state;
	bool passed = true;

	start(m, "'wrapper': { 'qos': 'QOS_BACKGROUND' }, " CHROME);
	/* Known of by the time that the first exec is heard, or only seen by what it does. */
	for (pid_t pid = 100; pid <= 102; pid += 2, passed = false) {
		forks(m, INIT, pid);
		m->deaf = true;
		execs(m, pid, "/usr/bin/wrapper");
		forks(m, pid, pid + 1);
		execs(m, pid, "/usr/bin/chrome");
		m->deaf = false;
		if (!passed)
			hear_first(m, 1);
		hear(m);
		assert_task(m, pid, INTERACTIVE, REASON_RULE);
		assert_task(m, pid + 1, BACKGROUND, REASON_RULE);
	}
	stop(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 103, PRISTINE);
}

/* What was read of its parent is the program that its parent has become since. */
static void a_child_born_before_its_parent_s_program_was_read_is_matched_by_its_own(void **state)
{
	struct machine *m = *state;

	start(m, "'wrapper': { 'qos': 'QOS_BACKGROUND' }, " CHROME);
	forks(m, INIT, 100);
	m->deaf = true;
	m->pace = 2;
	execs(m, 100, "/usr/bin/wrapper");
	forks(m, 100, 101);
	execs(m, 100, "/usr/bin/chrome");
	hear_first(m, 1);
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	hear(m);
	assert_task(m, 101, BACKGROUND, REASON_RULE);
	stops_without_trace(m);
}

/* As daemons come about. */
static void a_child_whose_parent_is_gone_when_it_would_be_looked_at_is_looked_at_itself(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	forks(m, INIT, 100);
	m->deaf = true;
	execs(m, 100, "/usr/bin/chrome");
	forks(m, 100, 101);
	forks(m, 101, 102);
	exits(m, 101);
	hear(m);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 102, PRISTINE);
}

static void so_is_one_whose_parent_is_gone_when_its_exec_is_booked(void **state)
{
	struct machine *m = *state;

	start(m, CHROME);
	m->deaf = true;
	forks(m, INIT, 100);
	execs(m, 100, "/usr/bin/chrome");
	forks(m, 100, 101);
	forks(m, 101, 102);
	exits(m, 100);
	exits(m, 101);
	hear(m);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 102, PRISTINE);
}

static void and_one_whose_parent_is_gone_when_its_rename_is_booked(void **state)
{
	struct machine *m = *state;

	start(m, "'app': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'odd': 'QOS_UTILITY' } }");
	spawns(m, INIT, 100, "/usr/bin/app");
	m->deaf = true;
	renames(m, 100, "odd");
	forks(m, 100, 101);
	exits(m, 100);
	hear(m);
	assert_task(m, 101, UTILITY, REASON_THREAD);
	stop(m);
	assert_carries(m, 101, PRISTINE);
}

static void a_child_forked_after_its_parent_was_seen_costs_nothing(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/usr/bin/chrome");
	scan(m);
	passes(m, m->pace);
	count_from_here(m);
	forks(m, 100, 101);
	assert_no_fetch(m);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
}

static void a_late_exec_of_a_dead_task_does_not_tag_one_with_its_id(void **state)
{
	struct machine *m = *state;

	start_and_run(m, CHROME, "/bin/sh");
	m->deaf = true;
	forks(m, 100, 101);
	execs(m, 101, "/usr/bin/chrome");
	exits(m, 101);
	forks(m, 100, 101);
	renice(m, 101, 7);
	hear(m);
	assert_carries(m, 101, "SCHED_BATCH nice 7 slice 16 ms util 0..512");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_fork_event_does_not_overwrite_what_a_scan_found),
		MACHINE_TEST(the_late_fork_event_itself_costs_nothing),
		MACHINE_TEST(a_fork_may_take_however_long_to_send_its_event),
		MACHINE_TEST(a_later_start_is_another_task_s),
		MACHINE_TEST(what_is_young_is_decided_at_once),
		MACHINE_TEST(late_events_wait_until_all_are_booked),
		MACHINE_TEST(but_no_longer_than_two_seconds),
		MACHINE_TEST(late_events_are_decided_when_all_are_booked),
		MACHINE_TEST(a_child_inherits_what_its_parents_late_exec_makes_of_the_parent),
		MACHINE_TEST(a_child_of_a_dead_parent_whose_late_exec_nobody_saw_inherits_as_before),
		MACHINE_TEST(a_child_born_before_its_parents_late_exec_keeps_what_it_inherited),
		MACHINE_TEST(a_child_born_between_late_renames_has_the_class_of_its_own_name),
		MACHINE_TEST(
			a_child_born_before_a_late_rename_is_seen_has_the_class_of_its_own_name),
		MACHINE_TEST(
			a_child_of_a_program_that_another_has_replaced_is_what_it_was_born_as),
		MACHINE_TEST(a_child_born_before_its_parent_s_program_was_read_is_matched_by_its_own),
		MACHINE_TEST(
			a_child_whose_parent_is_gone_when_it_would_be_looked_at_is_looked_at_itself),
		MACHINE_TEST(so_is_one_whose_parent_is_gone_when_its_exec_is_booked),
		MACHINE_TEST(and_one_whose_parent_is_gone_when_its_rename_is_booked),
		MACHINE_TEST(a_child_forked_after_its_parent_was_seen_costs_nothing),
		MACHINE_TEST(a_late_exec_of_a_dead_task_does_not_tag_one_with_its_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
