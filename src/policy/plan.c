/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes and frees the plan, adopts the records of an earlier one, puts configurations in force, and begins the undo. */
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct plan *plan_new(const struct attr_caps *caps, pid_t self, uint64_t start,
		      const struct tasks_memory *memory)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	*plan = (struct plan){ .caps = caps, .self = self, .start = start };
	plan->given = memory && memory->given ? memory->given : &plan->own_given;
	given_init(plan->given);
	plan->tasks = tasks_new(memory);
	plan->overrides = overrides_new();
	if (!plan->tasks || !plan->overrides) {
		plan_free(plan);
		return NULL;
	}
	plan_note_base(plan);
	return plan;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	tasks_free(plan->tasks);
	overrides_free(plan->overrides);
	limits_free(plan->limits);
	units_clear(&plan->units);
	free(plan->marks.all);
	free(plan);
}

const struct tasks *plan_tasks(const struct plan *plan)
{
	return plan->tasks;
}

const struct config *plan_config(const struct plan *plan)
{
	return plan->config;
}

const struct given *plan_given(const struct plan *plan)
{
	return plan->given;
}

const struct units *plan_units(const struct plan *plan)
{
	return &plan->units;
}

uint64_t plan_failed(const struct plan *plan)
{
	return plan->failed;
}

/*
 * Adopts the attributes of a record. Its class and rule are dropped, because they are numbers of a configuration that
 * we do not have; so are its overrides, because they ended with their holders. A rule takes effect, as after a stop.
 */
static bool adopt(struct plan *plan, const struct task *record)
{
	struct task task = *record;

	task.rule = task.inherit = 0;
	task.own = (struct assignment){ .tag = TAG_NONE };
	task.tag = TAG_NONE;
	task.limit = task.unit = 0;
	if (!plan->stopped) {
		task.state = TASK_UNDECIDED;
		/* Otherwise an inherited rule would yield to earlier choices. */
		task.theirs = 0;
	}
	memset(task.joined, 0, sizeof(task.joined));
	task.shown = SHOWN_VISIBLE;
	task.due = DUE_NOTHING;
	task.scan = 0;
	return tasks_put(plan->tasks, &task);
}

int plan_adopt(struct plan *plan, const struct task *records, size_t n_records,
	       const struct given *given, bool stopped)
{
	int r = 0;

	plan->stopped = stopped;
	if (given)
		*plan->given = *given;
	/* Adopt leaders first, because a thread is linked to its leader. */
	for (int threads = 0; threads < 2; threads++) {
		for (size_t i = 0; i < n_records && r == 0; i++) {
			if ((records[i].tid != records[i].tgid) == threads && !adopt(plan, &records[i]))
				r = -ENOMEM;
		}
	}
	/* The adopted records have 0 here, so none counts as seen by a scan. */
	plan->scan = 1;
	return r;
}

/* Returns the position of a rule among those for its pattern, from 0. */
static unsigned position_of(const struct rules *rules, const struct rule *rule)
{
	unsigned position = 0;

	for (const struct rule *at = rules_of_pattern(rules, rule->pattern); at && at != rule; at = at->next)
		position++;
	return position;
}

/*
 * Returns the id of the new set's rule for the same pattern, at the same position if the pattern has several; 0 if
 * there is none. inherit: considers only rules whose class descendants inherit, from that position on.
 */
static uint16_t renumber(const struct plan *plan, const struct rules *rules, uint16_t id, bool inherit)
{
	const struct rule *old = plan_rule_of(plan, id), *now = old ? rules_of_pattern(rules, old->pattern) : NULL;
	unsigned position = now ? position_of(plan->config->rules, old) : 0;

	while (now && now->next && position--)
		now = now->next;
	while (now && inherit && now->inherit != INHERIT_YES)
		now = now->next;
	return now ? now->id : 0;
}

/* Returns the new number of the tag for the same class and period, or TAG_NONE. */
static uint16_t renumber_tag(const struct config *old, const struct config *new, uint16_t number)
{
	const struct qos_class *class = class_of_tag(old, number);

	for (uint16_t i = 0; class && i < new->rules->n_tags; i++) {
		if (new->rules->tags[i].period_ns == old->rules->tags[number].period_ns &&
		    strcmp(class_of_tag(new, i)->name, class->name) == 0)
			return i;
	}
	return TAG_NONE;
}

/* As renumber_tag, but also returns TAG_NONE if the attributes of the class change. */
static uint16_t renumber_unchanged(const struct config *old, const struct config *new, uint16_t number)
{
	const uint16_t now = renumber_tag(old, new, number);

	if (now == TAG_NONE || !qos_attr_equal(&old->rules->tags[number].attr, &new->rules->tags[now].attr))
		return TAG_NONE;
	return now;
}

/*
 * Updates the numbers of rules and tags in all records. The scan that follows matches each process again and finds
 * changes of its class. But it cannot find the inherited rule of an orphan, whose ancestors have ended.
 */
static void renumber_records(struct plan *plan, const struct config *config, struct limits *limits)
{
	const bool other_default = plan->config->settings.default_mode != config->settings.default_mode;
	uint32_t cursor = 0;
	struct task *task;

	while ((task = tasks_next(plan->tasks, &cursor))) {
		const struct rule *had_rule = plan_rule_of(plan, task->own.rule), *rule;

		task->rule = renumber(plan, config->rules, task->rule, false);
		task->inherit = renumber(plan, config->rules, task->inherit, true);
		task->own.rule = renumber(plan, config->rules, task->own.rule, task->own.by == REASON_INHERITED);
		rule = rules_by_id(config->rules, task->own.rule);
		task->own.tag = renumber_tag(plan->config, config, task->own.tag);
		task->tag = renumber_unchanged(plan->config, config, task->tag);
		/* The scan finds limit and unit again, except for a process in an unknown cgroup, which keeps them. */
		if (task->limit && limits_carry(limits, plan->limits, task->limit, &task->limit) < 0)
			task->limit = 0;
		task->unit = renumber_tag(plan->config, config, task->unit);
		if (task->unit == TAG_NONE)
			task->unit = TAG_DEFAULT;
		/* If the class or rule is gone or may be another, the next decision assigns one. */
		if ((task->own.tag == TAG_NONE && task->own.by != REASON_NO_RULE) ||
		    (had_rule && (!rule || rule->yield != had_rule->yield)) ||
		    (other_default && !task->own.rule && task->own.by != REASON_OVERRIDE)) {
			task->own.by = REASON_NONE;
			task->state = TASK_UNDECIDED;
		}
	}
}

/* Notes all classes, not only those that rules name, because an override can request any class. */
static void give_classes(struct plan *plan, const struct config *config)
{
	for (size_t i = 0; i < config->rules->n_tags; i++)
		given_add(plan->given, &config->rules->tags[i].attr);
}

int plan_set_config(struct plan *plan, const struct config *config)
{
	struct limits *limits = limits_new(config);

	if (!limits)
		return -ENOMEM;
	give_classes(plan, config);
	if (plan->config)
		renumber_records(plan, config, limits);
	limits_free(plan->limits);
	plan->limits = limits;
	plan->config = config;
	units_follow(&plan->units, config);
	overrides_follow(plan->overrides, config);
	return 0;
}

void plan_exited(struct plan *plan, pid_t tid)
{
	tasks_remove(plan->tasks, tasks_find(plan->tasks, tid));
}

void plan_undo_begin(struct plan *plan)
{
	uint32_t cursor = 0;
	struct task *task;

	plan->undoing = true;
	while (!plan->stopped && (task = tasks_next(plan->tasks, &cursor))) {
		/* A task that could not be looked at is still due, but not queued: mark it anew. */
		task->due = DUE_NOTHING;
		/* Leave fresh copies to the scan, because it finds the origin to compare them with. */
		if (!(task->flags & TASK_COPY) || !(task->flags & TASK_FRESH))
			plan_make_due(plan, task, DUE_LOOK);
	}
}
