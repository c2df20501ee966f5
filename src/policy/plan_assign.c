/* SPDX-License-Identifier: GPL-2.0-only */
/* Which rule and class the configuration assigns to a task. */
#include "plan_private.h"

#include <errno.h>

const struct rule *plan_rule_of(const struct plan *plan, uint32_t id)
{
	return rules_by_id(plan->config->rules, id);
}

const struct qos_attr *plan_tag_attr(const struct plan *plan, uint16_t tag)
{
	return &plan->config->rules->tags[tag].attr;
}

bool plan_has_thread_rules(const struct plan *plan, const struct task *leader)
{
	const struct rule *rule = plan_rule_of(plan, leader ? leader->app : 0);

	return rule && rule->n_threads;
}

/* Whether every process's cgroup says something; a rule that asks for it has it read itself. */
static bool needs_cgroup(const struct plan *plan)
{
	return plan->config->n_groups || plan->units.count || overrides_need_cgroup(plan->overrides);
}

bool plan_needs_moves(const struct plan *plan)
{
	return needs_cgroup(plan) || plan->config->rules->need_cgroup;
}

static struct assignment assign_by_rules(const struct plan *plan, const struct task *leader, const char *comm)
{
	const struct rule *rule = plan_rule_of(plan, leader ? leader->app : 0);
	const struct rule *inherit = plan_rule_of(plan, leader ? leader->inherit : 0);
	const struct thread_rule *thread = rule && comm ? rule_thread(rule, comm) : NULL;

	if (thread)
		return (struct assignment){ thread->tag, rule->id, REASON_THREAD };
	if (rule && rule->qos)
		return (struct assignment){ rule->tag, rule->id, REASON_RULE };
	if (!rule && inherit)
		return (struct assignment){ inherit->tag, inherit->id, REASON_INHERITED };
	if (leader && leader->unit != TAG_DEFAULT)
		return (struct assignment){ leader->unit, 0, REASON_UNIT };
	if (plan->config->settings.default_mode == DEFAULT_NONE)
		return (struct assignment){ TAG_NONE, 0, REASON_NO_RULE };
	return (struct assignment){ TAG_DEFAULT, 0, REASON_DEFAULT };
}

/* The number of the override that gives the process its class, if that may be so high; 0: none. */
static uint16_t class_override(const struct plan *plan, const struct task *leader)
{
	const uint16_t number = leader ? leader->joined[SLOT_CLASS] : 0;

	if (overrides_tag(plan->overrides, number) != TAG_NONE)
		return number;
	return leader && (leader->flags & TASK_OWNERS) ? leader->joined[SLOT_USERS_CLASS] : 0;
}

/* Nothing is as high as QOS_DEFAULT. */
static const struct qos_class *class_of(const struct plan *plan, uint16_t tag)
{
	return class_of_tag(plan->config, tag == TAG_NONE ? TAG_DEFAULT : tag);
}

static bool is_above(const struct plan *plan, const struct qos_class *class, uint16_t tag)
{
	return class_compare(class, class_of(plan, tag)) < 0;
}

int plan_compare_tags(const struct plan *plan, uint16_t a, uint16_t b)
{
	return a == TAG_NONE || b == TAG_NONE || a == b ? 0 : class_compare(class_of(plan, a), class_of(plan, b));
}

bool plan_override_needs_raise(const struct plan *plan, const char *qos, pid_t tgid)
{
	const struct qos_class *class = qos_class_find(plan->config->classes, plan->config->n_classes, qos);
	const struct task *leader = tasks_leader(plan->tasks, tgid);

	return class && leader && is_above(plan, class, assign_by_rules(plan, leader, NULL).tag);
}

struct assignment plan_assign(const struct plan *plan, const struct task *leader, const char *comm)
{
	const struct assignment by_rules = assign_by_rules(plan, leader, comm);
	const uint16_t number = class_override(plan, leader), tag = overrides_tag(plan->overrides, number);

	if (tag == TAG_NONE)
		return by_rules;
	if (!overrides_raises(plan->overrides, number) && is_above(plan, class_of(plan, tag), by_rules.tag))
		return by_rules;
	return (struct assignment){ tag, 0, REASON_OVERRIDE };
}

bool plan_is_lowered(const struct plan *plan, const struct task *leader)
{
	const struct rule *rule = plan_rule_of(plan, leader->app ? leader->app : leader->inherit);

	return leader->shown == SHOWN_HIDDEN && !(rule && rule->keeps_hidden);
}

/* Of an app with the focus: the process that has the window, but for threads that a rule names; else only what no rule names. */
static bool is_raised(const struct plan *plan, const struct task *leader, const struct assignment *own)
{
	if (!leader || leader->shown != SHOWN_FOCUSED || !leader->joined[SLOT_SHOWN])
		return false;
	if (own->by == REASON_DEFAULT)
		return true;
	return (own->by == REASON_RULE || own->by == REASON_INHERITED || own->by == REASON_UNIT) &&
	       overrides_get(plan->overrides, leader->joined[SLOT_SHOWN])->pid == leader->tgid;
}

uint16_t plan_limited(const struct plan *plan, const struct task *task, const struct assignment *own)
{
	const struct task *leader = tasks_leader(plan->tasks, task->tgid);
	const uint16_t focus = overrides_focus_tag(plan->overrides);
	uint16_t tag = own->tag;

	if (focus != TAG_NONE && is_raised(plan, leader, own) && is_above(plan, class_of(plan, focus), tag))
		tag = focus;
	return limits_apply(plan->limits, leader ? leader->limit : 0, tag);
}

/* Has facts->owner filled in, as far as the process's overrides or units ask for it. 0 or -errno. */
static int need_owner(const struct plan *plan, const struct task *leader, struct facts *facts)
{
	if (!plan->units.n_users && !overrides_need_owner(plan->overrides, leader->joined))
		return 0;
	return facts_need(facts, FACT_OWNER);
}

const char *plan_override_max(const struct plan *plan, struct facts *facts)
{
	const struct task *leader = tasks_find(plan->tasks, facts->tgid);
	const struct qos_class *max = NULL;

	if (leader && facts_need(facts, FACT_CGROUP) == 0 && need_owner(plan, leader, facts) == 0)
		max = overrides_max(plan->overrides, leader->joined, facts->cgroup, facts->owner,
				    plan_is_lowered(plan, leader));
	return max ? max->name : NULL;
}

/*
 * What is seen of its app, and whether its user's override counts. What has another terminal than the app's own process is
 * not of that app, and neither are its children.
 */
static int look_at_owner(struct plan *plan, struct task *leader, struct facts *facts)
{
	uint16_t *app = &leader->joined[SLOT_SHOWN];
	int r = need_owner(plan, leader, facts);

	if (r == 0 && *app)
		r = facts_need(facts, FACT_STAT);
	if (r < 0)
		return r;
	if (*app && facts->tty && facts->tty != overrides_get(plan->overrides, *app)->tty)
		*app = 0;
	leader->shown = overrides_shown(plan->overrides, *app, facts->owner);
	leader->flags &= ~TASK_OWNERS;
	if (overrides_count(plan->overrides, leader->joined[SLOT_USERS_CLASS], facts->owner))
		leader->flags |= TASK_OWNERS;
	return 0;
}

/* The limit and the unit's class. They stay as they were if the path cannot be made out, or without memory for a new limit. */
static void look_at_cgroup(struct plan *plan, struct task *leader, const struct facts *facts)
{
	const char *cgroup = needs_cgroup(plan) ? facts->cgroup : "";
	const struct qos_class *max;
	const struct unit *unit;

	if (needs_cgroup(plan) && *cgroup != '/')
		return;
	unit = units_find(&plan->units, cgroup, facts->owner);
	leader->unit = unit ? unit->tag : TAG_DEFAULT;
	max = overrides_max(plan->overrides, leader->joined, cgroup, facts->owner, plan_is_lowered(plan, leader));
	limits_find(plan->limits, cgroup, max, &leader->limit);
}

/* The rule that it handed on is not its own any more. It does not descend from itself, but from its parent. */
static void end_handing_on(const struct plan *plan, struct task *leader, struct facts *facts)
{
	const struct task *parent = NULL;

	if (facts_need(facts, FACT_PARENT) == 0 && facts->parent)
		parent = tasks_find(plan->tasks, facts->parent->tgid);
	leader->inherit = parent ? parent->inherit : 0;
}

/* What an ancestor hands on raises nobody whom it might not raise itself. */
static int look_at_inherited(const struct plan *plan, struct task *leader, struct facts *facts)
{
	const struct rule *rule = plan_rule_of(plan, leader->inherit);
	int r = rule ? rule_may_raise(rule, facts) : 1;

	if (r == 0)
		leader->inherit = 0;
	return r < 0 ? r : 0;
}

int plan_match(struct plan *plan, struct task *leader, enum due due, struct facts *facts)
{
	const uint16_t app = leader->app, inherit = leader->inherit;
	const uint16_t limit = leader->limit, unit = leader->unit;
	const uint8_t owners = leader->flags & TASK_OWNERS, shown = leader->shown;
	const struct rule *rule;
	int r = facts_need(facts, FACT_EXE);

	if (r < 0)
		return r;
	/* A kernel thread has no executable; nor has a task that is about to end. */
	if (!facts->exe[0] && !facts->exe_is_unknown)
		return -ESRCH;
	rule = rules_match(plan->config->rules, facts, &r);
	if (r == 0 && needs_cgroup(plan))
		r = facts_need(facts, FACT_CGROUP);
	if (r == 0)
		r = look_at_owner(plan, leader, facts);
	if (r == 0 && !rule)
		r = look_at_inherited(plan, leader, facts);
	if (r < 0)
		return r;
	/* The match that was made when argv could be read is better than one without it. */
	if (!facts->argv_is_unread || due == DUE_EXEC || leader->assigned_by == REASON_NONE)
		leader->app = rule ? rule->id : 0;
	if (due != DUE_EXEC && app && leader->app != app && leader->inherit == app)
		end_handing_on(plan, leader, facts);
	look_at_cgroup(plan, leader, facts);
	return leader->app != app || leader->inherit != inherit || leader->limit != limit || leader->unit != unit ||
	       leader->shown != shown || (leader->flags & TASK_OWNERS) != owners;
}

/*
 * Whether somebody had lowered the task's I/O, by ionice or, where that is not set, by nice or SCHED_IDLE, and it would
 * now come before that.
 */
static bool raises_io(const struct task_attr *had, const struct task_attr *want)
{
	return had->io_priority != want->io_priority && task_io_order(want) < task_io_order(had) &&
	       (had->io_priority || had->nice > 0 || had->policy == POLICY_IDLE);
}

struct task_attr plan_class_over(const struct plan *plan, const struct task *task)
{
	const struct qos_attr *class = plan_tag_attr(plan, task->tag);
	const struct rule *rule = plan_rule_of(plan, task->rule);
	struct task_attr want = qos_attr_over(class, &task->had, plan->caps);

	if ((task->assigned_by == REASON_OVERRIDE &&
	     overrides_raises(plan->overrides, class_override(plan, tasks_leader(plan->tasks, task->tgid)))) ||
	    (rule && (rule->yield == YIELD_NO || rule->enforce)))
		return want;
	/* Does not raise a task that somebody lowered. Real time would have taken its slice. */
	if (!task_policy_is_fair(want.policy) && (task->had.policy == POLICY_IDLE || task->had.nice > 0))
		attr_copy(&want, &task->had, TASK_ATTR_POLICY | TASK_ATTR_SLICE);
	if (task->had.policy == POLICY_IDLE)
		attr_copy(&want, &task->had, TASK_ATTR_POLICY);
	if (task->had.nice > 0 && want.nice < task->had.nice)
		want.nice = task->had.nice;
	if (raises_io(&task->had, &want))
		want.io_priority = task->had.io_priority;
	return want;
}
