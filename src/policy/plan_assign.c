/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the rule, class and limit of a task for the plan. */
#include "plan_private.h"

#include <errno.h>

#include <schedqos/policy/rules_trace.h>

const struct rule *plan_rule_of(const struct plan *plan, uint32_t id)
{
	return rules_by_id(plan->config->rules, id);
}

bool plan_has_thread_rules(const struct plan *plan, const struct task *leader)
{
	const struct rule *rule = plan_rule_of(plan, leader ? leader->rule : 0);

	return rule && rule->n_threads;
}

/* Returns whether the cgroup of every process matters. A rule with a condition on the cgroup fetches it itself. */
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
	const struct rule *rule = plan_rule_of(plan, leader ? leader->rule : 0);
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

/* Returns whether the class is higher than that of the tag. TAG_NONE counts as QOS_DEFAULT. */
static bool is_above(const struct plan *plan, const struct qos_class *class, uint16_t tag)
{
	return class_compare(class, class_of_tag(plan->config, tag == TAG_NONE ? TAG_DEFAULT : tag)) < 0;
}

/*
 * Returns whether a user may have this class in place of that of the tag only with permission to raise. class_compare
 * considers I/O last, but real-time I/O alone takes privilege.
 */
static bool takes_permission(const struct plan *plan, const struct qos_class *class, uint16_t tag)
{
	return is_above(plan, class, tag) || (qos_attr_privileged(&class->attr) & TASK_ATTR_IO_PRIORITY);
}

bool plan_override_needs_raise(const struct plan *plan, const struct override *override)
{
	const struct task *leader = tasks_leader(plan->tasks, override->pid);
	const struct qos_class *class;

	if (override->kind != OVERRIDE_CLASS || !override->uid || override->request.may_exceed_rules)
		return false;
	class = qos_class_find(plan->config->classes, plan->config->n_classes, override->request.class);
	return class && leader && takes_permission(plan, class, assign_by_rules(plan, leader, NULL).tag);
}

struct assignment plan_assign(const struct plan *plan, const struct task *leader, const char *comm)
{
	const struct assignment by_rules = assign_by_rules(plan, leader, comm);
	bool may_exceed_rules;
	const uint16_t tag = leader ? overrides_class(plan->overrides, leader, &may_exceed_rules) : TAG_NONE;

	if (tag == TAG_NONE)
		return by_rules;
	if (!may_exceed_rules && takes_permission(plan, class_of_tag(plan->config, tag), by_rules.tag))
		return by_rules;
	return (struct assignment){ tag, 0, REASON_OVERRIDE };
}

bool plan_is_hidden(const struct plan *plan, const struct task *leader)
{
	const struct rule *rule = plan_rule_of(plan, leader->rule ? leader->rule : leader->inherit);

	return leader->shown == SHOWN_HIDDEN && !(rule && rule->keeps_hidden);
}

uint16_t plan_effective_tag(const struct plan *plan, const struct task *task)
{
	const struct task *leader = tasks_leader(plan->tasks, task->tgid);
	const struct assignment *own = &task->own;
	const uint16_t focus = leader ? overrides_focus(plan->overrides, leader, own->by) : TAG_NONE;
	const bool is_raised = focus != TAG_NONE && is_above(plan, class_of_tag(plan->config, focus), own->tag);
	const uint16_t most = is_raised ? focus : own->tag;

	return limits_apply(plan->limits, leader ? leader->limit : 0, most);
}

const struct qos_attr *plan_limit_attr(const struct plan *plan, const struct task *task)
{
	const struct task *leader = tasks_leader(plan->tasks, task->tgid);
	const uint16_t tag = limits_max(plan->limits, leader ? leader->limit : 0, task->own.tag);

	return tag == TAG_NONE ? NULL : &plan->config->rules->tags[tag].attr;
}

/* Returns the record of the parent process, or NULL. */
static const struct task *parent_of(const struct plan *plan, struct facts *facts)
{
	return facts_need(facts, FACT_PARENT) == 0 && facts->parent ? tasks_leader(plan->tasks, facts->parent->tgid) :
								      NULL;
}

/*
 * Returns whether the cgroup of a process is needed but was not read. Users can make cgroups whose paths are too long
 * or too costly to read.
 */
static bool lacks_cgroup(const struct plan *plan, const struct facts *facts)
{
	return facts->is_spared || (needs_cgroup(plan) && *facts->cgroup != '/');
}

/* Finds the class of the process's unit. Without the cgroup it stays. */
static void update_unit(const struct plan *plan, struct task *leader, const struct facts *facts)
{
	const struct unit *unit;

	if (lacks_cgroup(plan, facts))
		return;
	unit = needs_cgroup(plan) ? units_find(&plan->units, facts->cgroup, facts->owner) : NULL;
	leader->unit = unit ? unit->tag : TAG_DEFAULT;
}

/*
 * Finds the limit of a process. Without the cgroup, the process keeps its limit and gets that of its parent as well. If
 * there is no memory for a new limit, the old one stays.
 */
static void update_limit(struct plan *plan, struct task *leader, struct facts *facts)
{
	const struct qos_class *max = overrides_max(plan->overrides, leader, facts, plan_is_hidden(plan, leader));
	const struct task *parent;

	if (lacks_cgroup(plan, facts)) {
		parent = parent_of(plan, facts);
		limits_join(plan->limits, leader->limit, parent ? parent->limit : 0, max, &leader->limit);
		return;
	}
	limits_find(plan->limits, needs_cgroup(plan) ? facts->cgroup : "", max, &leader->limit);
}

/* Stops a process from handing on a rule that is no longer its own: it inherits from its parent again. */
static void end_handing_on(const struct plan *plan, struct task *leader, struct facts *facts)
{
	const struct task *parent = parent_of(plan, facts);

	leader->inherit = parent ? parent->inherit : 0;
}

/* Drops the inherited rule if it may not raise this process. Returns 0 or -errno. */
static int drop_barred_inherit(const struct plan *plan, struct task *leader, struct facts *facts)
{
	const struct rule *rule = plan_rule_of(plan, leader->inherit);
	int r = rule ? rule_may_raise(rule, facts) : 1;

	if (r == 0)
		leader->inherit = 0;
	return r < 0 ? r : 0;
}

int plan_match(struct plan *plan, const struct decision *decision)
{
	struct facts *facts = decision->facts;
	struct task *leader = decision->task;
	const enum due due = decision->due;
	const struct task before = *leader;
	const struct rule *rule;
	int r = facts_need(facts, FACT_EXE);

	if (r < 0)
		return r;
	/* Kernel threads and tasks that are about to end have no executable. */
	if (!facts->exe[0] && !facts->exe_is_unknown)
		return -ESRCH;
	rule = rules_match(plan->config->rules, facts, &r);
	if (r == 0 && needs_cgroup(plan))
		r = facts_need(facts, FACT_CGROUP);
	if (r == 0 && plan->units.n_users)
		r = facts_need(facts, FACT_OWNER);
	if (r == 0)
		r = overrides_update(plan->overrides, leader, facts);
	if (r == 0 && !rule)
		r = drop_barred_inherit(plan, leader, facts);
	if (r < 0) {
		/* The next try compares with this record to find out whether threads are due. */
		*leader = before;
		return r;
	}
	/* Keep the earlier rule if facts are missing now: it was found with all facts. */
	if (!(facts->argv_is_unread || facts->is_spared) || due == DUE_EXEC || leader->own.by == REASON_NONE)
		leader->rule = rule ? rule->id : 0;
	if (due != DUE_EXEC && before.rule && leader->rule != before.rule && leader->inherit == before.rule)
		end_handing_on(plan, leader, facts);
	update_unit(plan, leader, facts);
	update_limit(plan, leader, facts);
	return leader->rule != before.rule || leader->inherit != before.inherit || leader->limit != before.limit ||
	       leader->unit != before.unit || leader->shown != before.shown || leader->flags != before.flags;
}

/*
 * Returns whether the class would raise the I/O of a task that somebody had lowered: by ionice or, without an I/O
 * priority, by nice or SCHED_IDLE.
 */
static bool raises_io(const struct task_attr *had, const struct task_attr *want)
{
	return had->io_priority != want->io_priority && task_io_order(want) < task_io_order(had) &&
	       (had->io_priority || had->nice > 0 || had->policy == POLICY_IDLE);
}

struct task_attr plan_class_attr(const struct plan *plan, const struct task *task)
{
	const struct tag *tags = plan->config->rules->tags;
	struct task_attr attr = qos_attr_over(&tags[task->tag].attr, &task->had, plan->caps), own;

	if (task->tag == task->own.tag || task->own.tag == TAG_NONE ||
	    class_compare(class_of_tag(plan->config, task->tag), class_of_tag(plan->config, task->own.tag)) <= 0)
		return attr;
	/* A limit replaces a class by a lower one, and anybody may request that: no attribute must be higher. */
	own = qos_attr_over(&tags[task->own.tag].attr, &task->had, plan->caps);
	task_attr_limit(&own, plan->caps, &attr);
	/* If one of the two is not fair, that did nothing. */
	if (io_priority_is_privileged(own.io_priority, attr.io_priority))
		attr.io_priority = own.io_priority;
	return attr;
}

struct task_attr plan_class_allowed(const struct plan *plan, const struct task *task)
{
	const struct rule *rule = plan_rule_of(plan, task->own.rule);
	const struct task *leader = tasks_leader(plan->tasks, task->tgid);
	struct task_attr want = plan_class_attr(plan, task);
	bool may_undo_choice = rule && (rule->yield == YIELD_NO || rule->enforce);

	if (task->own.by == REASON_OVERRIDE && leader)
		overrides_class(plan->overrides, leader, &may_undo_choice);
	if (may_undo_choice)
		return want;
	/* Do not raise a task that somebody lowered. A class that is not fair would also have dropped its slice. */
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
