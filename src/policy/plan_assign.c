/* SPDX-License-Identifier: GPL-2.0-only */
/* Which rule and class the configuration assigns to a task. */
#include "plan_private.h"

#include <errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the classes of units: what a unit of the service manager gives its tasks that no rule names ---- */

static void clear_unit(struct unit_class *unit)
{
	free((char *)unit->cgroup);
	free((char *)unit->qos);
	free((char *)unit->place);
}

void plan_units_clear(struct plan *plan)
{
	for (size_t i = 0; i < plan->units.count; i++)
		clear_unit(&plan->units.all[i]);
	free(plan->units.all);
	free(plan->units.tags);
	plan->units = (struct plan_units){ 0 };
}

static int compare_units(const void *a, const void *b)
{
	const struct unit_class *ua = a, *ub = b;
	const int paths = strcmp(ua->cgroup, ub->cgroup);

	return paths ? paths : ua->uid < ub->uid ? -1 : ua->uid > ub->uid;
}

static bool has_real_time_io(const struct qos_class *class)
{
	return (class->attr.has & QOS_HAS_IO_CLASS) && class->attr.io_class == IO_CLASS_REALTIME;
}

/*
 * The class's tag without a period, which there is for each class (see rules_finish); of one that there is not QOS_DEFAULT's.
 * TAG_NONE: a user's means nothing, since there is no such class, or it gives more than its rank tells.
 */
static uint16_t unit_tag(const struct config *config, const struct unit_class *unit)
{
	const struct qos_class *class = qos_class_find(config->classes, config->n_classes, unit->qos);
	size_t n_tags;
	const struct tag *tags = rules_tags(config->rules, &n_tags);

	if (unit->uid && (!class || has_real_time_io(class)))
		return TAG_NONE;
	for (size_t i = 0; class && i < n_tags; i++) {
		if (tags[i].period_ns == 0 && &config->classes[tags[i].qos_class] == class)
			return (uint16_t)i;
	}
	return TAG_DEFAULT;
}

void plan_units_follow(struct plan *plan)
{
	struct plan_units *units = &plan->units;

	units->n_users = 0;
	for (size_t i = 0; i < units->count; i++) {
		units->tags[i] = unit_tag(plan->config, &units->all[i]);
		units->n_users += units->all[i].uid != 0;
	}
}

/* Appends copies. Without memory the array is as before. */
static int append_units(struct plan_units *units, uid_t uid, const struct unit_class *from, size_t n)
{
	const size_t before = units->count, count = before + n;
	struct unit_class *all = reallocarray(units->all, count, sizeof(*all));
	uint16_t *tags = reallocarray(units->tags, count, sizeof(*tags));

	units->all = all ? all : units->all;
	units->tags = tags ? tags : units->tags;
	if (!all || !tags)
		return -ENOMEM;
	for (; n > 0; n--, from++) {
		struct unit_class *unit = &all[units->count++];

		*unit = (struct unit_class){ strdup(from->cgroup), strdup(from->qos), strdup(from->place), uid };
		if (unit->cgroup && unit->qos && unit->place)
			continue;
		while (units->count > before)
			clear_unit(&all[--units->count]);
		return -ENOMEM;
	}
	return 0;
}

int plan_units_put(struct plan *plan, uid_t uid, const struct unit_class *from, size_t n)
{
	struct plan_units *units = &plan->units;
	const size_t before = units->count;
	size_t kept = 0;
	int r = n ? append_units(units, uid, from, n) : 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < units->count; i++) {
		if (i < before && units->all[i].uid == uid)
			clear_unit(&units->all[i]);
		else
			units->all[kept++] = units->all[i];
	}
	units->count = kept;
	if (kept)
		qsort(units->all, kept, sizeof(*units->all), compare_units);
	plan_units_follow(plan);
	return 0;
}

/* The number of that uid's unit for the cgroup, or of the nearest one around it; less than 0: none. */
static ssize_t find_unit(const struct plan *plan, const char *cgroup, uid_t uid)
{
	char path[PATH_MAX];
	const struct unit_class key = { .cgroup = path, .uid = uid }, *found;
	char *last;

	if (!plan->units.count || *cgroup != '/' || strlen(cgroup) >= sizeof(path))
		return -1;
	strcpy(path, cgroup);
	for (;;) {
		found = bsearch(&key, plan->units.all, plan->units.count, sizeof(key), compare_units);
		if (found || !path[1])
			return found ? found - plan->units.all : -1;
		last = strrchr(path, '/');
		/* The last one to ask for is the root. */
		last[last == path] = '\0';
	}
}

static uint16_t tag_of_unit(const struct plan *plan, ssize_t number)
{
	return number < 0 ? TAG_DEFAULT : plan->units.tags[number];
}

/* The same of the unit that counts: a user's, if that lies in the system's, or is the same, and does not raise. */
static ssize_t unit_that_counts(const struct plan *plan, const char *cgroup, uid_t owner)
{
	const struct plan_units *units = &plan->units;
	const ssize_t systems = find_unit(plan, cgroup, 0);
	const ssize_t users = units->n_users ? find_unit(plan, cgroup, owner) : -1;

	if (users < 0 || units->tags[users] == TAG_NONE)
		return systems;
	if (plan_compare_tags(plan, units->tags[users], tag_of_unit(plan, systems)) < 0)
		return systems;
	if (systems >= 0 && strlen(units->all[users].cgroup) < strlen(units->all[systems].cgroup))
		return systems;
	return users;
}

const struct unit_class *plan_unit_of(const struct plan *plan, const char *cgroup, uid_t owner)
{
	const ssize_t number = unit_that_counts(plan, cgroup, owner);

	return number < 0 ? NULL : &plan->units.all[number];
}

/* ---- rules and classes ---- */

const struct rule *plan_rule_of(const struct plan *plan, uint32_t id)
{
	return rules_by_id(plan->config->rules, id);
}

const struct qos_attr *plan_tag_attr(const struct plan *plan, uint16_t tag)
{
	size_t count;

	return &rules_tags(plan->config->rules, &count)[tag].attr;
}

bool plan_has_thread_rules(const struct plan *plan, const struct task *leader)
{
	const struct rule *rule = plan_rule_of(plan, leader ? leader->app : 0);

	return rule && rule->n_threads;
}

bool plan_needs_moves(const struct plan *plan)
{
	return plan->config->n_groups || plan->units.count || rules_need_cgroup(plan->config->rules) ||
	       overrides_need_cgroup(plan->overrides);
}

bool plan_needs_changes(const struct plan *plan)
{
	return rules_enforce(plan->config->rules);
}

void plan_look_at_enforced(struct plan *plan)
{
	uint32_t cursor = 0;
	struct task *task;

	while (!plan->undoing && (task = tasks_next(plan->tasks, &cursor))) {
		const struct rule *rule = plan_rule_of(plan, task->rule);

		if (rule && rule->enforce && !(task->flags & TASK_ENDED))
			plan_mark(plan, task, DUE_LOOK);
	}
}

bool plan_needs_renames(const struct plan *plan)
{
	const struct rule *rule;

	for (uint32_t id = 1; (rule = plan_rule_of(plan, id)); id++) {
		if (rule->n_threads)
			return true;
	}
	return false;
}

const struct task *plan_next_named(const struct plan *plan, uint32_t *cursor)
{
	const struct task *task;

	do
		task = tasks_next(plan->tasks, cursor);
	while (task && ((task->flags & TASK_ENDED) || !plan_has_thread_rules(plan, plan_leader_of(plan, task))));
	return task;
}

static struct assignment assign_by_rules(const struct plan *plan, const struct task *leader, const char *comm)
{
	const struct rule *rule = plan_rule_of(plan, leader ? leader->app : 0);
	const struct rule *inherit = plan_rule_of(plan, leader ? leader->inherit : 0);
	const struct thread_rule *thread = rule && comm ? rule_thread(rule, comm) : NULL;

	if (thread)
		return (struct assignment){ thread->tag, rule->id, ASSIGNED_BY_THREAD };
	if (rule && rule->qos)
		return (struct assignment){ rule->tag, rule->id, ASSIGNED_BY_RULE };
	if (!rule && inherit)
		return (struct assignment){ inherit->tag, inherit->id, ASSIGNED_BY_INHERITED };
	if (leader && leader->unit != TAG_DEFAULT)
		return (struct assignment){ leader->unit, 0, ASSIGNED_BY_UNIT };
	if (plan->config->settings.default_mode == DEFAULT_NONE)
		return (struct assignment){ TAG_NONE, 0, ASSIGNED_NO_CLASS };
	return (struct assignment){ TAG_DEFAULT, 0, ASSIGNED_BY_DEFAULT };
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
	size_t count;
	const struct tag *tags = rules_tags(plan->config->rules, &count);

	return &plan->config->classes[tags[tag == TAG_NONE ? TAG_DEFAULT : tag].qos_class];
}

static bool is_above(const struct plan *plan, const struct qos_class *class, uint16_t tag)
{
	return class_compare(class, class_of(plan, tag)) < 0;
}

int plan_compare_tags(const struct plan *plan, uint16_t a, uint16_t b)
{
	return a == TAG_NONE || b == TAG_NONE || a == b ? 0 : class_compare(class_of(plan, a), class_of(plan, b));
}

bool plan_is_above_rules(const struct plan *plan, const struct task *leader, const struct qos_class *class)
{
	return is_above(plan, class, assign_by_rules(plan, leader, NULL).tag);
}

struct assignment plan_assign(const struct plan *plan, const struct task *leader, const char *comm)
{
	const struct assignment by_rules = assign_by_rules(plan, leader, comm);
	const uint16_t number = class_override(plan, leader), tag = overrides_tag(plan->overrides, number);

	if (tag == TAG_NONE)
		return by_rules;
	if (!overrides_raises(plan->overrides, number) && is_above(plan, class_of(plan, tag), by_rules.tag))
		return by_rules;
	return (struct assignment){ tag, 0, ASSIGNED_BY_OVERRIDE };
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
	if (own->by == ASSIGNED_BY_DEFAULT)
		return true;
	return (own->by == ASSIGNED_BY_RULE || own->by == ASSIGNED_BY_INHERITED || own->by == ASSIGNED_BY_UNIT) &&
	       overrides_get(plan->overrides, leader->joined[SLOT_SHOWN])->pid == leader->tgid;
}

uint16_t plan_limited(const struct plan *plan, const struct task *task, const struct assignment *own)
{
	const struct task *leader = plan_leader_of(plan, task);
	const uint16_t focus = overrides_focus_tag(plan->overrides);
	uint16_t tag = own->tag;

	if (focus != TAG_NONE && is_raised(plan, leader, own) && is_above(plan, class_of(plan, focus), tag))
		tag = focus;
	return limits_apply(plan->limits, leader ? leader->limit : task->limit, tag);
}

int plan_need_owner(const struct plan *plan, const struct task *leader, struct facts *facts)
{
	if (!plan->units.n_users && !overrides_need_owner(plan->overrides, leader->joined))
		return 0;
	return facts_need(facts, FACT_OWNER);
}

/*
 * What is seen of its app, and whether its user's override counts. What has another terminal than the app's own process is
 * not of that app, and neither are its children.
 */
static int look_at_owner(struct plan *plan, struct task *leader, struct facts *facts)
{
	uint16_t *app = &leader->joined[SLOT_SHOWN];
	int r = plan_need_owner(plan, leader, facts);

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

static bool needs_cgroup(const struct plan *plan)
{
	return plan->config->n_groups || plan->units.count || overrides_need_cgroup(plan->overrides);
}

/* The limit and the unit's class. They stay as they were if the path cannot be made out, or without memory for a new limit. */
static void look_at_cgroup(struct plan *plan, struct task *leader, const struct facts *facts)
{
	const char *cgroup = needs_cgroup(plan) ? facts->cgroup : "";
	const struct qos_class *max;

	if (needs_cgroup(plan) && *cgroup != '/')
		return;
	leader->unit = tag_of_unit(plan, unit_that_counts(plan, cgroup, facts->owner));
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

int plan_match(struct plan *plan, struct task *leader, enum due due, struct facts *facts)
{
	const uint32_t app = leader->app;
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
	if (r < 0)
		return r;
	/* The match that was made when argv could be read is better than one without it. */
	if (!facts->argv_is_unread || due == DUE_EXEC || leader->assigned_by == ASSIGNED_NOT_YET) {
		leader->app = rule ? rule->id : 0;
		leader->flags = (leader->flags & ~TASK_UNREAD) | (facts->argv_is_unread ? TASK_UNREAD : 0);
	}
	if (due != DUE_EXEC && app && leader->app != app && leader->inherit == app)
		end_handing_on(plan, leader, facts);
	look_at_cgroup(plan, leader, facts);
	/* Exec has ended all threads, and a scan has marked them: so this is about a process that has moved. */
	if (leader->app != app || leader->limit != limit || leader->unit != unit || leader->shown != shown ||
	    (leader->flags & TASK_OWNERS) != owners)
		plan_mark_threads(plan, leader);
	return 0;
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

	if ((task->assigned_by == ASSIGNED_BY_OVERRIDE &&
	     overrides_raises(plan->overrides, class_override(plan, plan_leader_of(plan, task)))) ||
	    (rule && (rule->yield == YIELD_NO || rule->enforce)))
		return want;
	/* Does not raise a task that somebody lowered. */
	if (task->had.policy == POLICY_IDLE || (task->had.nice > 0 && !task_policy_is_fair(want.policy)))
		attr_copy(&want, &task->had, TASK_ATTR_POLICY);
	if (task->had.nice > 0 && want.nice < task->had.nice)
		want.nice = task->had.nice;
	if (raises_io(&task->had, &want))
		want.io_priority = task->had.io_priority;
	return want;
}
