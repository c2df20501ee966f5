/* SPDX-License-Identifier: GPL-2.0-only */
/* Who owns each attribute of a task: the merge, and what an uncertain record is compared with before it. */
#include "plan_private.h"

/* Threads that an uncertain record is compared with, at most: a process may have tens of thousands. */
#define THREADS_COMPARED 64

struct merge plan_merge_of(const struct task *task)
{
	return (struct merge){ task->had, task->known, task->theirs };
}

void plan_record_merge(struct task *task, const struct merge *merge)
{
	task->had = merge->had;
	task_publish();
	task->theirs = merge->theirs;
	task_publish();
	task->known = merge->known;
}

bool plan_differ(const struct task *a, const struct task *b)
{
	return attr_difference(&a->known, &b->known) || attr_difference(&a->had, &b->had) ||
	       a->theirs != b->theirs || a->own != b->own;
}

/*
 * If only the leader differs, comparing it with the youngest thread is enough. No event reports that a thread has
 * ended, so the flag may outlive the threads that it is about.
 */
bool plan_is_mixed(const struct plan *plan, const struct task *leader)
{
	const struct task *thread = tasks_next_thread(plan->tasks, leader);

	return thread && ((leader->flags & TASK_MIXED) || plan_differ(leader, thread));
}

static struct task *next_of_process(const struct plan *plan, const struct task *task, const struct task *at)
{
	if (!at)
		return plan_leader_of(plan, task);
	return tasks_next_thread(plan->tasks, at);
}

static bool matches_before(const struct task *task, const struct task_attr *actual)
{
	return attr_difference(actual, &task->before) == 0;
}

/*
 * A task that still carries what was known before must not get more for it than it had then. had is worth more now if
 * it was made real-time, or if the record is that of the thread that called exec.
 */
static void note_change(struct task *task, const struct merge *before, uint32_t ms)
{
	task->before = attr_above(&task->had, &before->had) ? task->known : before->known;
	task->changed_ms = ms;
}

/*
 * For a thread, or a task that called exec: the record of another thread of its process that it may really have
 * copied. One that fits now goes before one that fitted before its last change. NULL if there is none.
 */
static const struct task *record_that_fits(const struct plan *plan, const struct task *task,
					   const struct task_attr *actual)
{
	const struct task *other = NULL, *as_before = NULL;

	/* A thread that we have looked at, and that has not called exec, is a copy of none. */
	if (task->tid != task->tgid && !(task->flags & TASK_COPIED))
		return NULL;
	for (int i = 0; i < THREADS_COMPARED && (other = next_of_process(plan, task, other)); i++) {
		if (other == task)
			continue;
		if (attr_difference(actual, &other->known) == 0)
			return other;
		if (!as_before && matches_before(other, actual))
			as_before = other;
	}
	return as_before;
}

/* Which of the attributes that the parent carries by its class it got after the child was born. */
static uint8_t given_since(const struct task *parent, const struct task *child)
{
	/* See plan_book(): nothing else has changed a record that is unverified. */
	const uint32_t born_ms = child->changed_ms + FORK_MAX_MS;

	if ((int32_t)(parent->changed_ms - born_ms) <= 0)
		return 0;
	return (uint8_t)(attr_difference(&parent->known, &parent->had) & ~parent->theirs);
}

/*
 * A child that carries exactly what its parent carries now has copied what somebody chose for the parent, even if we
 * have not looked at the parent since. Then the parent's merge is the child's, for those attributes that are not as the
 * child's own record says, and provided that the parent's record is verified. The parent of an orphan is not the one it
 * copied, so the child must not get more than its own record gives it.
 */
static bool has_copied_choice(const struct plan *plan, const struct task *task, struct facts *facts,
			      const struct task_attr *actual, struct merge *ret)
{
	const uint8_t bits = attr_difference(actual, &task->known);
	const struct task *parent;
	struct merge copied;
	struct task_attr now;

	if (task->tid != task->tgid || !task_policy_is_fair(actual->policy) ||
	    facts_need(facts, FACT_PARENT) < 0 || !facts->parent)
		return false;
	parent = tasks_find(plan->tasks, facts->parent->tgid);
	if (!parent || parent->due != DUE_NOTHING || (parent->flags & (TASK_COPIED | TASK_UNCERTAIN)) ||
	    plan_is_mixed(plan, parent) || (given_since(parent, task) & bits) || plan_look(plan, facts->parent, &parent->known, &now) < 0 ||
	    attr_difference(&now, actual))
		return false;
	copied = plan_merge_of(parent);
	merge_found(&copied, actual, &plan->given);
	merge_limit_had(&copied, &task->had, &plan->given);
	attr_copy(&ret->had, &copied.had, bits);
	ret->theirs = (uint8_t)((ret->theirs & ~bits) | (copied.theirs & bits));
	ret->known = copied.known;
	return true;
}

struct merge plan_merge_uncertain(const struct plan *plan, const struct task *task, const struct task *other,
				  const struct task_attr *actual)
{
	const struct task *copied = other ? other : task;
	struct merge merge = plan_merge_of(copied);

	if (!other && !matches_before(task, actual))
		merge_unverified(&merge, actual, &plan->given, plan->caps, true);
	else if (attr_difference(actual, &merge.known))
		merge_earlier(&merge, actual, &plan->given, plan->caps);
	/* What its policy hides is as on the task that it copied. */
	attr_copy(&merge.known, actual, attr_difference(actual, &merge.known));
	return merge;
}

/* Whether somebody gave its origin reset-on-fork since we last looked at that. Then *ret is the merge. */
static bool was_born_reset(const struct task *task, const struct task_attr *actual, struct merge *ret)
{
	struct task_attr had = task->had, known = task->known;

	had.reset_on_fork = known.reset_on_fork = 1;
	had = attr_after_fork(&had);
	known = attr_after_fork(&known);
	if (!(task->flags & TASK_COPIED) || !task_policy_is_fair(task->known.policy) || attr_difference(actual, &known))
		return false;
	*ret = (struct merge){ had, *actual, task->theirs };
	return true;
}

void plan_reconcile(const struct plan *plan, struct task *task, struct facts *facts, const struct task_attr *actual)
{
	const struct merge before = plan_merge_of(task);
	struct merge merge = before;

	if (attr_difference(actual, &task->known) == 0)
		;
	else if (was_born_reset(task, actual, &merge))
		;
	else if ((task->flags & TASK_COPIED) && has_copied_choice(plan, task, facts, actual, &merge))
		;
	else if (task->flags & TASK_UNCERTAIN)
		merge = plan_merge_uncertain(plan, task, record_that_fits(plan, task, actual), actual);
	else if (task->flags & TASK_COPIED)
		merge_unverified(&merge, actual, &plan->given, plan->caps, false);
	else
		merge_found(&merge, actual, &plan->given);
	merge_reset_on_fork(&merge, actual);
	plan_record_merge(task, &merge);
	task->flags &= ~(TASK_UNCERTAIN | TASK_COPIED);
	if (attr_difference(&merge.known, &before.known) || attr_difference(&merge.had, &before.had))
		note_change(task, &before, facts->fetched_ms);
}
