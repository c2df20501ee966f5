/* SPDX-License-Identifier: GPL-2.0-only */
/* Judges which attributes somebody has chosen, by comparing them with all records that the task may be a copy of. */
#include "plan_private.h"

/* Attributes that may take privilege. */
#define PRIVILEGED (TASK_ATTR_POLICY | TASK_ATTR_NICE | TASK_ATTR_IO_PRIORITY)

/* Compare with at most this many threads: a process may have tens of thousands. */
#define THREADS_COMPARED 256

/* ---- bounds ---- */

/* Returns whether `had` may take over the policy that was found. */
static bool can_have_policy(const struct task *task, const struct task_attr *actual, const struct given *given)
{
	const struct task_attr *had = &task->had, *known = &task->known;
	const bool is_copy = task->flags & (TASK_COPY | TASK_MIXED);
	const int found = attr_rank(actual->policy, actual->rt_priority);

	if (found && task_policy_is_fair(had->policy))
		return found > (is_copy ? given->highest_rank : known->rt_priority);
	if (had->policy == POLICY_IDLE)
		return known->policy == POLICY_IDLE && !(is_copy && given->raised_idle);
	return true;
}

/*
 * Returns the attributes that `had` may take over, so that no task gets more than its owner could take. A choice above
 * `had` must have taken privilege in these cases ("copy" includes a leader whose threads differ):
 *	- its nice value is below, or its I/O priority above, all that classes have given (struct given);
 *	- its real-time priority is above that of `known`, or for a copy above all that classes have given;
 *	- it lowers the nice value of a task that is no copy, and no class was ever put on the task or its ancestors;
 *	- it leaves SCHED_IDLE, and `known` was SCHED_IDLE; not for a copy if a class has taken any task out of it.
 */
static uint8_t can_have(const struct task *task, const struct task_attr *actual, const struct given *given)
{
	uint8_t bits = (uint8_t)~0;

	if (!can_have_policy(task, actual, given))
		bits &= ~TASK_ATTR_POLICY;
	if ((task->flags & (TASK_COPY | TASK_MIXED | TASK_TOUCHED)) && actual->nice < task->had.nice &&
	    actual->nice >= given->lowest_nice)
		bits &= ~TASK_ATTR_NICE;
	if (io_priority_is_privileged(task->had.io_priority, actual->io_priority) &&
	    !io_priority_is_privileged(given->highest_io, actual->io_priority))
		bits &= ~TASK_ATTR_IO_PRIORITY;
	return bits;
}

/* Writes in an order that gives the next judgement the same result if we are killed halfway. See task_publish. */
static void record(struct task *task, const struct task *judged)
{
	task->had = judged->had;
	task_publish();
	task->theirs = judged->theirs;
	task_publish();
	task->known = judged->known;
}

/* ---- which record fits ---- */

/*
 * How well a record fits what was found, worst first. Without privilege a task cannot raise itself, so nothing found
 * should be above its record.
 */
enum fit {
	FITS_NOT,     /* something found is above the record */
	FITS_LOOSELY, /* nothing is above it; the slice differs */
	FITS_PARTLY,  /* nothing is above it; the slice is equal, something else differs */
	FITS,	      /* all is equal */
};

/* The records that fit best so far, combined. */
struct guess {
	enum fit fit;
	struct task_attr known; /* from the first record */
	struct task_attr had;	/* the least of all records */
	uint8_t theirs;		/* from the first record */
	uint8_t differs;	/* attributes in which some record differs from what was found */
	bool among_threads;	/* compares several threads: a loose fit counts as FITS_NOT, so it rules out no other */
	uint8_t doubted;	/* attributes that count as chosen if they are below `had` */
};

static enum fit fit_of(const struct task_attr *actual, const struct task_attr *known)
{
	const uint8_t differs = attr_difference(actual, known);

	if (attr_above(actual, known))
		return FITS_NOT;
	if (!differs)
		return FITS;
	return differs & TASK_ATTR_SLICE ? FITS_LOOSELY : FITS_PARTLY;
}

/* Adds a record to the guess if it fits as well as those before, or replaces them if it fits better. */
static void consider(struct guess *guess, const struct task_attr *actual, const struct task_attr *known,
		     const struct task_attr *had, uint8_t theirs)
{
	const uint8_t differs = attr_difference(actual, known);
	enum fit fit = fit_of(actual, known);

	if (fit == FITS_LOOSELY && guess->among_threads)
		fit = FITS_NOT;
	if (fit > guess->fit) {
		*guess = (struct guess){ fit, *known, *had, theirs, differs, guess->among_threads, guess->doubted };
	} else if (fit == guess->fit) {
		guess->had = attr_least(&guess->had, had);
		guess->differs |= differs;
	}
}

static struct guess guess_own_record(const struct task *task, const struct task_attr *actual)
{
	return (struct guess){
		.fit = fit_of(actual, &task->known),
		.known = task->known,
		.had = task->had,
		.theirs = task->theirs,
		.differs = attr_difference(actual, &task->known),
	};
}

/* Updates the record by the guess. */
static void settle(struct task *task, const struct task_attr *actual, const struct guess *guess,
		   const struct given *given)
{
	struct task judged = *task;
	uint8_t chosen = attr_difference(actual, &guess->known);

	judged.had = guess->had;
	judged.known = guess->known;
	chosen |= attr_above(&judged.had, actual) & (guess->differs | guess->doubted);
	/* If a choice took privilege on the origin, it becomes `had` of the copy as well. */
	chosen |= guess->theirs & attr_above(actual, &judged.had);
	attr_copy(&judged.had, actual, chosen & can_have(&judged, actual, given));
	judged.theirs = guess->theirs | chosen;
	attr_copy(&judged.known, actual, attr_difference(actual, &judged.known));
	/* Reset-on-fork is not judged. The kernel may have set it, because SCHED_DEADLINE needs it. */
	if (actual->policy != POLICY_DEADLINE || judged.had.policy == POLICY_DEADLINE)
		judged.had.reset_on_fork = actual->reset_on_fork;
	judged.known.reset_on_fork = actual->reset_on_fork;
	record(task, &judged);
	/* Children born from now on carry the choice, so an older `prev` says nothing about them. */
	if (chosen)
		task->prev = task->known;
}

void judge_by_own_record(struct task *task, const struct task_attr *actual, const struct given *given)
{
	const struct guess guess = guess_own_record(task, actual);

	settle(task, actual, &guess, given);
}

/* ---- tasks that it may be a copy of ---- */

/* Returns the origin's record, or NULL if another task has its id now. */
static struct task *origin_of(const struct plan *plan, const struct plan_mark *mark)
{
	struct task *origin = tasks_find(plan->tasks, mark->origin);

	return origin && task_is_same_start(mark->origin_start, origin->start) ? origin : NULL;
}

/* Compares with `known` of another task, and with its `prev` if it is fresh. */
static void consider_task(struct guess *guess, const struct task_attr *actual, const struct task *other)
{
	const struct task_attr known = attr_after_fork(&other->known), prev = attr_after_fork(&other->prev);
	const struct task_attr had = attr_after_fork(&other->had);

	consider(guess, actual, &known, &had, other->theirs);
	if (other->flags & TASK_FRESH)
		consider(guess, actual, &prev, &had, other->theirs);
}

/*
 * Compares with the threads of the process, or for a process with those of its parent. Returns false if there are too
 * many to compare with all.
 */
static bool consider_threads(const struct plan *plan, const struct decision *decision, struct guess *guess)
{
	const struct task *task = decision->task;
	const struct task *other = task->tid == task->tgid ? origin_of(plan, decision->mark) :
							     tasks_leader(plan->tasks, task->tgid);

	for (int i = 0; other && i < THREADS_COMPARED; i++, other = tasks_next_thread(plan->tasks, other)) {
		if (other != task)
			consider_task(guess, &decision->actual, other);
	}
	return !other;
}

/* Returns the origin if it still runs and its record is settled: looked at, and not due. Otherwise NULL. */
static const struct task *settled_origin(const struct plan *plan, const struct decision *decision)
{
	const struct task *origin = origin_of(plan, decision->mark);
	struct facts *facts = decision->facts;
	struct task_attr now;

	if (!origin || (origin->flags & TASK_COPY) || origin->due != DUE_NOTHING)
		return NULL;
	/* Only whether it can be read counts: a task that has ended cannot. */
	return facts->read_other && facts->read_other(facts, origin->tid, &now) == 0 ? origin : NULL;
}

/*
 * Compares with `had`, with the record of a settled origin and, for a fresh record that nothing equals, with `prev`.
 * Leaves out the origin unless the task was marked at its birth or is a process whose birth was missed: later the
 * origin may have changed. If only `prev` fits, some attributes are doubted: those that are lower in the origin's
 * `had`, or all if there is no settled origin.
 */
static void consider_origin(const struct plan *plan, const struct decision *decision, struct guess *guess)
{
	const struct task *task = decision->task, *origin = settled_origin(plan, decision);
	const struct task_attr *actual = &decision->actual;
	struct task_attr had, found;
	uint8_t doubted = (uint8_t)~0;

	if (fit_of(actual, &task->had) == FITS)
		consider(guess, actual, &task->had, &task->had, 0);
	if (origin) {
		had = attr_after_fork(&origin->had);
		doubted = attr_above(&task->had, &had);
		had = attr_least(&had, &task->had);
		found = attr_after_fork(origin->flags & TASK_FRESH ? &origin->prev : &origin->known);
		if (decision->mark->is_born || (task->flags & TASK_UNHEARD))
			consider(guess, actual, &found, &had, origin->theirs);
	}
	if (!(task->flags & TASK_FRESH) || guess->fit == FITS)
		return;
	consider(guess, actual, &task->prev, &task->had, 0);
	if (attr_difference(&guess->known, &task->known))
		guess->doubted = doubted;
}

/* Ends the origin's freshness if its child carries all that was set on it: later children will carry it, too. */
static void prove(const struct plan *plan, const struct decision *decision)
{
	struct task *origin = origin_of(plan, decision->mark);

	if (origin && decision->mark->is_born && !attr_difference(&origin->known, &decision->task->known))
		origin->flags &= ~TASK_FRESH;
}

/*
 * Compares the attributes with the task's own record. A task that was being set may also carry `prev`.
 *
 * At the first look a copy that does not carry its own `known` is compared with other candidates as well: its `had` as
 * a whole; its `prev` if it is fresh; and the record of its origin. A copy in doubt (TASK_IN_DOUBT) is always compared
 * with `known` and fresh `prev` of each thread. Only the candidates that fit best count (enum fit): the copy gets
 * `known` and `theirs` of the first of them, and the least `had` of all. An attribute found below that `had` counts as
 * chosen unless all these candidates have the value found. If only `prev` fits, it still counts as chosen if the origin
 * has ended or has a lower `had`.
 */
bool plan_judge(const struct plan *plan, const struct decision *decision)
{
	const struct task_attr *actual = &decision->actual;
	struct task *task = decision->task;
	struct guess guess = guess_own_record(task, actual);
	const bool is_own = guess.fit == FITS;
	bool origin_unknown = false;

	if (task->flags & TASK_SETTING) {
		consider(&guess, actual, &task->prev, &task->had, 0);
	} else if (decision->is_first_look && (task->flags & TASK_IN_DOUBT)) {
		guess.among_threads = true;
		if (guess.fit == FITS_LOOSELY)
			guess.fit = FITS_NOT;
		origin_unknown = !consider_threads(plan, decision, &guess);
	} else if (decision->is_first_look && !is_own) {
		consider_origin(plan, decision, &guess);
	}
	if (!decision->mark->is_booked && attr_difference(actual, &guess.known))
		return false;
	/*
	 * If no record fits, the task may have chosen what it carries. If the difference takes privilege, the parent
	 * may only have adopted the task. A custom slice takes none.
	 */
	if ((task->flags & TASK_UNHEARD) && guess.fit != FITS) {
		guess.doubted |= PRIVILEGED;
		origin_unknown |= attr_difference(actual, &guess.known) & PRIVILEGED;
	}
	if (origin_unknown)
		given_lower(plan->given, actual, &guess.had);
	settle(task, actual, &guess, plan->given);
	if (decision->is_first_look) {
		if (is_own && (task->flags & TASK_FRESH))
			prove(plan, decision);
		task->flags &= ~TASK_FRESH;
	}
	task->flags &= ~(TASK_COPY | TASK_SETTING | TASK_UNHEARD | TASK_IN_DOUBT);
	return true;
}
