/* SPDX-License-Identifier: GPL-2.0-only */
/* What tasks have used between two frames of `top`, and how it adds that up. The figures are made up. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>

#include "../../src/cli/top.h"

/* ---- what the kernel and the daemon say, instead of tasks.c ---- */

static const char *classes[] = { "QOS_HIGH", "QOS_LOW" };
static struct task_row listed[8];
static struct task_usage exits[8];
static size_t n_listed, n_exits, next_exit;
static bool loses;

int usage_read(struct usage_source *source, struct task_row *rows, size_t n)
{
	(void)source;
	(void)rows;
	(void)n;
	return 0;
}

int usage_next_exit(struct usage_source *source, struct task_usage *ret)
{
	(void)source;
	if (loses) {
		loses = false;
		return -ENOBUFS;
	}
	if (next_exit == n_exits)
		return 0;
	*ret = exits[next_exit++];
	return 1;
}

bool usage_hears_exits(const struct usage_source *source)
{
	(void)source;
	return true;
}

void usage_close(struct usage_source *source)
{
	(void)source;
}

int tasks_read(sd_bus *bus, bool with_ended, struct tasks *ret)
{
	(void)bus;
	(void)with_ended;
	*ret = (struct tasks){ .rows = listed, .n_rows = n_listed, .classes = classes, .n_classes = 2 };
	return 0;
}

void tasks_clear(struct tasks *tasks)
{
	*tasks = (struct tasks){ 0 };
}

bool task_filter_keeps(const struct task_filter *filter, const struct task_row *row, const char *program)
{
	(void)program;
	return !filter->class || (row->class && strcmp(filter->class, row->class) == 0);
}

/* ---- */

static struct top_sampler sampler;
static struct top_frame frame;
static struct task_filter filter;

static int set_up(void **state)
{
	(void)state;
	n_listed = n_exits = next_exit = 0;
	filter = (struct task_filter){ 0 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	top_frame_clear(&frame);
	top_sampler_clear(&sampler);
	sampler = (struct top_sampler){ 0 };
	return 0;
}

static struct task_usage usage_of(pid_t tid, uint64_t run_ns)
{
	return (struct task_usage){ .tid = tid, .tgid = tid, .run_ns = run_ns, .waits = run_ns, .comm = "prog" };
}

/* By tid, as the daemon tells them. */
static struct task_row *lives(pid_t tid, uint64_t run_ns)
{
	size_t i = 0;

	while (i < n_listed && listed[i].tid < tid)
		i++;
	if (i == n_listed || listed[i].tid != tid) {
		memmove(&listed[i + 1], &listed[i], (n_listed++ - i) * sizeof(listed[0]));
		listed[i] = (struct task_row){ .tid = tid, .tgid = tid, .rank = BUS_NO_CLASS, .tasks = 1 };
	}
	listed[i].usage = usage_of(tid, run_ns);
	return &listed[i];
}

static void ends(pid_t tid, uint64_t run_ns)
{
	exits[n_exits++] = usage_of(tid, run_ns);
}

static void look(void)
{
	assert_int_equal(top_frame_next(&sampler, NULL, &filter, &frame), 0);
}

static uint64_t used(pid_t tid)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < frame.n_tasks; i++) {
		if (frame.tasks[i].tid == tid)
			sum += frame.tasks[i].usage.run_ns;
	}
	return sum;
}

static void only_what_was_used_in_between_counts(void **state)
{
	(void)state;
	lives(10, 500);
	look();
	assert_int_equal(frame.ns, 0);
	assert_int_equal(used(10), 0);
	lives(10, 700);
	lives(11, 30);
	look();
	assert_true(frame.ns > 0);
	assert_int_equal(used(10), 200);
	assert_int_equal(used(11), 30);
}

static void tasks_that_have_ended_count_once(void **state)
{
	(void)state;
	lives(10, 500);
	look();
	/* One that lived before, one that only lived in between. */
	ends(10, 510);
	ends(12, 5);
	/* The first is not buried yet, so that it can still be read. */
	lives(10, 510);
	look();
	assert_int_equal(used(10), 10);
	assert_int_equal(used(12), 5);
	assert_int_equal(frame.all.ended, 2);
	look();
	assert_int_equal(used(10), 0);
	assert_int_equal(frame.all.ended, 0);
}

static void an_id_that_is_used_again_is_another_task(void **state)
{
	(void)state;
	lives(10, 500);
	look();
	lives(10, 20);
	look();
	assert_int_equal(used(10), 20);
	ends(10, 25);
	lives(10, 3);
	look();
	assert_int_equal(used(10), 8);
	lives(10, 10);
	look();
	assert_int_equal(used(10), 7);
}

static void losses_are_told(void **state)
{
	(void)state;
	loses = true;
	ends(10, 5);
	look();
	assert_int_equal(frame.lost, 1);
	look();
	assert_int_equal(frame.lost, 0);
}

static void is_in(pid_t tid, uint16_t rank, const char *app)
{
	struct task_row *row = lives(tid, 0);

	row->rank = rank;
	row->class = classes[rank];
	row->app = app;
}

static void sums_are_by_class_and_by_app(void **state)
{
	(void)state;
	lives(11, 0)->refused = 1;
	is_in(10, 1, "make");
	is_in(12, 1, "make");
	is_in(20, 0, "make");
	look();
	lives(10, 7);
	lives(11, 2);
	lives(20, 1);
	lives(12, 0)->flags = BUS_TASK_ENDED;
	ends(12, 5);
	look();
	assert_int_equal(frame.all.usage.run_ns, 15);
	assert_int_equal(frame.n_classes, 3);
	assert_int_equal(frame.classes[1].usage.run_ns, 12);
	assert_int_equal(frame.classes[1].tasks, 1);
	assert_int_equal(frame.classes[1].ended, 1);
	assert_int_equal(frame.classes[2].refused, 1);
	/* make in two classes, and a program without a rule. */
	assert_int_equal(frame.n_apps, 3);
	top_sort(frame.apps, frame.n_apps, TOP_BY_CPU);
	assert_string_equal(frame.apps[0].class, "QOS_LOW");
	assert_int_equal(frame.apps[0].usage.run_ns, 12);
	assert_null(frame.apps[1].app);
	assert_string_equal(frame.apps[1].usage.comm, "prog");
	filter.class = "QOS_LOW";
	lives(10, 9);
	look();
	assert_int_equal(frame.all.usage.run_ns, 2);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
