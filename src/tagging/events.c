/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns events into attributes. Queued events are booked in the order of time; then due tasks are decided in the order
 * of marking, and set. A task that needs its process's arguments waits for them, and so do tasks that were marked
 * through it: its threads, and children that it had while it waited. All others go on. If the answers took a while, the
 * queues are read and booked once more when they arrive.
 */
#include "tagger_private.h"

#include <errno.h>
#include <string.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

/* ---- booking ---- */

/*
 * Longest time to book events. Without a limit, a storm that is faster than we are would keep us here forever. In this
 * time we handle twice as many events as the buffers hold.
 */
#define DRAIN_MAX_MS 100

#define EVENTS_BATCH 512

/*
 * Finds out for how long the machine has been suspended since its boot. The two clocks are read again only after the
 * wall clock was set, as each resume does (__timekeeping_inject_sleeptime in timekeeping.c, 6.18): reading a clock may
 * be a system call, but the coarse ones never are.
 */
static void note_suspends(struct tagger *tagger)
{
	const uint64_t wall_ns = clock_ns(CLOCK_REALTIME_COARSE) - clock_ns(CLOCK_MONOTONIC_COARSE);
	uint64_t monotonic_ns;

	if (wall_ns == tagger->wall_ns)
		return;
	tagger->wall_ns = wall_ns;
	monotonic_ns = clock_ns(CLOCK_MONOTONIC);
	tagger->suspended_ns = clock_ns(CLOCK_BOOTTIME) - monotonic_ns;
}

/*
 * Events carry CLOCK_MONOTONIC, which stands still while the machine is suspended; start times in /proc are of
 * CLOCK_BOOTTIME. A delay between reading the two clocks makes a start later, and so does a suspend since the event: a
 * recorded start may be late by any time.
 */
static uint64_t boot_ns(const struct tagger *tagger, const struct task_event *event)
{
	return event->ns + tagger->suspended_ns;
}

/* Period over which a flood is counted: a program that names a thousand threads at its start is no flood. */
#define COUNTED_MS 200

bool flood_count(struct flood *flood, unsigned rate, pid_t tgid, uint32_t ms)
{
	if (!flood->count || ms - flood->since_ms >= COUNTED_MS)
		*flood = (struct flood){ .since_ms = ms };
	flood->tgid = tgid;
	if (++flood->count < rate * COUNTED_MS / 1000)
		return false;
	flood->count = 0;
	return true;
}

/* Makes the loop pause renames or moves: see struct names and moves. */
static void begin_flood(struct tagger *tagger, struct flood *flood, enum intake_queue kind)
{
	flood->is_on = true;
	intake_ignore(tagger->intake, kind);
}

static void note_young(struct moves *moves, pid_t tgid)
{
	if (moves->how == HEARING_POLLED && moves->n_young < YOUNG_MAX)
		moves->young[moves->n_young++] = (struct young){ .tgid = tgid };
}

/* Time for which the user of a moved process is remembered: looking it up takes longer than reading the event. */
#define MOVER_MS 1000

static uid_t user_of_moved(struct tagger *tagger, pid_t tgid, uint32_t ms)
{
	struct mover *mover = &tagger->moves.movers[(uint32_t)tgid % MOVERS];

	if (mover->tgid != tgid || ms - mover->ms >= MOVER_MS)
		*mover = (struct mover){ tgid, procfs_user(tagger->proc, tgid), ms };
	return mover->user;
}

/* Returns whether to match a moved process again now; if not, it is matched when its user's debt has shrunk. */
static bool may_match_moved(struct tagger *tagger, pid_t tid)
{
	const struct task *task = tasks_find(plan_tasks(tagger->plan), tid);
	const uint32_t ms = clock_ms();
	uid_t user;

	if (!task)
		return false;
	user = user_of_moved(tagger, task->tgid, ms);
	if (!spending_allows(&tagger->spending, user, ms)) {
		unread_note(&tagger->spending.spared, task->tgid, ms);
		return false;
	}
	if (spending_note_move(&tagger->spending, user, ms))
		problem_report(&tagger->problems[PROBLEM_SPENDING],
			       "processes of user %d move between cgroups too often, the last was %d: for some seconds "
			       "they keep the class that they had before a move",
			       (int)user, (int)task->tgid);
	return true;
}

static void book(struct tagger *tagger, struct task_event *event)
{
	switch (event->what) {
	case EVENT_FORK:
		event->start = (uint32_t)(boot_ns(tagger, event) / tagger->tick_ns);
		/* The id may have belonged to another process, though not for long. */
		if (event->tid == event->tgid)
			arguments_changed(&tagger->arguments, event->tgid);
		if (event->tid == event->tgid && tagger->moves.how == HEARING_HEARD)
			live_facts_forget_place(tagger->facts, event->tgid);
		tagger->counters.forks++;
		break;
	case EVENT_EXEC:
		tagger->counters.execs++;
		arguments_changed(&tagger->arguments, event->tgid);
		note_young(&tagger->moves, event->tgid);
		break;
	case EVENT_RENAME:
		tagger->counters.renames++;
		if (flood_count(&tagger->names.flood, FLOOD_RATE, event->tgid, event->ms))
			begin_flood(tagger, &tagger->names.flood, INTAKE_NAMES);
		break;
	case EVENT_MOVE:
		tagger->counters.moves++;
		if (flood_count(&tagger->moves.flood, FLOOD_RATE, event->tid, event->ms))
			begin_flood(tagger, &tagger->moves.flood, INTAKE_MOVES);
		if (!may_match_moved(tagger, event->tid))
			return;
		break;
	}
	plan_book(tagger->plan, event);
}

static void note_loss(struct tagger *tagger)
{
	tagger->counters.lost++;
	tagger->events_lost = true;
	problem_report(&tagger->problems[PROBLEM_LOST], "the kernel dropped events: scanning every task again");
}

static void note_error(struct tagger *tagger, int error)
{
	tagger->events_lost = true;
	problem_report(&tagger->problems[PROBLEM_RECEIVE], "receiving events: %s", strerror(error));
}

/* Receives and books up to EVENTS_BATCH events, and decides nothing. Returns whether nothing was left. */
static bool book_some(struct tagger *tagger)
{
	struct task_event event;
	int error;

	/* A restore has no subscription. */
	if (!tagger->intake)
		return true;
	note_suspends(tagger);
	for (int i = 0; i < EVENTS_BATCH; i++) {
		switch (intake_next(tagger->intake, &event, &error)) {
		case INTAKE_EVENT:
			tagger->booked_ms = event.ms;
			book(tagger, &event);
			break;
		case INTAKE_EMPTY:
			tagger->booked_ms = (uint32_t)(intake_read_until_us(tagger->intake) / 1000);
			return true;
		case INTAKE_LOST:
			note_loss(tagger);
			break;
		case INTAKE_LOST_NAMES:
			tagger->names.flood.tgid = 0;
			begin_flood(tagger, &tagger->names.flood, INTAKE_NAMES);
			break;
		case INTAKE_LOST_MOVES:
			begin_flood(tagger, &tagger->moves.flood, INTAKE_MOVES);
			break;
		case INTAKE_ERROR:
			note_error(tagger, error);
			return true;
		}
	}
	return false;
}

bool events_book(struct tagger *tagger)
{
	uint32_t began;

	if (book_some(tagger))
		return true;
	began = clock_ms();
	while (!book_some(tagger)) {
		if (clock_ms() - began > DRAIN_MAX_MS)
			return false;
	}
	return true;
}

/* ---- one ---- */

/* An id is not reused in less time than this: even the smallest pid_max, 301, does not wrap within it. */
#define REUSE_MIN_MS 10

/* Names a tag for people: its class. */
static const char *tag_name(const struct config *config, uint16_t tag)
{
	const struct qos_class *class = class_of_tag(config, tag);

	return class ? class->name : "back";
}

static void log_tag(const struct tagger *tagger, const struct plan_action *action)
{
	char comm[TASK_COMM_LEN] = "", name[TASK_COMM_LEN * 4], attr[TASK_ATTR_TEXT_MAX];

	/* Log no single change of the first scan or of the stop; their number is logged. */
	if (!log_enabled(LOG_DEBUG) || !tagger->started || action->reason == REASON_UNDONE)
		return;
	procfs_comm(tagger->proc, action->tid, comm);
	text_escape_to(name, sizeof(name), comm, strlen(comm));
	log_debug("%d %s: %s (%s): %s", (int)action->tid, name, tag_name(tagger->config, action->tag),
		  reason_name(action->reason), task_attr_text(&action->want, attr));
}

static void report_refusal(struct tagger *tagger, const struct plan_action *action, int error)
{
	char attr[TASK_ATTR_TEXT_MAX];
	int number = -error;

	tagger->counters.refused[number < TAGGER_ERRNO_MAX ? number : TAGGER_ERRNO_MAX]++;
	problem_report(&tagger->problems[PROBLEM_REFUSED], "the kernel refuses %s for task %d: %s",
		       task_attr_text(&action->want, attr), (int)action->tid, strerror(number));
}

static void report_not_kept(struct tagger *tagger, const struct plan_action *action, const struct task_attr *now)
{
	char want[TASK_ATTR_TEXT_MAX], got[TASK_ATTR_TEXT_MAX];

	tagger->counters.not_kept++;
	problem_report(&tagger->problems[PROBLEM_NOT_KEPT], "the kernel accepted %s for task %d but keeps %s",
		       task_attr_text(&action->want, want), (int)action->tid, task_attr_text(now, got));
}

/*
 * Returns whether the id now belongs to another task, whose fork is not booked yet. Two CPUs take 0.5 s to go through
 * the 32,768 ids of the default pid_max (6.18), so this is checked only after a delay.
 */
static bool is_another(const struct tagger *tagger, const struct plan_action *action)
{
	const struct task *task = tasks_find(plan_tasks(tagger->plan), action->tid);
	struct procfs_stat stat;

	if (clock_ms() - tagger->booked_ms <= REUSE_MIN_MS || procfs_stat(tagger->proc, action->tid, &stat) < 0)
		return false;
	return !task_is_same_start(task->start, (uint32_t)stat.start);
}

void due_carry_out(struct tagger *tagger, const struct plan_action *action)
{
	struct task_attr now = task_attr_pristine;
	enum plan_result result;
	int r;

	if (tagger->sets_nothing) {
		plan_applied(tagger->plan, action, 0, &action->want);
		return;
	}
	r = is_another(tagger, action) ? -ESRCH : applier_apply(&tagger->applier, action, &now);
	result = plan_applied(tagger->plan, action, r, &now);
	switch (result) {
	case PLAN_KEPT:
		tagger->counters.set++;
		tagger->lowered += action->is_lowered;
		log_tag(tagger, action);
		break;
	case PLAN_CHANGED:
	case PLAN_GONE:
		tagger->counters.races++;
		break;
	case PLAN_NOT_KEPT:
		report_not_kept(tagger, action, &now);
		break;
	case PLAN_REFUSED:
		report_refusal(tagger, action, r);
		break;
	}
	if (action->is_put_back && (result == PLAN_KEPT || result == PLAN_CHANGED)) {
		tagger->counters.put_back++;
		tagger->changes.put_back = action->tid;
	}
}

/*
 * Events are booked after this many decisions. A scan may have hundreds of tasks decided in a row, but a child that is
 * born meanwhile must copy its parent's record of that moment, not the one after the next decision about the parent.
 */
#define BOOK_EVERY 16

/* Schedules another decision about a process that was decided about without some facts. */
static void check_spending(struct tagger *tagger, const struct facts *facts)
{
	struct unread *spared = &tagger->spending.spared;
	uid_t user;
	pid_t tgid;

	if (facts->is_spared)
		unread_note(spared, facts->tgid, clock_ms());
	else if (spared->count && (facts->have & FACT_EXE))
		unread_forget(spared, facts->tgid);
	if (!live_facts_has_overspent(tagger->facts, &user, &tgid))
		return;
	problem_report(&tagger->problems[PROBLEM_SPENDING],
		       "reading about processes of user %d takes too long, the last was %d: for some seconds those that "
		       "call exec are decided about without their cgroup and what users they run as",
		       (int)user, (int)tgid);
}

/* Returns whether the decision has to wait for an answer. */
static bool decide_one(struct tagger *tagger, const struct plan_due *due, bool may_defer)
{
	struct facts *facts = live_facts_for(tagger->facts, due->tid, due->tgid);
	struct plan_action action;

	if (may_defer)
		live_facts_allow_deferral(tagger->facts);
	if (plan_decide(tagger->plan, due, facts, &action))
		due_carry_out(tagger, &action);
	live_facts_learn(tagger->facts);
	check_spending(tagger, facts);
	if (facts->exe_is_unknown || (facts->cgroup_is_unknown && !facts->is_spared))
		problem_report(&tagger->problems[PROBLEM_PATH],
			       "the path of a program or a cgroup is over 4,095 bytes: it matches nothing");
	if (++tagger->waiting.decided % BOOK_EVERY == 0)
		book_some(tagger);
	return live_facts_await(tagger->facts);
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

/* Returns whether the task is due because of an exec: then an earlier decision with arguments is of no use any more. */
static bool calls_exec(const struct tagger *tagger, const struct plan_due *due)
{
	const struct task *task = tasks_find(plan_tasks(tagger->plan), due->tid);

	return task && task->due == DUE_EXEC;
}

/*
 * Decides a task, or puts it off until its arguments are there and the tasks through which it was marked are decided.
 */
static void decide_or_put_off(struct tagger *tagger, const struct plan_due *due)
{
	struct waiting *waiting = &tagger->waiting;
	const bool asks = plan_asks_argv(tagger->plan, due), may_defer = asks && calls_exec(tagger, due);
	const int r = asks && !may_defer ? arguments_want(&tagger->arguments, due->tgid) : 0;

	if (r == -ESRCH)
		return;
	if (r < 0 || waits(waiting, due->tgid) || waits(waiting, due->parent) || decide_one(tagger, due, may_defer))
		waiting->all[waiting->count++] = *due;
}

/* Goes through due tasks. Returns false when no more are due, true if no more can wait. */
static bool go_through(struct tagger *tagger)
{
	struct plan_due due;

	while (tagger->waiting.count < WAITING_MAX) {
		if (!plan_next(tagger->plan, &due))
			return false;
		decide_or_put_off(tagger, &due);
	}
	return true;
}

/* Decides tasks that need not wait any longer, in the order of marking. */
static void go_through_waiting(struct tagger *tagger)
{
	struct waiting *waiting = &tagger->waiting;
	const size_t count = waiting->count;

	waiting->count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct plan_due due = waiting->all[i];

		decide_or_put_off(tagger, &due);
	}
	for (size_t i = 0; i < waiting->count; i++)
		arguments_keep(&tagger->arguments, waiting->all[i].tgid);
	arguments_end_round(&tagger->arguments);
}

/*
 * Has those processes matched again to which the arguments may matter that were not read for the decision. Such a
 * match is booked like a move, as it marks the same.
 */
static void review_deferred(struct tagger *tagger)
{
	char *argv = tagger->facts->argv;
	struct deferred deferred;
	size_t size;

	while (arguments_next_deferred(&tagger->arguments, argv, &deferred, &size)) {
		const struct facts facts = {
			.have = FACT_EXE | FACT_ARGV, .exe = deferred.exe, .argv = argv, .argv_size = size
		};
		struct task_event event = { .what = EVENT_MOVE, .tid = deferred.tgid, .tgid = deferred.tgid };

		if (!rules_argv_may_matter(tagger->config->rules, &facts) ||
		    !tasks_find(plan_tasks(tagger->plan), deferred.tgid))
			continue;
		event.ms = clock_ms();
		plan_book(tagger->plan, &event);
	}
}

/* Returns whether a decision waits for arguments, or was made without them. */
static bool is_waiting(const struct tagger *tagger)
{
	return tagger->waiting.count || tagger->arguments.n_deferred;
}

/*
 * Nearly all answers arrive within 50 us. Events of so short a time are booked after the decisions, like those that
 * arrive during them.
 */
#define ANSWERED_AT_ONCE_MS 1

/* Every open question is settled after 100 ms. Questions that are added meanwhile are left to the loop. */
#define WAIT_MAX_MS 150

/*
 * Decides and sets due tasks. Tasks that need arguments wait; with until_none, this function waits for them, and books
 * events every 5 ms.
 */
static void due_decide(struct tagger *tagger, bool until_none)
{
	const uint32_t began_ms = until_none ? clock_ms() : 0;
	struct waiting *waiting = &tagger->waiting;
	bool is_full, waits, settled;

	do {
		is_full = go_through(tagger);
		arguments_check_deferred(&tagger->arguments, tagger->booked_ms, until_none);
		waits = is_full || (until_none && is_waiting(tagger));
		settled = (waiting->count || tagger->arguments.count) && arguments_exchange(&tagger->arguments, waits);
		if ((settled || waits) && clock_ms() - tagger->booked_ms > ANSWERED_AT_ONCE_MS)
			book_some(tagger);
		if (settled) {
			review_deferred(tagger);
			go_through_waiting(tagger);
		}
	} while (is_full || settled || (until_none && is_waiting(tagger) && clock_ms() - began_ms < WAIT_MAX_MS));
}

bool events_handle(struct tagger *tagger)
{
	const bool is_empty = events_book(tagger);

	due_decide(tagger, false);
	return is_empty;
}

void events_drain(struct tagger *tagger)
{
	events_book(tagger);
	due_decide(tagger, true);
	tagger_wake(tagger);
}
