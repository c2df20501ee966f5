/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves between cgroups: heard, in a flood read now and then, or on some kernels looked for after each exec. */
#include "heard_private.h"

#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

static void subscribe(struct heard *heard)
{
	struct moves *moves = &heard->moves;
	int r = intake_subscribe(heard->intake, INTAKE_MOVES);

	heard->decider->young.is_kept = r < 0;
	if (r == 0) {
		moves->how = HEARING_HEARD;
		return;
	}
	if (moves->how != HEARING_POLLED)
		log_notice(
			"moves between cgroups are not reported (%s): cgroups are read again only 1, 2 and 3 s after an exec",
			trace_fault(-r));
	moves->how = HEARING_POLLED;
}

void moves_close(struct heard *heard)
{
	later_drop(heard->later, LATER_MOVES);
	heard->moves = (struct moves){ .how = HEARING_UNUSED };
	heard->decider->young.is_kept = false;
	heard->decider->young.count = heard->decider->young.next = 0;
	intake_unsubscribe(heard->intake, INTAKE_MOVES);
}

void moves_update(struct heard *heard)
{
	if (!plan_needs_moves(heard->decider->plan))
		moves_close(heard);
	else if (heard->moves.how != HEARING_HEARD)
		subscribe(heard);
}

/* ---- floods ---- */

/*
 * Walks that read the cgroup of each process may use a tenth of a CPU's time. A process that moves during a pause waits
 * for its end and for the walk: with 200 processes less than 50 ms.
 */
#define PAUSE_MIN_MS   25
#define PAUSE_PER_WALK 10

static void check_flood(struct heard *heard)
{
	const uint64_t ms = heard->moves.walk.us * PAUSE_PER_WALK / 1000;
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
	later_do(heard->later, LATER_MOVES, ms > PAUSE_MIN_MS ? (uint32_t)ms : PAUSE_MIN_MS);
}

static enum visit read_cgroup(void *context, const struct task *task)
{
	struct heard *heard = context;
	bool is_spared;

	if (task->tid != task->tgid)
		return VISIT_SKIPPED;
	if (live_facts_has_moved(heard->decider->facts, task->tgid, &is_spared)) {
		plan_mark_process(heard->decider->plan, task->tgid);
		return VISIT_DUE;
	}
	if (is_spared)
		retries_note(&heard->decider->spending.spared, task->tgid, clock_ms());
	return VISIT_READ;
}

/*
 * Hears moves again, and looks for processes that have moved in between. Goes on to the end even if there is another
 * flood, because repeated floods would otherwise keep the walk from ever ending.
 */
static void end_pause(struct heard *heard)
{
	struct walk *walk = &heard->moves.walk;
	pid_t tid;

	if (!walk->is_on && intake_is_flooded(heard->intake, INTAKE_MOVES, &tid)) {
		intake_resume(heard->intake, INTAKE_MOVES);
		walk_begin(walk);
	}
	walk_step(walk, plan_tasks(heard->decider->plan), read_cgroup, heard);
	if (walk->is_on)
		later_do(heard->later, LATER_MOVES, WALK_STEP_MS);
}

/* ---- kernels where moves cannot be heard: processes are looked at for a while after an exec ---- */

/* Number of looks, one per second. */
#define LOOKS 3

static void forget_grown_up(struct young *young)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < young->count; i++) {
		if (young->all[i].looks < LOOKS)
			young->all[kept++] = young->all[i];
	}
	young->count = kept;
	young->next = 0;
}

/* Has the next young processes matched again, and schedules the step or the round that follows. */
static void look_at_young(struct heard *heard)
{
	struct young *young = &heard->decider->young;

	for (unsigned n = 0; n < WALK_STEP_DUE && young->next < young->count; n++, young->next++) {
		plan_mark_process(heard->decider->plan, young->all[young->next].tgid);
		young->all[young->next].looks++;
	}
	if (young->next < young->count)
		later_do(heard->later, LATER_MOVES, WALK_STEP_MS);
	else
		forget_grown_up(young);
}

/* ---- all of it ---- */

void moves_check(struct heard *heard)
{
	if (heard->moves.how == HEARING_HEARD)
		check_flood(heard);
	else if (heard->decider->young.count && !later_is_set(heard->later, LATER_MOVES))
		later_do(heard->later, LATER_MOVES, SECOND_MS);
}

void moves_due(struct heard *heard)
{
	if (heard->moves.how == HEARING_HEARD)
		end_pause(heard);
	else
		look_at_young(heard);
}
