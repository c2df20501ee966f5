/* SPDX-License-Identifier: GPL-2.0-only */
/* What to do with each knob, given what it holds now and what is on record. */
#include "profile_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

const char *item_wanted(const struct profile_item *item)
{
	return item->values ? item->values[item->n_values - 1] : NULL;
}

char *item_read(struct profile_run *run, struct profile_item *item)
{
	char buf[KNOBS_VALUE_MAX], *text;

	item->error = knobs_read(run->knobs, item->record.tree, item->record.path, item->record.word, buf);
	if (item->error < 0)
		return NULL;
	text = strdup(buf);
	if (!text)
		item->error = -ENOMEM;
	return text;
}

bool knob_is_gone(int error)
{
	return error == -ENOENT || error == -ENODEV;
}

/* A cpufreq policy whose processors are all offline is handled when one comes online. */
static bool is_deferred(const struct profile_item *item)
{
	return item->values && item->record.tree == KNOB_CPUFREQ && item->error == -EBUSY;
}

/* A knob that cannot be read is not written, because it could not be put back. */
static enum knob_step decide_unreadable(struct profile_run *run, struct profile_item *item)
{
	if (!item->values && knob_is_gone(item->error))
		return KNOB_FORGET;
	if (!(item->optional && knob_is_gone(item->error)) && !is_deferred(item))
		profile_run_refuse(run, &item->record, item->error);
	return KNOB_LEAVE;
}

bool item_is_caused(const struct profile_item *item)
{
	return item->record.cause && !item->values;
}

static void decide(struct profile_run *run, struct profile_item *item)
{
	if (run->seen && !item->values)
		return;
	item->present = item_read(run, item);
	if (item_is_caused(item))
		return;
	if (!item->present) {
		item->step = decide_unreadable(run, item);
		return;
	}
	item->step = knob_decide(item->recorded ? &item->record : NULL, item->present,
				 item_wanted(item));
	if (item->values && knob_same(item->present, item_wanted(item)))
		run->result.already++;
}

const struct profile_item *profile_run_cause(struct profile_run *run,
					     const struct profile_item *item)
{
	return profile_run_find(run, item->record.tree, item->record.cause, NULL);
}

static void decide_caused(struct profile_run *run, struct profile_item *item)
{
	const struct profile_item *cause = profile_run_cause(run, item);

	item->step = knob_decide_caused(item->recorded ? &item->record : NULL, item->present,
					cause ? cause->step : KNOB_PUT_BACK);
	/* A file that did not exist before us need not be put back. */
	if (item->step == KNOB_TAKE && !item->present)
		item->step = KNOB_FORGET;
}

/* A knob that holds what is wanted will not keep it: record it, and write it again if needed. */
static void expect_disturbance(struct profile_item *item)
{
	if (item->values && item->step == KNOB_LEAVE)
		item->step = item->recorded ? KNOB_CHANGE : KNOB_TAKE;
	if (item->values && item->step == KNOB_FORGET)
		item->step = KNOB_TAKE;
}

/* Adds items for the knobs that the kernel changes when this one is written. */
static int add_disturbed(struct profile_run *run, size_t index)
{
	_cleanup_(knobs_names_clear) struct knobs_names names = { 0 };
	enum knob_tree tree = run->items[index].record.tree;
	int r = knobs_disturbed(run->knobs, tree, run->items[index].record.path, &names);

	for (size_t i = 0; i < names.count && r == 0; i++) {
		struct profile_item *item = profile_run_find(run, tree, names.items[i], NULL);

		if (item) {
			expect_disturbance(item);
		} else {
			item = profile_run_add(run, tree, names.items[i], NULL);
			if (!item)
				return -ENOMEM;
			item->present = item_read(run, item);
		}
		if (!copy_text(run->items[index].record.path, &item->record.cause))
			return -ENOMEM;
	}
	return r == -ENOMEM ? r : 0;
}

int profile_run_decide(struct profile_run *run)
{
	size_t count = run->count;
	int r = 0;

	for (size_t i = 0; i < count; i++)
		decide(run, &run->items[i]);
	for (size_t i = 0; i < count && r == 0; i++) {
		if (run->items[i].step == KNOB_TAKE || run->items[i].step == KNOB_CHANGE)
			r = add_disturbed(run, i);
	}
	for (size_t i = 0; i < run->count && r == 0; i++) {
		struct profile_item *item = &run->items[i];

		if (item_is_caused(item) && !run->seen)
			decide_caused(run, item);
		if (item->step == KNOB_TAKE && !copy_text(item->present, &item->record.before))
			r = -ENOMEM;
	}
	return r;
}

bool item_is_touched(const struct profile_item *item)
{
	return item->step == KNOB_TAKE || item->step == KNOB_CHANGE || item->step == KNOB_PUT_BACK;
}
