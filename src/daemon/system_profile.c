/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/system_profile.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

#include "knob_records.h"
#include "refusals.h"
#include "state_file.h"

#define STATE_FILE "knobs.json"

/* Policy and kernel do not know each other's names for the trees. */
_Static_assert((int)KNOB_DEBUGFS == (int)KNOBS_DEBUGFS && (int)KNOB_CPUFREQ == (int)KNOBS_CPUFREQ &&
		       (int)KNOB_SYSCTL == (int)KNOBS_SYSCTL &&
		       (int)KNOB_BLOCK == (int)KNOBS_BLOCK && KNOB_TREES == KNOBS_TREES,
	       "one is cast to the other");

struct system_profile {
	struct knobs knobs;
	int folder; /* of the state file; a -errno where there is none */
	struct knob_records records;
	struct refusals refusals;
};

/* A knob of the machine in one run of apply. */
struct item {
	struct knob_record record; /* what is, or will be, on record */
	bool recorded;		   /* it was before this run */
	const char *const *values; /* to write one after another; NULL: nothing wants it */
	size_t n_values;
	bool optional; /* that there is no such knob is no refusal */
	char *present; /* before this run; NULL: error says why */
	int error;     /* of the last read or write */
	enum knob_step step;
	bool written; /* in this run */
	bool kept;    /* on record after it */
};

struct run {
	struct system_profile *system;
	struct item *items;
	size_t count, size;
	struct refusals refusals;
	struct profile_result result;
};

static void run_clear(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		knob_record_clear(&run->items[i].record);
		free(run->items[i].present);
	}
	free(run->items);
	refusals_clear(&run->refusals);
}

static enum knobs_tree tree_of(const struct item *item)
{
	return (enum knobs_tree)item->record.tree;
}

static const char *wanted_of(const struct item *item)
{
	return item->values ? item->values[item->n_values - 1] : NULL;
}

/* ---- which knobs ---- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static struct item *find_item(struct run *run, enum knob_tree tree, const char *path,
			      const char *word)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct knob_record *record = &run->items[i].record;

		if (record->tree == tree && strcmp(record->path, path) == 0 &&
		    same_text(record->word, word))
			return &run->items[i];
	}
	return NULL;
}

/* Pointers to items do not outlive this. NULL without memory. */
static struct item *add_item(struct run *run, enum knob_tree tree, const char *path,
			     const char *word)
{
	struct item item = { .record.tree = tree }, *items;

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

/* Of two wishes for one knob the later one counts. */
static int want(struct run *run, enum knob_tree tree, const char *path, const char *word,
		const char *const *values, size_t n_values)
{
	struct item *item = find_item(run, tree, path, word);

	if (!item)
		item = add_item(run, tree, path, word);
	if (!item)
		return -ENOMEM;
	item->values = values;
	item->n_values = n_values;
	item->optional = false;
	return 0;
}

/* `features` is as many knobs as it has words, each a switch of its own. */
static int want_features(struct run *run, const struct knob *knob)
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

static void refuse(struct run *run, enum knob_tree tree, const char *path, int error)
{
	char name[KNOBS_PATH_MAX];

	run->result.refused++;
	refusals_add(&run->refusals, (enum knobs_tree)tree,
		     knobs_name((enum knobs_tree)tree, path, name), error);
}

/* A glob that matches nothing is no refusal: a profile may be meant for several machines. A name is. */
static void refuse_unit(struct run *run, const struct knob *knob, int error)
{
	char path[KNOBS_PATH_MAX];

	if (knob->tree == KNOB_BLOCK)
		snprintf(path, sizeof(path), "%s/%s", knob->devices, knob->file);
	else
		snprintf(path, sizeof(path), "%s", knob->file);
	refuse(run, knob->tree, path, error);
}

static int want_units(struct run *run, const struct knob *knob)
{
	const char *glob = knob->tree == KNOB_BLOCK ? knob->devices : "policy*";
	_cleanup_(knobs_names_clear) struct knobs_names units = { 0 };
	int r = knobs_units(&run->system->knobs, (enum knobs_tree)knob->tree, glob, &units);

	if (r == -ENOMEM)
		return r;
	if (r == 0 && units.count == 0 && !(knob->tree == KNOB_BLOCK && strpbrk(glob, "*?[")))
		r = -ENOENT;
	if (r < 0) {
		refuse_unit(run, knob, r);
		return 0;
	}
	for (size_t i = 0; i < units.count && r == 0; i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%s/%s", units.items[i], knob->file) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		r = want(run, knob->tree, path, NULL, knob->values, knob->n_values);
	}
	return r;
}

static int want_knob(struct run *run, const struct knob *knob)
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

/* A kernel without autogroups (CONFIG_SCHED_AUTOGROUP) is as good as one where they are off. */
static int want_no_autogroup(struct run *run)
{
	static const char *const off[] = { "0" };
	int r = want(run, KNOB_SYSCTL, "kernel/sched_autogroup_enabled", NULL, off, 1);

	if (r == 0)
		run->items[run->count - 1].optional = true;
	return r;
}

static int want_all(struct run *run, const struct sched_profile *profile, bool autogroup_off)
{
	int r = autogroup_off ? want_no_autogroup(run) : 0;

	for (size_t i = 0; profile && i < profile->n_knobs && r == 0; i++)
		r = want_knob(run, &profile->knobs[i]);
	return r;
}

static bool copy_text(const char *text, char **ret)
{
	free(*ret);
	*ret = text ? strdup(text) : NULL;
	return !text || *ret;
}

/* What is on record, whether it is wanted or not. */
static int add_records(struct run *run)
{
	const struct knob_records *records = &run->system->records;

	for (size_t i = 0; i < records->count; i++) {
		const struct knob_record *record = &records->items[i];
		struct item *item = find_item(run, record->tree, record->path, record->word);

		if (!item)
			item = add_item(run, record->tree, record->path, record->word);
		if (!item || !copy_text(record->before, &item->record.before) ||
		    !copy_text(record->set, &item->record.set) ||
		    !copy_text(record->cause, &item->record.cause))
			return -ENOMEM;
		item->record.writing = record->writing;
		item->recorded = true;
	}
	return 0;
}

/* ---- what is there, and what to do ---- */

/* What the knob holds now, to be freed; NULL and item->error when that cannot be read. */
static char *read_now(struct run *run, struct item *item)
{
	char buf[KNOBS_VALUE_MAX], *text;

	item->error = knobs_read(&run->system->knobs, tree_of(item), item->record.path,
				 item->record.word, buf);
	if (item->error < 0)
		return NULL;
	text = strdup(buf);
	if (!text)
		item->error = -ENOMEM;
	return text;
}

static bool is_gone(int error)
{
	return error == -ENOENT || error == -ENODEV;
}

/* What cannot be read could not be put back either: it is not written. */
static enum knob_step decide_unreadable(struct run *run, struct item *item)
{
	if (!item->values && is_gone(item->error))
		return KNOB_FORGET;
	if (!(item->optional && is_gone(item->error)))
		refuse(run, item->record.tree, item->record.path, item->error);
	return KNOB_LEAVE;
}

/* Of a knob that a wish or a record stands for by itself. */
static bool is_caused(const struct item *item)
{
	return item->record.cause && !item->values;
}

static void decide(struct run *run, struct item *item)
{
	item->present = read_now(run, item);
	if (is_caused(item))
		return;
	if (!item->present) {
		item->step = decide_unreadable(run, item);
		return;
	}
	item->step =
		knob_decide(item->recorded ? &item->record : NULL, item->present, wanted_of(item));
	if (item->values && knob_same(item->present, wanted_of(item)))
		run->result.already++;
}

static const struct item *cause_of(struct run *run, const struct item *item)
{
	return find_item(run, item->record.tree, item->record.cause, NULL);
}

static void decide_caused(struct run *run, struct item *item)
{
	const struct item *cause = cause_of(run, item);

	item->step = knob_decide_caused(item->recorded ? &item->record : NULL, item->present,
					cause ? cause->step : KNOB_PUT_BACK);
	/* What was not there before us need not be put back. */
	if (item->step == KNOB_TAKE && !item->present)
		item->step = KNOB_FORGET;
}

/* One that is as it is wanted to be will not stay so: it gets a record, and is looked after. */
static void expect_disturbance(struct item *item)
{
	if (item->values && item->step == KNOB_LEAVE)
		item->step = item->recorded ? KNOB_CHANGE : KNOB_TAKE;
	if (item->values && item->step == KNOB_FORGET)
		item->step = KNOB_TAKE;
}

/* What the kernel is going to change when the knob is written gets an item, too. */
static int add_disturbed(struct run *run, size_t index)
{
	_cleanup_(knobs_names_clear) struct knobs_names names = { 0 };
	enum knob_tree tree = run->items[index].record.tree;
	int r = knobs_disturbed(&run->system->knobs, (enum knobs_tree)tree,
				run->items[index].record.path, &names);

	for (size_t i = 0; i < names.count && r == 0; i++) {
		struct item *item = find_item(run, tree, names.items[i], NULL);

		if (item) {
			expect_disturbance(item);
		} else {
			item = add_item(run, tree, names.items[i], NULL);
			if (!item)
				return -ENOMEM;
			item->present = read_now(run, item);
		}
		if (!copy_text(run->items[index].record.path, &item->record.cause))
			return -ENOMEM;
	}
	return r == -ENOMEM ? r : 0;
}

static int decide_all(struct run *run)
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
		struct item *item = &run->items[i];

		if (is_caused(item))
			decide_caused(run, item);
		if (item->step == KNOB_TAKE && !copy_text(item->present, &item->record.before))
			r = -ENOMEM;
	}
	return r;
}

/* Written, or watched while another is. */
static bool is_touched(const struct item *item)
{
	return item->step == KNOB_TAKE || item->step == KNOB_CHANGE || item->step == KNOB_PUT_BACK;
}

/* ---- doing it ---- */

/* What the knob is to hold in the end; NULL for one that is only watched. */
static const char *target_of(const struct item *item)
{
	switch (item->step) {
	case KNOB_TAKE:
	case KNOB_CHANGE:
		return wanted_of(item);
	case KNOB_PUT_BACK:
		return item->record.before;
	case KNOB_LEAVE:
	case KNOB_FORGET:
		return NULL;
	}
	return NULL;
}

static void write_item(struct run *run, struct item *item)
{
	struct knobs *knobs = &run->system->knobs;
	const char *const *values = item->values, *before = item->record.before;
	size_t n_values = item->n_values;

	if (item->step == KNOB_PUT_BACK) {
		values = &before;
		n_values = 1;
	}
	item->error = 0;
	item->written = true;
	for (size_t i = 0; i < n_values && item->error == 0; i++)
		item->error = knobs_write(knobs, tree_of(item), item->record.path, values[i]);
}

/*
 * In two rounds: the kernel may undo one write by another, as with a block device's scheduler and its queue's
 * depth. What a put-back cause has brought back by itself is not written.
 */
static void write_all(struct run *run)
{
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < run->count; i++) {
			struct item *item = &run->items[i];
			_cleanup_free_ char *now = NULL;

			if (is_caused(item) && cause_of(run, item) &&
			    cause_of(run, item)->error < 0)
				item->step = KNOB_LEAVE;
			if (!target_of(item) || (round && item->error < 0))
				continue;
			now = read_now(run, item);
			if (now && !knob_same(now, target_of(item)))
				write_item(run, item);
		}
	}
}

static void refuse_kept(struct run *run, const struct item *item, const char *now)
{
	char name[KNOBS_PATH_MAX];

	run->result.refused++;
	refusals_add_kept(&run->refusals, tree_of(item),
			  knobs_name(tree_of(item), item->record.path, name), target_of(item), now);
}

/* error: of the writes. now: what the knob holds after them. */
static void count(struct run *run, const struct item *item, int error, const char *now)
{
	const struct knob_record *record = &item->record;

	if (!target_of(item))
		return;
	if (error < 0) {
		refuse(run, record->tree, record->path, error);
		return;
	}
	if (!knob_same(now, target_of(item))) {
		refuse_kept(run, item, now);
		return;
	}
	if (!item->written)
		return;
	if (item->values)
		run->result.set++;
	else
		run->result.put_back++;
	if (record->tree == KNOB_DEBUGFS && strcmp(record->path, "base_slice_ns") == 0)
		run->result.base_slice = true;
}

/* How it went, and whether the knob stays on record. */
static void settle(struct run *run, struct item *item)
{
	_cleanup_free_ char *now = NULL;
	int error = item->error;

	if (!is_touched(item)) {
		item->kept = item->recorded && item->step != KNOB_FORGET;
		return;
	}
	now = read_now(run, item);
	if (item->step == KNOB_PUT_BACK && is_gone(item->error))
		return;
	count(run, item, error, now);
	/* Without memory to say what is there now, whatever is there counts as ours. */
	if (item->error != -ENOMEM) {
		free(item->record.set);
		item->record.set = take_ptr(now);
		item->record.writing = false;
	}
	item->kept = !knob_same(item->record.set, item->record.before);
}

static void settle_all(struct run *run)
{
	for (size_t i = 0; i < run->count; i++)
		settle(run, &run->items[i]);
	/* One that is as it was may all the same change when its cause is put back. */
	for (size_t i = 0; i < run->count; i++) {
		struct item *item = &run->items[i];

		if (item->record.cause && is_touched(item) && item->step != KNOB_PUT_BACK)
			item->kept |= cause_of(run, item) && cause_of(run, item)->kept;
	}
}

static bool is_kept(const struct item *item)
{
	return item->kept;
}

/* What is, or in a moment may be, not as it was before us. */
static bool is_at_stake(const struct item *item)
{
	return is_touched(item) || (item->recorded && item->step == KNOB_LEAVE);
}

static int record_items(const struct run *run, const char *profile,
			bool (*is_recorded)(const struct item *item), struct knob_records *ret)
{
	int r = copy_text(profile, &ret->profile) ? 0 : -ENOMEM;

	for (size_t i = 0; i < run->count && r == 0; i++) {
		if (is_recorded(&run->items[i]))
			r = knob_records_add(ret, &run->items[i].record);
	}
	return r;
}

/* The file is there as long as there is something to know. */
static int save(const struct system_profile *system, const struct knob_records *records)
{
	cJSON *json;
	int r;

	if (system->folder < 0)
		return system->folder;
	if (!records->count && !records->profile)
		return state_file_remove(system->folder, STATE_FILE);
	json = knob_records_to_json(records);
	r = json ? state_file_write(system->folder, STATE_FILE, json) : -ENOMEM;
	cJSON_Delete(json);
	return r;
}

/* Writes, with a record of it before and after. What only puts back does not depend on a record. */
static int carry_out(struct run *run, const char *profile, bool only_back)
{
	_cleanup_(knob_records_clear) struct knob_records before = { 0 }, after = { 0 };
	struct system_profile *system = run->system;
	int r;

	for (size_t i = 0; i < run->count; i++)
		run->items[i].record.writing |= is_touched(&run->items[i]);
	r = record_items(run, profile, is_at_stake, &before);
	if (r == 0)
		r = save(system, &before);
	if (r < 0 && !only_back)
		return r;
	write_all(run);
	settle_all(run);
	/* If this fails the records from before the writing hold: in them, whatever is there is ours. */
	r = record_items(run, profile, is_kept, &after);
	knob_records_clear(&system->records);
	if (r == 0) {
		system->records = after;
		after = (struct knob_records){ 0 };
	} else {
		system->records = before;
		before = (struct knob_records){ 0 };
	}
	save(system, &system->records);
	return 0;
}

static void publish(struct run *run, struct profile_result *ret)
{
	struct system_profile *system = run->system;

	refusals_finish(&run->refusals, &system->refusals);
	refusals_clear(&system->refusals);
	system->refusals = run->refusals;
	run->refusals = (struct refusals){ 0 };
	*ret = run->result;
}

int system_profile_apply(struct system_profile *system, const struct sched_profile *profile,
			 bool autogroup_off, struct profile_result *ret)
{
	_cleanup_(run_clear) struct run run = { .system = system };
	int r = want_all(&run, profile, autogroup_off);

	*ret = (struct profile_result){ 0 };
	if (r == 0)
		r = add_records(&run);
	if (r == 0)
		r = decide_all(&run);
	if (r == 0)
		r = carry_out(&run, profile ? profile->name : NULL, !profile && !autogroup_off);
	if (r == 0)
		publish(&run, ret);
	return r;
}

/* ---- the object ---- */

static int adopt(struct system_profile *system)
{
	cJSON *json = NULL;
	int r = system->folder < 0 ? system->folder
				   : state_file_read(system->folder, STATE_FILE, &json);

	if (r == 0)
		r = knob_records_from_json(json, &system->records);
	cJSON_Delete(json);
	/* Another boot's knobs are as that boot made them: there is nothing to put back. */
	return r == -ENOENT || r == -ESTALE ? 0 : r;
}

int system_profile_new_at(const struct knobs *knobs, int folder, struct system_profile **ret)
{
	struct system_profile *system = calloc(1, sizeof(*system));

	if (!system)
		return -ENOMEM;
	system->knobs = *knobs;
	system->folder = folder;
	*ret = system;
	return adopt(system);
}

int system_profile_new(struct system_profile **ret)
{
	struct knobs knobs;

	knobs_init(&knobs);
	return system_profile_new_at(&knobs, state_folder_open(), ret);
}

void system_profile_free(struct system_profile *system)
{
	if (!system)
		return;
	knobs_close(&system->knobs);
	if (system->folder >= 0)
		close(system->folder);
	knob_records_clear(&system->records);
	refusals_clear(&system->refusals);
	free(system);
}

const char *system_profile_name(const struct system_profile *system)
{
	return system->records.profile;
}

const struct refusal *system_profile_refusals(const struct system_profile *system,
					      size_t *ret_count)
{
	*ret_count = system->refusals.count;
	return system->refusals.items;
}

size_t system_profile_count(const struct system_profile *system)
{
	return system->records.count;
}
