/* SPDX-License-Identifier: GPL-2.0-only */
/* The decider carries out decisions about this test itself, with a made-up scheduler. */
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <schedqos/config/config_text.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

#include "../../src/tagging/decider.h"

static struct ksched_attr carried;
static struct decider decider;
static struct later later;
static struct tally tally;
static struct config *config;
static bool was_set; /* to the wanted attributes */

static int fake_get(pid_t tid, struct ksched_attr *ret)
{
	(void)tid;
	*ret = carried;
	return 0;
}

static bool keeps_nothing; /* the kernel accepts attributes and keeps none */

static int fake_set(pid_t tid, struct ksched_attr *attr)
{
	(void)tid;
	if (!keeps_nothing)
		carried = *attr;
	return 0;
}

static int set_up(void **state)
{
	static const struct sched_ops ops = { .get = fake_get, .set = fake_set };
	struct config_errors errors = { 0 };

	(void)state;
	carried = (struct ksched_attr){ .policy = POLICY_NORMAL };
	keeps_nothing = false;
	decider = (struct decider){ .applier = { .ops = &ops } };
	later = (struct later){ 0 };
	tally = (struct tally){ 0 };
	decider_init(&decider, procfs_open(), &later, &tally);
	decider.facts = live_facts_new(decider.proc, &decider.applier, &decider.arguments, &decider.spending);
	/* Not decider_plan, because that plan would never touch this process. */
	decider.plan = plan_new(&decider.applier.caps, 1, 0, NULL);
	if (config_parse(NULL, 0, NULL, NULL, &config, &errors) < 0)
		return -1;
	return plan_set_config(decider.plan, config);
}

static int tear_down(void **state)
{
	(void)state;
	decider_free(&decider);
	config_free(config);
	close(decider.proc);
	return 0;
}

static uint64_t start_of(pid_t pid)
{
	struct procfs_stat stat;

	assert_int_equal(procfs_stat(decider.proc, pid, &stat), 0);
	return stat.start;
}

/* Returns what is to be done about a process that is said to have this start. */
static struct plan_action decide(pid_t pid, uint64_t start)
{
	const struct plan_found met = { .tid = pid, .tgid = pid, .start = start };
	struct plan_action action;
	struct plan_mark mark;

	plan_book_found(decider.plan, &met, live_facts_for(decider.facts, met.tid, met.tgid));
	assert_true(plan_next(decider.plan, &mark));
	live_facts_be_patient(decider.facts, true);
	assert_int_equal(plan_decide(decider.plan, &mark, live_facts_for(decider.facts, met.tid, met.tgid), &action),
			 PLAN_SET);
	return action;
}

/* Carries out an action for a task with our id and this start, after a delay of delay_ms. */
static void act(uint64_t start, uint32_t delay_ms)
{
	const struct plan_action action = decide(getpid(), start);

	decider.booked_ms = clock_ms() - delay_ms;
	decider_carry_out(&decider, &action);
	was_set = carried.nice == action.want.nice;
}

#define TEST_DECIDER(name) TEST_IN(name, set_up, tear_down)

TEST_DECIDER(a_task_with_the_same_id_and_start_is_set)
{
	act(start_of(getpid()), 1000);
	assert_true(was_set);
	assert_int_equal(tally.counters.set, 1);
	assert_int_equal(tally.counters.races, 0);
}

TEST_DECIDER(a_task_that_reuses_the_id_is_not_set)
{
	act(start_of(getpid()) - 100, 1000);
	assert_int_equal(tally.counters.set, 0);
	assert_int_equal(tally.counters.races, 1);
	assert_false(was_set);
}

TEST_DECIDER(attributes_that_the_kernel_does_not_keep_are_counted)
{
	keeps_nothing = true;
	act(start_of(getpid()), 0);
	assert_int_equal(tally.counters.not_kept, 1);
	assert_int_equal(tally.counters.races, 0);
}

/* The kernel takes the I/O priority away from a task that ends, but leaves it its id for a while. */
TEST_DECIDER(attributes_that_a_task_loses_at_its_end_are_not)
{
	const pid_t child = fork();
	struct plan_action action;
	siginfo_t info;

	if (child == 0) {
		pause();
		_exit(0);
	}
	action = decide(child, start_of(child));
	kill(child, SIGKILL);
	/* It keeps its id, as a zombie. */
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	keeps_nothing = true;
	decider_carry_out(&decider, &action);
	assert_int_equal(tally.counters.not_kept, 0);
	assert_int_equal(tally.counters.races, 1);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static int on_wake(sd_event_source *source, void *userdata)
{
	(void)source;
	*(bool *)userdata = true;
	return 0;
}

/*
 * A request from the bus has tasks decided about outside the loop, and the arguments of one task could not be
 * requested.
 */
TEST_DECIDER(the_loop_does_later_what_a_request_leaves)
{
	bool is_awake = false;
	sd_event *event = NULL;
	uint32_t at_ms;

	assert_true(sd_event_new(&event) >= 0);
	assert_true(sd_event_add_defer(event, &later.wake, on_wake, &is_awake) >= 0);
	assert_true(sd_event_source_set_enabled(later.wake, SD_EVENT_OFF) >= 0);
	assert_false(decider_next(&decider, &at_ms));
	retries_note(&decider.arguments.retries, getpid(), clock_ms());
	decider_drain(&decider);
	assert_true(sd_event_run(event, 0) > 0);
	assert_true(is_awake);
	assert_true(decider_next(&decider, &at_ms));
	sd_event_source_unref(later.wake);
	sd_event_unref(event);
}

TEST_DECIDER(a_stop_asks_for_nobody_s_arguments)
{
	assert_true(deferred_note(&decider.deferred, getpid(), "program", clock_ms()));
	plan_undo_begin(decider.plan);
	decider_drop_waiting(&decider);
	decider_drain(&decider);
	assert_int_equal(decider.arguments.number, 0);
}
