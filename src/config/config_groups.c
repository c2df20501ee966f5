/* SPDX-License-Identifier: GPL-2.0-only */
/* The setting "groups": for each pattern of cgroups the classes that their tasks may have. */
#include "config_private.h"

#include <errno.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* Without a slash it is compared with each component of a path. */
static void check_group(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	if (strchr(pattern, '/'))
		check_cgroup(parser, value, what, pattern);
	else
		check_brackets(parser, value, what, pattern);
}

static void parse_group(struct parser *parser, const struct json_node *object, struct group *group)
{
	struct group_class *classes = keep_alloc(parser, object->count * sizeof(*classes));
	const struct json_node *value;
	struct group_class *class;

	if (!classes)
		return;
	if (!object->child)
		complain(parser, object, AT_VALUE, "must not be empty");
	json_each (value, object) {
		if (strcmp(value->key, "max") == 0) {
			group->max = class_named(parser, value, AT_VALUE);
		} else if (strncmp(value->key, QOS_PREFIX, strlen(QOS_PREFIX)) == 0) {
			class = &classes[group->n_classes++];
			class->name = class_named(parser, value, AT_KEY);
			value_bool(parser, value, &class->is_allowed);
		} else {
			complain_unknown(parser, value, AT_KEY, "key", value->key, CLASSES(&parser->classes),
					 ": must be \"max\" or the name of a class");
		}
	}
	group->classes = classes;
}

void parse_groups(struct parser *parser, const struct json_node *object, void *into)
{
	struct config *config = into;
	void *groups = config->groups;
	const struct json_node *value;

	if (!value_is_object(parser, object, NULL))
		return;
	json_each (value, object) {
		const char *pattern = keep_text(parser, value->key);
		struct group *group = pattern ? item_for(parser, &groups, &config->n_groups, sizeof(*group), pattern) : NULL;

		config->groups = groups;
		if (!group)
			return;
		*group = (struct group){ .pattern = pattern, .source = source_of(parser, value, AT_KEY) };
		pattern_key(parser, value, check_group);
		group->is_masked = value->type == JSON_NULL;
		if (!group->is_masked && value_is_object(parser, value, "{\"max\": \"QOS_UTILITY\"}"))
			parse_group(parser, value, group);
	}
}

void put_groups(struct json_writer *json, const char *key, const void *from)
{
	const struct config *config = from;

	if (!config->n_groups)
		return;
	json_begin(json, key, '{');
	for (size_t i = 0; i < config->n_groups; i++) {
		const struct group *group = &config->groups[i];

		if (group->is_masked)
			continue;
		json_begin(json, group->pattern, '{');
		json_put_text(json, "max", group->max);
		for (size_t c = 0; c < group->n_classes; c++)
			json_put_bool(json, group->classes[c].name, group->classes[c].is_allowed);
		json_end(json, '}');
	}
	json_end(json, '}');
}
