/* SPDX-License-Identifier: GPL-2.0-only */
/* What tasks have used between two looks, and how `top` adds it up. The source of the figures is
 * made up. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/load.h>
#include <schedqos/measure/sampler.h>
#include <schedqos/util/cleanup.h>

#include "../../src/cli/top_frame.h"

/* ---- the source, instead of usage.c ---- */

static struct task_usage living[8], exits[8];
static size_t n_living, n_exits, next_exit;
static bool loses;

int usage_open(bool with_exits, struct usage **ret)
{
	(void)with_exits;
	*ret = NULL;
	return 0;
}

void usage_free(struct usage *usage)
{
	(void)usage;
}

bool usage_hears_exits(const struct usage *usage)
{
	(void)usage;
	return true;
}

int usage_read(struct usage *usage, bool process, struct task_usage *all, size_t n)
{
	(void)usage;
	(void)process;
	for (size_t i = 0; i < n; i++) {
		const pid_t tid = all[i].tid;

		all[i].tid = 0;
		for (size_t j = 0; j < n_living; j++) {
			if (living[j].tid == tid)
				all[i] = living[j];
		}
	}
	return 0;
}

int usage_next_exit(struct usage *usage, struct task_usage *ret)
{
	(void)usage;
	if (loses) {
		loses = false;
		return -ENOBUFS;
	}
	if (next_exit == n_exits)
		return 0;
	*ret = exits[next_exit++];
	return 1;
}

/* ---- */

static struct sampler *sampler;
static struct sample_frame frame;

static int set_up(void **state)
{
	(void)state;
	n_living = n_exits = next_exit = 0;
	return sampler_open(&sampler);
}

static int tear_down(void **state)
{
	(void)state;
	sampler_free(sampler);
	return 0;
}

static void lives(pid_t tid, uint64_t run_ns)
{
	size_t i = 0;

	while (i < n_living && living[i].tid != tid)
		i++;
	n_living += i == n_living;
	living[i] = (struct task_usage){
		.tid = tid, .tgid = tid, .run_ns = run_ns, .waits = run_ns, .comm = "prog"
	};
}

static void ends(pid_t tid, uint64_t run_ns)
{
	exits[n_exits++] = (struct task_usage){
		.tid = tid, .tgid = tid, .run_ns = run_ns, .waits = run_ns, .comm = "prog"
	};
}

static void look(uint64_t now)
{
	pid_t tids[8];

	for (size_t i = 0; i < n_living; i++)
		tids[i] = living[i].tid;
	assert_int_equal(sampler_drain(sampler), 0);
	assert_int_equal(sampler_look(sampler, tids, n_living, now, &frame), 0);
}

static uint64_t used(pid_t tid)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < frame.count; i++) {
		if (frame.all[i].usage.tid == tid)
			sum += frame.all[i].usage.run_ns;
	}
	return sum;
}

static void only_what_was_used_in_between_counts(void **state)
{
	(void)state;
	lives(10, 500);
	look(1000);
	assert_int_equal(frame.ns, 0);
	assert_int_equal(used(10), 0);
	lives(10, 700);
	lives(11, 30);
	look(3000);
	assert_int_equal(frame.ns, 2000);
	assert_int_equal(used(10), 200);
	assert_int_equal(used(11), 30);
}

static void tasks_that_have_ended_count_once(void **state)
{
	(void)state;
	lives(10, 500);
	look(1000);
	/* One that lived before, one that only lived in between. */
	ends(10, 510);
	ends(12, 5);
	/* The first is not buried yet, so that it can still be read. */
	lives(10, 510);
	look(2000);
	assert_int_equal(used(10), 10);
	assert_int_equal(used(12), 5);
	assert_int_equal(frame.exits, 2);
	look(3000);
	assert_int_equal(used(10), 0);
	assert_int_equal(frame.exits, 0);
}

static void an_id_that_is_used_again_is_another_task(void **state)
{
	(void)state;
	lives(10, 500);
	look(1000);
	lives(10, 20);
	look(2000);
	assert_int_equal(used(10), 20);
	ends(10, 25);
	lives(10, 3);
	look(3000);
	assert_int_equal(used(10), 8);
}

static void losses_are_told(void **state)
{
	(void)state;
	loses = true;
	ends(10, 5);
	look(1000);
	assert_int_equal(frame.lost, 1);
	look(2000);
	assert_int_equal(frame.lost, 0);
}

/* ---- sums ---- */

static const char *classes[] = { "QOS_HIGH", "QOS_LOW" };
static const char *reasons[] = { "rule", "default", "refused" };
static struct listed_rule rules[] = { { 3, "make" } };
static struct listed_task tasks[] = {
	{ .tid = 20, .tgid = 20, .qos_class = 0, .rule = 3 },
	{ .tid = 12, .tgid = 12, .qos_class = 1, .rule = 3, .flags = BUS_TASK_ENDED },
	{ .tid = 10, .tgid = 10, .qos_class = 1, .rule = 3 },
	{ .tid = 11, .tgid = 10, .qos_class = BUS_NO_CLASS, .reason = 2 },
};
static struct task_list list = {
	.tasks = tasks,
	.n_tasks = 4,
	.classes = classes,
	.n_classes = 2,
	.reasons = reasons,
	.n_reasons = 3,
	.rules = rules,
	.n_rules = 1,
};

static void sums_are_by_class_and_by_app(void **state)
{
	const struct task_filter everything = { 0 }, one_class = { .class = "QOS_LOW" };
	struct top_frame top;

	(void)state;
	lives(10, 0);
	lives(11, 0);
	lives(20, 0);
	look(1000);
	lives(10, 7);
	lives(11, 2);
	lives(20, 1);
	ends(12, 5);
	look(2000);
	assert_int_equal(top_frame_make(&list, &frame, &everything, &top), 0);
	assert_int_equal(top.all.run_ns, 15);
	assert_int_equal(top.n_classes, 3);
	assert_int_equal(top.classes[1].run_ns, 12);
	assert_int_equal(top.classes[1].tasks, 1);
	assert_int_equal(top.classes[1].ended, 1);
	assert_int_equal(top.classes[2].refused, 1);
	/* make in two classes, and a program without a rule. */
	assert_int_equal(top.n_apps, 3);
	top_sort(top.apps, top.n_apps, TOP_BY_CPU);
	assert_string_equal(top.apps[0].class, "QOS_LOW");
	assert_int_equal(top.apps[0].run_ns, 12);
	assert_null(top.apps[1].rule);
	assert_string_equal(top.apps[1].program, "prog");
	top_frame_clear(&top);
	assert_int_equal(top_frame_make(&list, &frame, &one_class, &top), 0);
	assert_int_equal(top.all.run_ns, 12);
	top_frame_clear(&top);
}

/* ---- the machine ---- */

static void load_is_read(void **state)
{
	uint64_t value = 0;

	(void)state;
	assert_int_equal(load_parse_pressure("some avg10=1.53 avg60=0.87 avg300=0.73 total=16577\n"
					     "full avg10=0.00 avg60=0.00 avg300=0.00 total=12\n",
					     &value),
			 0);
	assert_int_equal(value, 16577);
	assert_int_equal(load_parse_pressure("some avg10=1.53", &value), -EBADMSG);
	assert_int_equal(load_parse_switches("cpu  1 2\nintr 5\nctxt 991\nbtime 3\n", &value), 0);
	assert_int_equal(value, 991);
	assert_int_equal(load_parse_switches("cpu  1 2\n", &value), -EBADMSG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_what_was_used_in_between_counts),
		TEST(tasks_that_have_ended_count_once),
		TEST(an_id_that_is_used_again_is_another_task),
		TEST(losses_are_told),
		TEST(sums_are_by_class_and_by_app),
		cmocka_unit_test(load_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
