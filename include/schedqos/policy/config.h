/* SPDX-License-Identifier: GPL-2.0-only */
/* A complete configuration, for the daemon and the verbs: classes, rules, groups, weights, settings and profiles. */
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
	struct qos_class *classes; /* sorted by class_compare, highest first */
	size_t n_classes;
	struct rules *rules;
	struct group *groups; /* one for each pattern */
	size_t n_groups;
	struct weight_list weights; /* one for each pattern */
	struct weight_list user_weights; /* the same for the users' own service managers */
	struct settings settings;
	struct sched_profile *profiles;
	size_t n_profiles;
	struct rule_user *users; /* list of the users that rules name; a uid may be looked up later */
	const char **files; /* paths, indexed by struct source.file */
	bool *private_files; /* same index as files; true: not every user may read the file */
	size_t n_files;
	struct arena *memory; /* private: holds all of the above */
};

/* Text shown in place of a pattern from a private file. */
#define PRIVATE_PATTERN "(only root may read this)"

/* Returns whether this place is in a file that not every user may read. */
static inline bool config_is_private(const struct config *config, const struct source *source)
{
	return source->line && config->private_files[source->file];
}

/* Returns the class of a tag, or NULL for TAG_NONE. */
static inline const struct qos_class *class_of_tag(const struct config *config, uint16_t tag)
{
	return tag < config->rules->n_tags ? &config->classes[config->rules->tags[tag].qos_class] : NULL;
}
