/* SPDX-License-Identifier: GPL-2.0-only */
#include "tagger_private.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/kernel/sched_calls.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* Of a flood. To look at 10,000 tasks takes some 5 ms. */
#define PAUSE_US 150000

/* For a call that may have changed any task all are looked at: such calls make a flood sooner. */
#define ANY_WEIGHT 50

/* A line at most as often as this. */
#define LOG_EVERY_MS 1000

/* ---- the subscription ---- */

static void close_queue(struct tagger *tagger)
{
	pace_close(&tagger->changes.pace);
	intake_subscribe_changes(tagger->intake, false);
}

static int open_pace(struct tagger *tagger)
{
	return pace_open(&tagger->changes.pace, tagger->event, intake_fd(tagger->intake, INTAKE_CHANGES));
}

static void subscribe(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;
	int r = intake_subscribe_changes(tagger->intake, true);

	if (r == 0)
		r = open_pace(tagger);
	if (r == 0) {
		changes->how = CHANGES_HEARD;
		return;
	}
	intake_subscribe_changes(tagger->intake, false);
	if (changes->how != CHANGES_UNHEARD)
		log_notice("what others change on tasks is not heard (%s): a rule that enforces puts its class back only when "
			   "the task is executed or renamed, and at a reload",
			   sched_calls_fault(-r));
	changes->how = CHANGES_UNHEARD;
}

void changes_update(struct tagger *tagger)
{
	if (!plan_needs_changes(tagger->plan))
		changes_close(tagger);
	else if (tagger->changes.how != CHANGES_HEARD)
		subscribe(tagger);
}

void changes_renew(struct tagger *tagger)
{
	if (tagger->changes.how != CHANGES_HEARD)
		return;
	close_queue(tagger);
	subscribe(tagger);
}

void changes_close(struct tagger *tagger)
{
	struct changes *changes = &tagger->changes;

	changes->how = CHANGES_UNUSED;
	sd_event_source_set_enabled(changes->pause, SD_EVENT_OFF);
	sd_event_source_set_enabled(changes->truces, SD_EVENT_OFF);
	if (tagger->intake)
		close_queue(tagger);
}

/* ---- floods ---- */

/* The process of a thread, as far as it is known. */
static pid_t process_of(const struct tagger *tagger, pid_t tid)
{
	const struct task *task = tid ? tasks_find(plan_tasks(tagger->plan), tid) : NULL;

	return task ? task->tgid : tid;
}

static void name_process(const struct tagger *tagger, pid_t tgid, char name[TASK_COMM_LEN * 4])
{
	char comm[TASK_COMM_LEN] = "";

	procfs_comm(tagger->proc, tgid, comm);
	text_escape_to(name, TASK_COMM_LEN * 4, comm, strlen(comm));
}

static void pause_changes(struct tagger *tagger)
{
	tagger->counters.change_floods++;
	pace_close(&tagger->changes.pace);
	intake_pause_changes(tagger->intake, true);
	sd_event_source_set_time_relative(tagger->changes.pause, PAUSE_US);
	sd_event_source_set_enabled(tagger->changes.pause, SD_EVENT_ONESHOT);
}

void changes_lost(struct tagger *tagger)
{
	problem_report(&tagger->problems[PROBLEM_CHANGES],
		       "so many calls at once that set attributes of tasks that the kernel dropped some: while that lasts, "
		       "tasks are looked at from time to time");
	pause_changes(tagger);
}

/* Whoever calls it in a container names tasks by other numbers. A caller that is gone does not tell. */
static bool is_foreign(const struct tagger *tagger, const struct task_event *change)
{
	bool is_own = true;

	return change->tid > 0 && change->tid != change->by && procfs_own_pidns(tagger->proc, change->by, &is_own) == 0 &&
	       !is_own;
}

void changes_count(struct tagger *tagger, struct task_event *change)
{
	struct flood *flood = &tagger->changes.flood;
	const pid_t tgid = process_of(tagger, change->by);
	char name[TASK_COMM_LEN * 4];
	bool is_flood = false;

	tagger->counters.changes++;
	if (is_foreign(tagger, change))
		change->tid = 0;
	for (int i = 0; i < (change->tid ? 1 : ANY_WEIGHT) && !is_flood; i++)
		is_flood = flood_count(flood, tgid, change->ms);
	if (!is_flood)
		return;
	name_process(tagger, flood->tgid, name);
	problem_report(&tagger->problems[PROBLEM_CHANGES],
		       "too many calls that set attributes of tasks, most of them by process %d (%s): while that lasts, tasks "
		       "are looked at from time to time",
		       (int)flood->tgid, name);
	pause_changes(tagger);
}

void changes_resume(struct tagger *tagger)
{
	struct task_event event = { .what = EVENT_CHANGE };
	int r;

	if (tagger->changes.how != CHANGES_HEARD)
		return;
	intake_pause_changes(tagger->intake, false);
	r = open_pace(tagger);
	if (r < 0)
		problem_report(&tagger->problems[PROBLEM_RECEIVE], "listening to changes: %s", strerror(-r));
	event.ms = clock_ms();
	plan_book(tagger->plan, &event);
}

/* ---- what was put back ---- */

/* A new one takes the place of the one with the fewest. */
static struct tagger_opponent *opponent(struct changes *changes, const char *name)
{
	struct tagger_opponent *fewest = changes->opponents;

	for (size_t i = 0; i < changes->n_opponents; i++) {
		if (strcmp(changes->opponents[i].name, name) == 0)
			return &changes->opponents[i];
		if (changes->opponents[i].times < fewest->times)
			fewest = &changes->opponents[i];
	}
	if (changes->n_opponents < TAGGER_OPPONENTS_MAX)
		fewest = &changes->opponents[changes->n_opponents++];
	*fewest = (struct tagger_opponent){ 0 };
	snprintf(fewest->name, sizeof(fewest->name), "%s", name);
	return fewest;
}

/* Whether a line may be logged now, which is noted. */
static bool may_log(uint32_t *last_ms)
{
	const uint32_t now = clock_ms();

	if (*last_ms && now - *last_ms < LOG_EVERY_MS)
		return false;
	*last_ms = now ? now : 1;
	return true;
}

/* What is logged of it: somebody's first time, and the last before a task is left to him. */
static void tell(struct tagger *tagger, const struct plan_action *action, const struct tagger_opponent *from)
{
	char task[TASK_COMM_LEN * 4], by[128];

	name_process(tagger, action->tid, task);
	snprintf(by, sizeof(by), "process %d (%s)", (int)from->pid, from->name[0] ? from->name : "ended");
	if (action->is_left)
		log_warning("task %d (%s): %s changes it again and again, and is left to do so for 10 s", (int)action->tid,
			    task, from->pid ? by : "somebody");
	else
		log_notice("task %d (%s): put back what %s has changed", (int)action->tid, task,
			   from->pid ? by : "somebody");
}

void changes_put_back(struct tagger *tagger, const struct plan_action *action)
{
	struct changes *changes = &tagger->changes;
	const pid_t pid = process_of(tagger, action->changed_by);
	char name[TASK_COMM_LEN * 4] = "";
	struct tagger_opponent *from;

	if (pid)
		name_process(tagger, pid, name);
	from = opponent(changes, name);
	from->pid = pid;
	from->times++;
	tagger->counters.put_back++;
	tagger->counters.fights += action->is_left;
	if (action->is_left ? may_log(&changes->warned_ms) : from->times == 1 && may_log(&changes->told_ms))
		tell(tagger, action, from);
}

void changes_end_truces(struct tagger *tagger)
{
	const uint32_t now = clock_ms();
	uint32_t next_ms;

	if (!plan_end_truces(tagger->plan, now, &next_ms)) {
		sd_event_source_set_enabled(tagger->changes.truces, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time_relative(tagger->changes.truces, (uint64_t)(next_ms - now) * 1000);
	sd_event_source_set_enabled(tagger->changes.truces, SD_EVENT_ONESHOT);
}
