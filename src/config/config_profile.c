/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses sched_profiles.json: each profile is an object of knob trees with the values to write to their knobs. */
#include "config_private.h"

#include <limits.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* Returns a value to write as text, a number as it was written; NULL after reporting an error. */
static const char *knob_value(struct parser *parser, const struct json_node *value)
{
	const char *text;
	int64_t number;

	if (value->type == JSON_NUMBER)
		return value_integer(parser, value, INT64_MIN, INT64_MAX, NULL, &number)
			       ? keep_bytes(parser, value->text, value->count)
			       : NULL;
	if (value->type != JSON_STRING) {
		complain(parser, value, AT_VALUE, "must be a string or a whole number, not %s", json_type_name(value));
		return NULL;
	}
	text = value_kept(parser, value);
	/* A control character could turn the value into two writes, or none. */
	for (const char *p = text; p && *p; p++) {
		if ((unsigned char)*p < ' ') {
			complain(parser, value, AT_VALUE, "must be one line, without control characters");
			return NULL;
		}
	}
	return text;
}

/* Returns whether the name is a relative path without "..", such as llc_balancing/enabled. */
static bool is_path_beneath(const char *name)
{
	do {
		const size_t length = strcspn(name, "/");

		if (!length || length > NAME_MAX || (length <= 2 && strncmp(name, "..", length) == 0))
			return false;
		name += length;
	} while (*name++);
	return true;
}

static bool is_knob(const char *path, enum knob_tree tree)
{
	const bool has_folder = strchr(path, '/');

	if (!is_path_beneath(path))
		return false;
	/* In debugfs a space would separate the file features from one of its words (see knobs.h). */
	return tree == KNOB_DEBUGFS ? !strchr(path, ' ') : has_folder == (tree == KNOB_SYSCTL);
}

static void exchange(char *text, char from, char to)
{
	for (; *text; text++) {
		if (*text == from)
			*text = to;
	}
}

/* Returns the knob's file as struct knob wants it, or NULL after reporting an error. */
static const char *knob_file(struct parser *parser, const struct json_node *value, enum knob_tree tree)
{
	static const char *const wanted[] = {
		[KNOB_DEBUGFS] = "a path beneath /sys/kernel/debug/sched, such as llc_balancing/enabled",
		[KNOB_CPUFREQ] = "a file's name, without a path, such as scaling_governor",
		[KNOB_SYSCTL] = "a sysctl's name, without a path, such as kernel.sched_rt_runtime_us",
		[KNOB_BLOCK] = "a file's name, without a path, such as scheduler",
	};
	const bool is_path = tree == KNOB_SYSCTL && strchr(value->key, '/');
	char *path = keep_bytes(parser, value->key, strlen(value->key));

	if (path && tree == KNOB_SYSCTL)
		exchange(path, '.', '/');
	if (path && !is_path && is_knob(path, tree))
		return path;
	complain(parser, value, AT_KEY, "must be %s", wanted[tree]);
	return NULL;
}

/* Parses one knob. `value` is the value to write, or (debugfs) a list of values to write one after another. */
static void parse_knob(struct parser *parser, struct knob *knob, const struct json_node *value)
{
	knob->source = source_of(parser, value, AT_KEY);
	knob->file = knob_file(parser, value, knob->tree);
	if (!knob->file)
		return;
	if (value->type == JSON_LIST && knob->tree != KNOB_DEBUGFS)
		knob_value(parser, value);
	else
		knob->values = value_list(parser, value, knob_value, &knob->n_values);
}

/*
 * Parses the knobs in an object; those of block devices are one level further down. `like` has their tree and devices.
 */
static void parse_knobs(struct parser *parser, const struct json_node *object, struct knob like,
			struct sched_profile *profile)
{
	const bool are_devices = like.tree == KNOB_BLOCK && !like.devices;
	const struct json_node *value;

	if (!value_is_object(parser, object, NULL))
		return;
	json_each (value, object) {
		if (!are_devices) {
			profile->knobs[profile->n_knobs] = like;
			parse_knob(parser, &profile->knobs[profile->n_knobs++], value);
		} else if (strchr(value->key, '/') || !is_path_beneath(value->key)) {
			complain(parser, value, AT_KEY,
				 "must be a glob of block devices' names, such as vd*, without a path");
		} else {
			like.devices = keep_text(parser, value->key);
			parse_knobs(parser, value, like, profile);
		}
	}
}

/* Read by parse_trees() and written by put_profile(). */
static const struct key trees[KNOB_TREES] = {
	[KNOB_DEBUGFS] = { "debugfs", .parse = NULL },
	[KNOB_CPUFREQ] = { "cpufreq", .parse = NULL },
	[KNOB_SYSCTL] = { "sysctl", .parse = NULL },
	[KNOB_BLOCK] = { "block", .parse = NULL },
};
static const struct keys tree_keys = KEYS(trees, .kind = "key");

bool is_knob_tree(const char *key)
{
	return find_key(&tree_keys, key) != NULL;
}

static void parse_trees(struct parser *parser, const struct json_node *object, struct sched_profile *profile)
{
	const struct json_node *value;

	json_each (value, object) {
		const struct key *key = key_of(parser, value, &tree_keys);

		if (key)
			parse_knobs(parser, value, (struct knob){ .tree = (enum knob_tree)(key - trees) }, profile);
	}
}

/* Replaces the profile of the same name, or appends it. */
void profile_define(struct parser *parser, const struct sched_profile *profile)
{
	struct config *config = parser->config;

	config->profiles = put_item(parser, config->profiles, &config->n_profiles, sizeof(*profile), profile);
}

/* Returns an upper limit for the number of knobs: they are two levels down, those of block devices three. */
static size_t count_knobs(const struct json_node *profile)
{
	const struct json_node *tree, *item;
	size_t count = 0;

	json_each (tree, profile) {
		count += tree->count;
		json_each (item, tree)
			count += item->count;
	}
	return count;
}

static void parse_profile(struct parser *parser, const struct json_node *value)
{
	struct sched_profile profile = { .source = source_of(parser, value, AT_KEY) };

	if (!*value->key)
		complain(parser, value, AT_KEY, "a profile needs a name");
	if (!value_is_object(parser, value, NULL))
		return;
	profile.name = keep_text(parser, value->key);
	profile.knobs = keep_alloc(parser, count_knobs(value) * sizeof(*profile.knobs));
	if (!profile.name || !profile.knobs)
		return;
	parse_trees(parser, value, &profile);
	profile_define(parser, &profile);
}

void parse_profiles(struct parser *parser)
{
	const struct json_node *value;

	json_each (value, parser->root) {
		if (!is_schema(parser, value))
			parse_profile(parser, value);
	}
}

/* Writes a knob's file as the configuration names it: a sysctl with dots. */
static void put_knob(struct json_writer *json, const struct knob *knob)
{
	_cleanup_free_ char *name = strdup(knob->file);

	json->text.failed |= !name;
	if (name && knob->tree == KNOB_SYSCTL)
		exchange(name, '/', '.');
	if (knob->n_values == 1) {
		json_put_text(json, name, knob->values[0]);
		return;
	}
	put_texts(json, name, knob->values, knob->n_values);
}

/* Returns whether two knobs belong to the same tree and devices. */
static bool is_alike(const struct knob *knob, const struct knob *other)
{
	return other && knob->tree == other->tree && other->devices && strcmp(knob->devices, other->devices) == 0;
}

/* Writes a profile: one object for each tree, or for the devices of a tree, with its knobs in order. */
void put_profile(struct json_writer *json, const char *key, const struct sched_profile *profile)
{
	json_begin(json, key, '{');
	for (size_t i = 0; i < profile->n_knobs; i++) {
		const struct knob *knob = &profile->knobs[i], *before = i ? knob - 1 : NULL;
		const struct knob *next = i + 1 < profile->n_knobs ? knob + 1 : NULL;

		if (!before || before->tree != knob->tree)
			json_begin(json, knob_tree_name(knob->tree), '{');
		if (knob->devices && !is_alike(knob, before))
			json_begin(json, knob->devices, '{');
		put_knob(json, knob);
		if (knob->devices && !is_alike(knob, next))
			json_end(json, '}');
		if (!next || next->tree != knob->tree)
			json_end(json, '}');
	}
	json_end(json, '}');
}
