/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan as a whole: its memory, its configuration, what is left of an earlier one. */
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct plan *plan_new(const struct attr_caps *caps, pid_t self, uint32_t start,
		      const struct tasks_memory *memory)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	*plan = (struct plan){ .caps = caps, .self = self, .start = start };
	plan->tasks = tasks_new(memory);
	if (!plan->tasks) {
		free(plan);
		return NULL;
	}
	return plan;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	tasks_free(plan->tasks);
	free(plan->retired);
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

int plan_adopt(struct plan *plan, const struct task *records, size_t n_records,
	       const struct qos_attr *tags, size_t n_tags)
{
	plan->retired = calloc(n_tags + 1, sizeof(*plan->retired));
	if (!plan->retired)
		return -ENOMEM;
	for (size_t i = 0; i < n_tags; i++)
		plan->retired[i] = tags[i];
	plan->n_retired = n_tags;
	for (size_t i = 0; i < n_records; i++) {
		struct task *task = tasks_add(plan->tasks, records[i].tid);

		if (!task)
			return -ENOMEM;
		task->tgid = records[i].tgid;
		task->start = records[i].start;
		task->changed_ms = records[i].changed_ms;
		task->had = records[i].had;
		task->known = records[i].known;
		task->tag = TAG_NONE;
		task_publish();
		task->flags = TASK_OWNED;
	}
	/* None of them has been seen by a scan of ours. */
	plan->scan = 1;
	return 0;
}

/* The new set's rule for the same pattern as an old set's rule, an inheriting one if that did; or
 * 0. */
static uint32_t same_rule(const struct rules *rules, const struct rule *old, bool inherit)
{
	const struct rule *list;

	for (size_t i = 0; old && (list = rules_nth(rules, i)); i++) {
		if (strcmp(list->pattern, old->pattern) != 0)
			continue;
		while (list && inherit && !list->inherit)
			list = list->next;
		return list ? list->id : 0;
	}
	return 0;
}

/* A rule's number in the old set, and now. Neighbours mostly share theirs, so that the last one is
 * worth keeping. */
struct renumbered {
	uint32_t old, now;
};

static uint32_t renumber(const struct plan *plan, const struct rules *rules, uint32_t id,
			 bool inherit, struct renumbered *last)
{
	if (id && id != last->old)
		*last = (struct renumbered){ id,
					     same_rule(rules, plan_rule_of(plan, id), inherit) };
	return id ? last->now : 0;
}

/* Keeps what the tags of the configuration in force put on tasks, to know it as ours when it is met
 * later. */
static int retire_tags(struct plan *plan)
{
	struct qos_attr *retired;
	const struct tag *tags;
	size_t count;

	if (!plan->config)
		return 0;
	tags = rules_tags(plan->config->rules, &count);
	retired = reallocarray(plan->retired, count, sizeof(*retired));
	if (!retired)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		retired[i] = tags[i].attr;
	plan->retired = retired;
	plan->n_retired = count;
	return 0;
}

int plan_set_config(struct plan *plan, const struct config *config)
{
	struct renumbered app = { 0 }, inherit = { 0 };
	uint32_t cursor = 0;
	struct task *task;
	int r = retire_tags(plan);

	if (r < 0)
		return r;
	/*
	 * Rules have new numbers. The scan finds the process's rule, and a change of it: then an
	 * explicit rule wins as at exec. It cannot find the inherited one: an orphan has lost its
	 * ancestors.
	 */
	while ((task = tasks_next(plan->tasks, &cursor))) {
		task->app = renumber(plan, config->rules, task->app, false, &app);
		task->inherit = renumber(plan, config->rules, task->inherit, true, &inherit);
		task->tag = TAG_NONE;
	}
	plan->config = config;
	return 0;
}

void plan_exited(struct plan *plan, pid_t tid)
{
	struct task *task = tasks_find(plan->tasks, tid);

	if (task)
		tasks_remove(plan->tasks, task);
}
