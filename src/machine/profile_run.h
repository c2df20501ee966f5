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
	struct knob_record record; /* as it is, or will be, on record */
	bool recorded;		   /* was on record before this run */
	const char *const *values; /* to be written one after another; NULL: no value is asked for */
	size_t n_values;
	bool optional; /* if it does not exist, that is no refusal */
	char *present; /* before this run; NULL: error says why */
	int error;     /* of the last read or write */
	enum knob_step step;
	bool written; /* in this run */
	bool kept;    /* on record after it */
};

struct profile_run {
	struct knobs *knobs;
	const struct knob_records *records; /* from before */
	/* Where only new cpufreq policies are handled, and a lost base slice: those already handled. NULL: a full run. */
	const struct knobs_names *seen;
	struct knobs_names seen_now; /* the same after this run, without those that are gone */
	struct profile_item *items;
	size_t count, size;
	struct refusals refusals;
	struct profile_result result;
};

/* ---- profile_want.c ---- */

/*
 * Adds an item for each knob that the profile (NULL: none) names, and for autogroup if that is to
 * be off. A knob that cannot be found counts as refused, not as an error. 0 or -ENOMEM.
 */
int profile_run_want(struct profile_run *run, const struct sched_profile *profile,
		     bool autogroup_off);

/* Adds an item for each knob on record, or the record to the item that exists. 0 or -ENOMEM. */
int profile_run_add_records(struct profile_run *run);

void profile_run_clear(struct profile_run *run);

/* The item of a knob, or NULL. */
struct profile_item *profile_run_find(struct profile_run *run, enum knob_tree tree,
				      const char *path, const char *word);

/* Adds an item. The pointer is valid until the next one is added. NULL without memory. */
struct profile_item *profile_run_add(struct profile_run *run, enum knob_tree tree, const char *path,
				     const char *word);

/* Counts and records that the knob was refused with this -errno. */
void profile_run_refuse(struct profile_run *run, const struct knob_record *record, int error);

/* The knob's path for people, with the word that is meant: "features HRTICK". Returns buf. */
const char *profile_run_name(const struct knob_record *record, char buf[KNOBS_PATH_MAX]);

/* ---- profile_decide.c ---- */

/* Reads every knob and sets its step; adds those that the kernel will change along with them. 0 or
 * -ENOMEM. */
int profile_run_decide(struct profile_run *run);

/* What the knob holds now, to be freed; NULL and item->error when that cannot be read. */
char *item_read(struct profile_run *run, struct profile_item *item);

/* What the knob is to hold in the end; NULL when no value is asked for. */
const char *item_wanted(const struct profile_item *item);

/* To be written, or affected when another is. */
bool item_is_touched(const struct profile_item *item);

/* No value is asked for: it is here because the kernel changes it when another is written. */
bool item_is_caused(const struct profile_item *item);

/* The knob that is written, or NULL. */
const struct profile_item *profile_run_cause(struct profile_run *run,
					     const struct profile_item *item);

/* The knob, or its device, is no longer there. */
bool knob_is_gone(int error);

/* ---- profile_write.c ---- */

/* Carries out every step. */
void profile_run_write(struct profile_run *run);

/* Reads every knob back, counts the results, and sets what stays on record. */
void profile_run_verify(struct profile_run *run);
