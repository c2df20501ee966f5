/* SPDX-License-Identifier: GPL-2.0-only */
/* Which knobs of the machine a profile sets. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#include "profile_run.h"

bool is_base_slice(enum knob_tree tree, const char *path)
{
	return tree == KNOB_DEBUGFS && strcmp(path, "base_slice_ns") == 0;
}

/* Where a knob is named twice, the later value counts. */
static int want_file(struct profile_run *run, enum knob_tree tree, const char *path, const char *word,
		     const char *const *values, size_t n_values)
{
	struct item *item = items_find_or_add(run->items, tree, path, word);

	if (!item)
		return -ENOMEM;
	item->values = values;
	item->n_values = n_values;
	item->is_optional = false;
	return 0;
}

/* Each word of `features` is a switch, and counts as a knob of its own. */
static int want_features(struct profile_run *run, const struct knob *knob)
{
	int r = 0;

	for (size_t i = 0; i < knob->n_values && r == 0; i++) {
		const char *word = knob->values[i];

		r = want_file(run, knob->tree, knob->file, strncmp(word, "NO_", 3) == 0 ? word + 3 : word,
			      &knob->values[i], 1);
	}
	return r;
}

/* A file of each cpufreq policy or device. A glob may match nothing: profiles are shared between machines. */
static int want_units(struct profile_run *run, const struct knob *knob)
{
	const char *folder = knob->tree == KNOB_BLOCK ? "/queue" : "";
	const char *glob = knob->tree == KNOB_BLOCK ? knob->devices : "policy*";
	_cleanup_(knobs_names_clear) struct knobs_names units = { 0 };
	int r = knobs_units(run->knobs, knob->tree, glob, &units);
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
		r = want_file(run, knob->tree, path, NULL, knob->values, knob->n_values);
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
	return want_file(run, knob->tree, knob->file, NULL, knob->values, knob->n_values);
}

/* A kernel without autogroups (CONFIG_SCHED_AUTOGROUP) will do, too. */
static int want_no_autogroup(struct profile_run *run)
{
	static const char path[] = "kernel/sched_autogroup_enabled";
	static const char *const off[] = { "0" };
	int r = want_file(run, KNOB_SYSCTL, path, NULL, off, 1);

	if (r == 0)
		items_find_or_add(run->items, KNOB_SYSCTL, path, NULL)->is_optional = true;
	return r;
}

int profile_want(struct profile_run *run)
{
	const struct sched_profile *profile = run->wish->profile;
	int r = run->wish->autogroup_off ? want_no_autogroup(run) : 0;

	for (size_t i = 0; profile && i < profile->n_knobs && r == 0; i++)
		r = want_knob(run, &profile->knobs[i]);
	return r;
}
