/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of a profile over the machine's knobs, in three steps: which knobs there are to see to
 * (profile_want.c), what to do with each, given what it holds now (profile_decide.c), and doing it
 * (profile_write.c).
 */
#pragma once

#include <schedqos/kernel/knobs.h>
#include <schedqos/machine/profile_result.h>

#include "knob_records.h"
#include "refusals.h"

/* A knob of the machine in one run of apply. */
struct profile_item {
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

struct profile_run {
	struct knobs *knobs;
	const struct knob_records *records; /* from before */
	/* Of cpufreq, those seen to before: they are left alone, and so is all but new policies. NULL: this is a full run. */
	const struct knobs_names *seen;
	struct knobs_names seen_now; /* the same after this run, those gone left out */
	struct profile_item *items;
	size_t count, size;
	struct refusals refusals;
	struct profile_result result;
};

/* ---- profile_want.c ---- */

/*
 * Adds an item for each knob that the profile (NULL: none) names, and for autogroup if that is to
 * be off. What cannot be found is refused, and no error. 0 or -ENOMEM.
 */
int profile_run_want(struct profile_run *run, const struct sched_profile *profile,
		     bool autogroup_off);

/* Adds an item for each knob on record, or the record to the one there is. 0 or -ENOMEM. */
int profile_run_add_records(struct profile_run *run);

void profile_run_clear(struct profile_run *run);

/* The item of a knob, or NULL. */
struct profile_item *profile_run_find(struct profile_run *run, enum knob_tree tree,
				      const char *path, const char *word);

/* A new item, which is no longer where it was when one more is added. NULL without memory. */
struct profile_item *profile_run_add(struct profile_run *run, enum knob_tree tree, const char *path,
				     const char *word);

/* Counts and notes that the knob was refused, with a -errno. */
void profile_run_refuse(struct profile_run *run, enum knob_tree tree, const char *path, int error);

/* ---- profile_decide.c ---- */

/* Reads every knob and sets its step; adds those that the kernel will change along with them. 0 or
 * -ENOMEM. */
int profile_run_decide(struct profile_run *run);

/* What the knob holds now, to be freed; NULL and item->error when that cannot be read. */
char *item_read(struct profile_run *run, struct profile_item *item);

/* What the knob is to hold in the end by the profile; NULL when nothing wants it. */
const char *item_wanted(const struct profile_item *item);

/* Written, or watched while another is. */
bool item_is_touched(const struct profile_item *item);

/* No wish stands for it: it is here because the kernel changes it when another is written. */
bool item_is_caused(const struct profile_item *item);

/* That other one, or NULL. */
const struct profile_item *profile_run_cause(struct profile_run *run,
					     const struct profile_item *item);

/* The knob, or its device, is no longer there. */
bool knob_is_gone(int error);

/* ---- profile_write.c ---- */

/* Carries out every step. */
void profile_run_write(struct profile_run *run);

/* Reads every knob back: counts how it went, and sets what is to stay on record. */
void profile_run_verify(struct profile_run *run);
