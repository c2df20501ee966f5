/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides what to do with one knob of the machine, from what is wanted, what it holds now, and the record of what we
 * have done to it. A knob that has since been changed by others is never put back.
 */
#pragma once

#include <schedqos/policy/profile.h>

/* A knob that we have changed, or were about to. Values are in the form in which they are written. */
struct knob_record {
	enum knob_tree tree;
	char *path; /* beneath the tree; KNOB_CPUFREQ: POLICY/FILE, KNOB_BLOCK: DEVICE/FILE */
	char *word; /* the switch, where this is one of debugfs' `features`; else NULL */
	char *cause; /* path of the knob whose writing made the kernel change this one as a side effect; else NULL */
	char *before; /* what it held before us */
	char *set; /* what it held after us; NULL: the file itself was gone (only with a cause) */
	bool writing; /* we were about to change it, and the outcome is not on record */
};

/*
 * Whether two values are the same to the kernel: compared word by word, numbers and booleans by value. Either may be
 * NULL, for no file.
 */
bool knob_same(const char *a, const char *b);

/* Whether the knob still holds what we left there. present: what it holds now, NULL for no file. */
bool knob_is_ours(const struct knob_record *record, const char *present);

/*
 * Whether the kernel's base slice, in ns, is what the kernel itself makes of it, given another value of which that is
 * true: one to four times a unit, by the number of processors (get_update_sysctl_factor in kernel/sched/fair.c, 6.18).
 * With every processor that comes or goes, around a suspend as well, it does so anew, and what was written is lost.
 */
bool knob_base_slice_is_computed(const char *present, const char *computed);

enum knob_step {
	KNOB_LEAVE,    /* write nothing, and keep the record if there is one */
	KNOB_TAKE,     /* write what is wanted, and record the present value as the one before us */
	KNOB_CHANGE,   /* write what is wanted, and keep the recorded value from before us */
	KNOB_PUT_BACK, /* write the value from before us, unless the knob holds it already */
	KNOB_FORGET,   /* write nothing, and drop the record */
};

/* record: NULL for none. wanted: NULL when no value is asked for. */
enum knob_step knob_decide(const struct knob_record *record, const char *present,
			   const char *wanted);

/*
 * The same for a knob that no value is asked for and that changes along with its cause. cause: what was decided about
 * that, KNOB_PUT_BACK if it is not in this run. KNOB_TAKE and KNOB_CHANGE then write nothing.
 */
enum knob_step knob_decide_caused(const struct knob_record *record, const char *present,
				  enum knob_step cause);
