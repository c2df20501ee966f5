/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose each attribute is: by the record alone, then with what others say of those whose records are copies, or in
 * doubt.
 */
#include "judge.h"

#include "plan_private.h"

/* At most so many threads are compared: a process may have tens of thousands. */
#define THREADS_COMPARED 256

/* ---- by the record ---- */

/* Slices and clamps, no defaults, that a class gives: only classes set these, or who imitates one. */
static uint8_t marks_of_classes(const struct task_attr *actual, const struct given *given, const struct attr_caps *caps)
{
	const uint8_t bits = attr_difference(actual, &task_attr_pristine) &
			     (TASK_ATTR_SLICE | TASK_ATTR_UTIL_MIN | TASK_ATTR_UTIL_MAX);
	uint8_t marks = 0;

	for (size_t i = 0; bits && i < given->count; i++) {
		const struct task_attr class = qos_attr_over(&given->attrs[i], &task_attr_pristine, caps);

		/* One that is not fair has no slice of its own. */
		marks |= bits & ~attr_difference(actual, &class) &
			 (task_policy_is_fair(class.policy) ? ~0 : ~TASK_ATTR_SLICE);
	}
	return marks;
}

/*
 * What a task that carries policy, nice value and slice of this over `had` has by it. Beside a slice that only the
 * class gives somebody may have chosen the nice value: if we did not know of that, only the policy is the class's. Else
 * 0. What somebody has changed on a task that was about to be set says nothing.
 */
static uint8_t signature(const struct task *task, const struct task_attr *over, const struct task_attr *actual)
{
	struct task_attr expected = *over;
	uint8_t other;

	/* A class does not raise what somebody lowered. */
	if (task->had.nice > 0 && over->nice < task->had.nice && actual->nice == task->had.nice)
		expected.nice = task->had.nice;
	if (task->had.policy == POLICY_IDLE && actual->policy == POLICY_IDLE)
		expected.policy = POLICY_IDLE;
	other = attr_difference(actual, &expected);
	if (task->flags & TASK_SETTING)
		return (uint8_t)~other;
	if (other & (TASK_ATTR_POLICY | TASK_ATTR_SLICE))
		return 0;
	if (!(other & TASK_ATTR_NICE))
		return (uint8_t)~other;
	if (expected.slice_ns == task->had.slice_ns)
		return 0;
	return actual->nice == task->known.nice ? (uint8_t)~other : TASK_ATTR_POLICY;
}

/* What a copy can have by a class, though its record does not say so. */
static uint8_t bits_of_classes(const struct task *task, const struct task_attr *actual, bool is_vouched,
			       const struct given *given, const struct attr_caps *caps)
{
	uint8_t bits = signature(task, &task->had, actual);

	for (size_t i = 0; i < given->count; i++) {
		const struct task_attr over = qos_attr_over(&given->attrs[i], &task->had, caps);

		bits |= signature(task, &over, actual);
	}
	/* What is real-time by somebody's choice gets no policy from us, so it has left that by a choice, too. */
	if (!task_policy_is_fair(task->had.policy))
		bits &= ~TASK_ATTR_POLICY;
	/* Below `had` anybody can go, and must not get more back than he gave up. */
	return is_vouched ? bits : bits & ~attr_above(&task->had, actual);
}

/* What somebody has chosen. */
static uint8_t chosen_bits(const struct task *task, const struct task_attr *actual, bool is_vouched,
			   const struct given *given, const struct attr_caps *caps)
{
	const uint8_t bits = attr_difference(actual, &task->known);

	if (!bits || !((task->flags & TASK_COPY) || is_vouched))
		return bits;
	return bits & ~bits_of_classes(task, actual, is_vouched, given, caps);
}

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

/* The attributes that had may take: nobody gets more than he could take himself. */
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

/* In this order: if we are killed halfway, judging what is there gives the same result. See task_publish(). */
static void record(struct task *task, const struct task *judged)
{
	task->had = judged->had;
	task_publish();
	task->theirs = judged->theirs;
	task_publish();
	task->known = judged->known;
}

void judge(struct task *task, const struct task_attr *actual, bool is_vouched, const struct given *given,
	   const struct attr_caps *caps)
{
	struct task judged = *task;
	const bool is_as_known = !task->theirs && !attr_difference(actual, &task->known);
	const uint8_t marks = is_as_known ? 0 : marks_of_classes(actual, given, caps); /* most looks find nothing new */
	const uint8_t chosen = chosen_bits(&judged, actual, is_vouched, given, caps) & ~marks;

	attr_copy(&judged.had, actual, chosen & can_have(&judged, actual, given));
	judged.theirs = (judged.theirs & ~marks) | chosen;
	attr_copy(&judged.known, actual, attr_difference(actual, &judged.known));
	/* Not judged; but SCHED_DEADLINE comes with it. */
	if (actual->policy != POLICY_DEADLINE || judged.had.policy == POLICY_DEADLINE)
		judged.had.reset_on_fork = actual->reset_on_fork;
	judged.known.reset_on_fork = actual->reset_on_fork;
	record(task, &judged);
}

/* ---- what the task carries ---- */

/*
 * The kernel reports the base slice for a task without a slice of its own, and goes on reporting the old one for some
 * time after a change.
 */
static bool was_base_slice(const struct plan *plan, uint32_t slice_ns)
{
	for (size_t i = 0; i < BASES_MAX && i < plan->n_bases; i++) {
		if (plan->bases[i] == slice_ns)
			return true;
	}
	return false;
}

void plan_note_base(struct plan *plan)
{
	const uint32_t base = plan->caps->base_slice_ns;

	if (!was_base_slice(plan, base))
		plan->bases[plan->n_bases++ % BASES_MAX] = base;
}

void plan_make_comparable(const struct plan *plan, struct task_attr *attr, const struct task_attr *known)
{
	if (attr->slice_ns != known->slice_ns &&
	    (attr->slice_ns == plan->caps->base_slice_ns || was_base_slice(plan, attr->slice_ns)))
		attr->slice_ns = 0;
}

int plan_look(const struct plan *plan, struct facts *facts, const struct task_attr *known, struct task_attr *ret)
{
	int r = facts_need(facts, FACT_ATTR);

	if (r < 0)
		return r;
	*ret = facts->attr;
	plan_make_comparable(plan, ret, known);
	/* It may be a base slice that we do not know of yet. */
	if (ret->slice_ns && ret->slice_ns != known->slice_ns) {
		facts_need(facts, FACT_BASE);
		plan_make_comparable(plan, ret, known);
	}
	return 0;
}

bool plan_carries(const struct plan *plan, const struct task *task, const struct task_attr *attr, struct facts *facts)
{
	struct task_attr now;

	if (!facts->look || facts->look(facts, task->tid, &now) < 0)
		return false;
	plan_make_comparable(plan, &now, attr);
	return !attr_difference(&now, attr);
}

/* ---- which thread it is, or is a copy of ---- */

/*
 * It is, or was made by, the first thread of its process that knows its policy, nice value and I/O priority: what one
 * of them had the process could have kept. But somebody may have lowered them all since: if that one does not carry its
 * record, or nobody has looked at it, and of who called exec, it is to have had the least of all that know the same;
 * and of all, if none does. A slice or clamp says nothing here: its owner may have chosen it on any of them.
 */
static void find_maker(const struct plan *plan, struct task *task, struct facts *facts, const struct task_attr *actual)
{
	const uint8_t bits = TASK_ATTR_POLICY | TASK_ATTR_NICE | TASK_ATTR_IO_PRIORITY;
	const struct task *other = tasks_leader(plan->tasks, task->tgid), *maker = NULL;
	const bool is_born = task->tid != task->tgid;
	struct task_attr least = task->had;

	for (int i = 0; other && (!is_born || i++ < THREADS_COMPARED); other = tasks_next_thread(plan->tasks, other)) {
		const struct task_attr known = is_born ? attr_after_fork(&other->known) : other->known;
		const struct task_attr had = is_born ? attr_after_fork(&other->had) : other->had;
		const uint8_t same = ~attr_difference(actual, &known);
		const bool fits = !(~same & bits);

		/* A thread that carries less cannot have made this one: nobody can raise himself. */
		if (attr_above(actual, &known))
			continue;
		if (fits && !maker) {
			maker = other;
			least = had;
			attr_copy(&task->had, &had, same);
			attr_copy(&task->known, &known, same);
			task->theirs = (task->theirs & ~same) | (other->theirs & same);
		} else if (fits || !maker) {
			least = attr_least(&least, &had);
		}
	}
	if (!maker || !is_born || (maker->flags & TASK_COPY) || !plan_carries(plan, maker, &maker->known, facts))
		task->had = attr_least(&task->had, &least);
	/* Its record is not its own: what it may have it can have by a class of another thread's. */
	if (!maker)
		task->flags |= TASK_COPY;
}

/* Those that have ended have said what they know. */
static void remove_ended(const struct plan *plan, struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader), *next;

	for (; thread; thread = next) {
		next = tasks_next_thread(plan->tasks, thread);
		if (thread->flags & TASK_ENDED)
			tasks_remove(plan->tasks, thread);
	}
}

/* ---- who vouches ---- */

/* NULL if it has another record now. */
static struct task *origin_of(const struct plan *plan, const struct plan_due *due)
{
	struct task *origin = tasks_find(plan->tasks, due->origin);

	return origin && task_is_same_start(due->origin_start, origin->start) ? origin : NULL;
}

/*
 * Whether what a class gives is ours on it, whatever its record says. If its origin says so, `had` is the lesser of
 * both then.
 */
static bool is_vouched(const struct plan *plan, struct task *task, const struct plan_due *due, struct facts *facts,
		       const struct task_attr *actual)
{
	const uint8_t differs = attr_difference(actual, &task->known);
	const struct task *origin;
	struct task lesser = *task;

	if (task->flags & TASK_SETTING)
		return true;
	/* What is not below `had` needs nobody; and only for a fresh copy anybody vouches. */
	if (!(differs & attr_above(&task->had, actual)) || !(task->flags & TASK_COPY) || !(task->flags & TASK_FRESH))
		return false;
	origin = origin_of(plan, due);
	/* We have looked at it, and it still carries what its record says: who lowers it cannot go back. */
	if (!origin || (origin->flags & TASK_COPY) ||
	    !plan_carries(plan, origin, &origin->known, facts))
		return false;
	lesser.had = attr_least(&task->had, &origin->had);
	/* What no class gives was chosen, whatever its origin carries. */
	if (!(bits_of_classes(&lesser, actual, true, &plan->given, plan->caps) & differs &
	      attr_above(&task->had, actual)))
		return false;
	task->had = lesser.had;
	return true;
}

/*
 * A child that carries all that was set on its origin: so will the next ones, since forks follow each other. One that a
 * scan finds may be of another thread than its parent's leader, or older than what was set.
 */
static void prove(const struct plan *plan, const struct task *task, const struct plan_due *due)
{
	struct task *origin = origin_of(plan, due);

	if (origin && due->is_born && !attr_difference(&origin->known, &task->known))
		origin->flags &= ~TASK_FRESH;
}

/*
 * A fresh copy may have copied its origin before that got what is on record. If it carries the slice of another class,
 * it has; and then what is the same all the same may have been chosen.
 */
static void doubt_record(const struct plan *plan, struct task *task, const struct task_attr *actual)
{
	if ((attr_difference(actual, &task->known) & TASK_ATTR_SLICE) && given_fits(&plan->given, actual, plan->caps))
		attr_copy(&task->known, &task->had, TASK_ATTR_POLICY | TASK_ATTR_NICE | TASK_ATTR_SLICE);
}

void plan_judge(const struct plan *plan, struct task *task, const struct plan_due *due, struct facts *facts,
		const struct task_attr *actual)
{
	const bool in_doubt = task->flags & TASK_IN_DOUBT;
	const bool is_early = !in_doubt && (task->flags & TASK_COPY) && (task->flags & TASK_FRESH);
	bool vouched = false;

	if (in_doubt)
		find_maker(plan, task, facts, actual);
	if (task->tid == task->tgid)
		remove_ended(plan, task);
	if (is_early)
		doubt_record(plan, task, actual);
	if (!in_doubt && attr_difference(actual, &task->known))
		vouched = is_vouched(plan, task, due, facts, actual);
	else if (is_early)
		prove(plan, task, due);
	judge(task, actual, vouched, &plan->given, plan->caps);
	if (task->flags & TASK_COPY)
		task->flags &= ~(TASK_COPY | TASK_FRESH);
	task->flags &= ~(TASK_SETTING | TASK_IN_DOUBT);
}
