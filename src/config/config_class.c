/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses QOS_ classes. The attributes in an object override those of the same class in earlier files. null removes an
 * attribute, so that tasks keep their own.
 */
#include "config_private.h"

#include <string.h>

#include <schedqos/util/cleanup.h>

#define DEADLINE_RUNTIME_MIN 1024 /* ns; the kernel counts deadline budgets in this unit */

#define NUMBER(member, least, most) .type = KEY_NUMBER, .min = (least), .max = (most), FIELD(struct qos_attr, member)
#define NANOSECONDS(member)	    NUMBER(member, 0, INT64_MAX), .kind = "nanoseconds"

/* In the order of the bits of enum qos_has. */
static const struct key attributes[] = {
	{ "sched_policy", KEY_WORD, FIELD(struct qos_attr, policy), .words = task_policy_words,
	  .n_words = array_size(task_policy_words) - 1, .kind = "policy" },
	{ "sched_nice", NUMBER(nice, -20, 19) },
	{ "sched_priority", NUMBER(priority, 0, 99) },
	{ "sched_runtime", NANOSECONDS(runtime) },
	{ "sched_deadline", NANOSECONDS(deadline) },
	{ "sched_period", NANOSECONDS(period) },
	{ "sched_util_min", NUMBER(util_min, 0, UTIL_FULL) },
	{ "sched_util_max", NUMBER(util_max, 0, UTIL_FULL) },
	{ "io_class", WORDS(io_class_words), FIELD(struct qos_attr, io_class), .kind = "I/O class" },
	{ "io_priority", NUMBER(io_level, 0, IO_LEVELS - 1) },
};

static const struct keys attribute_keys = KEYS(attributes, .kind = "attribute");

/* One class object as written in a file. */
struct class_text {
	const struct json_node *object;
	struct qos_attr attr; /* attributes with a value */
	uint16_t removed;     /* enum qos_has: attributes given as null */
};

bool is_class(const struct json_node *value)
{
	return strncmp(value->key, QOS_PREFIX, strlen(QOS_PREFIX)) == 0;
}

const char *outside_class(const struct json_node *value)
{
	struct suggestion near = { .word = value->key };

	for (size_t i = 0; i < attribute_keys.n; i++)
		suggest_offer(&near, attribute_keys.items[i].name);
	/* Also recognise an abbreviation, as in "nice": 5. But "class": "QOS_..." is a misspelt key of its place. */
	if (!near.best || near.distance || (value->type != JSON_NUMBER && strcmp(near.best, value->key) != 0))
		return NULL;
	return ": that is for classes, whose names begin with " QOS_PREFIX;
}

static void parse_attributes(struct parser *parser, struct class_text *text)
{
	const struct json_node *value;

	json_each (value, text->object) {
		const struct key *key = key_of(parser, value, &attribute_keys);
		const unsigned bit = key ? 1U << (key - attributes) : 0;

		if (key && bit != QOS_HAS_POLICY && value->type == JSON_NULL)
			text->removed |= bit;
		else if (key && parse_key(parser, key, value, &text->attr))
			text->attr.has |= bit;
	}
}

static const char *attribute_name(enum qos_has bit)
{
	return attributes[__builtin_ctz(bit)].name;
}

/* Returns the value to point at: the first of the two attributes that this object has, or else the object itself. */
static const struct json_node *culprit(const struct class_text *text, enum qos_has first, enum qos_has second)
{
	const struct json_node *value = json_member(text->object, attribute_name(first));

	if (!value)
		value = json_member(text->object, attribute_name(second));
	return value ? value : text->object;
}

enum attribute_users {
	FAIR = 1,
	REAL_TIME = 2,
	DEADLINE = 4,
};

/* Attributes that only some kinds of policies use. */
static const struct {
	enum qos_has bit;
	enum attribute_users kinds;
	const char *words;
} uses[] = {
	{ QOS_HAS_NICE, FAIR, "fair policies" },
	{ QOS_HAS_PRIORITY, REAL_TIME, "SCHED_FIFO and SCHED_RR" },
	{ QOS_HAS_RUNTIME, FAIR | DEADLINE, "fair policies and SCHED_DEADLINE" },
	{ QOS_HAS_DEADLINE, DEADLINE, "SCHED_DEADLINE" },
	{ QOS_HAS_PERIOD, DEADLINE, "SCHED_DEADLINE" },
};

static void check_uses(struct parser *parser, const struct class_text *text, const struct qos_attr *attr,
		       enum attribute_users kind)
{
	for (size_t i = 0; i < array_size(uses); i++) {
		const enum qos_has bit = uses[i].bit;

		/* 0 means "no priority" to the kernel. */
		if ((attr->has & bit) && !(uses[i].kinds & kind) &&
		    (bit != QOS_HAS_PRIORITY || kind != FAIR || attr->priority))
			complain(parser, culprit(text, bit, QOS_HAS_POLICY), AT_VALUE, "%s has no %s: that is for %s",
				 task_policy_name(attr->policy), attribute_name(bit), uses[i].words);
	}
}

static void check_deadline(struct parser *parser, const struct class_text *text, const struct qos_attr *attr)
{
	const bool has_runtime = attr->has & QOS_HAS_RUNTIME, has_deadline = attr->has & QOS_HAS_DEADLINE;

	if (!has_runtime)
		complain(parser, culprit(text, QOS_HAS_RUNTIME, QOS_HAS_POLICY), AT_VALUE,
			 "SCHED_DEADLINE needs a sched_runtime");
	else if (attr->runtime < DEADLINE_RUNTIME_MIN)
		complain(parser, culprit(text, QOS_HAS_RUNTIME, QOS_HAS_POLICY), AT_VALUE,
			 "must be at least %d under SCHED_DEADLINE", DEADLINE_RUNTIME_MIN);
	if (!has_deadline)
		complain(parser, culprit(text, QOS_HAS_DEADLINE, QOS_HAS_POLICY), AT_VALUE,
			 "SCHED_DEADLINE needs a sched_deadline");
	else if (has_runtime && attr->runtime > attr->deadline)
		complain(parser, culprit(text, QOS_HAS_RUNTIME, QOS_HAS_DEADLINE), AT_VALUE,
			 "sched_runtime %llu is longer than sched_deadline %llu", (unsigned long long)attr->runtime,
			 (unsigned long long)attr->deadline);
	if (has_deadline && (attr->has & QOS_HAS_PERIOD) && attr->period && attr->deadline > attr->period)
		complain(parser, culprit(text, QOS_HAS_DEADLINE, QOS_HAS_PERIOD), AT_VALUE,
			 "sched_deadline %llu is longer than sched_period %llu", (unsigned long long)attr->deadline,
			 (unsigned long long)attr->period);
}

static void check_io(struct parser *parser, const struct class_text *text, const struct qos_attr *attr)
{
	const struct json_node *at = culprit(text, QOS_HAS_IO_LEVEL, QOS_HAS_IO_CLASS);
	const bool has_class = attr->has & QOS_HAS_IO_CLASS, has_level = attr->has & QOS_HAS_IO_LEVEL;

	if (!has_class && has_level)
		complain(parser, at, AT_VALUE, "io_priority needs an io_class: best-effort or realtime");
	else if (has_level && (attr->io_class == IO_CLASS_NONE || attr->io_class == IO_CLASS_IDLE))
		complain(parser, at, AT_VALUE, "io_class %s has no io_priority: that is for best-effort and realtime",
			 io_class_name(attr->io_class));
	else if (has_class && !has_level && attr->io_class == IO_CLASS_REALTIME)
		complain(parser, at, AT_VALUE, "io_class realtime needs an io_priority of 0 to %d", IO_LEVELS - 1);
}

/* Checks that the attributes of a merged class fit together. */
static void check_class(struct parser *parser, const struct class_text *text, const struct qos_attr *attr)
{
	const enum attribute_users kind = task_policy_is_fair(attr->policy) ? FAIR
				      : attr->policy == POLICY_DEADLINE ? DEADLINE
									: REAL_TIME;

	check_uses(parser, text, attr, kind);
	if (kind == FAIR && (attr->has & QOS_HAS_RUNTIME) && attr->runtime &&
	    (attr->runtime < SLICE_MIN_NS || attr->runtime > SLICE_MAX_NS))
		complain(parser, culprit(text, QOS_HAS_RUNTIME, QOS_HAS_POLICY), AT_VALUE,
			 "must be between %u and %u (nanoseconds), or 0 for the kernel's own slice", SLICE_MIN_NS,
			 SLICE_MAX_NS);
	if (kind == REAL_TIME && (!(attr->has & QOS_HAS_PRIORITY) || !attr->priority))
		complain(parser, culprit(text, QOS_HAS_PRIORITY, QOS_HAS_POLICY), AT_VALUE,
			 "%s needs a sched_priority of 1 to 99", task_policy_name(attr->policy));
	if (kind == DEADLINE)
		check_deadline(parser, text, attr);
	if ((attr->has & QOS_HAS_UTIL_MIN) && (attr->has & QOS_HAS_UTIL_MAX) && attr->util_min > attr->util_max)
		complain(parser, culprit(text, QOS_HAS_UTIL_MIN, QOS_HAS_UTIL_MAX), AT_VALUE,
			 "sched_util_min %u is greater than sched_util_max %u", attr->util_min, attr->util_max);
	check_io(parser, text, attr);
}

static bool check_name(struct parser *parser, const struct class_table *table, const struct json_node *value)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *name = value->key;

	if (name[strlen(QOS_PREFIX)] && name[strspn(name, allowed)] == '\0')
		return true;
	complain_unknown(parser, value, AT_KEY, "class", name, CLASSES(table),
			 ": after QOS_ come only capital letters, digits and _");
	return false;
}

void class_define(struct parser *parser, struct class_table *table, const struct qos_class *class)
{
	table->items = put_item(parser, table->items, &table->count, sizeof(*class), class);
}

void parse_class(struct parser *parser, struct class_table *table, const struct json_node *value)
{
	struct class_text text = { .object = value };
	const struct qos_class *below = qos_class_find(table->items, table->count, value->key);
	struct qos_class class = { .attr = { .has = QOS_HAS_POLICY, .policy = POLICY_NORMAL } };
	size_t n_errors = parser->errors->n_errors;

	if (!check_name(parser, table, value) || !value_is_object(parser, value, "{\"sched_nice\": 5}"))
		return;
	if (!below && table->count == CLASSES_MAX) {
		complain(parser, value, AT_KEY, "more than %d classes", CLASSES_MAX);
		return;
	}
	parse_attributes(parser, &text);
	if (below)
		class = *below;
	/* An I/O level means nothing without its class. */
	if (text.removed & QOS_HAS_IO_CLASS)
		text.removed |= QOS_HAS_IO_LEVEL;
	class.attr.has &= ~text.removed;
	class.attr = qos_attr_merge(&class.attr, &text.attr);
	class.source = source_of(parser, value, AT_KEY);
	/* Report each mistake once: skip checks that fail only because of an earlier error. */
	if (parser->errors->n_errors == n_errors)
		check_class(parser, &text, &class.attr);
	if (!below)
		class.name = keep_text(parser, value->key);
	class_define(parser, table, &class);
}

void parse_mapping(struct parser *parser, struct class_table *table)
{
	const struct json_node *value;

	json_each (value, parser->root) {
		if (is_schema(parser, value))
			continue;
		if (is_class(value))
			parse_class(parser, table, value);
		else
			complain_unknown(parser, value, AT_KEY, "class", value->key, CLASSES(table),
					 ": names here begin with QOS_");
	}
}

void put_class(struct json_writer *json, const char *key, const struct qos_class *class)
{
	const struct qos_class *builtin = qos_class_find(qos_builtin, QOS_BUILTIN_COUNT, class->name);
	const struct qos_attr *attr = &class->attr;
	/* Attributes of the built-in class of this name that ours does not have: they must be written as null. */
	const uint16_t below = builtin ? qos_attr_merge(&builtin->attr, attr).has & ~attr->has : 0;

	json_begin(json, key, '{');
	for (size_t i = 0; i < array_size(attributes); i++) {
		if (below & 1 << i)
			json_put_null(json, attributes[i].name);
		else if ((attr->has & 1 << i) && attributes[i].type == KEY_NUMBER)
			json_put_number(json, attributes[i].name, key_number(&attributes[i], attr));
		else if (attr->has & 1 << i)
			put_key(json, &attributes[i], attributes[i].name, attr);
	}
	json_end(json, '}');
}

/* ---- presets ---- */

static const struct preset *preset_find(const struct parser *parser, const char *name)
{
	for (size_t i = 0; i < parser->n_presets; i++) {
		if (strcmp(parser->presets[i].name, name) == 0)
			return &parser->presets[i];
	}
	return NULL;
}

/* Classes of the mapping replace earlier classes of the same name completely; other classes stay. */
void mapping_choose(struct parser *parser, const struct json_node *at, const char *name)
{
	struct settings *settings = &parser->config->settings;
	const struct preset *preset = preset_find(parser, name);

	if (!preset) {
		complain_unknown(parser, at, AT_VALUE, "mapping", name, NAMES(parser->presets, parser->n_presets),
				 NULL);
		return;
	}
	settings->mapping = preset->name;
	settings->mapping_is_named = true;
	settings->mapping_source = source_of(parser, at, AT_VALUE);
	for (size_t i = 0; i < preset->classes.count; i++)
		class_define(parser, &parser->classes, &preset->classes.items[i]);
}

void preset_define(struct parser *parser, const struct preset *preset)
{
	parser->presets = put_item(parser, parser->presets, &parser->n_presets, sizeof(*preset), preset);
}

void parse_preset(struct parser *parser, const char *path)
{
	const char *base = path_base(path), *end = strstr(base, ".json");
	struct preset preset = {
		keep_bytes(parser, base, end && !end[strlen(".json")] ? (size_t)(end - base) : strlen(base)), { 0 }
	};

	parse_mapping(parser, &preset.classes);
	preset_define(parser, &preset);
}
