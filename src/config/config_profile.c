/* SPDX-License-Identifier: GPL-2.0-only */
/* sched_profiles.json: each profile is an object of knob trees, with the values to write to their knobs. */
#include "config_private.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

bool profile_exists(const struct config *config, const char *name)
{
	return sched_profile_find(config->profiles, config->n_profiles, name) != NULL;
}

/* A newline or another control character could make two writes of it, or none. */
static const char *knob_text(struct parser *parser, const struct json_node *value)
{
	const char *text = value_kept(parser, value);

	for (const char *p = text; p && *p; p++) {
		if ((unsigned char)*p < ' ') {
			complain(parser, value, AT_VALUE,
				 "must be one line, without control characters");
			return NULL;
		}
	}
	return text;
}

/* A value to write, as text; a number as it was written. NULL after an error, which has been reported. */
static const char *knob_value(struct parser *parser, const struct json_node *value)
{
	int64_t number;

	if (value->type == JSON_STRING)
		return knob_text(parser, value);
	if (value->type != JSON_NUMBER) {
		complain(parser, value, AT_VALUE, "must be a string or a whole number, not %s",
			 json_type_name(value));
		return NULL;
	}
	if (!value_integer(parser, value, INT64_MIN, INT64_MAX, &number))
		return NULL;
	return keep_bytes(parser, value->text, value->count);
}

static bool is_component(const char *name, size_t len)
{
	return len > 0 && len <= NAME_MAX && !(len <= 2 && strncmp(name, "..", len) == 0);
}

static bool is_one_component(const char *name)
{
	return !strchr(name, '/') && is_component(name, strlen(name));
}

/* One component or several, as in llc_balancing/enabled: nowhere does it lead up, or begin at the root. */
static bool is_path_beneath(const char *name)
{
	size_t len = strcspn(name, "/");

	while (is_component(name, len) && name[len]) {
		name += len + 1;
		len = strcspn(name, "/");
	}
	return is_component(name, len);
}

static const char *file_name(struct parser *parser, const struct json_node *value)
{
	if (is_one_component(value->key))
		return keep_text(parser, value->key);
	complain(parser, value, AT_KEY, "must be a file's name, without a path");
	return NULL;
}

/* The user may have written the whole path. */
static const char *debugfs_path(struct parser *parser, const struct json_node *value)
{
	static const char folder[] = "/sys/kernel/debug/sched/";
	const char *name = value->key;

	if (is_path_beneath(name))
		return keep_text(parser, name);
	if (strncmp(name, folder, strlen(folder)) == 0 && is_path_beneath(name + strlen(folder)))
		complain(parser, value, AT_KEY,
			 "must be a path beneath /sys/kernel/debug/sched (did you mean \"%s\"?)",
			 name + strlen(folder));
	else
		complain(parser, value, AT_KEY,
			 "must be a path beneath /sys/kernel/debug/sched, such as llc_balancing/enabled");
	return NULL;
}

/* At least two names separated by single dots, each beginning with a letter or digit. */
static bool is_sysctl_name(const char *name)
{
	size_t names = 0, len = 0;

	for (const char *p = name;; p++) {
		if (*p == '\0' || *p == '.') {
			if (len == 0)
				return false;
			names++;
			len = 0;
			if (*p == '\0')
				return names >= 2;
		} else if (isalnum((unsigned char)*p) || (len > 0 && (*p == '_' || *p == '-'))) {
			len++;
		} else {
			return false;
		}
	}
}

static void exchange(char *text, char from, char to)
{
	for (; *text; text++) {
		if (*text == from)
			*text = to;
	}
}

/* The user may have written the path below /proc/sys. */
static void complain_sysctl(struct parser *parser, const struct json_node *value)
{
	static const char folder[] = "/proc/sys/";
	const char *name = value->key;
	char near[128];

	if (strncmp(name, folder, strlen(folder)) == 0)
		name += strlen(folder);
	if (strlen(name) < sizeof(near)) {
		exchange(strcpy(near, name), '/', '.');
		if (is_sysctl_name(near)) {
			complain(parser, value, AT_KEY,
				 "must be a sysctl's name, without a path (did you mean \"%s\"?)",
				 near);
			return;
		}
	}
	complain(parser, value, AT_KEY,
		 "must be a sysctl's name, such as kernel.sched_rt_runtime_us");
}

static const char *sysctl_path(struct parser *parser, const struct json_node *value)
{
	char *path;

	if (!is_sysctl_name(value->key)) {
		complain_sysctl(parser, value);
		return NULL;
	}
	path = keep_bytes(parser, value->key, strlen(value->key));
	if (path)
		exchange(path, '.', '/');
	return path;
}

/* The knob's file, of the form that struct knob has it in. NULL after an error, which has been reported. */
static const char *knob_file(struct parser *parser, const struct json_node *value, enum knob_tree tree)
{
	switch (tree) {
	case KNOB_DEBUGFS:
		return debugfs_path(parser, value);
	case KNOB_SYSCTL:
		return sysctl_path(parser, value);
	case KNOB_CPUFREQ:
	case KNOB_BLOCK:
		return file_name(parser, value);
	}
	return NULL;
}

/* value: the value to write, or (debugfs) a list of values to write one after another. */
static void parse_knob(struct parser *parser, struct knob *knob, const struct json_node *value)
{
	bool list = knob->tree == KNOB_DEBUGFS && value->type == JSON_LIST;
	size_t n = list ? value->count : 1, i = 0;
	const char **values = keep_alloc(parser, n * sizeof(*values));
	const struct json_node *item;

	knob->source = source_of(parser, value, AT_KEY);
	knob->file = knob_file(parser, value, knob->tree);
	if (!knob->file || !values)
		return;
	knob->values = values;
	knob->n_values = n;
	if (!list)
		values[0] = knob_value(parser, value);
	else if (n == 0)
		complain(parser, value, AT_VALUE, "must not be empty");
	for (item = list ? value->child : NULL; item; item = item->next)
		values[i++] = knob_value(parser, item);
}

static void parse_tree(struct parser *parser, const struct json_node *object, enum knob_tree tree,
		       const char *devices, struct sched_profile *profile)
{
	const struct json_node *value;

	if (!value_is_object(parser, object))
		return;
	json_each (value, object) {
		struct knob *knob = &profile->knobs[profile->n_knobs++];

		knob->tree = tree;
		knob->devices = devices;
		parse_knob(parser, knob, value);
	}
}

static void parse_debugfs(struct parser *parser, const struct json_node *object, void *into)
{
	parse_tree(parser, object, KNOB_DEBUGFS, NULL, into);
}

static void parse_cpufreq(struct parser *parser, const struct json_node *object, void *into)
{
	parse_tree(parser, object, KNOB_CPUFREQ, NULL, into);
}

static void parse_sysctl(struct parser *parser, const struct json_node *object, void *into)
{
	parse_tree(parser, object, KNOB_SYSCTL, NULL, into);
}

static void parse_block(struct parser *parser, const struct json_node *object, void *into)
{
	const struct json_node *value;

	if (!value_is_object(parser, object))
		return;
	json_each (value, object) {
		if (!is_one_component(value->key))
			complain(parser, value, AT_KEY,
				 "must be a glob of block devices' names, such as vd*, without a "
				 "path");
		else
			parse_tree(parser, value, KNOB_BLOCK, keep_text(parser, value->key),
				   into);
	}
}

static const struct key profile_keys[] = {
	{ "debugfs", .parse = parse_debugfs },
	{ "cpufreq", .parse = parse_cpufreq },
	{ "sysctl", .parse = parse_sysctl },
	{ "block", .parse = parse_block },
};

/* Replaces the profile of the same name, or appends it. */
void profile_define(struct parser *parser, const struct sched_profile *profile)
{
	struct config *config = parser->config;
	struct sched_profile *profiles;

	for (size_t i = 0; i < config->n_profiles; i++) {
		if (strcmp(config->profiles[i].name, profile->name) == 0) {
			config->profiles[i] = *profile;
			return;
		}
	}
	profiles = grow(parser, config->profiles, config->n_profiles, sizeof(*profiles));
	if (!profiles)
		return;
	config->profiles = profiles;
	profiles[config->n_profiles++] = *profile;
}

/* An upper limit of the number of knobs: they are two levels down, those of block devices three. */
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
	if (!value_is_object(parser, value))
		return;
	profile.name = keep_text(parser, value->key);
	profile.knobs = keep_alloc(parser, count_knobs(value) * sizeof(*profile.knobs));
	if (!profile.name || !profile.knobs)
		return;
	parse_keys(parser, value, profile_keys, array_size(profile_keys), "key", &profile);
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

/* A file's path as the configuration has it: that of a sysctl has dots. */
static void put_knob(struct json_writer *json, const struct knob *knob)
{
	_cleanup_free_ char *name = strdup(knob->file);

	json->text.failed |= !name;
	for (char *c = name; c && *c && knob->tree == KNOB_SYSCTL; c++) {
		if (*c == '/')
			*c = '.';
	}
	if (knob->n_values == 1) {
		json_put_text(json, name, knob->values[0]);
		return;
	}
	json_begin(json, name, '[');
	for (size_t v = 0; v < knob->n_values; v++)
		json_put_text(json, NULL, knob->values[v]);
	json_end(json, ']');
}

/* Whether there is another knob, of the same devices. */
static bool is_alike(const struct knob *knob, const struct knob *other)
{
	return other && knob->tree == other->tree && other->devices && strcmp(knob->devices, other->devices) == 0;
}

/* The knobs of a tree, or of its devices, are in one object, whose members are in their order. */
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
