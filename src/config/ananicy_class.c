/* SPDX-License-Identifier: GPL-2.0-only */
/* Which class a rule of ananicy gives: by its type, else by its values, or one of its own. */
#include "ananicy_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

#define OWN_PREFIX "QOS_ANANICY"

#define HAS_IO (QOS_HAS_IO_CLASS | QOS_HAS_IO_LEVEL)

/* The types of ananicy and of CachyOS, as schedqos(8) has them. */
static const struct {
	const char *type, *qos; /* NULL: nothing of it concerns scheduling */
} known_types[] = {
	{ "BG_CPU", "QOS_BACKGROUND" },
	{ "BG_CPUIO", "QOS_BACKGROUND" },
	{ "Chat", "QOS_USER_INITIATED" },
	{ "Doc-View", "QOS_USER_INITIATED" },
	{ "Game", "QOS_USER_INTERACTIVE" },
	{ "Heavy_CPU", "QOS_UTILITY" },
	{ "IN_DIFF", "QOS_DEFAULT" },
	{ "Image-View", "QOS_USER_INITIATED" },
	{ "Launcher", "QOS_UTILITY" },
	{ "LowLatency_RT", "QOS_USER_INTERACTIVE" },
	{ "OOM_KILL", NULL },
	{ "OOM_NO_KILL", NULL },
	{ "Player-Audio", "QOS_USER_INTERACTIVE" },
	{ "Player-Video", "QOS_USER_INTERACTIVE" },
	{ "Service", "QOS_UTILITY" },
};

/* The class for values that have no type of that table. NULL: there is none for them. */
static const char *class_for_values(const struct qos_attr *attr)
{
	if (attr->has & QOS_HAS_POLICY) {
		if (!task_policy_is_fair(attr->policy))
			return "QOS_USER_INTERACTIVE";
		if (attr->policy == POLICY_IDLE)
			return "QOS_BACKGROUND";
	}
	if (attr->has & QOS_HAS_NICE) {
		if (attr->nice < 0)
			return attr->nice <= -4 ? "QOS_USER_INTERACTIVE" : "QOS_USER_INITIATED";
		if (attr->nice > 0)
			return attr->nice <= 10 ? "QOS_UTILITY" : "QOS_BACKGROUND";
	}
	if (attr->has & QOS_HAS_POLICY && attr->policy == POLICY_BATCH)
		return "QOS_UTILITY";
	return attr->has & ~HAS_IO ? "QOS_DEFAULT" : NULL;
}

static struct ananicy_class *class_find_here(struct ananicy *ananicy, const char *name)
{
	for (size_t i = 0; i < ananicy->n_classes; i++) {
		if (strcmp(ananicy->classes[i].name, name) == 0)
			return &ananicy->classes[i];
	}
	return NULL;
}

/* 0, -E2BIG or -ENOMEM. */
static int class_add(struct ananicy *ananicy, const char *name, const struct qos_attr *attr)
{
	const char *kept = arena_text(ananicy->arena, name, strlen(name));

	if (!kept)
		return -ENOMEM;
	if (ananicy->n_classes == ANANICY_CLASSES_MAX)
		return -E2BIG;
	ananicy->classes[ananicy->n_classes++] =
		(struct ananicy_class){ .name = kept, .attr = *attr };
	return 0;
}

/* Class names have capitals, digits and _ only: "_NICE_M6" is -6. */
static void put_number(struct text_buf *name, const char *what, int value)
{
	text_buf_printf(name, "_%s_%s%d", what, value < 0 ? "M" : "", abs(value));
}

static void put_word(struct text_buf *name, const char *word)
{
	text_buf_put(name, "_", 1);
	for (; *word; word++) {
		char c = isalnum((unsigned char)*word) ? (char)toupper((unsigned char)*word) : '_';

		text_buf_put(name, &c, 1);
	}
}

/* Named after the type and what the rule itself sets, so that it keeps its name whatever other
 * rules there are. */
static char *own_name(const char *type, const struct qos_attr *own)
{
	struct text_buf name = { 0 };

	text_buf_printf(&name, OWN_PREFIX);
	if (type)
		put_word(&name, type);
	if (own->has & QOS_HAS_POLICY)
		put_word(&name, task_policy_name(own->policy) + strlen("SCHED_"));
	if (own->has & QOS_HAS_PRIORITY)
		put_number(&name, "PRIORITY", own->priority);
	if (own->has & QOS_HAS_NICE)
		put_number(&name, "NICE", own->nice);
	if (own->has & QOS_HAS_IO_CLASS)
		put_word(&name, io_class_name(own->io_class));
	if (own->has & QOS_HAS_IO_LEVEL)
		put_number(&name, "IO", own->io_level);
	return text_buf_take(&name);
}

/*
 * Sets *ret to the name of the class with these values, which is made if there is none. Types whose
 * names differ only in what no class name may have are told apart by a number. 0, -E2BIG or
 * -ENOMEM.
 */
static int own_class(struct ananicy *ananicy, const struct ananicy_line *rule,
		     const struct qos_attr *merged, const char **ret)
{
	_cleanup_free_ char *name = own_name(rule->type, &rule->attr);
	const struct ananicy_class *class;
	size_t len = name ? strlen(name) : 0;
	int r = 0;

	for (unsigned number = 2;; number++) {
		struct text_buf next = { 0 };

		if (!name)
			return -ENOMEM;
		class = class_find_here(ananicy, name);
		if (!class || qos_attr_equal(&class->attr, merged))
			break;
		text_buf_printf(&next, "%.*s_%u", (int)len, name, number);
		free(name);
		name = text_buf_take(&next);
	}
	if (!class)
		r = class_add(ananicy, name, merged);
	if (r == 0)
		*ret = class_find_here(ananicy, name)->name;
	return r;
}

static int compare_name(const void *name, const void *line)
{
	return strcmp(name, ((const struct ananicy_line *)line)->name);
}

static const struct ananicy_line *type_of(struct ananicy *ananicy, const struct ananicy_line *rule)
{
	if (!rule->type || !ananicy->types.count)
		return NULL;
	return bsearch(rule->type, ananicy->types.items, ananicy->types.count,
		       sizeof(*ananicy->types.items), compare_name);
}

/* Sets *ret to the class that the table has for the type. False: it has no such type, or nothing to
 * say. */
static bool class_of_type(struct ananicy *ananicy, const struct ananicy_line *rule,
			  const char **ret)
{
	for (size_t i = 0; rule->type && i < array_size(known_types); i++) {
		if (strcmp(rule->type, known_types[i].type) != 0)
			continue;
		*ret = known_types[i].qos;
		if (*ret && rule->attr.has)
			ananicy_note(ananicy, NOTE_OWN_VALUES, &rule->source, rule->name, "%s",
				     rule->type);
		return *ret != NULL || !rule->attr.has;
	}
	return false;
}

/* Sets *ret to the class of the rule, or leaves it. 0, -E2BIG or -ENOMEM. */
static int class_of_rule(struct ananicy *ananicy, const struct ananicy_line *rule, bool exact,
			 const char **ret)
{
	const struct ananicy_line *type = type_of(ananicy, rule);
	struct qos_attr merged = ananicy_merge(type ? &type->attr : NULL, &rule->attr);

	if (!exact && class_of_type(ananicy, rule, ret))
		return 0;
	if (rule->type && !type)
		ananicy_note(ananicy, NOTE_UNKNOWN_TYPE, &rule->source, rule->name, "%s",
			     rule->type);
	if (exact && merged.has)
		return own_class(ananicy, rule, &merged, ret);
	if (!exact)
		*ret = class_for_values(&merged);
	return 0;
}

static bool is_wanted(struct ananicy *ananicy, const struct ananicy_line *rule,
		      const struct ananicy_options *options)
{
	const char *fault = ananicy_name_fault(rule->name);

	if (fault) {
		ananicy_note(ananicy, NOTE_UNMATCHABLE, &rule->source, rule->name, "%s", fault);
		return false;
	}
	if (!ananicy_name_is_doubtful(rule->name))
		return true;
	ananicy_note(ananicy, NOTE_DOUBTFUL, &rule->source, rule->name, "%s",
		     rule->type ? rule->type : "");
	return !options->skip_doubtful;
}

/* Counts the rule with its class. 0, -E2BIG or -ENOMEM. */
static int count(struct ananicy *ananicy, const char *qos)
{
	static const struct qos_attr none;
	int r = class_find_here(ananicy, qos) ? 0 : class_add(ananicy, qos, &none);

	if (r == 0)
		class_find_here(ananicy, qos)->n_rules++;
	return r;
}

int ananicy_assign(struct ananicy *ananicy, const struct ananicy_options *options)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ananicy->rules.count; i++) {
		struct ananicy_line *rule = &ananicy->rules.items[i];

		if (!is_wanted(ananicy, rule, options))
			continue;
		r = class_of_rule(ananicy, rule, options->exact, &rule->qos);
		if (r == 0 && rule->qos)
			r = count(ananicy, rule->qos);
		else if (r == 0)
			ananicy_note(ananicy, NOTE_NOTHING, &rule->source, rule->name, "%s",
				     rule->type ? rule->type : "");
	}
	return r;
}
