/* SPDX-License-Identifier: GPL-2.0-only */
/* What came of applying a sched profile to the machine's knobs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* In knobs. */
struct profile_result {
	size_t set;	 /* written to what is wanted */
	size_t already;	 /* were as wanted */
	size_t put_back; /* written to what was there before us */
	size_t refused;	 /* of either kind */
	bool base_slice; /* the kernel's base slice was among what was written */
};

/* A knob, or several of one tree, that could not be had as wanted. */
struct refusal {
	char *text;  /* PATH: reason */
	bool is_new; /* not among the refusals of the call before */
};
