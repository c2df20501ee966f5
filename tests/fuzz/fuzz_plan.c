/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets events happen in any order on the made-up machine of the unit tests: forks, execs, renames, changes by others,
 * late and lost events, reloads, crashes. The table must stay intact, the kernel must accept each action, and after the
 * stop no task of an ordinary user may have more than it would have without a daemon. Other differences from that are
 * traces: they are counted, and printed at the end.
 */
#include "plan_run.h"

#define EVENTS_MAX 16

/* Checks that a scan finds nothing left to do once all events have been received. */
static void check_scan_finds_nothing(struct run *run)
{
	count_from_here(run->m);
	scan(run->m);
	check(run->m->actions == 0);
}

/* Returns whether the task shows its slice: real time hides it, and under SCHED_IDLE none can be set. */
static bool shows_slice(const struct task_attr *attr)
{
	return task_policy_is_fair(attr->policy) && attr->policy != POLICY_IDLE;
}

/* Returns the attributes to compare. */
static struct task_attr shown(struct task_attr attr)
{
	if (!shows_slice(&attr))
		attr.slice_ns = 0;
	return attr;
}

/* Numbers of attributes that were compared after all events were received, and of those that differ. */
static uint64_t n_compared, n_traces, n_unexplained;

__attribute__((destructor)) static void print_traces(void)
{
	fprintf(stderr, "%llu attributes compared, %llu differ (%.2f %%), %llu of these by none of the known limits\n",
		(unsigned long long)n_compared, (unsigned long long)n_traces,
		n_compared ? 100.0 * n_traces / n_compared : 0.0, (unsigned long long)n_unexplained);
}

static void count_traces(const struct machine_task *task)
{
	struct task_attr attr = shown(task->attr), without = shown(task->without);
	const uint8_t differs = attr_difference(&attr, &without);
	uint8_t unsure = task->unsure;
	char a[TASK_ATTR_TEXT_MAX], b[TASK_ATTR_TEXT_MAX];

	/* If either policy is allowed and only one of them shows a slice, do not compare slices. */
	if ((differs & unsure & TASK_ATTR_POLICY) && shows_slice(&attr) != shows_slice(&without))
		unsure |= TASK_ATTR_SLICE;
	n_compared += 6;
	n_traces += __builtin_popcount(differs & EVERYTHING);
	n_unexplained += __builtin_popcount(differs & ~unsure & EVERYTHING);
	if ((differs & ~unsure) && getenv("TRACE"))
		print_error("task %d carries %s, not %s\n", (int)task->tid, task_attr_text(&task->attr, a),
			    task_attr_text(&task->without, b));
}

/* Checks that an unprivileged task has no more than it would have had. */
static void check_no_climb(const struct machine_task *task)
{
	if (task->attr.nice < task->without.nice || !task_policy_is_fair(task->attr.policy))
		print_error("task %d has climbed to nice %d from %d\n", (int)task->tid, task->attr.nice,
			    task->without.nice);
	check(task_policy_is_fair(task->attr.policy));
	check(task->attr.nice >= task->without.nice);
	check(task->without.policy != POLICY_IDLE || task->attr.policy == POLICY_IDLE);
	check(!io_priority_is_privileged(task->without.io_priority, task->attr.io_priority));
}

static void check_stopped(const struct run *run)
{
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &run->m->tasks[i];

		if (!task->tid)
			continue;
		if (run->exact)
			count_traces(task);
		if (run->everybody && !(task->unsure & MAY_CLIMB))
			check_no_climb(task);
	}
}

/* Ends disturbances that would keep the stop from putting tasks back. */
static void end_disturbances(struct machine *m)
{
	m->refuse = 0;
	m->ignore = m->lossy = false;
	m->missing = 0;
}

/* With TRACE in the environment, prints the event and the attributes of each task. */
static void trace(const struct run *run, uint8_t kind)
{
	static const char *const names[KINDS] = { "fork", "clone", "begin", "exec", "rename", "exit", "pass", "hear", "deaf",
						  "reload", "scan", "lose", "renice", "chrt", "refuse", "ignore", "miss",
						  "crash", "hear-some", "slice", "clamp", "reset", "ionice", "move",
						  "change", "override", "lift", "seen" };
	char a[TASK_ATTR_TEXT_MAX], b[TASK_ATTR_TEXT_MAX], had[TASK_ATTR_TEXT_MAX], known[TASK_ATTR_TEXT_MAX];

	fprintf(stderr, "%s%s\n", names[kind], run->exact ? "" : " (not exact)");
	for (size_t i = 0; i < MACHINE_TASKS; i++) {
		const struct machine_task *task = &run->m->tasks[i];
		const struct task *on_record = task->tid ? record(run->m, task->tid) : NULL;

		if (!task->tid || task->tid == KTHREADD)
			continue;
		fprintf(stderr, "  %d/%d of %d %s: %s | without %s | ", (int)task->tid, (int)task->tgid, (int)task->parent,
			task->exe, task_attr_text(&task->attr, a), task_attr_text(&task->without, b));
		if (on_record)
			fprintf(stderr, "had %s known %s theirs %x flags %x due %d", task_attr_text(&on_record->had, had),
				task_attr_text(&on_record->known, known), on_record->theirs, on_record->flags,
				on_record->due);
		fprintf(stderr, "\n");
	}
}

static void does(struct run *run, uint8_t kind)
{
	switch (kind) {
	case RENICE:
	case CHRT:
	case SLICE:
	case CLAMP:
	case RESET:
	case IONICE:
		run_chooses(run, kind);
		break;
	case OVERRIDE:
	case LIFT:
	case SEEN:
		run_is_asked(run, kind);
		break;
	default:
		run_happens(run, kind);
	}
	if (getenv("TRACE"))
		trace(run, kind);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct run run = { .input = { input, size }, .next = 100, .alone = true, .in_time = true, .exact = true };
	void *state;

	check(machine_on(&state) == 0);
	run.m = state;
	run_begin(&run, take_byte(&run.input));
	while (run.input.left) {
		if (run.m->n_queued >= EVENTS_MAX)
			run_hear_all(&run);
		does(&run, take_byte(&run.input) % KINDS);
		for (size_t i = 0; i < MACHINE_TASKS; i++)
			check_known(run.m->plan, run.m->tasks[i].tid);
	}
	run_end_forks(&run);
	run_hear_all(&run);
	/*
	 * The daemon may have read facts that were newer than a fork booked later: then the child belongs to another
	 * program.
	 */
	if (run.alone && run.exact && run.own && run.in_time)
		check_scan_finds_nothing(&run);
	end_disturbances(run.m);
	stop(run.m);
	check_plan(run.m->plan);
	check_stopped(&run);
	machine_off(&state);
	return 0;
}
