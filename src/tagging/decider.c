/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides due tasks in the order in which they were marked, and carries the decisions out. */
#include "decider.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* ---- one ---- */

/*
 * Skip the check for a reused id if all events until this long ago have been booked: two CPUs need 0.5 s to use up all
 * ids of the default pid_max, 32,768. A pid_max below some 1,000 can defeat that.
 */
#define REUSE_MIN_MS 10

/* Returns the name of a tag for the log: that of its class. */
static const char *tag_name(const struct config *config, uint16_t tag)
{
	const struct qos_class *class = class_of_tag(config, tag);

	return class ? class->name : "back";
}

static void log_tag(const struct decider *decider, const struct plan_action *action)
{
	char comm[TASK_COMM_LEN] = "", name[TASK_COMM_LEN * 4], attr[TASK_ATTR_TEXT_MAX];

	/* Do not log each change that the first scan or the stop makes: their number is logged. */
	if (!log_enabled(LOG_DEBUG) || !decider->logs_each || action->reason == REASON_UNDONE)
		return;
	procfs_comm(decider->proc, action->tid, comm);
	text_escape_to(name, sizeof(name), comm, strlen(comm));
	log_debug("%d %s: %s (%s): %s", (int)action->tid, name, tag_name(plan_config(decider->plan), action->tag),
		  reason_name(action->reason), task_attr_text(&action->want, attr));
}

void decider_name_process(const struct decider *decider, pid_t tid, char *ret, size_t size)
{
	const struct task *task = tasks_find(plan_tasks(decider->plan), tid);
	const pid_t pid = task ? task->tgid : tid;
	char comm[TASK_COMM_LEN] = "ended", name[TASK_COMM_LEN * 4];

	procfs_comm(decider->proc, pid, comm);
	snprintf(ret, size, "process %d (%s)", (int)pid, text_escape_to(name, sizeof(name), comm, strlen(comm)));
}

static void report_refusal(struct decider *decider, const struct plan_action *action, int error)
{
	char attr[TASK_ATTR_TEXT_MAX];
	int number = -error;

	decider->tally->counters.refused[number < TAGGER_ERRNO_MAX ? number : TAGGER_ERRNO_MAX]++;
	problem_report(&decider->tally->problems[PROBLEM_REFUSED], "the kernel refuses %s for task %d: %s",
		       task_attr_text(&action->want, attr), (int)action->tid, strerror(number));
}

static void report_not_kept(struct decider *decider, const struct plan_action *action, const struct task_attr *now)
{
	char want[TASK_ATTR_TEXT_MAX], got[TASK_ATTR_TEXT_MAX];

	decider->tally->counters.not_kept++;
	problem_report(&decider->tally->problems[PROBLEM_NOT_KEPT], "the kernel accepted %s for task %d but keeps %s",
		       task_attr_text(&action->want, want), (int)action->tid, task_attr_text(now, got));
}

/* Reads the stat of a task with a record. */
static int read_stat(const struct decider *decider, const struct task *task, struct procfs_stat *ret)
{
	return procfs_thread_stat(decider->proc, task->tgid, task->tid, ret);
}

/* Returns whether the task is gone, or its id now belongs to another one, whose fork is not booked yet. */
static bool is_another(const struct decider *decider, const struct plan_action *action)
{
	const struct task *task = tasks_find(plan_tasks(decider->plan), action->tid);
	struct procfs_stat stat;
	int r;

	if (clock_ms() - decider->booked_ms <= REUSE_MIN_MS)
		return false;
	r = read_stat(decider, task, &stat);
	return r == -ESRCH || (r == 0 && !task_is_same_start(task->start, (uint32_t)stat.start));
}

/*
 * Returns whether the task has ended or is ending. It loses its I/O priority while it still has its id (do_exit in
 * kernel/exit.c), so that what we have set seems not to be kept.
 */
static bool is_ending(const struct decider *decider, pid_t tid)
{
	struct procfs_stat stat = { 0 };

	return read_stat(decider, tasks_find(plan_tasks(decider->plan), tid), &stat) == -ESRCH ||
	       (stat.flags & PROCFS_PF_EXITING);
}

void decider_carry_out(struct decider *decider, const struct plan_action *action)
{
	struct task_attr now = task_attr_pristine;
	enum plan_result result;
	int r;

	if (decider->sets_nothing) {
		plan_applied(decider->plan, action, 0, &action->want);
		return;
	}
	r = is_another(decider, action) ? -ESRCH : applier_apply(&decider->applier, action, &now);
	result = plan_applied(decider->plan, action, r, &now);
	if (result == PLAN_NOT_KEPT && is_ending(decider, action->tid))
		result = PLAN_GONE;
	switch (result) {
	case PLAN_KEPT:
		decider->tally->counters.set++;
		decider->n_lowered += action->is_above_limit;
		log_tag(decider, action);
		break;
	case PLAN_CHANGED:
	case PLAN_GONE:
		decider->tally->counters.races++;
		break;
	case PLAN_NOT_KEPT:
		report_not_kept(decider, action, &now);
		break;
	case PLAN_REFUSED:
		report_refusal(decider, action, r);
		break;
	}
	if (action->is_enforced && (result == PLAN_KEPT || result == PLAN_CHANGED)) {
		decider->tally->counters.put_back++;
		decider->last_enforced = action->tid;
	}
}

/*
 * Events are booked after this many decisions. A scan may have hundreds of tasks decided in a row, but a child that is
 * born meanwhile must copy its parent's record of that moment, not the one after the next decision about the parent.
 */
#define BOOK_EVERY 16

/* Schedules another decision about a process that was decided about without some facts. */
static void note_spared(struct decider *decider, const struct facts *facts)
{
	struct retries *spared = &decider->spending.spared;
	uid_t user;
	pid_t tgid;

	if (facts->is_spared)
		retries_note(spared, facts->tgid, clock_ms());
	else if (spared->count && (facts->have & FACT_EXE))
		retries_forget(spared, facts->tgid);
	if (!live_facts_has_overspent(decider->facts, &user, &tgid))
		return;
	problem_report(&decider->tally->problems[PROBLEM_SPENDING],
		       "reading about processes of user %u takes too long, the last was process %d: for some "
		       "seconds, this user's new programs are matched without cgroup and user",
		       (unsigned)user, (int)tgid);
}

/* Books what was queued before now. The first call may only end a pass over the queues that began earlier. */
static void book_up_to_now(struct decider *decider)
{
	if (decider_book_some(decider))
		decider_book_some(decider);
}

/* Decides about one task and sets it. Returns true if the decision has to be repeated when arguments have arrived. */
static bool decide_one(struct decider *decider, struct plan_mark mark, bool may_defer)
{
	struct facts *facts;
	struct plan_action action;
	enum plan_step step;

	while (true) {
		facts = live_facts_for(decider->facts, mark.tid, mark.tgid);
		if (may_defer)
			live_facts_allow_deferral(decider->facts);
		step = plan_decide(decider->plan, &mark, facts, &action);
		if (step != PLAN_BOOK_FIRST)
			break;
		book_up_to_now(decider);
		mark.is_booked = true;
	}
	if (step == PLAN_SET)
		decider_carry_out(decider, &action);
	live_facts_learn(decider->facts);
	/* If its name is too long for the list, match it with its arguments next. */
	if (facts->argv_is_deferred &&
	    !deferred_note(&decider->deferred, mark.tgid, path_base(facts->exe), clock_tick_ms()))
		plan_mark_process(decider->plan, mark.tgid);
	note_spared(decider, facts);
	if (facts->exe_is_unknown || (facts->cgroup_is_unknown && !facts->is_spared))
		problem_report(&decider->tally->problems[PROBLEM_PATH],
			       "the path of the program or cgroup of process %d is too long (4,095 bytes, 128 cgroups): no pattern of paths matches it",
			       (int)mark.tgid);
	if (++decider->n_decided % BOOK_EVERY == 0)
		decider_book_some(decider);
	return live_facts_is_put_off(decider->facts);
}

/* ---- all that are due ---- */

/* Returns whether the process is among those that wait. */
static bool waits(const struct waiting *waiting, pid_t tgid)
{
	for (size_t i = 0; tgid && i < waiting->count; i++) {
		if (waiting->all[i].tgid == tgid)
			return true;
	}
	return false;
}

/* Returns whether the task is due because of an exec: then an earlier decision with arguments is obsolete. */
static bool calls_exec(const struct decider *decider, const struct plan_mark *mark)
{
	const struct task *task = tasks_find(plan_tasks(decider->plan), mark->tid);

	return task && task->due == DUE_EXEC;
}

/*
 * Decides about a task, or puts it off until its arguments are there and no task of its process or parent waits.
 */
static void decide_or_put_off(struct decider *decider, const struct plan_mark *mark)
{
	struct waiting *waiting = &decider->waiting;
	const bool asks = plan_asks_argv(decider->plan, mark);
	const bool may_defer = asks && calls_exec(decider, mark) && deferred_has_room(&decider->deferred);
	const int r = asks && !may_defer ? arguments_want(&decider->arguments, mark->tgid) : 0;

	if (r == -ESRCH)
		return;
	if (r < 0 || waits(waiting, mark->tgid) || waits(waiting, mark->parent) ||
	    decide_one(decider, *mark, may_defer))
		waiting->all[waiting->count++] = *mark;
}

/*
 * Longest time to decide. Without a limit, a storm of execs that is faster than we are would keep us here forever. It
 * is measured by the times of the events that are booked meanwhile, which costs no call.
 */
#define DECIDE_MAX_MS 100
#define DRAIN_MAX_MS  5000

static bool is_over(const struct decider *decider, uint32_t from_ms, uint32_t max_ms)
{
	/* An event may be older than the one before it, if its sender was preempted. */
	return !is_before(decider->booked_ms, from_ms + max_ms);
}

/* Goes through due tasks. Returns true if no more can wait, false when no more are due or the time is over. */
static bool go_through(struct decider *decider, uint32_t from_ms, uint32_t max_ms)
{
	struct plan_mark mark;

	while (decider->waiting.count < WAITING_MAX) {
		if (is_over(decider, from_ms, max_ms) || !plan_next(decider->plan, &mark))
			return false;
		decide_or_put_off(decider, &mark);
	}
	return true;
}

/* Decides tasks that need not wait any longer, in the order in which they were marked. */
static void go_through_waiting(struct decider *decider)
{
	struct waiting *waiting = &decider->waiting;
	const size_t count = waiting->count;

	waiting->count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct plan_mark mark = waiting->all[i];

		decide_or_put_off(decider, &mark);
	}
	for (size_t i = 0; i < waiting->count; i++)
		arguments_keep(&decider->arguments, waiting->all[i].tgid);
	arguments_end_round(&decider->arguments);
}

/* Matches a process again if its arguments, which the decision did not wait for, could lead to another rule. */
static void review_deferred(struct decider *decider)
{
	char *argv = decider->facts->argv;
	struct deferred_process process;
	size_t size;

	while (deferred_take(&decider->deferred, &decider->arguments, argv, &process, &size)) {
		const struct facts facts = {
			.have = FACT_EXE | FACT_ARGV, .exe = process.exe, .argv = argv, .argv_size = size
		};

		if (rules_argv_may_matter(plan_config(decider->plan)->rules, &facts))
			plan_mark_process(decider->plan, process.tgid);
	}
}

/* Returns whether a decision waits for arguments, or was made without them. */
static bool lacks_arguments(const struct decider *decider)
{
	return decider->waiting.count || decider->deferred.count;
}

/*
 * Nearly all answers arrive within 50 us. Events of so short a time are booked after the decisions, like those that
 * arrive during them.
 */
#define ANSWERED_AT_ONCE_MS 1

/* Every open question is settled after 100 ms. Questions that are added meanwhile are left to the loop. */
#define WAIT_MAX_MS 150

/*
 * Decides and sets due tasks, but for a limited time. Tasks that need arguments wait; with until_none, this function
 * waits for them, and books events every 5 ms.
 */
static void decide_due(struct decider *decider, bool until_none)
{
	const uint32_t from_ms = decider->booked_ms, began_ms = until_none ? clock_ms() : 0;
	const uint32_t max_ms = decider->is_ending ? INT32_MAX : until_none ? DRAIN_MAX_MS : DECIDE_MAX_MS;
	struct waiting *waiting = &decider->waiting;
	bool is_full, is_left, may_block, settled;

	/* Goes on while no more decisions can wait, while answers arrive, and with until_none until nothing waits. */
	do {
		is_full = go_through(decider, from_ms, max_ms);
		deferred_ask(&decider->deferred, &decider->arguments, decider->booked_ms, until_none);
		may_block = is_full || (until_none && lacks_arguments(decider));
		settled = (waiting->count || decider->arguments.count) &&
			  arguments_exchange(&decider->arguments, may_block);
		if ((settled || may_block) && clock_ms() - decider->booked_ms > ANSWERED_AT_ONCE_MS)
			decider_book_some(decider);
		if (settled) {
			review_deferred(decider);
			go_through_waiting(decider);
		}
		is_left = until_none && lacks_arguments(decider) && clock_ms() - began_ms < WAIT_MAX_MS;
	} while (!is_over(decider, from_ms, max_ms) && (is_full || settled || is_left));
}

bool decider_handle(struct decider *decider)
{
	const bool is_empty = decider_book(decider);

	decide_due(decider, false);
	return is_empty;
}

void decider_drain(struct decider *decider)
{
	decider_book(decider);
	decide_due(decider, true);
	later_wake(decider->later);
}

void decider_drop_waiting(struct decider *decider)
{
	decider->waiting.count = 0;
	deferred_reset(&decider->deferred);
	arguments_reset(&decider->arguments);
}

/* ---- later ---- */

/* Has the process whose time has come matched again, unless it is gone. */
static void retry(struct decider *decider, struct retries *retries)
{
	const pid_t tgid = retries_take(retries, clock_ms());
	struct task_attr attr;

	if (tgid && (applier_read(&decider->applier, tgid, &attr) == -ESRCH || !plan_mark_process(decider->plan, tgid)))
		retries_forget(retries, tgid);
}

void decider_retry(struct decider *decider)
{
	retry(decider, &decider->arguments.retries);
	retry(decider, &decider->spending.spared);
}

/* Sets the time to ms if none is set, or a later one. */
static void set_earlier(bool *is_set, uint32_t *at_ms, uint32_t ms)
{
	if (!*is_set || is_before(ms, *at_ms))
		*at_ms = ms;
	*is_set = true;
}

bool decider_next(const struct decider *decider, uint32_t *ret_ms)
{
	bool is_set = false;
	uint32_t ms;

	if (arguments_next(&decider->arguments, &ms))
		set_earlier(&is_set, ret_ms, ms);
	if (deferred_next(&decider->deferred, &decider->arguments, &ms))
		set_earlier(&is_set, ret_ms, ms);
	if (retries_next(&decider->spending.spared, &ms))
		set_earlier(&is_set, ret_ms, ms);
	return is_set;
}

/* ---- beginning and end ---- */

void decider_init(struct decider *decider, int proc, struct later *later, struct tally *tally)
{
	decider->proc = proc;
	decider->later = later;
	decider->tally = tally;
	arguments_init(&decider->arguments, proc);
}

int decider_plan(struct decider *decider, const struct config *config, const struct state_legacy *legacy,
		 const struct tasks_memory *memory)
{
	struct plan *plan;
	int r;

	decider->facts = live_facts_new(decider->proc, &decider->applier, &decider->arguments, &decider->spending);
	plan = decider->plan = plan_new(&decider->applier.caps, getpid(), legacy->start, memory);
	if (!decider->facts || !plan)
		return -ENOMEM;
	r = plan_adopt(plan, legacy->records, legacy->n_records, legacy->given, legacy->stopped);
	if (r == 0)
		r = plan_set_config(plan, config);
	if (r == 0)
		applier_enable_io_priority(&decider->applier, plan_given(plan));
	return r;
}

int decider_set_config(struct decider *decider, const struct config *config)
{
	int r = plan_set_config(decider->plan, config);

	if (r < 0)
		return r;
	deferred_reset(&decider->deferred);
	arguments_reset(&decider->arguments);
	live_facts_unlearn(decider->facts);
	applier_enable_io_priority(&decider->applier, plan_given(decider->plan));
	return 0;
}

void decider_free(struct decider *decider)
{
	arguments_free(&decider->arguments);
	plan_free(decider->plan);
	live_facts_free(decider->facts);
}
