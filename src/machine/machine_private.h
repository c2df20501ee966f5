/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by machine.c, the daemon's side, and machine_apply.c, which writes knobs and their records. */
#pragma once

#include <schedqos/machine/machine.h>

#include "knob_records.h"
#include "refusals.h"

struct machine {
	struct knobs knobs;
	bool keeps_trees;   /* the caller gave them to us open, and they stay so */
	int folder;	    /* of the state file; a -errno where there is none */
	int takeover_error; /* 0, or the -errno for which the records of an earlier run are not ours yet */
	struct knob_records records;
	struct knobs_names seen; /* knobs of cpufreq policies that have been handled */
	struct refusals refusals;

	/* Used by a daemon only. */
	const struct config *config;
	void (*base_slice_changed)(void *context);
	void *context;
	sd_event_source *processors; /* uevents of processors going online or offline */
	sd_event_source *jumps;	     /* of the clock, as after a suspend */
	sd_event_source *retry;	     /* runs until the state file has been read */
	uint64_t retry_us;
};

/*
 * Takes over what an earlier run left, if that has not been done yet. Returns 0, or -errno as machine_new: no knob is
 * written then. machine_apply calls this as well.
 */
int machine_take_over(struct machine *machine);

/*
 * To be called when processors have gone online or offline: applies the profile to those cpufreq policies that the last
 * machine_apply, and each refresh since, did not find with a processor online, and to a base slice that the kernel has
 * computed anew. Leaves all else alone. Returns as machine_apply does.
 */
int machine_refresh(struct machine *machine, const struct sched_profile *profile, struct profile_result *ret);
