/* SPDX-License-Identifier: GPL-2.0-only */
/* Renames: heard, or in a flood read from /proc now and then. */
#include "heard_private.h"

#include <string.h>

#include <schedqos/kernel/events.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>

/*
 * Pause between two walks that read names: 150 ms, so that no renamed task waits long for its class; but longer if
 * reading would take more than 2 % of a CPU's time.
 */
#define PAUSE_MIN_MS   150
#define PAUSE_PER_WALK 50

static void begin_pause(struct heard *heard)
{
	const uint64_t ms = heard->names.walk.us * PAUSE_PER_WALK / 1000;

	later_do(heard->later, LATER_NAMES, ms > PAUSE_MIN_MS ? (uint32_t)ms : PAUSE_MIN_MS);
}

static void subscribe(struct heard *heard)
{
	struct names *names = &heard->names;
	int r = intake_subscribe(heard->intake, INTAKE_NAMES);

	names->is_missing_some = r < 0;
	if (r < 0)
		problem_report(&heard->decider->tally->problems[PROBLEM_RECEIVE], "cannot listen to renames: %s",
			       strerror(-r));
}

void names_close(struct heard *heard)
{
	heard->names = (struct names){ 0 };
	later_drop(heard->later, LATER_NAMES);
	intake_unsubscribe(heard->intake, INTAKE_NAMES);
}

void names_update(struct heard *heard)
{
	if (!plan_config(heard->decider->plan)->rules->need_renames) {
		names_close(heard);
	} else if (!later_is_set(heard->later, LATER_NAMES)) {
		subscribe(heard);
		if (heard->names.is_missing_some)
			begin_pause(heard);
	}
}

/* Reads the present name, and books it in place of a rename that was missed. */
static enum visit read_name(void *context, const struct task *task)
{
	struct heard *heard = context;
	struct plan *plan = heard->decider->plan;
	struct task_event event = { .what = EVENT_RENAME, .tid = task->tid, .tgid = task->tgid };
	const enum due due = task->due;

	if (!plan_has_thread_rules(plan, tasks_leader(plan_tasks(plan), task->tgid)))
		return VISIT_SKIPPED;
	if (procfs_comm(heard->decider->proc, task->tid, event.comm) == 0) {
		event.ms = clock_ms();
		plan_book(plan, &event);
	}
	return task->due != due ? VISIT_DUE : VISIT_READ;
}

/*
 * Ends a pause, or goes on with the walk. Another flood does not end the walk, because repeated floods would keep it
 * from reading the last names: what that flood hides is read by another walk.
 */
void names_due(struct heard *heard)
{
	struct names *names = &heard->names;

	if (!names->walk.is_on) {
		/* Subscribe before reading, so that no rename is missed in between. */
		subscribe(heard);
		walk_begin(&names->walk);
	}
	walk_step(&names->walk, plan_tasks(heard->decider->plan), read_name, heard);
	if (names->walk.is_on)
		later_do(heard->later, LATER_NAMES, WALK_STEP_MS);
	else if (names->is_missing_some)
		begin_pause(heard);
}

void names_check(struct heard *heard)
{
	char last[128] = "somebody";
	pid_t tid;

	if (!intake_is_flooded(heard->intake, INTAKE_NAMES, &tid))
		return;
	heard->decider->tally->counters.rename_floods++;
	if (tid)
		decider_name_process(heard->decider, tid, last, sizeof(last));
	problem_report(
		&heard->decider->tally->problems[PROBLEM_RENAMES],
		"more than %d renames a second, the last of %s: meanwhile the names of threads are read only from time to time",
		FLOOD_RATE, last);
	intake_unsubscribe(heard->intake, INTAKE_NAMES);
	heard->names.is_missing_some = true;
	if (!heard->names.walk.is_on)
		begin_pause(heard);
}
