/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What to do to one knob of the machine: what is wanted, what is there, and what we are on record as having done to it
 * decide. A knob that somebody else has changed since is his: it is never put back.
 */
#pragma once

#include <schedqos/policy/profile.h>

/* One knob that we have changed, or were about to. Texts are in the form in which they are written. */
struct knob_record {
	enum knob_tree tree;
	char *path; /* beneath the tree; KNOB_CPUFREQ: POLICY/FILE, KNOB_BLOCK: DEVICE/FILE */
	char *word; /* the one of debugfs' `features` that it is about; else NULL */
	char *cause; /* nobody asked for it: the kernel changed it when we wrote the knob of this path; else NULL */
	char *before; /* what was there before us */
	char *set; /* what was there after us; NULL: the file itself was gone (only with a cause) */
	bool writing; /* we were about to change it and did not get to say how that went */
};

/*
 * Whether the kernel would take two values for the same: by words, numbers by their value, and a yes or no by what it
 * means. Either may be NULL, for no file.
 */
bool knob_same(const char *a, const char *b);

/* Whether what is there now (NULL: no file) is still what we left there. */
bool knob_is_ours(const struct knob_record *record, const char *present);

enum knob_step {
	KNOB_LEAVE,    /* nothing to write; what is on record stays */
	KNOB_TAKE,     /* write what is wanted; what is there now was there before us */
	KNOB_CHANGE,   /* write what is wanted; what is on record as before us stays so */
	KNOB_PUT_BACK, /* write what was there before us, where that is not there already */
	KNOB_FORGET,   /* nothing to write, and nothing to put back any more */
};

/* record: NULL for none. wanted: NULL when nothing wants the knob to be anything. */
enum knob_step knob_decide(const struct knob_record *record, const char *present,
			   const char *wanted);

/*
 * The same for a knob with a cause, which is wanted to be nothing: it goes the way of its cause. cause: what was
 * decided about that, KNOB_PUT_BACK if there is none. KNOB_TAKE and KNOB_CHANGE then write nothing.
 */
enum knob_step knob_decide_caused(const struct knob_record *record, const char *present,
				  enum knob_step cause);
