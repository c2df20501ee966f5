/* SPDX-License-Identifier: GPL-2.0-only */
/* What one task is to carry, given who chose what it carries now. */
#include "plan_private.h"

#include <errno.h>
#include <string.h>

const struct rule *plan_rule_of(const struct plan *plan, uint32_t id)
{
	return rules_by_id(plan->config->rules, id);
}

static const struct qos_attr *tag_attr(const struct plan *plan, uint16_t tag)
{
	size_t count;
	const struct tag *tags = rules_tags(plan->config->rules, &count);

	return &tags[tag].attr;
}

struct task *plan_leader_of(const struct plan *plan, struct task *task)
{
	return task->tid == task->tgid ? task : tasks_find(plan->tasks, task->tgid);
}

static struct task_attr attr_over(const struct plan *plan, uint16_t tag,
				  const struct task_attr *had)
{
	return qos_attr_over(tag_attr(plan, tag), had, plan->caps);
}

/*
 * Whether attr is what some tag, of this configuration or the last, makes of had: then it was us. Only fair tasks are
 * tagged: of one that others made real-time, a child born before that must not become real-time as well.
 */
bool plan_is_ours(const struct plan *plan, const struct task_attr *attr,
		  const struct task_attr *had)
{
	size_t count;
	const struct tag *tags = rules_tags(plan->config->rules, &count);

	if (!task_policy_is_fair(had->policy))
		return false;
	for (size_t i = 0; i < count + plan->n_retired; i++) {
		const struct qos_attr *qos = i < count ? &tags[i].attr : &plan->retired[i - count];
		struct task_attr tagged = qos_attr_over(qos, had, plan->caps);

		if (task_attr_equal(attr, &tagged))
			return true;
	}
	return false;
}

/*
 * What the task carries, with no slice where it has none of its own. The kernel reports the base
 * slice then, and that can change at any time; so a slice that is neither what we expect nor the
 * base slice is doubted first, and one that is both is what we expect. Returns 0 or -errno.
 */
int plan_look_at(const struct plan *plan, struct facts *facts, const struct task_attr *expected,
		 struct task_attr *ret)
{
	int r = facts_need(facts, FACT_ATTR);

	if (r < 0)
		return r;
	*ret = facts->attr;
	if (ret->slice_ns == expected->slice_ns || ret->slice_ns == 0)
		return 0;
	if (ret->slice_ns != plan->caps->base_slice_ns)
		facts_need(facts, FACT_BASE);
	if (ret->slice_ns == plan->caps->base_slice_ns)
		ret->slice_ns = 0;
	return 0;
}

/*
 * Whether a task carries what we set, on itself or on whom it copied. Mostly that is what is known
 * of it; but the creator of a thread, and of a child with CLONE_PARENT, is not in the fork's event,
 * and a thread other than the leader takes its attributes along when it execs. Without a slice, our
 * mark, a fair task that equals some class may as well be one that somebody niced.
 */
static bool carries_ours(const struct plan *plan, const struct task *task,
			 const struct task_attr *actual)
{
	/* Of a task that others made real-time, clamps at most are to be put back: see leave_not_fair. */
	if (!(task->flags & TASK_OWNED) || !task_policy_is_fair(task->had.policy))
		return false;
	if (task_attr_equal(actual, &task->known))
		return true;
	return (actual->slice_ns || !task_policy_is_fair(actual->policy)) &&
	       plan_is_ours(plan, actual, &task->had);
}

static struct wish wish_of(const struct rule *rule, uint16_t tag, enum reason reason)
{
	return (struct wish){
		.tag = tag,
		.reason = reason,
		.enforce = rule->enforce,
		.yield = rule->yield == YIELD_YES || reason == REASON_INHERITED,
	};
}

int plan_wish_for(const struct plan *plan, const struct task *leader, struct facts *facts,
		  struct wish *ret)
{
	const struct rule *rule = plan_rule_of(plan, leader ? leader->app : 0);
	const struct rule *inherit = plan_rule_of(plan, leader ? leader->inherit : 0);

	*ret = (struct wish){ .tag = TAG_DEFAULT, .reason = REASON_DEFAULT };
	if (rule && rule->n_threads) {
		const struct thread_rule *thread;
		int r = facts_need(facts, FACT_COMM);

		if (r < 0)
			return r;
		thread = rule_thread(rule, facts->comm);
		if (thread) {
			*ret = wish_of(rule, thread->tag, REASON_THREAD);
			return 0;
		}
	}
	if (rule && rule->qos)
		*ret = wish_of(rule, rule->tag, REASON_RULE);
	else if (!rule && inherit)
		*ret = wish_of(inherit, inherit->tag, REASON_INHERITED);
	return 0;
}

/*
 * What a task is to carry, given what it had before us and whether what it carries now is ours. May
 * turn the wish into a reason to leave it alone, that is, at what it had.
 */
static struct task_attr target(const struct plan *plan, const struct task_attr *had, bool ours,
			       struct wish *wish)
{
	enum default_mode mode = plan->config->settings.default_mode;
	bool free_to_take = task_attr_is_pristine(had) || mode == DEFAULT_ALL;

	if (plan->undoing)
		*wish = (struct wish){ .tag = TAG_NONE, .reason = REASON_UNDONE };
	else if (wish->reason == REASON_DEFAULT && mode == DEFAULT_NONE)
		*wish = (struct wish){ .tag = TAG_NONE, .reason = REASON_NO_RULE };
	else if (wish->reason == REASON_DEFAULT && !free_to_take)
		*wish = (struct wish){ .tag = TAG_NONE, .reason = REASON_CHOSEN };
	else if (wish->yield && !free_to_take && !ours)
		*wish = (struct wish){ .tag = TAG_NONE, .reason = REASON_CHOSEN };
	return wish->tag == TAG_NONE ? *had : attr_over(plan, wish->tag, had);
}

/*
 * What of ours a task carried before somebody changed it: what is known of it; but if it was born
 * before its parent took a new tag, what the parent had carried until then, which the slice tells.
 */
static struct task_attr carried_before(const struct plan *plan, const struct task *task,
				       const struct task_attr *actual)
{
	size_t count;

	if (actual->slice_ns == task->known.slice_ns || actual->slice_ns == task->had.slice_ns ||
	    !task_policy_is_fair(task->had.policy))
		return task->known;
	rules_tags(plan->config->rules, &count);
	for (size_t i = 0; i < count; i++) {
		struct task_attr tagged = attr_over(plan, i, &task->had);

		if (tagged.slice_ns == actual->slice_ns)
			return tagged;
	}
	return task->known;
}

static int8_t clamp_nice(int nice)
{
	return (int8_t)(nice < -20 ? -20 : nice > 19 ? 19 : nice);
}

/*
 * Somebody changed a task that carried what we set, maybe before its exec (nice -n 19 COMMAND).
 * What still is as we set it is not their choice: without us it would be as it was. nice(1) adds to
 * what it finds, which was ours; what was asked for is the difference, unless the end of the scale
 * cut it off. Without a sign of nice(1), *ret_doubt is what of the value would be ours.
 */
static struct task_attr others_choice(const struct plan *plan, const struct task *task,
				      const struct task_attr *actual, bool after_nice,
				      int8_t *ret_doubt)
{
	const struct task_attr ours = carried_before(plan, task, actual);
	const struct task_attr *had = &task->had, *known = &ours;
	struct task_attr choice = *actual;

	if (actual->policy == known->policy) {
		choice.policy = had->policy;
		choice.rt_priority = had->rt_priority;
	}
	if (actual->nice == known->nice)
		choice.nice = had->nice;
	else if (actual->nice > -20 && actual->nice < 19)
		*ret_doubt = (int8_t)(known->nice - had->nice);
	if (after_nice) {
		choice.nice = clamp_nice(choice.nice - *ret_doubt);
		*ret_doubt = 0;
	}
	if (actual->slice_ns == known->slice_ns)
		choice.slice_ns = had->slice_ns;
	if (actual->util_min == known->util_min)
		choice.util_min = had->util_min;
	if (actual->util_max == known->util_max)
		choice.util_max = had->util_max;
	return choice;
}

void task_set_had(struct task *task, const struct task_attr *had)
{
	uint8_t flags = task->flags;

	task->flags &= ~TASK_OWNED;
	task_publish();
	task->had = *had;
	task_publish();
	task->flags = flags;
}

static void leave_alone(struct task *task, const struct task_attr *actual, enum reason reason)
{
	task->flags &= ~TASK_OWNED;
	task_publish();
	task->had = task->known = *actual;
	task->tag = TAG_NONE;
	task->reason = reason;
}

/*
 * What was ours of it stays known until the next exec, which gives back what was not their choice, whether or not
 * somebody has looked in between.
 */
static void yield_to_change(const struct plan *plan, struct task *task, const struct task_attr *actual)
{
	if (plan->undoing || !(task->flags & TASK_OWNED)) {
		leave_alone(task, actual, REASON_CHANGED);
		return;
	}
	task->tag = TAG_NONE;
	task->reason = REASON_CHANGED;
}

void task_set_owned(struct task *task)
{
	task_publish();
	if (task_attr_equal(&task->had, &task->known))
		task->flags &= ~TASK_OWNED;
	else
		task->flags |= TASK_OWNED;
}

/*
 * Somebody made it real-time: that stays, but not a clamp that was ours before and that nobody asked for: an audio
 * thread at util_max 512 gets half a CPU's frequency. Returns true when there is one to put back.
 */
static bool leave_not_fair(struct plan *plan, struct task *task, const struct task_attr *actual,
			   const struct facts *facts, struct plan_action *ret)
{
	bool has_clamps = actual->policy == POLICY_FIFO || actual->policy == POLICY_RR;
	struct task_attr want = *actual;

	if ((task->flags & TASK_OWNED) && has_clamps) {
		if (actual->util_min == task->known.util_min)
			want.util_min = task->had.util_min;
		if (actual->util_max == task->known.util_max)
			want.util_max = task->had.util_max;
	}
	if (plan_note_children(plan, task, facts->fetched_ms))
		task->changed_ms = facts->fetched_ms;
	leave_alone(task, actual, REASON_NOT_FAIR);
	if (task_attr_equal(actual, &want))
		return false;
	plan_note_overruled(plan, task, facts->fetched_ms, actual, &want);
	task->had = want;
	task_set_owned(task);
	*ret = (struct plan_action){
		.tid = task->tid,
		.from = *actual,
		.want = want,
		.tag = TAG_NONE,
		.reason = REASON_NOT_FAIR,
	};
	return true;
}

/* Notes on the leader that its threads differ, so that newborn ones are looked at one by one. */
static void note_mixture(const struct plan *plan, struct task *task, uint16_t tag)
{
	struct task *leader = plan_leader_of(plan, task);

	if (!leader)
		return;
	if (leader == task ? task->tag != tag && (task->flags & TASK_THREADED) : leader->tag != tag)
		leader->flags |= TASK_MIXED;
}

/* The decision. Returns true when the task is to be changed. */
bool plan_decide(struct plan *plan, struct task *task, struct wish wish, enum cause cause,
		 struct facts *facts, struct plan_action *ret)
{
	struct task_attr actual, had, want;
	int8_t doubt = 0;
	int r;
	bool ours, changed;

	r = plan_look_at(plan, facts, &task->known, &actual);
	if (r < 0)
		return false;
	ours = carries_ours(plan, task, &actual);
	if (!task_policy_is_fair(actual.policy) && !ours)
		return leave_not_fair(plan, task, &actual, facts, ret);
	changed = !ours && cause == CAUSE_RENAME && !task_attr_is_pristine(&actual) &&
		  (task->reason == REASON_CHANGED || !task_attr_equal(&actual, &task->known));
	if (changed && !wish.enforce) {
		yield_to_change(plan, task, &actual);
		return false;
	}
	/*
	 * Who enforces a class puts it back over others' changes, and at the stop what was there
	 * before us: no policy that was never ours to give, should somebody have taken the task out
	 * of it since.
	 */
	had = task->had;
	if (!ours && cause == CAUSE_EXEC && actual.nice != task->known.nice &&
	    facts_need(facts, FACT_AGAIN) == 0)
		wish.after_nice = wish.after_nice || facts->execs_again;
	if (wish.seen_early) {
		had.nice = clamp_nice(had.nice - task->nice_doubt);
		ours = false;
	} else if (!ours && (!changed || !task_policy_is_fair(had.policy))) {
		plan_note_children(plan, task, facts->fetched_ms);
		had = task->flags & TASK_OWNED
			      ? others_choice(plan, task, &actual, wish.after_nice, &doubt)
			      : actual;
	}
	task->nice_doubt = doubt;
	/* Only under DEADLINE is it ours. */
	if (actual.policy != POLICY_DEADLINE)
		had.reset_on_fork = actual.reset_on_fork;
	task_set_had(task, &had);
	want = target(plan, &task->had, ours, &wish);
	note_mixture(plan, task, wish.tag);
	if (task_attr_equal(&actual, &want)) {
		task->known = actual;
		task->tag = wish.tag;
		task->reason = wish.reason;
		task_set_owned(task);
		return false;
	}
	*ret = (struct plan_action){
		.tid = task->tid,
		.from = actual,
		.want = want,
		.tag = wish.tag,
		.reason = wish.reason,
	};
	if (want.policy == POLICY_DEADLINE)
		ret->deadline = tag_attr(plan, wish.tag);
	if (!ours && !task_attr_equal(&actual, &had))
		plan_note_overruled(plan, task, facts->fetched_ms, &actual, &had);
	/* Should we be killed between the call and its record, the record already says what there
	 * is to put back. */
	task_publish();
	task->flags |= TASK_OWNED;
	return true;
}

bool plan_applied(struct plan *plan, const struct plan_action *action, int error,
		  const struct task_attr *now, uint32_t ms)
{
	struct task *task = tasks_find(plan->tasks, action->tid), *leader;

	if (!task || error == -ESRCH)
		return false;
	if (error < 0) {
		/* Still ours if it was: the action changed nothing. */
		task->known = action->from;
		task_set_owned(task);
		task->tag = TAG_NONE;
		task->reason = REASON_REFUSED;
		task->error = -error;
		return false;
	}
	leader = plan_leader_of(plan, task);
	task->changed_ms = ms;
	if (leader)
		leader->changed_ms = ms;
	task->known = *now;
	if (now->slice_ns == plan->caps->base_slice_ns && now->slice_ns != action->want.slice_ns)
		task->known.slice_ns = 0;
	/* Out of a policy that was never ours to give: so is what it carries now. */
	if (!task_policy_is_fair(task->had.policy) && task->had.policy != task->known.policy)
		task_set_had(task, &task->known);
	task_set_owned(task);
	task->error = 0;
	if (!task_attr_equal(&task->known, &action->want)) {
		task->tag = TAG_NONE;
		task->reason = REASON_NOT_KEPT;
		return false;
	}
	task->tag = action->tag;
	task->reason = action->reason;
	return true;
}

/* nice(1), by itself or as one of a program of many names. Its names have been fetched. */
static bool is_nice(const struct facts *facts)
{
	return strcmp(path_base(facts->exe), "nice") == 0 ||
	       (facts->argv_size && strcmp(path_base(facts->argv), "nice") == 0);
}

int plan_match_process(const struct plan *plan, struct task *leader, struct facts *facts,
		       struct wish *ret, bool *ret_new)
{
	bool after_nice = leader->flags & TASK_NICE;
	const struct rule *rule;
	uint32_t id;
	int r;

	rule = rules_match(plan->config->rules, facts, &r);
	if (r < 0)
		return r;
	id = rule ? rule->id : 0;
	*ret_new = id != leader->app;
	leader->app = id;
	if (rule && rule->inherit)
		leader->inherit = id;
	leader->flags &= ~TASK_NICE;
	if (is_nice(facts))
		leader->flags |= TASK_NICE;
	r = plan_wish_for(plan, leader, facts, ret);
	/* nice(1) may have done its work before we look at its own exec. */
	ret->after_nice = after_nice || leader->flags & TASK_NICE;
	return r;
}

/* A kernel thread has no executable; nor has a task that is about to end. */
bool plan_is_user_process(struct facts *facts)
{
	return facts_need(facts, FACT_EXE) == 0 && facts->exe[0];
}
