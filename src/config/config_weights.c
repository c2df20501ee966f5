/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings "weights" and "user_weights": for units of the service manager, the class or number of their cpu weight. */
#include "config_private.h"

#include <string.h>

#include <schedqos/policy/rules.h>
#include <schedqos/util/cleanup.h>

/* Of these units systemd has weights for tasks, as we do; any of them may be meant by a glob that ends in a wildcard. */
static void check_unit(struct parser *parser, const struct json_node *value, unsigned what, const char *pattern)
{
	static const char *const endings[] = { ".service", ".slice", ".scope" };
	const size_t length = strlen(pattern);
	const char *template = strstr(pattern, "@.");
	bool can_be = strchr("*?]", pattern[length - 1]);

	for (size_t i = 0; i < array_size(endings); i++) {
		const size_t n = strlen(endings[i]);

		can_be |= length > n && strcmp(pattern + length - n, endings[i]) == 0;
	}
	if (!can_be)
		complain(parser, value, AT_KEY, "can name no unit with tasks: a name ends with .service, .slice or .scope");
	else if (template)
		complain(parser, value, AT_KEY, "names a template, of which only instances run: write \"%.*s@*%s\"",
			 (int)(template - pattern), pattern, template + 1);
	check_brackets(parser, value, what, pattern);
}

/* "QOS_UTILITY", or 50 */
static void parse_weight(struct parser *parser, const struct json_node *value, void *into)
{
	struct weight *weight = into;
	int64_t number;

	if (value->type == JSON_STRING)
		weight->qos = class_named(parser, value, AT_VALUE);
	else if (value->type != JSON_NUMBER)
		complain(parser, value, AT_VALUE, "must be the name of a class, or a number between %d and %d, not %s", CPU_WEIGHT_MIN,
			 CPU_WEIGHT_MAX, json_type_name(value));
	else if (value_integer(parser, value, CPU_WEIGHT_MIN, CPU_WEIGHT_MAX, &number))
		weight->number = (uint16_t)number;
}

static void put_weight(struct json_writer *json, const char *key, const void *from)
{
	const struct weight *weight = from;

	if (weight->qos)
		json_put_text(json, key, weight->qos);
	else
		json_put_number(json, key, weight->number);
}

static const struct word conditions[] = { { "seat", true } };

static const struct key weight_keys[] = {
	{ "weight", .parse = parse_weight, .put = put_weight },
	{ "when", WORDS(conditions), FIELD(struct weight, at_seat), .kind = "condition" },
};

static void parse_entry(struct parser *parser, const struct json_node *value, struct weight *weight)
{
	if (value->type == JSON_NULL) {
		weight->is_masked = true;
	} else if (value->type != JSON_OBJECT) {
		parse_weight(parser, value, weight);
	} else {
		parse_keys(parser, value, weight_keys, array_size(weight_keys), "key", weight);
		if (!json_member(value, "weight"))
			complain(parser, value, AT_VALUE, "must have a \"weight\"");
	}
}

void parse_weights(struct parser *parser, const struct json_node *object, void *into)
{
	struct weight_list *all = into;
	void *items = all->items;
	const struct json_node *value;

	if (!value_is_object(parser, object, NULL))
		return;
	json_each (value, object) {
		const char *pattern = keep_text(parser, value->key);
		struct weight *weight = pattern ? item_for(parser, &items, &all->count, sizeof(*weight), pattern) : NULL;

		all->items = items;
		if (!weight)
			return;
		*weight = (struct weight){ .pattern = pattern, .source = source_of(parser, value, AT_KEY) };
		pattern_key(parser, value, check_unit);
		parse_entry(parser, value, weight);
	}
}

void put_weights(struct json_writer *json, const char *key, const void *from)
{
	const struct weight_list *all = from;

	if (!all->count)
		return;
	json_begin(json, key, '{');
	for (size_t i = 0; i < all->count; i++) {
		const struct weight *weight = &all->items[i];

		if (weight->is_masked)
			continue;
		if (!weight->at_seat) {
			put_weight(json, weight->pattern, weight);
			continue;
		}
		json_begin_in_line(json, weight->pattern, '{');
		put_keys(json, weight_keys, array_size(weight_keys), weight);
		json_end(json, '}');
	}
	json_end(json, '}');
}
