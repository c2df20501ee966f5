/* SPDX-License-Identifier: GPL-2.0-only */
/* When a task was born of which an event tells, on a machine that is suspended now and then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../src/tagging/boot_clock.h"

#define MS    UINT64_C(1000000)
#define HOUR  (3600000 * MS)
#define BEGAN (5 * HOUR)

/* The two clocks, and the conversion under test. */
static struct boot_clock boot_clock;
static uint64_t monotonic, boottime;

static void advance(uint64_t ns)
{
	monotonic += ns;
	boottime += ns;
}

static void suspend(uint64_t ns)
{
	boottime += ns;
}

static void update(void)
{
	boot_clock_update(&boot_clock, boottime, monotonic);
}

/* Reads the second clock this much later than the first. */
static void update_slowly(uint64_t ns)
{
	const uint64_t read_first = boottime;

	advance(ns);
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

/* The time of an event by both clocks. */
struct event {
	uint64_t monotonic, boottime;
};

static struct event make_event(void)
{
	advance(MS);
	return (struct event){ monotonic, boottime };
}

static void assert_converted(const struct event *event)
{
	assert_int_equal(boot_clock_at(&boot_clock, event->monotonic), event->boottime);
	assert_int_equal(boot_clock_then(&boot_clock, event->monotonic), event->boottime);
}

static void without_a_suspend_the_offset_is_constant(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct event event = make_event();

		assert_converted(&event);
		update();
		assert_converted(&event);
		advance(HOUR);
	}
}

static void an_event_from_before_a_suspend_is_converted(void **state)
{
	struct event before = make_event(), after;

	(void)state;
	advance(MS);
	update();
	suspend(HOUR);
	advance(MS);
	update();
	after = make_event();
	assert_converted(&before);
	assert_converted(&after);
}

static void an_event_since_the_last_update_is_ambiguous(void **state)
{
	struct event before = make_event(), after;

	(void)state;
	suspend(HOUR);
	after = make_event();
	advance(MS);
	update();
	assert_int_equal(boot_clock_then(&boot_clock, before.monotonic), before.boottime);
	assert_int_equal(boot_clock_at(&boot_clock, after.monotonic), after.boottime);
	/* Events from now on are unambiguous. */
	after = make_event();
	assert_converted(&after);
	update();
	assert_converted(&after);
}

static void only_the_last_suspend_is_remembered(void **state)
{
	struct event event;

	(void)state;
	for (int i = 0; i < 3; i++) {
		suspend(HOUR);
		advance(MS);
		update();
		event = make_event();
		update();
	}
	suspend(20 * MS);
	update();
	assert_converted(&event);
}

/* We were preempted between the two readings. */
static void a_slow_update_is_no_suspend(void **state)
{
	struct event event = make_event();

	(void)state;
	update_slowly(300 * MS);
	assert_converted(&event);
	event = make_event();
	update();
	assert_converted(&event);
	update_slowly(300 * MS);
	assert_converted(&event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_a_suspend_the_offset_is_constant, set_up),
		cmocka_unit_test_setup(an_event_from_before_a_suspend_is_converted, set_up),
		cmocka_unit_test_setup(an_event_since_the_last_update_is_ambiguous, set_up),
		cmocka_unit_test_setup(only_the_last_suspend_is_remembered, set_up),
		cmocka_unit_test_setup(a_slow_update_is_no_suspend, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
