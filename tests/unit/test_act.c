/* SPDX-License-Identifier: GPL-2.0-only */
/* Carrying out what the plan wants of a task whose id may be another's by then: ourselves, with a made-up scheduler. */
#include "test.h"

#include <unistd.h>

#include <schedqos/config/config_text.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

#include "../../src/tagging/tagger_private.h"

static struct ksched_attr carried;
static struct tagger tagger;
static struct config *config;
static bool was_set; /* it was_set what was wanted */

static int fake_get(pid_t tid, struct ksched_attr *ret)
{
	(void)tid;
	*ret = carried;
	return 0;
}

static int fake_set(pid_t tid, struct ksched_attr *attr)
{
	(void)tid;
	carried = *attr;
	return 0;
}

static int set_up(void **state)
{
	static const struct sched_ops ops = { .get = fake_get, .set = fake_set };
	struct config_errors errors = { 0 };

	(void)state;
	carried = (struct ksched_attr){ .policy = POLICY_NORMAL };
	tagger = (struct tagger){ .applier = { .ops = &ops }, .proc = procfs_open() };
	arguments_init(&tagger.arguments, tagger.proc);
	tagger.facts = live_facts_new(tagger.proc, &tagger.applier, &tagger.arguments, &tagger.spending);
	tagger.plan = plan_new(&tagger.applier.caps, 1, 0, NULL);
	if (config_parse(NULL, 0, NULL, NULL, &config, &errors) < 0)
		return -1;
	return plan_set_config(tagger.plan, config);
}

static int tear_down(void **state)
{
	(void)state;
	plan_free(tagger.plan);
	live_facts_free(tagger.facts);
	arguments_free(&tagger.arguments);
	config_free(config);
	close(tagger.proc);
	return 0;
}

static uint64_t own_start(void)
{
	struct procfs_stat stat;

	assert_int_equal(procfs_stat(tagger.proc, getpid(), &stat), 0);
	return stat.start;
}

/* Carries out an action for a task with our id and this start, after a delay of delay_ms. */
static void act(uint64_t start, uint32_t delay_ms)
{
	const struct plan_found met = { .tid = getpid(), .tgid = getpid(), .start = start };
	struct plan_action action;
	struct plan_due due;

	plan_book_found(tagger.plan, &met, live_facts_for(tagger.facts, met.tid, met.tgid));
	assert_true(plan_next(tagger.plan, &due));
	live_facts_be_patient(tagger.facts, true);
	assert_true(plan_decide(tagger.plan, &due, live_facts_for(tagger.facts, met.tid, met.tgid), &action));
	tagger.booked_ms = clock_ms() - delay_ms;
	due_carry_out(&tagger, &action);
	was_set = carried.nice == action.want.nice;
}

#define TEST_ACT_TEST(name) TEST_IN(name, set_up, tear_down)

TEST_ACT_TEST(same_task_is_set)
{
	act(own_start(), 1000);
	assert_true(was_set);
	assert_int_equal(tagger.counters.set, 1);
	assert_int_equal(tagger.counters.races, 0);
}

TEST_ACT_TEST(reused_id_is_not_set)
{
	act(own_start() - 100, 1000);
	assert_int_equal(tagger.counters.set, 0);
	assert_int_equal(tagger.counters.races, 1);
	assert_false(was_set);
}

/* A request from the bus has tasks decided outside the loop; one of them could not be asked for its arguments. */
TEST_ACT_TEST(loop_does_later_what_a_request_leaves)
{
	assert_true(sd_event_new(&tagger.event) >= 0);
	assert_true(loop_init(&tagger) >= 0);
	unread_note(&tagger.arguments.unread, getpid(), clock_ms());
	events_drain(&tagger);
	assert_true(sd_event_run(tagger.event, 0) > 0);
	assert_true(tagger.timer_is_set);
	loop_free(&tagger);
	sd_event_unref(tagger.event);
}
