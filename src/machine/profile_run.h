/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets the machine's knobs to a sched profile, in steps: collect, compare, record, write, read back. */
#pragma once

#include <schedqos/kernel/knobs.h>
#include <schedqos/machine/machine.h>
#include <schedqos/policy/config.h>

#include "items.h"

struct profile_wish {
	const struct sched_profile *profile; /* NULL: no profile */
	bool autogroup_off;
	/*
	 * CPUs have come or gone. Set only cpufreq policies that are not recorded, and the base slice: the kernel
	 * computes that anew then, and around a suspend, so our value is lost (get_update_sysctl_factor in
	 * kernel/sched/fair.c, 6.18).
	 */
	bool only_new;
};

struct profile_run {
	const struct profile_wish *wish;
	int root;	     /* of the knobs, see knobs.h */
	int folder;	     /* of the record */
	struct items *items; /* recorded items; during the run also new ones */
	struct knobs_names *refusals;
	struct profile_result result;
};

/*
 * Sets the wanted knobs, and puts back recorded knobs that are no longer wanted, unless somebody else has changed them
 * since. Writes a knob only after recording it. Notes each refusal in `refusals` and goes on. Afterwards `items` holds
 * the knobs that have to be put back. Returns 0; -ENOMEM; or -errno if knobs had to be set and the record could not be
 * written, and then no knob was written. If knobs only have to be put back, that is done without the record, too.
 */
int profile_run(struct profile_run *run);

/* ---- knobs that could not be set, in lines for users: "PATH: reason", safe for a terminal ---- */

/*
 * Adds a line for a knob. `error` is the kernel's -errno, or 0 if the kernel accepted the value but `now` is read back.
 * If several CPUs or disks refuse a file for the same reason, the line names only the first. If out of memory, the line
 * is left out.
 */
void refusals_add(struct knobs_names *lines, const struct item *item, int error, const char *wanted, const char *now);
