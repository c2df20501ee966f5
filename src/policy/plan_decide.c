/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides for the plan about one task: its class and the attributes that it is to carry. */
#include "plan_private.h"

#include <errno.h>

/* ---- the class ---- */

/* Finds the class for a task, or repeats that in the record if it need not be matched. Returns 0 or -errno. */
static int find_assignment(struct plan *plan, struct task *task, enum due due, struct facts *facts,
			   struct assignment *ret)
{
	struct task *leader = tasks_leader(plan->tasks, task->tgid);
	const char *comm = NULL;
	int r = 0;

	*ret = task->own;
	if (plan->undoing || (due < DUE_MATCH && task->own.by != REASON_NONE))
		return 0;
	if (leader == task)
		r = plan_match(plan, leader, due, facts);
	/* This is for a process that has moved: an exec has ended all threads, and a scan marks threads itself. */
	if (r > 0)
		plan_mark_threads(plan, leader);
	if (r >= 0 && plan_has_thread_rules(plan, leader)) {
		r = facts_need(facts, FACT_COMM);
		comm = facts->comm;
	}
	if (r < 0)
		return r;
	*ret = plan_assign(plan, leader, comm);
	return 0;
}

/* Returns whether the assignment is another than that in the record, or has yet to take effect. */
static bool is_new_assignment(const struct task *task, const struct assignment *assignment)
{
	return task->state == TASK_UNDECIDED || assignment->tag != task->own.tag ||
	       assignment->rule != task->own.rule ||
	       (assignment->by == REASON_DEFAULT) != (task->own.by == REASON_DEFAULT);
}

/* ---- the attributes to carry ---- */

/*
 * Returns whether to leave the task alone because somebody has chosen its attributes. A rule with "yield": true leaves
 * it alone if `had` is not pristine; so do QOS_DEFAULT and a unit's class, unless the setting "default" is "all". An
 * inherited rule that does not enforce leaves the task alone if anything is in `theirs`. `theirs` is not cleared then,
 * so children of the task are left alone as well.
 */
static bool must_leave(const struct plan *plan, const struct task *task)
{
	const struct rule *rule = plan_rule_of(plan, task->own.rule);

	switch (task->own.by) {
	case REASON_RULE:
	case REASON_THREAD:
		return rule->yield == YIELD_YES && !task_attr_is_pristine(&task->had);
	case REASON_INHERITED:
		return !rule->enforce && task->theirs;
	case REASON_DEFAULT:
	case REASON_UNIT:
		return plan->config->settings.default_mode != DEFAULT_ALL && !task_attr_is_pristine(&task->had);
	case REASON_OVERRIDE:
		return false;
	default: /* there is no class */
		return true;
	}
}

static bool enforces(const struct plan *plan, const struct task *task)
{
	const struct rule *rule = plan_rule_of(plan, task->own.rule);

	return rule && rule->enforce;
}

/* Returns the next state. is_anew: decide anew whether to leave the task alone, as when a rule takes effect. */
static enum task_state next_state(const struct plan *plan, const struct task *task, bool is_anew)
{
	if (plan->undoing)
		return TASK_UNDONE;
	if (!task_policy_is_fair(task->had.policy))
		return TASK_NOT_FAIR;
	/* Without a class, must_leave returns true, whatever the state was. */
	if (is_anew || enforces(plan, task) || task->own.tag == TAG_NONE)
		return must_leave(plan, task) ? TASK_LEFT_ALONE : TASK_TAGGED;
	return task->state == TASK_LEFT_ALONE ? TASK_LEFT_ALONE : TASK_TAGGED;
}

/*
 * Returns `had` with the choices that are above it; only the attributes in `theirs` matter. A choice that is not in
 * `had` is above it, and is in `known`. An attribute of `known` below `had` was lowered by a limit, so the choice in
 * `had` is to return.
 */
static struct task_attr choice(const struct task *task)
{
	struct task_attr choice = task->had;

	attr_copy(&choice, &task->known, attr_above(&task->known, &task->had));
	return choice;
}

/* Puts the choices in `theirs` over the class. */
static void keep_theirs(const struct task *task, struct task_attr *want)
{
	const struct task_attr chosen = choice(task);

	if ((task->theirs & TASK_ATTR_POLICY) && task_policy_is_fair(task->known.policy) &&
	    !task_policy_is_fair(want->policy))
		attr_copy(want, &task->had, TASK_ATTR_SLICE);
	attr_copy(want, &chosen, task->theirs);
}

/* Lowers attributes to the task's limit, whether they come from a class or from a choice. */
static void limit(const struct plan *plan, const struct task *task, struct task_attr *want)
{
	const struct qos_attr *most = plan_limit_of(plan, task);

	if (most && (task->state == TASK_TAGGED || task->state == TASK_LEFT_ALONE))
		qos_attr_limit(most, plan->caps, want);
}

/* Returns whether the attributes are more than the task's limit allows. */
static bool exceeds_limit(const struct plan *plan, const struct task *task, const struct task_attr *attr)
{
	struct task_attr limited = *attr;

	limit(plan, task, &limited);
	return !task_attr_equal(&limited, attr);
}

/* Returns what the task would carry without a limit, by its record. takes_effect: a rule takes effect now. */
static struct task_attr unlimited(const struct plan *plan, const struct task *task, bool takes_effect)
{
	struct task_attr want = task->known;
	const bool is_tagged = task->state == TASK_TAGGED;

	/* Leave a task as it is if it is undecided or the kernel refused its class. */
	if ((is_tagged && task->tag == TAG_NONE) || task->state == TASK_UNDECIDED || task->state == TASK_REFUSED ||
	    task->state == TASK_NOT_KEPT)
		return want;
	want = is_tagged ? plan_class_over(plan, task) : task->had;
	/* Choices stay. On a task that is left alone they stay until a rule takes effect again. */
	if (task->state != TASK_UNDONE && !(task->state == TASK_LEFT_ALONE && takes_effect))
		keep_theirs(task, &want);
	return want;
}

/* Returns what the task is to carry. */
static struct task_attr target(const struct plan *plan, const struct task *task, bool takes_effect)
{
	struct task_attr want = unlimited(plan, task, takes_effect);

	limit(plan, task, &want);
	/* A policy that is not fair hides the slice, and SCHED_IDLE ignores it: set it once that has changed. */
	if (!task_policy_is_fair(want.policy) || (want.policy == POLICY_IDLE && task->known.policy == POLICY_IDLE))
		want.slice_ns = task->known.slice_ns;
	/* If somebody chose a policy that is not fair, clamps have an effect only under FIFO and RR. */
	if (!task_policy_is_fair(task->had.policy) && want.policy != POLICY_FIFO && want.policy != POLICY_RR) {
		want.util_min = task->known.util_min;
		want.util_max = task->known.util_max;
	}
	/* The kernel refuses a util_min above util_max, which clamps chosen at different times can result in. */
	if (want.util_min > want.util_max)
		want.util_min = want.util_max;
	return want;
}

/* Notes in the leader's record that its threads differ, so that each new thread is looked at. */
static void note_mixture(const struct plan *plan, const struct task *task)
{
	struct task *leader = tasks_leader(plan->tasks, task->tgid);
	const struct task *thread = leader == task ? tasks_next_thread(plan->tasks, task) : task;

	if (leader && thread &&
	    (attr_difference(&leader->known, &thread->known) || attr_difference(&leader->had, &thread->had)))
		leader->flags |= TASK_MIXED;
}

/*
 * Drops choices that may be left over from another class. Called if the class changes without a rule taking effect, or
 * at the first look at a copy. A choice stays if it is in `had`, or not above the attributes of the present class.
 */
static void drop_unprivileged(const struct plan *plan, struct task *task)
{
	const struct task_attr class = task->state == TASK_TAGGED ? plan_class_over(plan, task) : task->had;
	const struct task_attr chosen = choice(task);
	const uint8_t in_had = ~attr_difference(&chosen, &task->had);

	task->theirs &= ~attr_above(&chosen, &class) | in_had;
}

/* Drops choices that a limit lowers and that are not in `had`: they do not return when the limit ends. */
static void drop_limited(struct task *task, const struct task_attr *want)
{
	task->theirs &= ~(attr_above(&task->known, &task->had) & attr_above(&task->known, want));
}

/*
 * Records the class and the next state. is_anew: see next_state. takes_effect: a rule takes effect. is_copy: the task
 * was a copy before this look.
 */
static void assign(struct plan *plan, struct task *task, const struct assignment *assignment, bool is_anew,
		   bool takes_effect, bool is_copy)
{
	const struct rule *app = plan_rule_of(plan, task->app);
	const bool was_left_alone = task->state == TASK_LEFT_ALONE;
	const uint16_t tag = task->tag;

	if (task->tid == task->tgid && app && app->inherit == INHERIT_NO)
		task->inherit = 0;
	task->own = *assignment;
	task->tag = plan_limited(plan, task, assignment);
	task->state = next_state(plan, task, is_anew);
	if ((is_copy || (task->tag != tag && !was_left_alone)) && task->state != TASK_NOT_FAIR)
		drop_unprivileged(plan, task);
	if (task->state != TASK_TAGGED)
		return;
	if (takes_effect || enforces(plan, task))
		task->theirs = 0;
	if (task->tid == task->tgid && app && app->inherit == INHERIT_YES)
		task->inherit = app->id;
}

/* Fills in the action, and records it beforehand in case we are killed between the system call and its record. */
static void record_intent(struct plan *plan, struct task *task, const struct task_attr *want, struct plan_action *ret)
{
	struct task *leader = tasks_leader(plan->tasks, task->tgid);

	*ret = (struct plan_action){
		.tid = task->tid,
		.from = task->known,
		.want = *want,
		.tag = task->state == TASK_TAGGED ? task->tag : TAG_NONE,
		.reason = task_reason(task),
	};
	if (want->policy == POLICY_DEADLINE && ret->from.policy != POLICY_DEADLINE)
		ret->deadline = &plan->config->rules->tags[task->tag].attr;
	if (task->state == TASK_TAGGED)
		given_note_raise(plan->given, &task->had, want);
	/* A thread may take over the leader's record at an exec, and new threads get a copy of it. */
	if (task->state == TASK_TAGGED && leader)
		leader->flags |= TASK_TOUCHED;
	task->flags |= TASK_SETTING | TASK_FRESH | (task->state == TASK_TAGGED ? TASK_TOUCHED : 0);
	task->prev = task->known;
	task_publish();
	task->known = *want;
}

static bool decide_task(struct plan *plan, struct task *task, const struct plan_due *from, struct facts *facts,
			struct plan_action *ret)
{
	const enum due due = task->due;
	const bool is_copy = task->flags & TASK_COPY;
	struct task_attr actual, want;
	struct assignment assignment;
	bool takes_effect, is_anew;
	uint8_t theirs;
	int r = find_assignment(plan, task, due, facts, &assignment);

	if (r == 0)
		r = plan_look(plan, facts, &task->known, &actual);
	/* The task stays due, for children that it may have forked and for a later scan. */
	if (r < 0)
		return false;
	plan_note_base(plan);
	task->due = DUE_NOTHING;
	plan_judge(plan, task, from, facts, &actual);
	theirs = task->theirs;
	is_anew = due == DUE_EXEC || is_new_assignment(task, &assignment) ||
		  (task->state == TASK_NOT_FAIR && task_policy_is_fair(actual.policy));
	/* No rule takes effect when an override ends: the rule has held all along. */
	takes_effect = is_anew &&
		       (due == DUE_EXEC || task->own.by != REASON_OVERRIDE || assignment.by == REASON_OVERRIDE);
	assign(plan, task, &assignment, is_anew, takes_effect, is_copy);
	want = target(plan, task, takes_effect);
	if (plan_limit_of(plan, task))
		drop_limited(task, &want);
	note_mixture(plan, task);
	if (task_attr_equal(&task->known, &want))
		return false;
	record_intent(plan, task, &want, ret);
	ret->is_lowered = exceeds_limit(plan, task, &ret->from);
	ret->is_put_back = !takes_effect && theirs && enforces(plan, task);
	return true;
}

/* Makes the task inherit its parent's inherit rule again: the parent may have got one after the task was booked. */
static void inherit(const struct plan *plan, struct task *task, const struct plan_due *due)
{
	const struct task *parent = due->parent ? tasks_find(plan->tasks, due->parent) : NULL;

	/* The origin is a thread of the parent and may be gone, but it cannot be older than its process. */
	if (!parent || !task_is_same_start(due->origin_start, parent->start))
		return;
	/* Otherwise keep the inherit rule: a task found by a scan may have got it before its parent got another one. */
	if (task->due == DUE_EXEC || !task->inherit)
		task->inherit = parent->inherit;
}

bool plan_decide(struct plan *plan, const struct plan_due *due, struct facts *facts, struct plan_action *ret)
{
	struct task *task = tasks_find(plan->tasks, due->tid);

	if (!task) {
		plan_book_missed(plan, due, facts);
		return false;
	}
	if (due->is_missed)
		return false;
	inherit(plan, task, due);
	return decide_task(plan, task, due, facts, ret);
}

bool plan_asks_argv(const struct plan *plan, const struct plan_due *due)
{
	const struct task *task = tasks_find(plan->tasks, due->tid);

	if (plan->undoing || due->tid != due->tgid || !plan->config->rules->n_lists)
		return false;
	return !task || task->due >= DUE_MATCH || task->own.by == REASON_NONE;
}

/* ---- the result ---- */

/* Records that the task was not set, and returns why. */
static enum plan_result not_done(struct plan *plan, struct task *task, const struct plan_action *action, int error)
{
	if (error == -ESRCH)
		return PLAN_GONE;
	task->known = action->from;
	task_publish();
	task->flags &= ~TASK_SETTING;
	if (error == -EAGAIN) {
		plan_mark(plan, task, DUE_LOOK);
		return PLAN_CHANGED;
	}
	if (task->state == TASK_TAGGED)
		task->state = TASK_REFUSED;
	return PLAN_REFUSED;
}

enum plan_result plan_applied(struct plan *plan, const struct plan_action *action, int error,
			      const struct task_attr *now)
{
	struct task *task = tasks_find(plan->tasks, action->tid);
	struct task_attr actual = *now;
	uint8_t theirs;

	if (!task)
		return PLAN_GONE;
	if (error < 0)
		return not_done(plan, task, action, error);
	theirs = task->theirs;
	plan_make_comparable(plan, &actual, &task->known);
	/* An attribute that is as before was not kept by the kernel, rather than chosen by somebody. */
	attr_copy(&task->known, &action->from, ~attr_difference(&actual, &action->from));
	judge(task, &actual, plan->given);
	task_publish();
	task->flags &= ~TASK_SETTING;
	note_mixture(plan, task);
	if (attr_difference(&actual, &action->want) == 0)
		return PLAN_KEPT;
	if (task->theirs != theirs)
		return PLAN_CHANGED;
	if (task->state == TASK_TAGGED)
		task->state = TASK_NOT_KEPT;
	return PLAN_NOT_KEPT;
}

/* ---- for output: one task as it is now ---- */

int plan_detail(const struct plan *plan, const struct task *task, struct facts *facts, struct plan_detail *ret)
{
	struct task seen = *task;
	struct task_attr without;
	int r = plan_look(plan, facts, &task->known, &ret->actual), order = 0;

	if (r < 0)
		return r;
	if (task->tag != TAG_NONE && task->own.tag != TAG_NONE)
		order = class_compare(class_of_tag(plan->config, task->tag), class_of_tag(plan->config, task->own.tag));
	ret->want = target(plan, task, false);
	without = unlimited(plan, task, false);
	ret->is_limited = order > 0 || exceeds_limit(plan, task, &without);
	ret->is_raised = order < 0;
	ret->theirs = (task->theirs & ~attr_difference(&without, &ret->want)) |
		      attr_difference(&ret->actual, &task->known);
	seen.theirs = ret->theirs;
	ret->reason = task_reason(&seen);
	ret->class = task->had;
	ret->withheld = 0;
	if (task->tag != TAG_NONE) {
		const struct task_attr allowed = plan_class_over(plan, task);

		ret->class = qos_attr_over(&plan->config->rules->tags[task->tag].attr, &task->had, plan->caps);
		ret->withheld = attr_difference(&ret->class, &allowed) & ~task->theirs;
	}
	return 0;
}
