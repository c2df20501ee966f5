/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies the steps of a walk through all tasks, and which tasks that are born meanwhile it visits. */
#include "test.h"

#include <schedqos/policy/tasks.h>
#include <schedqos/util/clock.h>

#include "../../src/tagging/walk.h"

#define TASKS 200

static unsigned visits[1000];

static enum visit make_due(void *context, const struct task *task)
{
	(void)context;
	visits[task->tid]++;
	return VISIT_DUE;
}

static enum visit pass_over(void *context, const struct task *task)
{
	(void)context;
	visits[task->tid]++;
	return VISIT_SKIPPED;
}

static void bear(struct tasks *tasks, pid_t tid, uint64_t start)
{
	assert_non_null(tasks_put(tasks, &(struct task){ .tid = tid, .tgid = tid, .start = (uint32_t)start }));
}

/* A table of tasks that have run for an hour. */
static struct tasks *full_table(void)
{
	struct tasks *tasks = tasks_new(NULL);

	assert_non_null(tasks);
	memset(visits, 0, sizeof(visits));
	for (pid_t tid = 1; tid <= TASKS; tid++)
		bear(tasks, tid, clock_ticks() - 3600ULL * 100);
	return tasks;
}

static unsigned visited_once(void)
{
	unsigned count = 0;

	for (pid_t tid = 1; tid <= TASKS; tid++)
		count += visits[tid] == 1;
	return count;
}

TEST(a_step_ends_after_so_many_due_tasks)
{
	struct tasks *tasks = full_table();
	struct walk walk = { 0 };
	unsigned steps = 0;

	walk_step(&walk, tasks, make_due, NULL);
	assert_int_equal(visited_once(), 0);
	walk_begin(&walk);
	for (; walk.is_on; steps++) {
		walk_step(&walk, tasks, make_due, NULL);
		assert_in_range(visited_once(), 0, (steps + 1) * WALK_STEP_DUE);
	}
	assert_int_equal(visited_once(), TASKS);
	assert_in_range(steps, TASKS / WALK_STEP_DUE, TASKS / WALK_STEP_DUE + 2);
	tasks_free(tasks);
}

TEST(a_walk_of_one_step_visits_each_task_once)
{
	struct tasks *tasks = full_table();
	struct walk walk;

	bear(tasks, 999, clock_ticks());
	walk_begin(&walk);
	walk_step(&walk, tasks, pass_over, NULL);
	assert_false(walk.is_on);
	assert_int_equal(visited_once(), TASKS);
	assert_int_equal(visits[999], 1);
	tasks_free(tasks);
}

/* Its record, a copy of one that was not visited yet, may be in a place that was visited. */
TEST(a_task_that_is_born_between_two_steps_is_visited)
{
	struct tasks *tasks = full_table();
	struct walk walk;

	walk_begin(&walk);
	walk_step(&walk, tasks, make_due, NULL);
	assert_true(walk.is_on);
	tasks_remove(tasks, tasks_find(tasks, 1));
	bear(tasks, 999, clock_ticks());
	while (walk.is_on)
		walk_step(&walk, tasks, make_due, NULL);
	assert_in_range(visits[999], 1, 2);
	assert_int_equal(visited_once(), TASKS);
	tasks_free(tasks);
}
