/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: after a crash the next one takes over, and nothing is forgotten. */
#include "fake_daemon.h"

#include <errno.h>

#define RULES                                                                                     \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'thread_qos': { 'bg': 'QOS_BACKGROUND' } }, " \
	"'make': { 'qos': 'QOS_BACKGROUND', 'inherit': true }"

static void a_start_after_a_crash_changes_nothing(void **state)
{
	struct machine *m = *state;

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
}

static void its_stop_gives_back_what_each_task_had(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 6);
	start(m, RULES);
	forks(m, 100, 101);
	spawns(m, INIT, 200, "/usr/bin/vi");
	crash(m);
	start(m, RULES);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 6");
	assert_carries(m, 101, "SCHED_NORMAL nice 6");
	assert_carries(m, 200, PRISTINE);
	assert_carries(m, INIT, PRISTINE);
}

static void who_was_born_in_between_inherited_it_from_us(void **state)
{
	struct machine *m = *state;

	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	crash(m);
	spawns(m, 100, 101, "/usr/bin/vi");
	clones(m, 100, 102);
	start(m, RULES);
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	assert_task(m, 102, INTERACTIVE, REASON_RULE);
	stop(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 102, PRISTINE);
}

static void who_was_born_in_between_and_lost_its_parent_as_well(void **state)
{
	struct machine *m = *state;

	start(m, "'schedqos': { 'default': 'none' }," RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	crash(m);
	spawns(m, 100, 101, "/usr/bin/vi");
	exits(m, 100);
	start(m, "'schedqos': { 'default': 'none' }");
	assert_task(m, 101, PRISTINE, REASON_NO_RULE);
}

static void a_tid_that_somebody_else_has_by_now_is_somebody_else_s(void **state)
{
	struct machine *m = *state;

	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 6);
	start(m, RULES);
	crash(m);
	exits(m, 100);
	m->pace = 100000;
	forks(m, KTHREADD, 100);
	machine_task(m, 100)->parent = INIT;
	execs(m, 100, "/usr/bin/vi");
	start(m, RULES);
	assert_task(m, 100, BY_DEFAULT, REASON_DEFAULT);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static void what_somebody_changed_in_between_stays(void **state)
{
	struct machine *m = *state;

	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/vi");
	crash(m);
	renice(m, 100, 12);
	start(m, RULES);
	/* As if it had been changed while we were there. */
	assert_task(m, 100, "SCHED_BATCH nice 12 slice 16 ms util 0..512", REASON_CHANGED);
	stop(m);
	assert_carries(m, 100, "SCHED_BATCH nice 12 slice 16 ms util 0..512");
}

static void other_rules_apply_at_once(void **state)
{
	struct machine *m = *state;

	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	crash(m);
	start(m, "'chrome': { 'qos': 'QOS_USER_INITIATED' }");
	assert_task(m, 100, INITIATED, REASON_RULE);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

static struct task *no_chunk(void *context)
{
	(void)context;
	return NULL;
}

static void records_for_which_there_is_no_memory_are_an_error(void **state)
{
	static const struct tasks_memory none = { .grow = no_chunk };
	const struct task legacy = { .tid = 100, .tgid = 100 };
	const struct qos_attr tag = { 0 };
	struct machine *m = *state;

	m->plan = plan_new(&m->caps, DAEMON, 0, &none);
	assert_int_equal(plan_adopt(m->plan, &legacy, 1, &tag, 1), -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_start_after_a_crash_changes_nothing),
		MACHINE_TEST(its_stop_gives_back_what_each_task_had),
		MACHINE_TEST(who_was_born_in_between_inherited_it_from_us),
		MACHINE_TEST(who_was_born_in_between_and_lost_its_parent_as_well),
		MACHINE_TEST(a_tid_that_somebody_else_has_by_now_is_somebody_else_s),
		MACHINE_TEST(what_somebody_changed_in_between_stays),
		MACHINE_TEST(other_rules_apply_at_once),
		MACHINE_TEST(records_for_which_there_is_no_memory_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
