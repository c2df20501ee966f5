/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens to tasks: fork, exec and rename. */
#include "plan_private.h"

#include <errno.h>

/*
 * fork copies the attributes early in copy_process and sends its event at the end, after the memory
 * maps of the parent, which takes a big process many milliseconds. A child whose event follows a
 * change of its parent by less than this may have been born before the change: it is looked at.
 */
#define BORN_BEFORE_MS 2000

/*
 * From the moment that /proc shows a new program until its exec is announced: 0.3 ms, unless it is
 * preempted in between. A program that execs itself anew has hardly got through its dynamic linker
 * by then.
 */
#define EXEC_MS 20

/* In this time no program gets so far as to fork, and then to take another name or exec another program. */
#define AT_ONCE_MS 1

static bool is_recent(uint32_t changed_ms, uint32_t ms)
{
	return (int32_t)(ms - changed_ms) < BORN_BEFORE_MS;
}

/* What the kernel gives the child of a task that carries attr (sched_fork in core.c). */
static struct task_attr attr_born(const struct task_attr *attr)
{
	struct task_attr born = *attr;

	if (!attr->reset_on_fork)
		return born;
	if (!task_policy_is_fair(born.policy)) {
		born.policy = POLICY_NORMAL;
		born.nice = 0;
		born.rt_priority = 0;
	} else if (born.nice < 0) {
		born.nice = 0;
	}
	born.slice_ns = 0;
	born.util_min = 0;
	born.util_max = UTIL_FULL;
	born.reset_on_fork = 0;
	return born;
}

/*
 * Looks at a newborn that may not carry what its origin carries. Carrying what its origin had, or
 * what we may have set on its origin (or, a moment too late, on the task whose tid it got: stale),
 * or what its origin carried when we came to somebody's choice there, it is ours; anything else
 * somebody has chosen since, and its exec will show who. Returns whether it is ours.
 */
static bool is_newborn_ours(struct plan *plan, struct task *child, const struct task *origin,
			    const struct task *stale, uint32_t ms, struct facts *facts)
{
	struct task_attr actual;
	bool ours;

	if (plan_look_at(plan, facts, &child->known, &actual) < 0)
		return false;
	ours = plan_was_born_before(plan, origin, child, &actual, ms, facts->fetched_ms) ||
	       task_attr_equal(&actual, &child->known) ||
	       (stale && (stale->flags & TASK_OWNED) && task_attr_equal(&actual, &stale->known)) ||
	       task_attr_equal(&actual, &child->had) || plan_is_ours(plan, &actual, &child->had) ||
	       plan_was_overruled(plan, origin, child, &actual, ms - BORN_BEFORE_MS, facts->fetched_ms);
	if (!ours) {
		plan_note_birth(plan, origin, child, &actual, ms - BORN_BEFORE_MS);
		return false;
	}
	child->known = actual;
	task_set_owned(child);
	return true;
}

/* A newborn gets what its origin has, a thread what its name asks for. */
static bool decide_newborn(struct plan *plan, struct task *child, struct facts *facts,
			   struct plan_action *ret)
{
	struct wish wish = { .tag = child->tag, .reason = child->reason };

	if (child->tid != child->tgid &&
	    plan_wish_for(plan, plan_leader_of(plan, child), facts, &wish) < 0)
		return false;
	if (!reason_is_tagged(wish.reason) && !(child->flags & TASK_OWNED))
		return false;
	return plan_decide(plan, child, wish, CAUSE_RENAME, facts, ret);
}

/* The child's record, by what the kernel copies from its origin and we from its process. NULL: no
 * memory. */
static struct task *add_child(struct plan *plan, const struct plan_fork *fork,
			      const struct task *origin, const struct task *leader)
{
	struct task *child = tasks_add(plan->tasks, fork->tid);

	if (!child)
		return NULL;
	child->tgid = fork->tgid;
	child->start = fork->start;
	child->changed_ms = fork->ms - BORN_BEFORE_MS;
	child->app = leader->app;
	child->inherit = leader->inherit;
	if (fork->tid == fork->tgid && (leader->flags & TASK_EXECED))
		child->heir_of = leader->tid;
	child->had = attr_born(&origin->had);
	child->known = attr_born(&origin->known);
	child->tag = origin->tag;
	child->reason = origin->reason;
	child->error = origin->error;
	child->scan = origin->scan;
	task_publish();
	/* What its origin has become, it has become as well. */
	child->flags = origin->flags & (TASK_OWNED | TASK_EXECED | TASK_RENAMED);
	child->flags |= leader->flags & TASK_NICE;
	return child;
}

/* The fork of a task that we do not know: the one fork that costs a look into /proc. */
static bool forked_by_unknown(struct plan *plan, const struct plan_fork *fork, struct facts *facts,
			      struct plan_action *ret)
{
	const struct plan_seen seen = {
		.tid = fork->tid,
		.tgid = fork->tgid,
		.parent_tgid = fork->parent_tgid,
		.start = fork->start,
		.ms = fork->ms,
	};
	struct task *task = tasks_find(plan->tasks, fork->tid);
	bool action;

	if (task)
		tasks_remove(plan->tasks, task);
	action = plan_seen(plan, &seen, facts, ret);
	task = tasks_find(plan->tasks, fork->tid);
	if (task)
		task->flags &= ~TASK_SCANNED;
	return action;
}

bool plan_forked(struct plan *plan, const struct plan_fork *fork, struct facts *facts,
		 struct plan_action *ret)
{
	struct task *child, *origin, *leader, *old = tasks_find(plan->tasks, fork->tid);
	bool is_thread = fork->tid != fork->tgid, is_stale, is_ahead, is_ours, look;
	struct task stale;

	if (plan_is_excluded(plan, fork->tid, fork->tgid, fork->parent_tgid) ||
	    fork->parent_tgid == plan->self)
		return false;
	is_stale = old && (int32_t)(old->changed_ms - fork->ms) >= 0;
	if (is_stale && (old->flags & TASK_SCANNED) &&
	    plan_is_same_start(fork->start, old->start)) {
		/* A scan met it before its event came; what the scan found is newer. */
		old->flags &= ~TASK_SCANNED;
		return false;
	}
	/* A thread's creator is not in the event; what it copied is most likely what the leader
	 * carries. */
	leader = tasks_find(plan->tasks, is_thread ? fork->tgid : fork->parent_tgid);
	origin = is_thread ? leader : tasks_find(plan->tasks, fork->parent_tid);
	if (!leader)
		return forked_by_unknown(plan, fork, facts, ret);
	if (!origin)
		origin = leader;

	/* At the stop nobody looks again: a fork may have taken however long since its origin was put back. */
	look = is_stale || is_recent(origin->changed_ms, fork->ms) || origin->known.reset_on_fork ||
	       plan->undoing;
	if (is_thread) {
		look = look || (leader->flags & TASK_MIXED);
		leader->flags |= TASK_THREADED;
	}
	if (is_stale)
		stale = *old;
	child = add_child(plan, fork, origin, leader);
	if (!child)
		return false;
	is_ahead = !is_thread && plan_is_ahead(origin, fork->ms);
	if (!look && !is_ahead)
		return false;
	is_ours = is_newborn_ours(plan, child, origin, is_stale ? &stale : NULL, fork->ms, facts);
	/* Should it be gone, as a daemon's parent is, its own children are to be looked at. */
	if (!is_ours || is_ahead) {
		child->changed_ms = origin->changed_ms;
		child->flags |= origin->flags & TASK_AHEAD;
	}
	if (!is_ours) {
		plan_hand_down(plan, origin, child, fork->ms - BORN_BEFORE_MS);
		/* Its parent has called exec since anybody looked: whatever somebody chose, it was before that. */
		return is_ahead && (child->flags & TASK_NICE) &&
		       plan_decide_seen(plan, child, CAUSE_EXEC, facts, ret);
	}
	if (is_ahead)
		return plan_decide_seen(plan, child, CAUSE_RENAME, facts, ret);
	return decide_newborn(plan, child, facts, ret);
}

/* What of ours the thread carried that called exec; NULL: nothing that we know. */
static const struct task *thread_with(const struct plan *plan, pid_t tgid,
				      const struct task_attr *attr)
{
	uint32_t cursor = 0;
	const struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		if (task->tgid == tgid && (task->flags & TASK_OWNED) &&
		    task_attr_equal(attr, &task->known))
			return task;
	}
	return NULL;
}

/*
 * Any thread may have called exec. It takes the leader's id and keeps what it carries: what we set
 * on that thread, not on the leader that was. Without slices nothing else would tell that it was
 * us. Where what was read back after that was the old leader's, which has the thread's id for a
 * moment before it is gone (de_thread in exec.c), the thread's record does not tell either.
 */
void plan_take_over_thread(struct plan *plan, struct task *leader, struct facts *facts)
{
	const struct task *thread;
	struct task_attr actual;

	if (!(leader->flags & TASK_MIXED) ||
	    plan_look_at(plan, facts, &leader->known, &actual) < 0 ||
	    task_attr_equal(&actual, &leader->known))
		return;
	thread = thread_with(plan, leader->tgid, &actual);
	if (!thread && !plan_is_ours(plan, &actual, &leader->had))
		return;
	leader->flags &= ~TASK_OWNED;
	task_publish();
	if (thread)
		leader->had = thread->had;
	leader->known = actual;
	task_set_owned(leader);
}

/*
 * /proc shows a program before its exec is announced. If nice(1) is what came before, the decision
 * on its own exec sees neither nice(1) nor a second exec; but then the second event shows the same
 * program once more.
 */
static bool was_seen_early(struct task *leader, const struct facts *facts, uint32_t ms)
{
	uint8_t program = 0;
	bool same;

	for (const char *p = facts->exe; *p; p++)
		program = program * 31 + (uint8_t)*p;
	same = program == leader->program;
	leader->program = program;
	return same && leader->nice_doubt && (int32_t)(ms - leader->changed_ms) < EXEC_MS;
}

/* The wish for a process that has become another program. 0 or -errno. */
static int match_program(const struct plan *plan, struct task *leader, struct facts *facts,
			 struct wish *ret)
{
	int r = facts_need(facts, FACT_EXE);
	bool is_new;

	if (r < 0)
		return r;
	/* About to end. */
	if (!facts->exe[0])
		return -ESRCH;
	return plan_match_process(plan, leader, facts, ret, &is_new);
}

bool plan_execed(struct plan *plan, struct facts *facts, uint32_t ms, struct plan_action *ret)
{
	struct task *leader = tasks_find(plan->tasks, facts->tgid);
	struct wish wish;
	int r;

	if (facts->tgid == plan->self || plan->undoing)
		return false;
	if (!leader) {
		const struct plan_seen seen = { .tid = facts->tgid, .tgid = facts->tgid };

		/* The parent is not known either: a kernel helper, or a fork that was lost. */
		leader = plan_is_user_process(facts) ? plan_add_unknown(plan, &seen, facts) : NULL;
		if (!leader)
			return false;
		leader->scan = plan->scan;
	}
	plan_take_over_thread(plan, leader, facts);
	leader->flags &= ~(TASK_THREADED | TASK_MIXED);
	r = match_program(plan, leader, facts, &wish);
	if (r == 0)
		r = facts_need(facts, FACT_ATTR);
	if (r == 0)
		wish.seen_early = was_seen_early(leader, facts, ms);
	/* What it was is not known if it is gone, and what it has become since is if we are slow. */
	if (r < 0 || facts->fetched_ms - ms > AT_ONCE_MS)
		plan_note_ahead(plan, leader, facts->fetched_ms);
	if (r < 0)
		return false;
	return plan_decide(plan, leader, wish, CAUSE_EXEC, facts, ret);
}

void plan_passed(struct plan *plan, pid_t tgid, uint32_t ms)
{
	struct task *leader = tasks_find(plan->tasks, tgid);

	if (!leader)
		return;
	leader->flags |= TASK_NICE;
	/* What it forks before the next exec is what nobody will have looked at; but see was_seen_early. */
	if (leader->nice_doubt && (int32_t)(ms - leader->changed_ms) < EXEC_MS)
		return;
	leader->nice_doubt = 0;
	plan_note_ahead(plan, leader, ms);
}

bool plan_renamed(struct plan *plan, struct facts *facts, struct plan_action *ret)
{
	struct task *task = tasks_find(plan->tasks, facts->tid);
	const struct rule *rule;
	struct task *leader;
	struct wish wish;

	if (!task || plan->undoing)
		return false;
	leader = plan_leader_of(plan, task);
	rule = plan_rule_of(plan, leader ? leader->app : 0);
	if (!rule || (!rule->n_threads && !rule->enforce) ||
	    plan_wish_for(plan, leader, facts, &wish) < 0)
		return false;
	if (wish.tag == task->tag && wish.reason == task->reason && !wish.enforce)
		return false;
	if (facts_need(facts, FACT_ATTR) < 0) {
		plan_note_ahead(plan, task, facts->fetched_ms);
		return false;
	}
	return plan_decide(plan, task, wish, CAUSE_RENAME, facts, ret);
}
