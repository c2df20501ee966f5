/* SPDX-License-Identifier: GPL-2.0-only */
/* The one place that decides: what is wished, what is there, whose it is, what it is to become. */
#include "plan_private.h"

#include <errno.h>

/* So many threads of its process are compared with one that is hearsay: a process may have tens of thousands. */
#define THREADS_COMPARED 64

/* ---- what is wished ---- */

static int find_wish(struct plan *plan, struct task *task, enum due due, struct facts *facts, struct wish *ret)
{
	struct task *leader = plan_leader_of(plan, task);
	const char *comm = NULL;
	int r = 0;

	*ret = (struct wish){ task->tag, task->rule, task->wished_by };
	if (plan->undoing || (due < DUE_MATCH && task->wished_by != WISHED_BY_NONE))
		return 0;
	if (leader == task)
		r = plan_match(plan, leader, due, facts);
	if (r == 0 && plan_asks_name(plan, leader)) {
		r = facts_need(facts, FACT_COMM);
		comm = facts->comm;
	}
	if (r == 0)
		*ret = plan_wish(plan, leader, comm);
	return r;
}

/* Whether a rule comes to apply. Of a task that was adopted nobody knows which rule did before. */
static bool is_other_wish(const struct task *task, const struct wish *wish)
{
	if (task->wished_by == WISHED_BY_NONE)
		return task->state == TASK_UNDECIDED || wish->by == WISHED_BY_NOBODY;
	return wish->tag != task->tag || wish->rule != task->rule ||
	       (wish->by == WISHED_BY_DEFAULT) != (task->wished_by == WISHED_BY_DEFAULT);
}

/* ---- what is there ---- */

void plan_note_base(struct plan *plan)
{
	const uint32_t base = plan->caps->base_slice_ns;

	for (size_t i = 0; i < BASES_MAX && i < plan->n_bases; i++) {
		if (plan->bases[i] == base)
			return;
	}
	plan->bases[plan->n_bases++ % BASES_MAX] = base;
}

/* The kernel reports the base slice where there is no other, and some time after it has changed, the one before. */
static bool is_base_slice(const struct plan *plan, uint32_t slice_ns, struct facts *facts)
{
	for (size_t i = 0; i < BASES_MAX && i < plan->n_bases; i++) {
		if (plan->bases[i] == slice_ns)
			return true;
	}
	facts_need(facts, FACT_BASE);
	return slice_ns == plan->caps->base_slice_ns;
}

int plan_look(const struct plan *plan, struct facts *facts, const struct task_attr *known, struct task_attr *ret)
{
	int r = facts_need(facts, FACT_ATTR);

	if (r < 0)
		return r;
	*ret = facts->attr;
	if (!task_policy_is_fair(ret->policy)) {
		ret->nice = known->nice;
		ret->slice_ns = known->slice_ns;
	} else if (ret->slice_ns != known->slice_ns && is_base_slice(plan, ret->slice_ns, facts)) {
		ret->slice_ns = 0;
	}
	return 0;
}

/* ---- whose it is ---- */

static struct merge merge_of(const struct task *task)
{
	return (struct merge){ task->had, task->known, task->theirs };
}

/* In an order of which any part, should we be killed, leads to the same: see task_publish(). */
static void record_merge(struct task *task, const struct merge *merge)
{
	task->had = merge->had;
	task_publish();
	task->theirs = merge->theirs;
	task_publish();
	task->known = merge->known;
}

static struct task *next_of_process(const struct plan *plan, const struct task *task, const struct task *at)
{
	if (!at)
		return plan_leader_of(plan, task);
	return tasks_next_thread(plan->tasks, at);
}

/* What it carried before its record last changed is ours to set. */
static bool is_as_before(const struct task *task, const struct task_attr *actual)
{
	return attr_difference(actual, &task->before) == 0;
}

/* More than before: it was made real-time, or the record is that of another thread, which has called exec. */
static bool has_risen(const struct task_attr *had, const struct task_attr *before)
{
	return had->nice < before->nice || (!task_policy_is_fair(had->policy) && task_policy_is_fair(before->policy)) ||
	       (had->policy != POLICY_IDLE && before->policy == POLICY_IDLE);
}

/* Who carries what was known before is not given more for it than there was to have then. */
static void note_change(struct task *task, const struct merge *before, uint32_t ms)
{
	task->before = has_risen(&task->had, &before->had) ? task->known : before->known;
	task->changed_ms = ms;
}

/*
 * Of a thread, or who called exec: the record of the process that it is of, if it is not its own; at worst as it was before.
 */
static const struct task *record_that_fits(const struct plan *plan, const struct task *task,
					   const struct task_attr *actual)
{
	const struct task *other = NULL, *as_before = NULL;

	for (int i = 0; i < THREADS_COMPARED && (other = next_of_process(plan, task, other)); i++) {
		if (other == task)
			continue;
		if (attr_difference(actual, &other->known) == 0)
			return other;
		if (!as_before && is_as_before(other, actual))
			as_before = other;
	}
	return as_before;
}

/*
 * A child that carries just what its parent carries at this moment has copied what somebody chose for the parent, though
 * nobody has looked there since: then the parent's merge is the child's, if the parent's record is beyond doubt. An
 * orphan's parent is not the one it copied: so not in the task's favour.
 */
static bool has_copied_choice(const struct plan *plan, const struct task *task, struct facts *facts,
			      const struct task_attr *actual, struct merge *ret)
{
	const struct task *parent;
	struct task_attr now;

	if (task->tid != task->tgid || !task_policy_is_fair(actual->policy) ||
	    facts_need(facts, FACT_PARENT) < 0 || !facts->parent)
		return false;
	parent = tasks_find(plan->tasks, facts->parent->tgid);
	if (!parent || parent->due != DUE_NOTHING || (parent->flags & (TASK_COPIED | TASK_HEARSAY)) ||
	    plan_is_mixed(plan, parent) || plan_look(plan, facts->parent, &parent->known, &now) < 0 ||
	    attr_difference(&now, actual))
		return false;
	*ret = merge_of(parent);
	merge_found(ret, actual, &plan->given);
	if (ret->had.nice < task->had.nice && ret->had.nice >= plan->given.lowest_nice)
		ret->had.nice = task->had.nice;
	if (task->had.policy == POLICY_IDLE && parent->had.policy != POLICY_IDLE)
		ret->had.policy = POLICY_IDLE;
	return true;
}

/* A thread may be of any other thread of its process; so may be who called exec, whose record is the leader's. */
static struct merge merge_doubtful(const struct plan *plan, const struct task *task,
				   const struct task_attr *actual)
{
	const bool is_of_process = task->tid == task->tgid || (task->flags & TASK_COPIED);
	const struct task *other = is_of_process ? record_that_fits(plan, task, actual) : NULL;
	struct merge merge = merge_of(other ? other : task);

	if (other || is_as_before(task, actual))
		merge.known = *actual;
	else
		merge_hearsay(&merge, actual, &plan->given, plan->caps, true);
	return merge;
}

/* Its origin was given reset-on-fork when nobody looked. */
static bool was_born_reset(const struct task *task, const struct task_attr *actual)
{
	struct task_attr origin = task->known, born;

	origin.reset_on_fork = 1;
	born = attr_born(&origin);
	return (task->flags & TASK_COPIED) && task_policy_is_fair(origin.policy) &&
	       attr_difference(actual, &born) == 0;
}

static struct merge merge_reset(const struct task *task, const struct task_attr *actual)
{
	struct merge merge = { task->had, *actual, task->theirs };

	merge.had.reset_on_fork = 1;
	merge.had = attr_born(&merge.had);
	return merge;
}

static void reconcile(const struct plan *plan, struct task *task, struct facts *facts,
		      const struct task_attr *actual)
{
	struct merge merge = merge_of(task);

	if (attr_difference(actual, &task->known) == 0)
		;
	else if (was_born_reset(task, actual))
		merge = merge_reset(task, actual);
	else if ((task->flags & TASK_COPIED) && has_copied_choice(plan, task, facts, actual, &merge))
		;
	else if (task->flags & TASK_HEARSAY)
		merge = merge_doubtful(plan, task, actual);
	else if (task->flags & TASK_COPIED)
		merge_hearsay(&merge, actual, &plan->given, plan->caps, false);
	else
		merge_found(&merge, actual, &plan->given);
	merge_reset_on_fork(&merge, actual);
	record_merge(task, &merge);
	task->flags &= ~(TASK_HEARSAY | TASK_COPIED);
}

/* ---- what it is to become ---- */

/* Whether the rule does not apply to who has something chosen. */
static bool must_leave(const struct plan *plan, const struct task *task)
{
	const struct rule *rule = plan_rule_of(plan, task->rule);

	switch ((enum wished_by)task->wished_by) {
	case WISHED_BY_RULE:
	case WISHED_BY_THREAD:
		return rule->yield == YIELD_YES && !task_attr_is_pristine(&task->had);
	case WISHED_BY_INHERITED:
		return task->theirs;
	case WISHED_BY_DEFAULT:
		return plan->config->settings.default_mode != DEFAULT_ALL && !task_attr_is_pristine(&task->had);
	case WISHED_BY_NOBODY:
	case WISHED_BY_NONE:
		break;
	}
	return true;
}

/* The state that a look leads to. moment: a rule comes to apply. */
static enum task_state judge(const struct plan *plan, const struct task *task, bool moment)
{
	const struct rule *rule = plan_rule_of(plan, task->rule);

	if (plan->undoing)
		return TASK_UNDONE;
	if (!task_policy_is_fair(task->had.policy))
		return TASK_NOT_FAIR;
	if (moment || (rule && rule->enforce))
		return must_leave(plan, task) ? TASK_LEFT_ALONE : TASK_TAGGED;
	return task->state == TASK_LEFT_ALONE ? TASK_LEFT_ALONE : TASK_TAGGED;
}

/* Lays what is theirs over what is ours. */
static void keep_theirs(const struct task *task, struct task_attr *want)
{
	const struct task_attr *known = &task->known;

	if (task->theirs & TASK_ATTR_POLICY) {
		if (task_policy_is_fair(known->policy) && !task_policy_is_fair(want->policy)) {
			want->nice = task->had.nice;
			want->slice_ns = task->had.slice_ns;
		}
		want->policy = known->policy;
		want->rt_priority = known->rt_priority;
	}
	if (task->theirs & TASK_ATTR_NICE)
		want->nice = known->nice;
	if (task->theirs & TASK_ATTR_SLICE)
		want->slice_ns = known->slice_ns;
	if (task->theirs & TASK_ATTR_UTIL_MIN)
		want->util_min = known->util_min;
	if (task->theirs & TASK_ATTR_UTIL_MAX)
		want->util_max = known->util_max;
}

/* The kernel takes no util_min above util_max, as two may be that were chosen at different times: ours gives way. */
static void fit_clamps(const struct task *task, struct task_attr *want)
{
	if (want->util_min <= want->util_max)
		return;
	if (task->theirs & TASK_ATTR_UTIL_MIN)
		want->util_max = want->util_min;
	else
		want->util_min = want->util_max;
}

static struct task_attr target(const struct plan *plan, const struct task *task, bool moment)
{
	struct task_attr want = task->known;

	switch ((enum task_state)task->state) {
	case TASK_TAGGED:
		want = plan_class_over(plan, task);
		keep_theirs(task, &want);
		break;
	case TASK_LEFT_ALONE:
		/* Until the next moment whatever somebody makes of it stays. */
		want = task->had;
		if (!moment)
			keep_theirs(task, &want);
		break;
	case TASK_NOT_FAIR:
	case TASK_UNDONE:
		want = task->had;
		break;
	case TASK_UNDECIDED:
	case TASK_REFUSED:
	case TASK_NOT_KEPT:
		break;
	}
	/* What a policy hides is left to when it shows again; but a nice value of ours must not show after the stop. */
	if (!task_policy_is_fair(want.policy)) {
		want.nice = plan->undoing ? task->had.nice : task->known.nice;
		want.slice_ns = task->known.slice_ns;
	}
	/* Of a policy that is not ours to give, only FIFO and RR have clamps that mean anything. */
	if (!task_policy_is_fair(task->had.policy) && want.policy != POLICY_FIFO && want.policy != POLICY_RR) {
		want.util_min = task->known.util_min;
		want.util_max = task->known.util_max;
	}
	fit_clamps(task, &want);
	return want;
}

/* Notes on the leader that its threads differ, so that newborn ones are looked at one by one. */
static void note_mixture(const struct plan *plan, const struct task *task)
{
	struct task *leader = plan_leader_of(plan, task);

	if (leader && leader != task && plan_differ(leader, task))
		leader->flags |= TASK_MIXED;
}

/* Who had called exec is known now: the records of the threads that were are of no more use. */
static void remove_ended(struct plan *plan, struct task *leader)
{
	struct task *thread = tasks_next_thread(plan->tasks, leader), *next;

	for (; thread; thread = next) {
		next = tasks_next_thread(plan->tasks, thread);
		if (thread->due == DUE_ENDED)
			tasks_remove(plan->tasks, thread);
	}
}

/* What is about to be set is recorded first, should we be killed between the call and its record. */
static void intend(const struct plan *plan, struct task *task, const struct task_attr *want, uint32_t ms,
		   struct plan_action *ret)
{
	*ret = (struct plan_action){
		.tid = task->tid,
		.from = task->known,
		.want = *want,
		.tag = task->state == TASK_TAGGED ? task->tag : TAG_NONE,
		.reason = task_reason(task),
	};
	if (want->policy == POLICY_DEADLINE && ret->from.policy != POLICY_DEADLINE)
		ret->deadline = plan_tag_attr(plan, task->tag);
	task->before = task->known;
	task->changed_ms = ms;
	task_publish();
	task->flags |= TASK_HEARSAY;
	task_publish();
	task->known = *want;
}

static bool decide_task(struct plan *plan, struct task *task, enum due due, struct facts *facts,
		      struct plan_action *ret)
{
	const struct merge before = merge_of(task);
	struct task_attr actual = task->known, want;
	struct wish wish;
	bool moment;
	int r = find_wish(plan, task, due, facts, &wish);

	if (r == 0)
		r = plan_look(plan, facts, &task->known, &actual);
	/* What was due stays so: it is of use to the children of one that is gone, and to a scan. */
	if (r < 0)
		return false;
	plan_note_base(plan);
	task->due = DUE_NOTHING;
	reconcile(plan, task, facts, &actual);
	if (task->tid == task->tgid && tasks_next_thread(plan->tasks, task))
		remove_ended(plan, task);
	if (attr_difference(&task->known, &before.known) || attr_difference(&task->had, &before.had))
		note_change(task, &before, facts->fetched_ms);
	moment = due == DUE_EXEC || due == DUE_CLASS || is_other_wish(task, &wish) ||
		 (task->state == TASK_NOT_FAIR && task_policy_is_fair(actual.policy));
	task->tag = wish.tag;
	task->rule = wish.rule;
	task->wished_by = wish.by;
	task->state = judge(plan, task, moment);
	if (task->state == TASK_TAGGED) {
		const struct rule *rule = plan_rule_of(plan, task->rule), *app = plan_rule_of(plan, task->app);

		if (moment || (rule && rule->enforce))
			task->theirs = 0;
		if (task->tid == task->tgid && app && app->inherit)
			task->inherit = app->id;
	}
	want = target(plan, task, moment);
	note_mixture(plan, task);
	if (attr_difference(&task->known, &want) == 0 && want.nice == task->known.nice)
		return false;
	intend(plan, task, &want, facts->fetched_ms, ret);
	return true;
}

bool plan_decide(struct plan *plan, const struct plan_due *due, struct facts *facts, struct plan_action *ret)
{
	struct task *task = tasks_find(plan->tasks, due->tid);

	if (!task)
		task = plan_unheard(plan, due, facts);
	if (!task)
		return false;
	/* It may have come by a rule to inherit only since the task was booked. */
	plan_inherit(plan, task, due);
	return decide_task(plan, task, task->due, facts, ret);
}

/* ---- how it went ---- */

static enum plan_result not_done(struct plan *plan, struct task *task, const struct plan_action *action, int error,
				 uint32_t ms)
{
	if (error == -ESRCH)
		return PLAN_GONE;
	task->known = action->from;
	task->flags &= ~TASK_HEARSAY;
	if (error == -EAGAIN) {
		plan_mark(plan, task, DUE_LOOK, NULL, ms);
		return PLAN_CHANGED;
	}
	if (task->state == TASK_TAGGED)
		task->state = TASK_REFUSED;
	return PLAN_REFUSED;
}

enum plan_result plan_applied(struct plan *plan, const struct plan_action *action, int error,
			      const struct task_attr *now, uint32_t ms)
{
	struct task *task = tasks_find(plan->tasks, action->tid);
	struct task_attr actual = *now;
	struct merge merge;
	uint8_t theirs;

	if (!task)
		return PLAN_GONE;
	if (error < 0)
		return not_done(plan, task, action, error, ms);
	theirs = task->theirs;
	if (!task_policy_is_fair(actual.policy)) {
		actual.nice = task->known.nice;
		actual.slice_ns = task->known.slice_ns;
	} else if (actual.slice_ns == plan->caps->base_slice_ns && actual.slice_ns != task->known.slice_ns) {
		actual.slice_ns = 0;
	}
	merge = merge_of(task);
	if (attr_difference(&actual, &task->known) && !is_as_before(task, &actual))
		merge_hearsay(&merge, &actual, &plan->given, plan->caps, true);
	merge.known = actual;
	record_merge(task, &merge);
	task->changed_ms = ms;
	task->flags &= ~TASK_HEARSAY;
	note_mixture(plan, task);
	if (attr_difference(&actual, &action->want) == 0)
		return PLAN_KEPT;
	if (task->theirs != theirs)
		return PLAN_CHANGED;
	if (task->state == TASK_TAGGED)
		task->state = TASK_NOT_KEPT;
	return PLAN_NOT_KEPT;
}

int plan_reason(const struct plan *plan, const struct task *task, struct facts *facts)
{
	struct task_attr actual;
	int r = plan_look(plan, facts, &task->known, &actual);

	if (r < 0)
		return r;
	if (task->state == TASK_TAGGED && attr_difference(&actual, &task->known))
		return REASON_CHANGED;
	return task_reason(task);
}
