/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the knobs, and reads them back. */
#include "profile_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* What the knob is to hold in the end; NULL for one that is not written. */
static const char *target_of(const struct profile_item *item)
{
	switch (item->step) {
	case KNOB_TAKE:
	case KNOB_CHANGE:
		return item_wanted(item);
	case KNOB_PUT_BACK:
		return item->record.before;
	case KNOB_LEAVE:
	case KNOB_FORGET:
		return NULL;
	}
	return NULL;
}

static void write_item(struct profile_run *run, struct profile_item *item)
{
	const char *const *values = item->values, *before = item->record.before;
	size_t n_values = item->n_values;

	if (item->step == KNOB_PUT_BACK) {
		values = &before;
		n_values = 1;
	}
	item->error = 0;
	item->written = true;
	for (size_t i = 0; i < n_values && item->error == 0; i++)
		item->error = knobs_write(run->knobs, item->record.tree, item->record.path, values[i]);
}

/*
 * In two rounds, since one write may undo another, as with a block device's scheduler and its queue depth. A knob that
 * came back together with its cause is not written.
 */
void profile_run_write(struct profile_run *run)
{
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < run->count; i++) {
			struct profile_item *item = &run->items[i];
			_cleanup_free_ char *now = NULL;

			if (item_is_caused(item) && profile_run_cause(run, item) &&
			    profile_run_cause(run, item)->error < 0)
				item->step = KNOB_LEAVE;
			if (!target_of(item) || (round && item->error < 0))
				continue;
			now = item_read(run, item);
			if (now && !knob_same(now, target_of(item)))
				write_item(run, item);
		}
	}
}

static void refuse_mismatch(struct profile_run *run, const struct profile_item *item, const char *now)
{
	const struct knob_record *record = &item->record;
	char name[KNOBS_PATH_MAX];

	run->result.refused++;
	refusals_add_mismatch(&run->refusals, record->tree, profile_run_name(record, name), target_of(item),
			      now);
}

/* error: of the writes. now: what the knob holds afterwards. */
static void count(struct profile_run *run, const struct profile_item *item, int error,
		  const char *now)
{
	const struct knob_record *record = &item->record;

	if (!target_of(item))
		return;
	if (error < 0) {
		profile_run_refuse(run, record, error);
		return;
	}
	if (!knob_same(now, target_of(item))) {
		refuse_mismatch(run, item, now);
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

/* Counts the result, and sets whether the knob stays on record. */
static void verify(struct profile_run *run, struct profile_item *item)
{
	_cleanup_free_ char *now = NULL;
	int error = item->error;

	if (!item_is_touched(item)) {
		item->kept = item->recorded && item->step != KNOB_FORGET;
		return;
	}
	now = item_read(run, item);
	if (item->step == KNOB_PUT_BACK && knob_is_gone(item->error))
		return;
	count(run, item, error, now);
	/* Without memory for the present value, whatever the knob holds counts as ours. */
	if (item->error != -ENOMEM) {
		free(item->record.set);
		item->record.set = take_ptr(now);
		item->record.writing = false;
	}
	item->kept = !knob_same(item->record.set, item->record.before);
}

void profile_run_verify(struct profile_run *run)
{
	for (size_t i = 0; i < run->count; i++)
		verify(run, &run->items[i]);
	/* Even a knob that holds its old value may change when its cause is put back. */
	for (size_t i = 0; i < run->count; i++) {
		struct profile_item *item = &run->items[i];

		if (item->record.cause && item_is_touched(item) && item->step != KNOB_PUT_BACK)
			item->kept |=
				profile_run_cause(run, item) && profile_run_cause(run, item)->kept;
	}
}
