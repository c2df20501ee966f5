/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of attributes: after any, each task whose rule enforces its class is looked at. */
#include "heard_private.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include <schedqos/kernel/events.h>
#include <schedqos/util/log.h>

/*
 * Pause after the tasks were looked at. A look at one takes 2 us, and anybody can run many programs that a rule
 * enforces; so the pause grows with their number, and looks use at most 2 % of a CPU's time.
 */
#define PAUSE_MIN_MS (SECOND_MS / 16)
#define TASKS_PER_MS 10

/* Maximum number of calls to read at once. The rings hold fewer, but callers can refill them while we read. */
#define CALLS_MAX 16384

/*
 * Has epoll report changes, or ends that. The trace must not be watched through another epoll, such as that of
 * sd-event: the kernel reports records of perf to the first that polls (perf_poll in events/core.c, 6.18).
 */
static int watch(struct heard *heard, bool on)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = heard };
	struct changes *changes = &heard->changes;

	if (!changes->trace || on == changes->is_watched)
		return 0;
	if (epoll_ctl(heard->epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, trace_fd(changes->trace), &event) < 0)
		return -errno;
	changes->is_watched = on;
	return 0;
}

/* Notes the last caller. Lost calls do not matter, because every task that is enforced is looked at. */
static void drain(struct heard *heard)
{
	struct changes *changes = &heard->changes;
	struct trace_event event;
	int r;

	changes->caller = 0;
	for (int i = 0; changes->trace && i < CALLS_MAX && (r = trace_next(changes->trace, &event)) != 0; i++) {
		if (r < 0)
			continue;
		changes->caller = event.tid;
		heard->decider->tally->counters.changes++;
	}
}

static enum visit look_at(void *context, const struct task *task)
{
	struct heard *heard = context;
	struct task_attr attr;

	if (!plan_enforces(heard->decider->plan, task))
		return VISIT_SKIPPED;
	/* The record of an ended task stays for a while. It needs no decision, so it must not end the step. */
	if (task->due != DUE_NOTHING || applier_read(&heard->decider->applier, task->tid, &attr) < 0)
		return VISIT_READ;
	plan_mark_changed(heard->decider->plan, task->tid);
	heard->changes.n_enforced++;
	return VISIT_DUE;
}

static uint32_t pause_ms(const struct changes *changes)
{
	const bool is_short = changes->how == HEARING_HEARD && !changes->has_put_back;
	const uint32_t ms = changes->n_enforced / TASKS_PER_MS, least = is_short ? PAUSE_MIN_MS : SECOND_MS;

	return ms > least ? ms : least;
}

/* Looks at the next tasks. Unless changes are watched meanwhile, a pause follows the last ones. */
static void go_on(struct heard *heard)
{
	struct changes *changes = &heard->changes;

	walk_step(&changes->walk, plan_tasks(heard->decider->plan), look_at, heard);
	if (changes->walk.is_on)
		later_do(heard->later, LATER_CHANGES, WALK_STEP_MS);
	else if (!changes->is_watched)
		later_do(heard->later, LATER_CHANGES, pause_ms(changes));
	later_wake(heard->later);
}

static void begin(struct heard *heard)
{
	drain(heard);
	heard->changes.n_enforced = 0;
	heard->changes.has_put_back = false;
	walk_begin(&heard->changes.walk);
	go_on(heard);
}

void heard_changes(struct heard *heard)
{
	watch(heard, false);
	/* A walk that has begun goes on; after a pause, there is another. */
	if (heard->changes.walk.is_on)
		drain(heard);
	else
		begin(heard);
}

/* Goes on, or ends the pause and looks again. If something has to be put back, changes_check starts another pause. */
void changes_due(struct heard *heard)
{
	struct changes *changes = &heard->changes;

	if (changes->walk.is_on) {
		go_on(heard);
		return;
	}
	if (changes->how == HEARING_HEARD)
		watch(heard, true);
	begin(heard);
}

static int subscribe(struct heard *heard)
{
	int r = sched_calls_open(gettid(), &heard->changes.trace);

	return r < 0 ? r : watch(heard, true);
}

static void listen_or_poll(struct heard *heard)
{
	int r = subscribe(heard);

	heard->changes.how = r < 0 ? HEARING_POLLED : HEARING_HEARD;
	if (r == 0)
		return;
	log_notice("changes of attributes are not reported (%s): tasks of rules that enforce are checked once a second",
		   trace_fault(-r));
	later_do(heard->later, LATER_CHANGES, SECOND_MS);
}

void changes_close(struct heard *heard)
{
	later_drop(heard->later, LATER_CHANGES);
	watch(heard, false);
	trace_close(heard->changes.trace);
	heard->changes = (struct changes){ .how = HEARING_UNUSED };
}

void changes_update(struct heard *heard)
{
	if (!plan_config(heard->decider->plan)->rules->enforce)
		changes_close(heard);
	else if (heard->changes.how == HEARING_UNUSED)
		listen_or_poll(heard);
}

void changes_check(struct heard *heard)
{
	struct changes *changes = &heard->changes;
	const pid_t tid = heard->decider->last_enforced;
	char of[128], by[128] = "somebody";

	heard->decider->last_enforced = 0;
	if (!tid || changes->how == HEARING_UNUSED)
		return;
	watch(heard, false);
	changes->has_put_back = true;
	if (!changes->walk.is_on)
		later_do(heard->later, LATER_CHANGES, pause_ms(changes));
	decider_name_process(heard->decider, tid, of, sizeof(of));
	if (changes->caller)
		decider_name_process(heard->decider, changes->caller, by, sizeof(by));
	problem_report(&heard->decider->tally->problems[PROBLEM_CHANGES],
		       "task %d of %s: put back a change by %s or somebody else; further changes are put back once a second",
		       (int)tid, of, by);
}
