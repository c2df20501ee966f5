/* SPDX-License-Identifier: GPL-2.0-only */
#include "profile_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

static bool is_knob_gone(int error)
{
	return error == -ENOENT || error == -ENODEV;
}

static void refuse_item(struct profile_run *run, const struct item *item, int error, const char *now)
{
	run->result.refused++;
	refusals_add(run->refusals, item, error, item->target, now);
}

static int read_now(struct profile_run *run, const struct item *item, char now[KNOBS_VALUE_MAX])
{
	return knobs_read(run->root, item->tree, item->path, now);
}

/* ---- want ---- */

/* Returns whether the knob is the kernel's base slice. */
static bool is_base_slice(enum knob_tree tree, const char *path)
{
	return tree == KNOB_DEBUGFS && strcmp(path, "base_slice_ns") == 0;
}

/* If a profile names a knob twice, the later value counts. */
static int want_file(struct profile_run *run, enum knob_tree tree, const char *path, const char *const *values,
		     size_t n_values)
{
	struct item *item = items_find_or_add(run->items, tree, path);

	if (!item)
		return -ENOMEM;
	item->values = values;
	item->n_values = n_values;
	return 0;
}

/* Treats each word of `features` as a knob of its own. */
static int want_features(struct profile_run *run, const struct knob *knob)
{
	char path[512];
	int r = 0;

	for (size_t i = 0; i < knob->n_values && r == 0; i++) {
		const char *word = knob->values[i];

		snprintf(path, sizeof(path), "%s %s", knob->file, strncmp(word, "NO_", 3) == 0 ? word + 3 : word);
		r = want_file(run, knob->tree, path, &knob->values[i], 1);
	}
	return r;
}

/*
 * Collects a file of each matching cpufreq policy or device. A glob may match nothing, because profiles are shared
 * between machines.
 */
static int want_units(struct profile_run *run, const struct knob *knob)
{
	const char *folder = knob->tree == KNOB_BLOCK ? "/queue" : "";
	const char *glob = knob->tree == KNOB_BLOCK ? knob->devices : "policy*";
	_cleanup_(knobs_names_clear) struct knobs_names units = { 0 };
	int r = knobs_units(run->root, knob->tree, glob, &units);
	char path[512];

	if (r == 0 && units.count == 0 && !(knob->tree == KNOB_BLOCK && strpbrk(glob, "*?[")))
		r = -ENOENT;
	if (r < 0 && r != -ENOMEM) {
		snprintf(path, sizeof(path), "%s%s/%s", glob, folder, knob->file);
		run->result.refused++;
		refusals_add(run->refusals, &(struct item){ .tree = knob->tree, .path = path }, r, NULL, NULL);
		return 0;
	}
	for (size_t i = 0; i < units.count && r == 0; i++) {
		snprintf(path, sizeof(path), "%s%s/%s", units.items[i], folder, knob->file);
		r = want_file(run, knob->tree, path, knob->values, knob->n_values);
	}
	return r;
}

static int want_knob(struct profile_run *run, const struct knob *knob)
{
	if (run->wish->only_new && knob->tree != KNOB_CPUFREQ && !is_base_slice(knob->tree, knob->file))
		return 0;
	if (knob->tree == KNOB_CPUFREQ || knob->tree == KNOB_BLOCK)
		return want_units(run, knob);
	if (knob->tree == KNOB_DEBUGFS && strcmp(knob->file, "features") == 0)
		return want_features(run, knob);
	return want_file(run, knob->tree, knob->file, knob->values, knob->n_values);
}

/* A kernel without autogroups (CONFIG_SCHED_AUTOGROUP) needs no write. */
static int want_no_autogroup(struct profile_run *run)
{
	static const char path[] = "kernel/sched_autogroup_enabled";
	static const char *const off[] = { "0" };
	char now[KNOBS_VALUE_MAX];

	return is_knob_gone(knobs_read(run->root, KNOB_SYSCTL, path, now)) ? 0
									   : want_file(run, KNOB_SYSCTL, path, off, 1);
}

/* Adds an item for each wanted knob, and notes knobs that cannot be found. Returns 0 or -ENOMEM. */
static int want(struct profile_run *run)
{
	const struct sched_profile *profile = run->wish->profile;
	int r = run->wish->autogroup_off ? want_no_autogroup(run) : 0;

	for (size_t i = 0; profile && i < profile->n_knobs && r == 0; i++)
		r = want_knob(run, &profile->knobs[i]);
	return r;
}

/* ---- compare ---- */

/* A knob that cannot be read is not written, because it could not be put back. */
static void compare_unreadable(struct profile_run *run, struct item *item, int error)
{
	/* A cpufreq policy whose CPUs are all offline is set when one comes online. */
	item->is_deferred = item->values && item->tree == KNOB_CPUFREQ && error == -EBUSY;
	if (!item->values && is_knob_gone(error))
		item->is_recorded = false;
	else if (!item->is_deferred)
		refuse_item(run, item, error, NULL);
}

/* Sets the item's target, given the knob's present value. */
static int aim(struct profile_run *run, struct item *item, const char *now)
{
	/* A value that somebody else has set since is not ours to put back. */
	bool is_ours = item->is_recorded && (!item->set || knobs_same(now, item->set));

	item->is_recorded = is_ours;
	if (!item->values) {
		item->target = is_ours ? item->before : NULL;
		item->is_due = is_ours;
		return 0;
	}
	item->target = item->values[item->n_values - 1];
	item->is_due = !knobs_same(now, item->target);
	if (!item->is_due) {
		run->result.already++;
		item->is_recorded = is_ours && !knobs_same(now, item->before);
	} else if (!is_ours) {
		return copy_text(now, &item->before) ? 0 : -ENOMEM;
	}
	return 0;
}

/*
 * Returns whether a recorded knob may have to be set again when a CPU comes or goes: the base slice, which is lost
 * then, and a cpufreq policy that could not be set when the profile changed, because its CPUs were offline.
 */
static bool is_set_again(const struct item *item)
{
	return item->values && (is_base_slice(item->tree, item->path) || item->is_deferred);
}

static int compare_item(struct profile_run *run, struct item *item)
{
	char now[KNOBS_VALUE_MAX];
	int r;

	if (run->wish->only_new && item->is_recorded && !is_set_again(item))
		return 0;
	r = read_now(run, item, now);
	if (r == 0) {
		item->is_deferred = false;
		return aim(run, item, now);
	}
	compare_unreadable(run, item, r);
	return 0;
}

/* ---- write ---- */

static void write_item(struct profile_run *run, struct item *item)
{
	const char *const before = item->before, *const *values = item->values ? item->values : &before;
	size_t n_values = item->values ? item->n_values : 1;

	item->is_written = true;
	for (size_t i = 0; i < n_values && item->error == 0; i++)
		item->error = knobs_write(run->root, item->tree, item->path, values[i]);
}

static void write_round(struct profile_run *run)
{
	char now[KNOBS_VALUE_MAX];

	for (size_t i = 0; i < run->items->count; i++) {
		struct item *item = &run->items->items[i];

		item->error = 0;
		if (item->target && read_now(run, item, now) == 0 && !knobs_same(now, item->target))
			write_item(run, item);
	}
}

/* ---- read back ---- */

static void count_result(struct profile_run *run, const struct item *item, int error, const char *now)
{
	if (error < 0 || !knobs_same(now, item->target)) {
		refuse_item(run, item, error, now);
	} else if (item->is_written) {
		run->result.set += item->values != NULL;
		run->result.put_back += !item->values;
		run->result.base_slice |= is_base_slice(item->tree, item->path);
	}
}

static void read_item_back(struct profile_run *run, struct item *item)
{
	char now[KNOBS_VALUE_MAX];
	int r;

	if (!item->is_due)
		return;
	r = read_now(run, item, now);
	item->is_recorded = item->values || !is_knob_gone(r);
	if (!item->is_recorded)
		return;
	count_result(run, item, item->error < 0 ? item->error : r, now);
	copy_text(r < 0 ? NULL : now, &item->set);
	if (r == 0)
		item->is_recorded = !knobs_same(now, item->before);
}

/* ---- and all of it ---- */

enum work { WORK_NONE, WORK_PUT_BACK, WORK_SET };

/* Returns whether knobs have to be written; WORK_PUT_BACK if they only have to be put back. */
static enum work work_to_do(const struct items *items)
{
	enum work work = WORK_NONE;

	for (size_t i = 0; i < items->count; i++) {
		const struct item *item = &items->items[i];

		if (item->is_due && item->values)
			return WORK_SET;
		if (item->is_due)
			work = WORK_PUT_BACK;
	}
	return work;
}

static int carry_out(struct profile_run *run)
{
	const enum work work = work_to_do(run->items);
	int r;

	if (run->wish->only_new && work == WORK_NONE)
		return 0;
	r = items_write(run->folder, run->items);
	if (r < 0 && work != WORK_PUT_BACK)
		return r;
	/* Write twice, because one write may undo another: a disk's scheduler resets its queue depth. */
	write_round(run);
	write_round(run);
	for (size_t i = 0; i < run->items->count; i++) {
		read_item_back(run, &run->items->items[i]);
		run->items->items[i].is_due = false;
	}
	items_end_run(run->items);
	copy_text(run->wish->profile ? run->wish->profile->name : NULL, &run->items->profile);
	/* If this fails, the earlier record stays, according to which any value counts as ours. */
	items_write(run->folder, run->items);
	return 0;
}

int profile_run(struct profile_run *run)
{
	int r = want(run);

	for (size_t i = 0; i < run->items->count && r == 0; i++)
		r = compare_item(run, &run->items->items[i]);
	if (r == 0)
		r = carry_out(run);
	items_end_run(run->items);
	return r;
}
