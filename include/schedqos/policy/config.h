/* SPDX-License-Identifier: GPL-2.0-only */
/* A configuration that can be put in force: rules, classes, profiles and settings, wherever they come from. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <schedqos/policy/groups.h>
#include <schedqos/policy/profile.h>
#include <schedqos/policy/qos_class.h>
#include <schedqos/policy/rules.h>
#include <schedqos/policy/settings.h>
#include <schedqos/policy/weights.h>

struct config {
	struct qos_class *classes; /* the highest first */
	size_t n_classes;
	struct rules *rules;
	struct group *groups; /* one for each pattern */
	size_t n_groups;
	struct weight_list weights; /* one for each pattern */
	struct weight_list user_weights; /* the same, of users' own managers */
	struct settings settings;
	struct sched_profile *profiles;
	size_t n_profiles;
	struct rule_user *users; /* users that rules name; may become known later */
	const char **files; /* paths, indexed by struct source.file */
	bool *private_files; /* by the same index: not everybody may read the file */
	size_t n_files;
	struct arena *memory; /* private: holds all of the above */
};

/* Shown in place of a pattern from such a file. */
#define PRIVATE_PATTERN "(only root may read this)"

/* Returns whether this place is in a file that not everybody may read. */
static inline bool config_is_private(const struct config *config, const struct source *source)
{
	return source->line && config->private_files[source->file];
}

/* The class of a tag; NULL for TAG_NONE. */
static inline const struct qos_class *class_of_tag(const struct config *config, uint16_t tag)
{
	return tag < config->rules->n_tags ? &config->classes[config->rules->tags[tag].qos_class] : NULL;
}
