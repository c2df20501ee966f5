/* SPDX-License-Identifier: GPL-2.0-only */
/* The result of applying a sched profile to the machine's knobs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Numbers of knobs. */
struct profile_result {
	size_t set;	 /* written to what is wanted */
	size_t already;	 /* held what is wanted before */
	size_t put_back; /* written to what was there before us */
	size_t refused;	 /* could not be set or put back */
	bool base_slice; /* the kernel's base slice was written */
};

/* A knob, or several of one tree, that could not be set as wanted. */
struct refusal {
	char *text;  /* PATH: reason */
	bool is_new; /* not among the refusals of the call before */
};
