/* SPDX-License-Identifier: GPL-2.0-only */
/* When a task was born of which an event tells, on a machine that is suspended now and then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/tagging/boot_clock.h"

#define MS    UINT64_C(1000000)
#define HOUR  (3600000 * MS)
#define BEGAN (5 * HOUR)

/* Both clocks, and what is made of them. */
static struct boot_clock boot_clock;
static uint64_t monotonic, boottime;

static void passes(uint64_t ns)
{
	monotonic += ns;
	boottime += ns;
}

static void is_suspended(uint64_t ns)
{
	boottime += ns;
}

static void update(void)
{
	boot_clock_update(&boot_clock, boottime, monotonic);
}

/* The other is read when so much more time has passed. */
static void update_slowly(uint64_t ns)
{
	const uint64_t read_first = boottime;

	passes(ns);
	boot_clock_update(&boot_clock, read_first, monotonic);
}

static int set_up(void **state)
{
	(void)state;
	boot_clock = (struct boot_clock){ 0 };
	monotonic = BEGAN;
	boottime = BEGAN + 7 * HOUR;
	update();
	return 0;
}

/* An event: when it was by both clocks. */
struct event {
	uint64_t monotonic, boottime;
};

static struct event happens(void)
{
	passes(MS);
	return (struct event){ monotonic, boottime };
}

static void is_known(const struct event *event)
{
	assert_int_equal(boot_clock_at(&boot_clock, event->monotonic), event->boottime);
	assert_int_equal(boot_clock_then(&boot_clock, event->monotonic), event->boottime);
}

static void a_machine_that_is_never_suspended(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct event event = happens();

		is_known(&event);
		update();
		is_known(&event);
		passes(HOUR);
	}
}

static void an_event_that_waited_over_a_suspend_was_before_it(void **state)
{
	struct event before = happens(), after;

	(void)state;
	passes(MS);
	update();
	is_suspended(HOUR);
	passes(MS);
	update();
	after = happens();
	is_known(&before);
	is_known(&after);
}

static void of_one_that_was_not_yet_to_be_received_either_may_be_so(void **state)
{
	struct event before = happens(), after;

	(void)state;
	is_suspended(HOUR);
	after = happens();
	passes(MS);
	update();
	assert_int_equal(boot_clock_then(&boot_clock, before.monotonic), before.boottime);
	assert_int_equal(boot_clock_at(&boot_clock, after.monotonic), after.boottime);
	/* What comes from now on is beyond doubt. */
	after = happens();
	is_known(&after);
	update();
	is_known(&after);
}

static void the_last_of_several_suspends_counts(void **state)
{
	struct event event;

	(void)state;
	for (int i = 0; i < 3; i++) {
		is_suspended(HOUR);
		passes(MS);
		update();
		event = happens();
		update();
	}
	is_suspended(20 * MS);
	update();
	is_known(&event);
}

/* Others had the CPU between the two readings. */
static void a_slow_reading_is_no_suspend(void **state)
{
	struct event event = happens();

	(void)state;
	update_slowly(300 * MS);
	is_known(&event);
	event = happens();
	update();
	is_known(&event);
	update_slowly(300 * MS);
	is_known(&event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_machine_that_is_never_suspended, set_up),
		cmocka_unit_test_setup(an_event_that_waited_over_a_suspend_was_before_it, set_up),
		cmocka_unit_test_setup(of_one_that_was_not_yet_to_be_received_either_may_be_so, set_up),
		cmocka_unit_test_setup(the_last_of_several_suspends_counts, set_up),
		cmocka_unit_test_setup(a_slow_reading_is_no_suspend, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
