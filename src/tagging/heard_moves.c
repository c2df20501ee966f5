/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves between cgroups: heard, in a flood read now and then, or on some kernels looked for in new processes. */
#include "heard_private.h"

#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

static void subscribe(struct heard *heard)
{
	struct moves *moves = &heard->moves;
	int r = intake_subscribe(heard->intake, INTAKE_MOVES);

	if (r == 0) {
		moves->how = HEARING_HEARD;
		return;
	}
	if (moves->how != HEARING_POLLED)
		log_notice(
			"moves between cgroups are not reported (%s): those of new processes are looked for once a second",
			trace_fault(-r));
	moves->how = HEARING_POLLED;
}

void moves_close(struct heard *heard)
{
	later_drop(heard->later, LATER_MOVES);
	heard->moves = (struct moves){ .how = HEARING_UNUSED };
	intake_unsubscribe(heard->intake, INTAKE_MOVES);
}

void moves_update(struct heard *heard)
{
	if (!plan_needs_moves(heard->decider->plan))
		moves_close(heard);
	else if (heard->moves.how != HEARING_HEARD)
		subscribe(heard);
}

/*
 * Walks that read the cgroup of each process may use a tenth of a CPU's time. A process that moves during a pause waits
 * for its end and for the walk: with 200 processes less than 50 ms.
 */
#define PAUSE_MIN_MS   25
#define PAUSE_PER_WALK 10

static uint32_t pause_ms(const struct moves *moves, uint32_t min_ms)
{
	const uint64_t ms = moves->walk.us * PAUSE_PER_WALK / 1000;

	return ms > min_ms ? (uint32_t)ms : min_ms;
}

/* If moves are not reported, we look for those of processes that are no older, and as long after the last exec. */
#define YOUNG_MS 5000

static bool is_young(const struct task *task)
{
	return ((uint32_t)clock_ticks() - task->start) * clock_tick_ns() < YOUNG_MS * 1000000ULL;
}

static enum visit read_cgroup(void *context, const struct task *task)
{
	struct heard *heard = context;
	bool is_spared;

	if (task->tid != task->tgid || (heard->moves.how == HEARING_POLLED && !is_young(task)))
		return VISIT_SKIPPED;
	if (live_facts_has_moved(heard->decider->facts, task->tgid, &is_spared)) {
		plan_mark_process(heard->decider->plan, task->tgid);
		return VISIT_DUE;
	}
	if (is_spared)
		retries_note(&heard->decider->spending.spared, task->tgid, clock_ms());
	return VISIT_READ;
}

static void check_flood(struct heard *heard)
{
	char last[128] = "somebody";
	pid_t tid;

	if (!intake_is_flooded(heard->intake, INTAKE_MOVES, &tid) || later_is_set(heard->later, LATER_MOVES))
		return;
	if (tid)
		decider_name_process(heard->decider, tid, last, sizeof(last));
	problem_report(
		&heard->decider->tally->problems[PROBLEM_MOVES],
		"too many moves between cgroups, the last of %s: meanwhile cgroups are read only from time to time",
		last);
	intake_pause(heard->intake, INTAKE_MOVES);
	later_do(heard->later, LATER_MOVES, pause_ms(&heard->moves, PAUSE_MIN_MS));
}

void moves_check(struct heard *heard)
{
	if (heard->moves.how == HEARING_HEARD)
		check_flood(heard);
	else if (heard->moves.how == HEARING_POLLED && !later_is_set(heard->later, LATER_MOVES) &&
		 clock_ms() - heard->decider->exec_ms < YOUNG_MS)
		later_do(heard->later, LATER_MOVES, pause_ms(&heard->moves, SECOND_MS));
}

/*
 * Looks for processes that have moved; after a flood, hears moves again first. Goes on to the end even if there is
 * another flood, because repeated floods would otherwise keep the walk from ever ending.
 */
void moves_due(struct heard *heard)
{
	struct walk *walk = &heard->moves.walk;
	pid_t tid;

	if (!walk->is_on) {
		if (intake_is_flooded(heard->intake, INTAKE_MOVES, &tid))
			intake_resume(heard->intake, INTAKE_MOVES);
		walk_begin(walk);
	}
	walk_step(walk, plan_tasks(heard->decider->plan), read_cgroup, heard);
	if (walk->is_on)
		later_do(heard->later, LATER_MOVES, WALK_STEP_MS);
}
