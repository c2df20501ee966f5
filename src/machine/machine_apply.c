/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/machine/machine.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/state_folder.h>

#include "knob_file.h"
#include "profile_run.h"
#include "refusals.h"

struct system_profile {
	struct knobs knobs;
	bool keeps_trees; /* they were given to us open */
	int folder;	  /* of the state file; a -errno where there is none */
	int adopted;	  /* 0, or why what an earlier run left is still to be taken over */
	struct knob_records records;
	struct knobs_names seen; /* knobs of cpufreq policies that have been seen to */
	struct refusals refusals;
};

static bool is_kept(const struct profile_item *item)
{
	return item->kept;
}

/* What is, or in a moment may be, not as it was before us. */
static bool is_at_stake(const struct profile_item *item)
{
	return item_is_touched(item) || (item->recorded && item->step == KNOB_LEAVE);
}

static int record_items(const struct profile_run *run, const char *profile,
			bool (*is_recorded)(const struct profile_item *item),
			struct knob_records *ret)
{
	int r = copy_text(profile, &ret->profile) ? 0 : -ENOMEM;

	for (size_t i = 0; i < run->count && r == 0; i++) {
		if (is_recorded(&run->items[i]))
			r = knob_records_add(ret, &run->items[i].record);
	}
	return r;
}

static int save(const struct system_profile *system, const struct knob_records *records)
{
	/* Else what is there is lost. */
	return system->adopted < 0 ? system->adopted : knob_file_write(system->folder, records);
}

/* Writes, with a record of it before and after. What only puts back does not depend on a record. */
static int carry_out(struct system_profile *system, struct profile_run *run, const char *profile,
		     bool only_back)
{
	_cleanup_(knob_records_clear) struct knob_records before = { 0 }, after = { 0 };
	int r;

	for (size_t i = 0; i < run->count; i++)
		run->items[i].record.writing |= item_is_touched(&run->items[i]);
	r = record_items(run, profile, is_at_stake, &before);
	if (r == 0)
		r = save(system, &before);
	if (r < 0 && !only_back)
		return r;
	profile_run_write(run);
	profile_run_settle(run);
	/* If this fails the records from before the writing hold: in them, whatever is there is
	 * ours. */
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

static int note_seen(struct profile_run *run)
{
	int r = 0;

	for (size_t i = 0; i < run->count && r == 0; i++) {
		const struct profile_item *item = &run->items[i];

		if (item->values && item->present && item->record.tree == KNOB_CPUFREQ)
			r = knobs_names_add(&run->seen_now, strdup(item->record.path));
	}
	return r;
}

static void publish(struct system_profile *system, struct profile_run *run,
		    struct profile_result *ret)
{
	refusals_finish(&run->refusals, &system->refusals);
	if (run->seen) {
		refusals_append(&system->refusals, &run->refusals);
	} else {
		refusals_clear(&system->refusals);
		system->refusals = run->refusals;
		run->refusals = (struct refusals){ 0 };
	}
	knobs_names_clear(&system->seen);
	system->seen = run->seen_now;
	run->seen_now = (struct knobs_names){ 0 };
	*ret = run->result;
}

static int adopt(struct system_profile *system)
{
	int r = knob_file_read(system->folder, &system->records);

	/* Another boot's knobs are as that boot made them: there is nothing to put back. */
	return r == -ENOENT || r == -ESTALE ? 0 : r;
}

int system_profile_take_over(struct system_profile *system)
{
	if (system->adopted < 0)
		system->adopted = adopt(system);
	return system->adopted;
}

int system_profile_set_aside(struct system_profile *system)
{
	int r = system->folder < 0 ? system->folder : state_file_set_aside(system->folder, STATE_KNOBS);

	if (r >= 0)
		system->adopted = 0;
	return r;
}

static int apply(struct system_profile *system, const struct sched_profile *profile, bool autogroup_off,
		 bool only_new, struct profile_result *ret)
{
	_cleanup_(profile_run_clear) struct profile_run run = { .knobs = &system->knobs,
								.records = &system->records,
								.seen = only_new ? &system->seen : NULL };
	bool is_idle;
	int r;

	*ret = (struct profile_result){ 0 };
	system_profile_take_over(system);
	r = profile_run_want(&run, profile, autogroup_off);
	is_idle = only_new && !run.count;
	if (r == 0)
		r = profile_run_add_records(&run);
	if (r == 0)
		r = profile_run_decide(&run);
	if (r == 0)
		r = note_seen(&run);
	if (r == 0 && !is_idle)
		r = carry_out(system, &run, profile ? profile->name : NULL,
			      !profile && !autogroup_off);
	if (r == 0)
		publish(system, &run, ret);
	/* An open folder keeps debugfs from being unmounted. */
	if (!system->keeps_trees)
		knobs_close(&system->knobs);
	return r;
}

int system_profile_apply(struct system_profile *system, const struct sched_profile *profile,
			 bool autogroup_off, struct profile_result *ret)
{
	return apply(system, profile, autogroup_off, false, ret);
}

int system_profile_refresh(struct system_profile *system, const struct sched_profile *profile,
			   struct profile_result *ret)
{
	return apply(system, profile, false, true, ret);
}

int system_profile_new_at(const struct knobs *knobs, int folder, struct system_profile **ret)
{
	struct system_profile *system = calloc(1, sizeof(*system));

	if (!system)
		return -ENOMEM;
	system->knobs = *knobs;
	system->keeps_trees = true;
	system->folder = folder;
	*ret = system;
	system->adopted = adopt(system);
	return system->adopted;
}

int system_profile_new(struct system_profile **ret)
{
	struct knobs knobs;
	int r;

	knobs_init(&knobs);
	r = system_profile_new_at(&knobs, state_folder_open(), ret);
	if (*ret)
		(*ret)->keeps_trees = false;
	return r;
}

void system_profile_free(struct system_profile *system)
{
	if (!system)
		return;
	knobs_close(&system->knobs);
	if (system->folder >= 0)
		close(system->folder);
	knob_records_clear(&system->records);
	knobs_names_clear(&system->seen);
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
