/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets the machine's knobs to a sched profile: want, compare, record, write, read back. */
#pragma once

#include <schedqos/kernel/knobs.h>
#include <schedqos/machine/machine.h>
#include <schedqos/policy/config.h>

#include "items.h"

struct profile_wish {
	const struct sched_profile *profile; /* NULL: none */
	bool autogroup_off;
	/*
	 * Processors have come or gone: only cpufreq policies that are not on record are set, and the base slice, which
	 * the kernel computes anew then, around a suspend as well, so that what was written is lost
	 * (get_update_sysctl_factor in kernel/sched/fair.c, 6.18).
	 */
	bool only_new;
};

struct profile_run {
	const struct profile_wish *wish;
	int root;	     /* of the knobs, as in knobs.h */
	int folder;	     /* of the record */
	struct items *items; /* those on record, and then those of this run */
	struct knobs_names *refusals;
	struct profile_result result;
};

/*
 * Sets what is wished for, and puts back what is on record and no longer wanted. What others have changed since is
 * never put back. Knobs are written only once that is on record; of each that is refused, refusals tells why, and the
 * rest is set. Afterwards, items holds what is to be put back. Returns 0, or -errno with nothing written: the record
 * cannot be written, which does not keep from putting back; or -ENOMEM.
 */
int profile_run(struct profile_run *run);

/* ---- knobs that could not be set, in lines for people: "PATH: reason", safe for a terminal ---- */

/*
 * Adds a line. error: the kernel's -errno, or 0 where it accepted what was wanted, but holds something else: now. Of
 * several processors or disks that refuse a file for one reason, the first is named. On lack of memory, lines are left
 * out.
 */
void refusals_add(struct knobs_names *lines, const struct item *item, int error, const char *wanted, const char *now);
