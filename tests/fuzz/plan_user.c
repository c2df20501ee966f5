/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes choices of others for tasks. Choices with privilege use attributes that no class gives. */
#include "plan_run.h"

/*
 * No class gives these values, so that a choice can be seen. A choice with privilege is never between a class's value
 * and the original one.
 */
static const int8_t nice_values[] = { -20, -17, -11, -7, 1, 3, 5, 7, 9, 11, 15, 19 };
#define LOWEST_CLASS  (-4)
#define HIGHEST_CLASS 4

/*
 * Returns whether the plan can see the choice: it cannot if the choice equals what a class gave, even if the task
 * carried another value in between.
 */
static bool can_be_seen(struct run *run, pid_t tid, const struct task_attr *chosen, uint8_t bit)
{
	const struct task *task = record(run->m, tid);

	return !task || !(attr_difference(chosen, &task->had) & bit) ||
	       (attr_difference(chosen, &task->known) & bit);
}

/*
 * Returns whether the task shows no slice of a class: the kernel has none, SCHED_IDLE prevents it, or reset-on-fork
 * took it.
 */
static bool hides_slice(struct run *run, const struct machine_task *task)
{
	return !run->m->kernel.slice || task->attr.policy == POLICY_IDLE ||
	       (task->parent && living(run->m, task->parent)->attr.reset_on_fork);
}

static void chooses_nice(struct run *run, struct machine_task *task, uint8_t how)
{
	int8_t nice = run->everybody ? (int8_t)(how % 40 - 20) : nice_values[how % sizeof(nice_values)];
	struct task_attr chosen = task->attr;
	const struct task *known;

	chosen.nice = nice;
	if (!can_be_seen(run, task->tid, &chosen, TASK_ATTR_NICE))
		return;
	if (run->everybody) {
		/*
		 * Under a class, a user may also choose any value above that of the class, such as -2 above -4, which
		 * takes privilege otherwise.
		 */
		if (nice <= task->attr.nice)
			return;
		/*
		 * With reset-on-fork, a real-time task hands down no nice value, so a child does not show the choice.
		 */
		if (task->attr.reset_on_fork && !task_policy_is_fair(task->attr.policy))
			return;
		/* On a copy without a slice, the nice value of a class marks the policy as the class's, too. */
		known = record(run->m, task->tid);
		if ((!known || (known->flags & TASK_COPY)) && nice <= HIGHEST_CLASS && hides_slice(run, task))
			run_exempt(task, TASK_ATTR_POLICY | TASK_ATTR_NICE | MAY_CLIMB);
		task->attr.nice = nice;
		if (nice > task->without.nice)
			task->without.nice = nice;
		return;
	}
	known = record(run->m, task->tid);
	if ((nice >= task->without.nice && (!known || nice >= known->had.nice)) || nice < LOWEST_CLASS)
		renice(run->m, task->tid, nice);
}

static void chooses_policy(struct run *run, struct machine_task *task, uint8_t how)
{
	static const enum task_policy policies[] = { POLICY_NORMAL, POLICY_BATCH, POLICY_IDLE, POLICY_RR };
	const enum task_policy policy = policies[how % 4];
	const int priority = policy == POLICY_RR ? 6 + how % 90 : 0;
	const struct task *known = record(run->m, task->tid);
	struct task_attr chosen = task->attr;

	chosen.policy = policy;
	chosen.rt_priority = (uint8_t)priority;
	/* The task must be able to return to its former policy. */
	if (task->attr.policy == policy || !can_be_seen(run, task->tid, &chosen, TASK_ATTR_POLICY) ||
	    (task->without.policy == POLICY_IDLE && task->attr.policy != POLICY_IDLE))
		return;
	if (run->everybody && (policy == POLICY_RR || task->attr.policy == POLICY_IDLE))
		return;
	/*
	 * A child that is born before a look stays SCHED_IDLE, for safety. And without slices, the nice value of a
	 * class marks the policy as the class's.
	 */
	if (task->without.policy == POLICY_IDLE || !run->m->kernel.slice)
		run_exempt(task, TASK_ATTR_POLICY);
	/* On a copy, a class's slice marks the policy as well. */
	if (known && (known->flags & TASK_COPY) && task->attr.slice_ns)
		run_exempt(task, TASK_ATTR_POLICY);
	/* A copy of a known origin is compared by policy and nice value alone, if its class has no slice. */
	if (policy == POLICY_IDLE && !run->own && (!known || (known->flags & TASK_FRESH)))
		run_exempt(task, TASK_ATTR_POLICY | MAY_CLIMB);
	chrt(run->m, task->tid, policy, priority);
}

/* Choices with privilege are above all classes. Choices without it may equal those of a class. */
static void chooses_io(struct run *run, struct machine_task *task, uint8_t how)
{
	static const uint8_t values[] = {
		IO_PRIORITY(IO_CLASS_NONE, 0),	      IO_PRIORITY(IO_CLASS_BEST_EFFORT, 0),
		IO_PRIORITY(IO_CLASS_BEST_EFFORT, 3), IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7),
		IO_PRIORITY(IO_CLASS_IDLE, 7),	      IO_PRIORITY(IO_CLASS_REALTIME, 2),
		IO_PRIORITY(IO_CLASS_IDLE, 0),	      IO_PRIORITY(IO_CLASS_BEST_EFFORT, 6),
	};
	struct task_attr chosen = task->attr;

	chosen.io_priority = values[how % sizeof(values)];
	if (!can_be_seen(run, task->tid, &chosen, TASK_ATTR_IO_PRIORITY) ||
	    (run->everybody && IO_CLASS(chosen.io_priority) == IO_CLASS_REALTIME))
		return;
	if (how % sizeof(values) > 5)
		run_exempt(task, TASK_ATTR_IO_PRIORITY);
	ionice(run->m, task->tid, IO_CLASS(chosen.io_priority), IO_LEVEL(chosen.io_priority));
}

static bool descends_from(struct run *run, const struct machine_task *task, pid_t tgid)
{
	while (task && task->tgid != tgid)
		task = task->parent ? machine_task(run->m, task->parent) : NULL;
	return task;
}

/*
 * Exempts a task and its descendants while forks are under way or not booked: the daemon's knowledge of a task may be
 * older or newer than the attributes that its child copied.
 */
static void exempt_relatives(struct run *run, const struct machine_task *task, uint8_t bits)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		struct machine_task *other = &run->m->tasks[i];
		const struct task *known = other->tid ? record(run->m, other->tid) : NULL;

		if (other->tid && (other == task || !known || (known->flags & (TASK_COPY | TASK_FRESH))) &&
		    descends_from(run, other, task->tgid))
			run_exempt(other, bits);
	}
}

void run_chooses(struct run *run, uint8_t kind)
{
	struct machine_task *task = machine_task(run->m, run_some_task(run));
	uint8_t how = take_byte(&run->input);
	struct task_attr chosen = task->attr;
	const struct task *known;

	/* With reset-on-fork, a child shows too little of its parent to find choices that no look has found. */
	if (task->attr.reset_on_fork)
		run_exempt(task, EVERYTHING);
	if (run->m->n_queued || run->n_unborn)
		exempt_relatives(run, task, EVERYTHING);
	/*
	 * If a copy does not carry everything in a record, one of several tasks may have made it. Then its class's
	 * attributes count as chosen.
	 */
	known = record(run->m, task->tid);
	if (known && (known->flags & TASK_COPY))
		run_exempt(task, TASK_ATTR_POLICY | TASK_ATTR_NICE | TASK_ATTR_IO_PRIORITY);
	run->alone = false;
	switch (kind) {
	case RENICE:
		chooses_nice(run, task, how);
		break;
	case CHRT:
		chooses_policy(run, task, how);
		break;
	case SLICE:
		chosen.slice_ns = (5 + how % 2 * 2) * MS;
		/* The slice hides that a child without a record copied a class that its parent no longer has. */
		if (!record(run->m, task->tid))
			run_exempt(task, TASK_ATTR_POLICY | TASK_ATTR_NICE | MAY_CLIMB);
		if (run->m->kernel.slice && task_policy_is_fair(task->attr.policy) &&
		    can_be_seen(run, task->tid, &chosen, TASK_ATTR_SLICE))
			task->attr.slice_ns = task->without.slice_ns = chosen.slice_ns;
		break;
	case CLAMP:
		chosen.util_max = (100 + how) | 1; /* no class gives this */
		if (run->m->kernel.util_clamp && task->attr.util_min == 0 &&
		    can_be_seen(run, task->tid, &chosen, TASK_ATTR_UTIL_MAX))
			task->attr.util_max = task->without.util_max = chosen.util_max;
		break;
	case RESET:
		/* With reset-on-fork, a nice value that real time hides is not handed down, so no child shows it. */
		if (!task_policy_is_fair(task->attr.policy))
			run_exempt(task, TASK_ATTR_NICE | MAY_CLIMB);
		/* Without slices, nothing shows the class of a child. */
		if (run->m->kernel.slice && task->attr.policy != POLICY_DEADLINE)
			task->attr.reset_on_fork = task->without.reset_on_fork = 1;
		break;
	case IONICE:
		chooses_io(run, task, how);
		break;
	}
}
