/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides for the plan about one task: its class and the attributes that it is to carry. */
#include "plan_private.h"

#include <errno.h>

/* ---- the class, and whether it takes effect ---- */

/* Finds the class for the task, or repeats that in the record if it need not be matched. Returns 0 or -errno. */
static int match(struct plan *plan, struct decision *decision)
{
	struct task *task = decision->task, *leader = tasks_leader(plan->tasks, task->tgid);
	const char *comm = NULL;
	int r = 0;

	decision->assignment = task->own;
	if (plan->undoing || (decision->due < DUE_MATCH && task->own.by != REASON_NONE))
		return 0;
	if (leader == task)
		r = plan_match(plan, decision);
	/* Needed after a move or a retry: an exec has ended the other threads, and a scan marks threads itself. */
	if (r > 0)
		plan_mark_threads(plan, leader);
	if (r >= 0 && plan_has_thread_rules(plan, leader)) {
		r = facts_need(decision->facts, FACT_COMM);
		comm = decision->facts->comm;
	}
	if (r < 0)
		return r;
	decision->assignment = plan_assign(plan, leader, comm);
	return 0;
}

/*
 * Returns whether two classes are of the same kind: from rule or unit, the default, or an override. Each leaves other
 * choices alone.
 */
static bool is_same_kind(enum reason a, enum reason b)
{
	return (a == REASON_DEFAULT) == (b == REASON_DEFAULT) && (a == REASON_OVERRIDE) == (b == REASON_OVERRIDE);
}

/* Returns the moment, by the record as it was before the class was put on it. */
static enum moment moment_of(const struct decision *decision)
{
	const struct assignment *next = &decision->assignment;
	const struct task *task = decision->task;
	const struct assignment *own = &task->own;
	const bool is_fair_again = task->state == TASK_NOT_FAIR && task_policy_is_fair(decision->actual.policy);

	if (decision->due == DUE_EXEC)
		return MOMENT_EXEC;
	if (task->state != TASK_UNDECIDED && !is_fair_again && next->tag == own->tag && next->rule == own->rule &&
	    is_same_kind(next->by, own->by))
		return MOMENT_LOOK;
	if (own->by == REASON_OVERRIDE && next->by != REASON_OVERRIDE)
		return MOMENT_OVERRIDE_END;
	return MOMENT_OTHER_CLASS;
}

/* Returns whether a rule or override takes effect. */
static bool takes_effect(enum moment moment)
{
	return moment == MOMENT_OTHER_CLASS || moment == MOMENT_EXEC;
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

	switch ((enum reason)task->own.by) {
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
	/* There is no class. */
	case REASON_NONE:
	case REASON_NO_RULE:
	/* Outcomes, which are no sources. */
	case REASON_CHOSEN:
	case REASON_CHANGED:
	case REASON_NOT_FAIR:
	case REASON_REFUSED:
	case REASON_NOT_KEPT:
	case REASON_UNDONE:
		break;
	}
	return true;
}

bool plan_enforces(const struct plan *plan, const struct task *task)
{
	const struct rule *rule = plan_rule_of(plan, task->own.rule);

	return rule && rule->enforce;
}

/* Returns the next state. Whether to leave the task alone is decided anew, unless this is only a look. */
static enum task_state next_state(const struct plan *plan, const struct task *task, enum moment moment)
{
	if (plan->undoing)
		return TASK_UNDONE;
	if (!task_policy_is_fair(task->had.policy))
		return TASK_NOT_FAIR;
	/* Without a class, must_leave returns true, whatever the state was. */
	if (moment != MOMENT_LOOK || plan_enforces(plan, task) || task->own.tag == TAG_NONE)
		return must_leave(plan, task) ? TASK_LEFT_ALONE : TASK_TAGGED;
	return task->state == TASK_LEFT_ALONE ? TASK_LEFT_ALONE : TASK_TAGGED;
}

/*
 * Returns the attributes that somebody chose; only those in `theirs` are meaningful. If `known` is above `had`, `known`
 * holds the choice, which was not allowed to become `had`. Else `had` holds it; if `known` is below, a limit has
 * lowered the task, and the choice is to return.
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

	/* A class that is not fair has no slice for the fair policy that somebody chose: keep that of `had`. */
	if ((task->theirs & TASK_ATTR_POLICY) && task_policy_is_fair(task->known.policy) &&
	    !task_policy_is_fair(want->policy))
		attr_copy(want, &task->had, TASK_ATTR_SLICE);
	attr_copy(want, &chosen, task->theirs);
}

/*
 * Returns whether a limit holds for the task. SCHED_EXT must not be a way out: unlike a real-time policy, anybody may
 * choose it, and without a sched_ext scheduler such tasks are fair.
 */
static bool is_limited(const struct task *task)
{
	return task->state == TASK_TAGGED || task->state == TASK_LEFT_ALONE ||
	       (task->state == TASK_NOT_FAIR && task->had.policy == POLICY_EXT);
}

/* Lowers attributes to the task's limit, whether they come from a class or from a choice. */
static void apply_limit(const struct plan *plan, const struct task *task, struct task_attr *want)
{
	const struct qos_attr *most = plan_limit_attr(plan, task);

	if (most && is_limited(task))
		qos_attr_limit(most, plan->caps, want);
}

/* Returns whether the attributes are more than the task's limit allows. */
static bool exceeds_limit(const struct plan *plan, const struct task *task, const struct task_attr *attr)
{
	struct task_attr limited = *attr;

	apply_limit(plan, task, &limited);
	return !task_attr_equal(&limited, attr);
}

/* Returns the attributes that the task would carry without a limit, according to its record. */
static struct task_attr unlimited(const struct plan *plan, const struct task *task, enum moment moment)
{
	struct task_attr want = task->known;
	const bool is_tagged = task->state == TASK_TAGGED;

	/* Leave a task as it is if it is undecided or the kernel refused its class. */
	if ((is_tagged && task->tag == TAG_NONE) || task->state == TASK_UNDECIDED || task->state == TASK_REFUSED ||
	    task->state == TASK_NOT_KEPT)
		return want;
	want = is_tagged ? plan_class_allowed(plan, task) : task->had;
	/* Choices stay. On a task that is left alone they stay until a rule takes effect again. */
	if (task->state != TASK_UNDONE && !(task->state == TASK_LEFT_ALONE && takes_effect(moment)))
		keep_theirs(task, &want);
	return want;
}

/* Adjusts the attributes to what the kernel accepts in one step. */
static void fit_kernel(const struct task *task, struct task_attr *want)
{
	/*
	 * Keep a slice that cannot be set yet: a policy that is not fair hides it, and SCHED_IDLE ignores it. A task
	 * that goes from SCHED_NORMAL or SCHED_BATCH to SCHED_IDLE gets it before that (set_attr_idle in apply.c).
	 */
	if (!task_policy_is_fair(want->policy) ||
	    (want->policy == POLICY_IDLE && task->known.policy != POLICY_NORMAL && task->known.policy != POLICY_BATCH))
		want->slice_ns = task->known.slice_ns;
	/* If somebody chose SCHED_DEADLINE, clamps have no effect. */
	if (task->had.policy == POLICY_DEADLINE && want->policy == POLICY_DEADLINE) {
		want->util_min = task->known.util_min;
		want->util_max = task->known.util_max;
	}
	/* The kernel refuses a util_min above util_max, which clamps chosen at different times can result in. */
	if (want->util_min > want->util_max)
		want->util_min = want->util_max;
}

/* Returns the attributes that the task is to carry. */
static struct task_attr target(const struct plan *plan, const struct task *task, enum moment moment)
{
	struct task_attr want = unlimited(plan, task, moment);

	apply_limit(plan, task, &want);
	fit_kernel(task, &want);
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
 * Drops choices that are above the present class and not in `had`: they may be left over from another class. Called if
 * the class changes without a rule taking effect, or at the first look at a copy.
 */
static void drop_choices_above_class(const struct plan *plan, struct task *task)
{
	const struct task_attr class = task->state == TASK_TAGGED ? plan_class_allowed(plan, task) : task->had;
	const struct task_attr chosen = choice(task);
	const uint8_t in_had = ~attr_difference(&chosen, &task->had);

	task->theirs &= ~attr_above(&chosen, &class) | in_had;
}

/* Drops choices that a limit lowers and that are not in `had`: they do not return when the limit ends. */
static void drop_limited(struct task *task, const struct task_attr *want)
{
	task->theirs &= ~(attr_above(&task->known, &task->had) & attr_above(&task->known, want));
}

/* Makes the process hand on its rule to descendants, or end that, as the rule says. */
static void hand_on_rule(const struct plan *plan, struct task *task)
{
	const struct rule *rule = plan_rule_of(plan, task->rule);

	if (task->tid != task->tgid || !rule)
		return;
	if (rule->inherit == INHERIT_NO)
		task->inherit = 0;
	else if (rule->inherit == INHERIT_YES && task->state == TASK_TAGGED)
		task->inherit = rule->id;
}

/* Puts the class on the record, and drops choices that end with that. */
static void put_class_on(struct plan *plan, const struct decision *decision)
{
	struct task *task = decision->task;
	const bool was_left_alone = task->state == TASK_LEFT_ALONE;
	const uint16_t tag = task->tag;

	task->own = decision->assignment;
	task->tag = plan_effective_tag(plan, task);
	task->state = next_state(plan, task, decision->moment);
	hand_on_rule(plan, task);
	if ((decision->is_first_look || (task->tag != tag && !was_left_alone)) && task->state != TASK_NOT_FAIR)
		drop_choices_above_class(plan, task);
	if (task->state == TASK_TAGGED && (takes_effect(decision->moment) || plan_enforces(plan, task)))
		task->theirs = 0;
}

static struct plan_action action_of(const struct plan *plan, const struct decision *decision)
{
	const struct task *task = decision->task;
	const struct task_attr *want = &decision->want;
	/* A limit has put another class in place of a real-time one, whose attributes it cannot compare. */
	const bool was_above_fair = plan_limit_attr(plan, task) && task_policy_is_fair(want->policy) &&
				    !task_policy_is_fair(task->known.policy);
	struct plan_action action = {
		.tid = task->tid,
		.from = task->known,
		.want = *want,
		.tag = task->state == TASK_TAGGED ? task->tag : TAG_NONE,
		.reason = task_reason(task),
		.is_enforced = !takes_effect(decision->moment) && decision->chosen && plan_enforces(plan, task),
		.is_above_limit = was_above_fair || exceeds_limit(plan, task, &task->known),
	};

	if (want->policy == POLICY_DEADLINE && action.from.policy != POLICY_DEADLINE)
		action.deadline = &plan->config->rules->tags[task->tag].attr;
	return action;
}

/* Records what the task is to carry, before it is set: we may be killed between the system call and its record. */
static void record_intent(struct plan *plan, struct task *task, const struct task_attr *want)
{
	struct task *leader = tasks_leader(plan->tasks, task->tgid);

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

/* Makes the task inherit its parent's inherit rule again: the parent may have got one after the task was booked. */
static void refresh_inherited_rule(const struct plan *plan, struct task *task, const struct plan_mark *mark)
{
	const struct task *parent = mark->parent ? tasks_find(plan->tasks, mark->parent) : NULL;

	/* The origin is a thread of the parent and may be gone, but it cannot be older than its process. */
	if (!parent || !task_is_same_start(mark->origin_start, parent->start))
		return;
	/* A task found by a scan keeps the rule that it has: its parent may have got another one since. */
	if (task->due == DUE_EXEC || !task->inherit)
		task->inherit = parent->inherit;
}

/* Goes through the stages of struct decision. */
static enum plan_step decide(struct plan *plan, struct decision *decision)
{
	struct task *task = decision->task;

	/* On failure the task stays due, for children that it may have forked and for a later scan. */
	if (match(plan, decision) < 0 || plan_read_attr(plan, decision->facts, &task->known, &decision->actual) < 0)
		return PLAN_NOTHING;
	plan_note_base(plan);
	decision->moment = moment_of(decision);
	if (!plan_judge(plan, decision))
		return PLAN_BOOK_FIRST;
	task->due = DUE_NOTHING;
	decision->chosen = task->theirs;
	put_class_on(plan, decision);
	decision->want = target(plan, task, decision->moment);
	if (plan_limit_attr(plan, task))
		drop_limited(task, &decision->want);
	note_mixture(plan, task);
	return task_attr_equal(&task->known, &decision->want) ? PLAN_NOTHING : PLAN_SET;
}

enum plan_step plan_decide(struct plan *plan, const struct plan_mark *mark, struct facts *facts,
			   struct plan_action *ret)
{
	struct task *task = tasks_find(plan->tasks, mark->tid);
	struct decision decision;
	enum plan_step step;

	if (!task) {
		plan_book_unrecorded(plan, mark, facts);
		return PLAN_NOTHING;
	}
	if (mark->had_no_record)
		return PLAN_NOTHING;
	refresh_inherited_rule(plan, task, mark);
	decision = (struct decision){
		.task = task,
		.mark = mark,
		.due = task->due,
		.is_first_look = task->flags & TASK_COPY,
		.facts = facts,
	};
	step = decide(plan, &decision);
	if (step == PLAN_SET) {
		*ret = action_of(plan, &decision);
		record_intent(plan, task, &decision.want);
	}
	return step;
}

bool plan_asks_argv(const struct plan *plan, const struct plan_mark *mark)
{
	const struct task *task = tasks_find(plan->tasks, mark->tid);

	if (plan->undoing || mark->tid != mark->tgid || !plan->config->rules->n_lists)
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
		plan_make_due(plan, task, DUE_LOOK);
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
	judge_by_own_record(task, &actual, plan->given);
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
	int r = plan_read_attr(plan, facts, &task->known, &ret->actual), order = 0;

	if (r < 0)
		return r;
	if (task->tag != TAG_NONE && task->own.tag != TAG_NONE)
		order = class_compare(class_of_tag(plan->config, task->tag), class_of_tag(plan->config, task->own.tag));
	ret->want = target(plan, task, MOMENT_LOOK);
	without = unlimited(plan, task, MOMENT_LOOK);
	ret->is_limited = order > 0 || exceeds_limit(plan, task, &without);
	ret->is_raised = order < 0;
	ret->theirs = (task->theirs & ~attr_difference(&without, &ret->want)) |
		      attr_difference(&ret->actual, &task->known);
	seen.theirs = ret->theirs;
	ret->reason = task_reason(&seen);
	ret->class = task->had;
	ret->withheld = 0;
	if (task->tag != TAG_NONE) {
		const struct task_attr allowed = plan_class_allowed(plan, task);

		ret->class = plan_class_attr(plan, task);
		ret->withheld = attr_difference(&ret->class, &allowed) & ~task->theirs;
	}
	return 0;
}
