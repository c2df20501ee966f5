/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of a configuration, for the daemon, the plan and the machine. */
#pragma once

#include <stdbool.h>

#include <schedqos/policy/source.h>

enum default_mode {
	DEFAULT_PRISTINE, /* a task without a rule gets QOS_DEFAULT unless somebody chose its attributes */
	DEFAULT_ALL,	  /* every task without a rule gets QOS_DEFAULT */
	DEFAULT_NONE,	  /* a task without a rule never gets QOS_DEFAULT */
};

struct settings {
	const char *sched_profile; /* name of one of the profiles, or NULL for none */
	enum default_mode default_mode;
	bool autogroup_off;
	const char *focus; /* name of the lowest class of an app that has the focus; NULL: visibility does not matter */
	const char *hidden; /* name of the highest class allowed to a hidden app */
	const char *mapping; /* "announcement", or the mapping that the configuration names */
	bool mapping_is_named; /* the configuration names the mapping */
	struct source mapping_source;
	int log_level;	     /* syslog's LOG_ERR .. LOG_DEBUG; 0: not given */
	bool accounting; /* always sum the use of classes, even while no client reads the figures */
};
