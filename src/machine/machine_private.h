/* SPDX-License-Identifier: GPL-2.0-only */
/* What machine.c, the life of it, and machine_apply.c, the writing, share. */
#pragma once

#include <schedqos/machine/machine.h>

#include "knob_records.h"
#include "refusals.h"

struct machine {
	struct knobs knobs;
	bool keeps_trees; /* they were given to us open */
	int folder;	  /* of the state file; a -errno where there is none */
	int adopted;	  /* 0, or why what an earlier run left is still to be taken over */
	struct knob_records records;
	struct knobs_names seen; /* knobs of cpufreq policies that have been seen to */
	struct refusals refusals;

	/* Of a daemon. */
	const struct config *config;
	void (*base_slice_changed)(void *context);
	void *context;
	sd_event_source *processors; /* one came or went */
	sd_event_source *retry;	     /* runs until the state file could be read */
	uint64_t retry_us;
};

/*
 * Takes over what an earlier run left, if that has not been done yet. Returns 0, or -errno as machine_new: nothing is
 * written to any knob then. machine_apply tries, too.
 */
int machine_take_over(struct machine *machine);

/*
 * To be called when processors have come or gone: gives cpufreq policies that the last machine_apply, and each refresh
 * since, has not met, or not with a processor online, what the profile has for them. All else is left as it is. Returns
 * as machine_apply does.
 */
int machine_refresh(struct machine *machine, const struct sched_profile *profile, struct profile_result *ret);
