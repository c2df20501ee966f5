/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan, as a specification: suspended, it leaves tasks as they would be without us, and forgets
 * nothing. */
#include "fake_daemon.h"

#define RULES                                                                             \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE', 'inherit': true }, 'make': { 'qos': " \
	"'QOS_BACKGROUND' }"

static void suspends(struct machine *m, bool suspend)
{
	hear(m);
	plan_suspend(m->plan, suspend);
	hear(m);
}

static void every_task_has_what_it_had_until_it_is_over(void **state)
{
	struct machine *m = *state;
	char class[TASK_ATTR_TEXT_MAX];

	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, 3);
	start(m, RULES);
	task_attr_text(&machine_task(m, 100)->attr, class);
	assert_int_not_equal(record(m, 100)->known.slice_ns, 0);
	suspends(m, true);
	assert_carries(m, 100, "SCHED_NORMAL nice 3");
	suspends(m, false);
	assert_carries(m, 100, class);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 3");
}

static void what_is_born_meanwhile_gets_its_class_afterwards(void **state)
{
	struct machine *m = *state;

	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	suspends(m, true);
	forks(m, 100, 101);
	spawns(m, INIT, 200, "/usr/bin/make");
	hear(m);
	assert_carries(m, 101, PRISTINE);
	assert_carries(m, 200, PRISTINE);
	suspends(m, false);
	assert_int_equal(attr_difference(&machine_task(m, 101)->attr, &machine_task(m, 100)->attr),
			 0);
	assert_int_not_equal(attr_difference(&machine_task(m, 200)->attr, &task_attr_pristine), 0);
}

static void what_somebody_chose_stays_throughout(void **state)
{
	struct machine *m = *state;

	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/make");
	spawns(m, INIT, 200, "/usr/bin/make");
	hear(m);
	renice(m, 100, 9);
	suspends(m, true);
	renice(m, 200, 10);
	assert_carries(m, 100, "SCHED_NORMAL nice 9");
	suspends(m, false);
	assert_int_equal(machine_task(m, 100)->attr.nice, 9);
	assert_int_equal(machine_task(m, 200)->attr.nice, 10);
	assert_int_not_equal(machine_task(m, 200)->attr.slice_ns, 0);
	stop(m);
	assert_carries(m, 100, "SCHED_NORMAL nice 9");
	assert_carries(m, 200, "SCHED_NORMAL nice 10");
}

static void but_not_what_the_class_made_possible(void **state)
{
	struct machine *m = *state;

	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	renice(m, 100, -3);
	suspends(m, true);
	assert_carries(m, 100, PRISTINE);
	suspends(m, false);
	assert_carries(m, 100, INTERACTIVE);
}

static void a_stop_meanwhile_leaves_no_trace(void **state)
{
	struct machine *m = *state;

	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	suspends(m, true);
	stop(m);
	assert_carries(m, 100, PRISTINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(every_task_has_what_it_had_until_it_is_over),
		MACHINE_TEST(what_is_born_meanwhile_gets_its_class_afterwards),
		MACHINE_TEST(what_somebody_chose_stays_throughout),
		MACHINE_TEST(but_not_what_the_class_made_possible),
		MACHINE_TEST(a_stop_meanwhile_leaves_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
