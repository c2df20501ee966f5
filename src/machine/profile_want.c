/* SPDX-License-Identifier: GPL-2.0-only */
/* Which knobs of the machine a profile sets. */
#include "profile_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

void profile_run_clear(struct profile_run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		knob_record_clear(&run->items[i].record);
		free(run->items[i].present);
	}
	free(run->items);
	refusals_clear(&run->refusals);
	knobs_names_clear(&run->seen_now);
}

static bool is_seen(const struct profile_run *run, const char *path)
{
	for (size_t i = 0; run->seen && i < run->seen->count; i++) {
		if (strcmp(run->seen->items[i], path) == 0)
			return true;
	}
	return false;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

struct profile_item *profile_run_find(struct profile_run *run, enum knob_tree tree,
				      const char *path, const char *word)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct knob_record *record = &run->items[i].record;

		if (record->tree == tree && strcmp(record->path, path) == 0 &&
		    same_text(record->word, word))
			return &run->items[i];
	}
	return NULL;
}

struct profile_item *profile_run_add(struct profile_run *run, enum knob_tree tree, const char *path,
				     const char *word)
{
	struct profile_item item = { .record.tree = tree }, *items;

	if (run->count == run->size) {
		size_t size = run->size ? run->size * 2 : 16;

		items = reallocarray(run->items, size, sizeof(*items));
		if (!items)
			return NULL;
		run->items = items;
		run->size = size;
	}
	item.record.path = strdup(path);
	item.record.word = word ? strdup(word) : NULL;
	if (!item.record.path || (word && !item.record.word)) {
		knob_record_clear(&item.record);
		return NULL;
	}
	run->items[run->count] = item;
	return &run->items[run->count++];
}

/* Where a knob is named twice, the later value counts. */
static int want(struct profile_run *run, enum knob_tree tree, const char *path, const char *word,
		const char *const *values, size_t n_values)
{
	struct profile_item *item = profile_run_find(run, tree, path, word);

	if (!item)
		item = profile_run_add(run, tree, path, word);
	if (!item)
		return -ENOMEM;
	item->values = values;
	item->n_values = n_values;
	item->optional = false;
	return 0;
}

/* Each word of `features` is a switch, and counts as a knob of its own. */
static int want_features(struct profile_run *run, const struct knob *knob)
{
	int r = 0;

	for (size_t i = 0; i < knob->n_values && r == 0; i++) {
		const char *word = knob->values[i];

		if (strncmp(word, "NO_", 3) == 0)
			word += 3;
		r = want(run, knob->tree, knob->file, word, &knob->values[i], 1);
	}
	return r;
}

const char *profile_run_name(const struct knob_record *record, char buf[KNOBS_PATH_MAX])
{
	size_t len = strlen(knobs_name(record->tree, record->path, buf));

	if (record->word)
		snprintf(buf + len, KNOBS_PATH_MAX - len, " %s", record->word);
	return buf;
}

void profile_run_refuse(struct profile_run *run, const struct knob_record *record, int error)
{
	char name[KNOBS_PATH_MAX];

	run->result.refused++;
	refusals_add(&run->refusals, record->tree, profile_run_name(record, name), error);
}

/* For a device that is named and does not exist. A glob may match nothing: profiles are shared between machines. */
static void refuse_unit(struct profile_run *run, const struct knob *knob, int error)
{
	char path[KNOBS_PATH_MAX];
	const struct knob_record record = { .tree = knob->tree, .path = path };

	if (knob->tree == KNOB_BLOCK)
		snprintf(path, sizeof(path), "%s/%s", knob->devices, knob->file);
	else
		snprintf(path, sizeof(path), "%s", knob->file);
	profile_run_refuse(run, &record, error);
}

static int want_units(struct profile_run *run, const struct knob *knob)
{
	const char *glob = knob->tree == KNOB_BLOCK ? knob->devices : "policy*";
	_cleanup_(knobs_names_clear) struct knobs_names units = { 0 };
	int r = knobs_units(run->knobs, knob->tree, glob, &units);

	if (r == -ENOMEM)
		return r;
	if (r == 0 && units.count == 0 && !(knob->tree == KNOB_BLOCK && strpbrk(glob, "*?[")))
		r = -ENOENT;
	if (r < 0) {
		if (!run->seen)
			refuse_unit(run, knob, r);
		return 0;
	}
	for (size_t i = 0; i < units.count && r == 0; i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%s/%s", units.items[i], knob->file) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		if (is_seen(run, path))
			r = knobs_names_add(&run->seen_now, take_ptr(path));
		else
			r = want(run, knob->tree, path, NULL, knob->values, knob->n_values);
	}
	return r;
}

static int want_knob(struct profile_run *run, const struct knob *knob)
{
	switch (knob->tree) {
	case KNOB_DEBUGFS:
		if (strcmp(knob->file, "features") == 0)
			return want_features(run, knob);
		return want(run, knob->tree, knob->file, NULL, knob->values, knob->n_values);
	case KNOB_SYSCTL:
		return want(run, knob->tree, knob->file, NULL, knob->values, knob->n_values);
	case KNOB_CPUFREQ:
	case KNOB_BLOCK:
		return want_units(run, knob);
	}
	return -EINVAL;
}

/* A kernel without autogroups (CONFIG_SCHED_AUTOGROUP) will do, too. */
static int want_no_autogroup(struct profile_run *run)
{
	static const char *const off[] = { "0" };
	int r = want(run, KNOB_SYSCTL, "kernel/sched_autogroup_enabled", NULL, off, 1);

	if (r == 0)
		run->items[run->count - 1].optional = true;
	return r;
}

static const struct knob_record *find_record(const struct profile_run *run, const struct knob *knob)
{
	for (size_t i = 0; i < run->records->count; i++) {
		const struct knob_record *record = &run->records->items[i];

		if (record->tree == knob->tree && strcmp(record->path, knob->file) == 0)
			return record;
	}
	return NULL;
}

/* Whether the kernel has overwritten what we set. */
static bool is_lost(struct profile_run *run, const struct knob *knob)
{
	const bool is_base_slice = knob->tree == KNOB_DEBUGFS && strcmp(knob->file, "base_slice_ns") == 0;
	const struct knob_record *record = is_base_slice ? find_record(run, knob) : NULL;
	char present[KNOBS_VALUE_MAX];

	return record && knobs_read(run->knobs, knob->tree, knob->file, NULL, present) == 0 &&
	       !knob_same(present, record->set) && knob_base_slice_is_computed(present, record->before);
}

int profile_run_want(struct profile_run *run, const struct sched_profile *profile,
		     bool autogroup_off)
{
	int r = autogroup_off ? want_no_autogroup(run) : 0;

	for (size_t i = 0; profile && i < profile->n_knobs && r == 0; i++) {
		if (!run->seen || profile->knobs[i].tree == KNOB_CPUFREQ || is_lost(run, &profile->knobs[i]))
			r = want_knob(run, &profile->knobs[i]);
	}
	return r;
}

int profile_run_add_records(struct profile_run *run)
{
	const struct knob_records *records = run->records;

	for (size_t i = 0; i < records->count; i++) {
		const struct knob_record *record = &records->items[i];
		struct profile_item *item =
			profile_run_find(run, record->tree, record->path, record->word);

		if (!item)
			item = profile_run_add(run, record->tree, record->path, record->word);
		if (!item || !copy_text(record->before, &item->record.before) ||
		    !copy_text(record->set, &item->record.set) ||
		    !copy_text(record->cause, &item->record.cause))
			return -ENOMEM;
		item->record.writing = record->writing;
		item->recorded = true;
	}
	return 0;
}
