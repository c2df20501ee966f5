/* SPDX-License-Identifier: GPL-2.0-only */
/* Applies a sched profile, and records the changes before and after. */
#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#include "knob_file.h"
#include "machine_private.h"
#include "profile_run.h"

static bool is_kept(const struct profile_item *item)
{
	return item->kept;
}

/* Whether the knob differs from what it was before us, or may do so in a moment. */
static bool must_be_recorded(const struct profile_item *item)
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

static int save(const struct machine *machine, const struct knob_records *records)
{
	/* A file that has not been taken over must not be overwritten. */
	return machine->takeover_error < 0 ? machine->takeover_error : knob_file_write(machine->folder, records);
}

/* Writes, with a record before and after. A run that only puts back goes ahead without a record. */
static int carry_out(struct machine *machine, struct profile_run *run, const char *profile,
		     bool only_puts_back)
{
	_cleanup_(knob_records_clear) struct knob_records before = { 0 }, after = { 0 };
	int r;

	for (size_t i = 0; i < run->count; i++)
		run->items[i].record.writing |= item_is_touched(&run->items[i]);
	r = record_items(run, profile, must_be_recorded, &before);
	if (r == 0)
		r = save(machine, &before);
	if (r < 0 && !only_puts_back)
		return r;
	profile_run_write(run);
	profile_run_verify(run);
	/* If this fails, the records from before stay: by those, any value counts as ours. */
	r = record_items(run, profile, is_kept, &after);
	knob_records_clear(&machine->records);
	if (r == 0) {
		machine->records = after;
		after = (struct knob_records){ 0 };
	} else {
		machine->records = before;
		before = (struct knob_records){ 0 };
	}
	save(machine, &machine->records);
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

static void publish(struct machine *machine, struct profile_run *run,
		    struct profile_result *ret)
{
	refusals_finish(&run->refusals, &machine->refusals);
	if (run->seen) {
		refusals_append(&machine->refusals, &run->refusals);
	} else {
		refusals_clear(&machine->refusals);
		machine->refusals = run->refusals;
		run->refusals = (struct refusals){ 0 };
	}
	knobs_names_clear(&machine->seen);
	machine->seen = run->seen_now;
	run->seen_now = (struct knobs_names){ 0 };
	*ret = run->result;
}

static int read_records(struct machine *machine)
{
	int r = knob_file_read(machine->folder, &machine->records);

	/* Knobs do not survive a boot: there is nothing to put back from an earlier one. */
	return r == -ENOENT || r == -ESTALE ? 0 : r;
}

int machine_take_over(struct machine *machine)
{
	if (machine->takeover_error < 0)
		machine->takeover_error = read_records(machine);
	return machine->takeover_error;
}

static int apply(struct machine *machine, const struct sched_profile *profile, bool autogroup_off,
		 bool only_new, struct profile_result *ret)
{
	_cleanup_(profile_run_clear) struct profile_run run = { .knobs = &machine->knobs,
								.records = &machine->records,
								.seen = only_new ? &machine->seen : NULL };
	bool nothing_new;
	int r;

	*ret = (struct profile_result){ 0 };
	machine_take_over(machine);
	r = profile_run_want(&run, profile, autogroup_off);
	nothing_new = only_new && !run.count;
	if (r == 0)
		r = profile_run_add_records(&run);
	if (r == 0)
		r = profile_run_decide(&run);
	if (r == 0)
		r = note_seen(&run);
	if (r == 0 && !nothing_new)
		r = carry_out(machine, &run, profile ? profile->name : NULL,
			      !profile && !autogroup_off);
	if (r == 0)
		publish(machine, &run, ret);
	/* A descriptor left open would keep debugfs from being unmounted. */
	if (!machine->keeps_trees)
		knobs_close(&machine->knobs);
	return r;
}

int machine_apply(struct machine *machine, const struct sched_profile *profile, bool autogroup_off,
		  struct profile_result *ret)
{
	return apply(machine, profile, autogroup_off, false, ret);
}

int machine_refresh(struct machine *machine, const struct sched_profile *profile, struct profile_result *ret)
{
	return apply(machine, profile, false, true, ret);
}
