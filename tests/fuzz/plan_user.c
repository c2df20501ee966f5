/* SPDX-License-Identifier: GPL-2.0-only */
/* What others choose for tasks: attributes that can be told from those of classes, where privilege was needed. */
#include "plan_run.h"

/* No class's, so that the choice can be seen; and for somebody with privilege none between those and what there was. */
static const int8_t nice_values[] = { -20, -17, -11, -7, 1, 3, 5, 7, 9, 11, 15, 19 };
#define LOWEST_CLASS  (-4)
#define HIGHEST_CLASS 4

/*
 * What somebody sets to just what a class gave it cannot be told from that: not even if it was something else between.
 */
static bool can_be_seen(struct run *run, pid_t tid, const struct task_attr *chosen, uint8_t bit)
{
	const struct task *task = record(run->m, tid);

	return !task || !(attr_difference(chosen, &task->had) & bit) ||
	       (attr_difference(chosen, &task->known) & bit);
}

/* There are none, SCHED_IDLE keeps a class from giving one, or a reset-on-fork has taken it. */
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
		/* With the class he may even raise himself to what lies below it, which he could not do without. */
		if (nice <= task->attr.nice)
			return;
		/*
		 * With reset-on-fork nothing below real time is handed down: a child does not show what was just
		 * chosen.
		 */
		if (task->attr.reset_on_fork && !task_policy_is_fair(task->attr.policy))
			return;
		/* Where no slice tells a class's nice value on a copy is the class's, beside its policy. */
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
	/* Nor what the task could not return to. */
	if (task->attr.policy == policy || !can_be_seen(run, task->tid, &chosen, TASK_ATTR_POLICY) ||
	    (task->without.policy == POLICY_IDLE && task->attr.policy != POLICY_IDLE))
		return;
	if (run->everybody && (policy == POLICY_RR || task->attr.policy == POLICY_IDLE))
		return;
	/*
	 * What is born before anybody looks stays SCHED_IDLE, for safety. And the nice value of a class marks a class's
	 * policy where there are no slices.
	 */
	if (task->without.policy == POLICY_IDLE || !run->m->kernel.slice)
		run_exempt(task, TASK_ATTR_POLICY);
	/* So it does on a copy, beside a class's slice. */
	if (known && (known->flags & TASK_COPY) && task->attr.slice_ns)
		run_exempt(task, TASK_ATTR_POLICY);
	/* A class without a slice tells by its policy and nice value alone, on a copy that its origin vouches for. */
	if (policy == POLICY_IDLE && !run->own && (!known || (known->flags & TASK_FRESH)))
		run_exempt(task, TASK_ATTR_POLICY | MAY_CLIMB);
	chrt(run->m, task->tid, policy, priority);
}

/* What takes privilege is above those of classes; what anybody may take can be a class's as well. */
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
 * While forks are under way, or not heard of: what the daemon learns of a task may be older than what its child copied,
 * or newer.
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

	/* With reset-on-fork a child shows too little of what its parent was to tell what of that was chosen unseen. */
	if (task->attr.reset_on_fork)
		run_exempt(task, EVERYTHING);
	if (run->m->n_queued || run->n_unborn)
		exempt_relatives(run, task, EVERYTHING);
	/*
	 * A copy that does not carry all that a record says may have been made by one of several tasks. What it has by
	 * the class then counts as chosen.
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
		/* It hides that an unseen child has copied another class than its parent's present one. */
		if (!record(run->m, task->tid))
			run_exempt(task, TASK_ATTR_POLICY | TASK_ATTR_NICE | MAY_CLIMB);
		if (run->m->kernel.slice && task_policy_is_fair(task->attr.policy) &&
		    can_be_seen(run, task->tid, &chosen, TASK_ATTR_SLICE))
			task->attr.slice_ns = task->without.slice_ns = chosen.slice_ns;
		break;
	case CLAMP:
		chosen.util_max = (100 + how) | 1; /* no class's */
		if (run->m->kernel.util_clamp && task->attr.util_min == 0 &&
		    can_be_seen(run, task->tid, &chosen, TASK_ATTR_UTIL_MAX))
			task->attr.util_max = task->without.util_max = chosen.util_max;
		break;
	case RESET:
		/* A nice value that real time hides is not handed down then, so that no child shows it. */
		if (!task_policy_is_fair(task->attr.policy))
			run_exempt(task, TASK_ATTR_NICE | MAY_CLIMB);
		/* Without slices nothing tells a child's. */
		if (run->m->kernel.slice && task->attr.policy != POLICY_DEADLINE)
			task->attr.reset_on_fork = task->without.reset_on_fork = 1;
		break;
	case IONICE:
		chooses_io(run, task, how);
		break;
	}
}
