/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's settings. */
#pragma once

#include <stdbool.h>

#include <schedqos/policy/source.h>

enum default_mode {
	DEFAULT_PRISTINE, /* a task without a rule gets QOS_DEFAULT if nobody chose anything for it */
	DEFAULT_ALL,	  /* ... in any case */
	DEFAULT_NONE,	  /* ... never */
};

struct settings {
	const char *sched_profile; /* name of one of the profiles, or NULL for none */
	enum default_mode default_mode;
	bool autogroup_off;
	const char *focus; /* name of the class of an app that has the focus; NULL: visibility does not matter */
	const char *hidden; /* name of the highest class of a hidden app */
	const char *mapping; /* "announcement" or the preset asked for */
	bool mapping_is_named; /* rather than built in */
	struct source mapping_source;
	int log_level;	     /* syslog's LOG_ERR .. LOG_DEBUG; 0: not given */
	bool accounting; /* always sum what classes use, even while nobody asks */
};
