/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan on a machine that runs for years. Its times are cut to 32 bits: milliseconds come round after 49.7 days and
 * are half way after 24.8, starts, in ticks of 10 ms, after 497 and 248 days.
 */
#include "fake_daemon.h"

#define DAY UINT64_C(86400000)

#define RULES                                                   \
	"'chrome': { 'qos': 'QOS_USER_INTERACTIVE' },"          \
	"'outer': { 'qos': 'QOS_BACKGROUND', 'inherit': true }," \
	"'app': { 'qos': 'QOS_BACKGROUND', 'thread_qos': { 'ui': 'QOS_USER_INTERACTIVE' } }"

/* When the milliseconds are half way round, and all round; when the ticks are, at which the milliseconds are, too. */
static const uint64_t turns[] = { UINT64_C(1) << 31, UINT64_C(1) << 32, (UINT64_C(1) << 31) * TICK_MS,
				  (UINT64_C(1) << 32) * TICK_MS };

/* On most days something happens: a fork, and with it a look at the clock. */
static void days_pass(struct machine *m, unsigned days)
{
	for (unsigned i = 0; i < days; i++) {
		passes(m, DAY);
		forks(m, INIT, 9);
		exits(m, 9);
	}
}

/* Everything that there is to hear of, with a moment between any two. */
static void everything_happens(struct machine *m)
{
	start(m, RULES);
	spawns(m, INIT, 100, "/usr/bin/chrome");
	assert_task(m, 100, INTERACTIVE, REASON_RULE);
	forks(m, 100, 101);
	assert_task(m, 101, INTERACTIVE, REASON_RULE);
	execs(m, 101, "/bin/sh");
	assert_task(m, 101, BY_DEFAULT, REASON_DEFAULT);
	spawns(m, INIT, 102, "/usr/bin/app");
	clones(m, 102, 103);
	renames(m, 103, "ui");
	assert_task(m, 103, INTERACTIVE, REASON_THREAD);
	m->deaf = true;
	spawns(m, INIT, 104, "/usr/bin/outer");
	forks(m, 104, 105);
	execs(m, 105, "/bin/true");
	hear(m);
	m->deaf = false;
	assert_task(m, 105, BACKGROUND, REASON_INHERITED);
	m->lossy = true;
	spawns(m, 104, 106, "/usr/bin/chrome");
	forks(m, 100, 107);
	m->lossy = false;
	scan(m);
	assert_task(m, 106, INTERACTIVE, REASON_RULE);
	assert_task(m, 107, INTERACTIVE, REASON_RULE);
	renice(m, 101, 7);
	reload(m, RULES);
	assert_task(m, 101, "SCHED_BATCH nice 7 slice 16 ms util 0..512", REASON_CHANGED);
	stop(m);
	assert_carries(m, 100, PRISTINE);
	assert_carries(m, 101, "SCHED_NORMAL nice 7");
	assert_carries(m, 107, PRISTINE);
}

/* One machine for each turn of a clock and each moment of the whole at which that may come. */
static void no_turn_of_a_clock_is_seen(void **state)
{
	static const uint32_t paces[] = { 10, 10000 };

	(void)state;
	for (size_t turn = 0; turn < sizeof(turns) / sizeof(turns[0]); turn++) {
		for (unsigned run = 0; run < 80; run++) {
			void *machine;
			struct machine *m;

			assert_int_equal(machine_on(&machine), 0);
			m = machine;
			m->pace = paces[run % 2];
			m->ms = turns[turn] - (uint64_t)(run / 2) * m->pace;
			everything_happens(m);
			machine_off(&machine);
		}
	}
}

static void what_is_old_never_looks_as_if_it_had_just_changed(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/bin/sh");
	for (int i = 0; i < 110; i++) {
		days_pass(m, 1);
		count_from_here(m);
		forks(m, 100, 101);
		assert_no_fetch(m);
		exits(m, 101);
	}
}

/* Nor a record that nobody has asked for since. */
static void nor_does_what_nobody_has_asked_for(void **state)
{
	struct machine *m = *state;

	start(m, RULES);
	for (pid_t tid = 100; tid < 110; tid++)
		forks(m, INIT, tid);
	for (pid_t tid = 100; tid < 110; tid++) {
		days_pass(m, 11);
		count_from_here(m);
		forks(m, tid, 200);
		assert_no_fetch(m);
		exits(m, 200);
	}
}

static void a_task_born_when_the_daemon_was_old_is_not_older_than_it(void **state)
{
	struct machine *m = *state;

	start_and_run(m, RULES, "/usr/bin/chrome");
	for (int i = 0; i < 60; i++) {
		days_pass(m, 10);
		m->lossy = true;
		forks(m, 100, 101);
		m->lossy = false;
		scan(m);
		assert_task(m, 101, INTERACTIVE, REASON_RULE);
		assert_true(task_attr_is_pristine(&record(m, 101)->had));
		exits(m, 101);
	}
}

static void an_old_task_hands_down_its_new_class(void **state)
{
	struct machine *m = *state;
	pid_t tid = 100;

	start(m, RULES);
	for (int i = 0; i < 6; i++, tid += 2) {
		forks(m, INIT, tid);
		days_pass(m, 80 * (i + 1));
		m->deaf = true;
		execs(m, tid, "/usr/bin/outer");
		forks(m, tid, tid + 1);
		execs(m, tid + 1, "/bin/true");
		hear(m);
		m->deaf = false;
		assert_task(m, tid, BACKGROUND, REASON_RULE);
		assert_task(m, tid + 1, BACKGROUND, REASON_INHERITED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_turn_of_a_clock_is_seen),
		MACHINE_TEST(what_is_old_never_looks_as_if_it_had_just_changed),
		MACHINE_TEST(nor_does_what_nobody_has_asked_for),
		MACHINE_TEST(a_task_born_when_the_daemon_was_old_is_not_older_than_it),
		MACHINE_TEST(an_old_task_hands_down_its_new_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
