/* SPDX-License-Identifier: GPL-2.0-only */
/* A configuration that can be put in force: rules, classes, profiles and settings, wherever they come from. */
#pragma once

#include <schedqos/policy/groups.h>
#include <schedqos/policy/profile.h>
#include <schedqos/policy/rules.h>

enum default_mode {
	DEFAULT_PRISTINE, /* a task without a rule gets QOS_DEFAULT if nobody chose anything for it */
	DEFAULT_ALL,	  /* ... in any case */
	DEFAULT_NONE,	  /* ... never */
};

struct settings {
	const char *sched_profile; /* name of one of the profiles, or NULL for none */
	enum default_mode default_mode;
	bool autogroup_off;
	const char *mapping; /* "announcement" or the preset asked for */
	bool mapping_is_named; /* rather than built in */
	struct source mapping_source;
	int log_level;	     /* syslog's LOG_ERR .. LOG_DEBUG */
	bool has_log_level;
	const char *const *interpreters; /* interpreters_default unless the configuration has the setting */
	size_t n_interpreters;
};

struct config {
	struct qos_class
		*classes; /* builtin first, then new ones in the order of their definition */
	size_t n_classes;
	struct rules *rules;
	struct group *groups; /* one for each pattern */
	size_t n_groups;
	struct settings settings;
	struct sched_profile *profiles;
	size_t n_profiles;
	struct rule_user *users; /* users that rules name; may become known later */
	const char **files; /* paths, indexed by struct source.file */
	size_t n_files;
	void *memory; /* private: holds all of the above */
};
