/* SPDX-License-Identifier: GPL-2.0-only */
/* The result of the import: rules files, and what there is to tell about it. */
#include "ananicy_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>

/* What the longest rule and the end of a file take: an escape has six bytes for one. */
#define RULE_MAX (6 * 4 * ANANICY_NAME_MAX + 256)

static const char header[] =
	ANANICY_HEADER ": change what it was made from, or override it in a later file.\n";

static const struct {
	const char *one, *many; /* after the number */
} kinds[NOTE_COUNT] = {
	[NOTE_BROKEN] = { "line is not a rule", "lines are not rules" },
	[NOTE_BAD_VALUE] = { "value is unknown or out of range: left out",
			     "values are unknown or out of range: left out" },
	[NOTE_UNSUPPORTED] = { "field is not something schedqos sets: left out",
			       "fields are not something schedqos sets: left out" },
	[NOTE_DUPLICATE] = { "line is repeated by a later one",
			     "lines are repeated by later ones" },
	[NOTE_CONFLICT] = { "line is overridden by a later one that says something else",
			    "lines are overridden by later ones that say something else" },
	[NOTE_UNKNOWN_TYPE] = { "rule has a type that is not defined",
				"rules have a type that is not defined" },
	[NOTE_NOTHING] = { "rule sets nothing that a class could be chosen by: left out",
			   "rules set nothing that a class could be chosen by: left out" },
	[NOTE_OWN_VALUES] = { "rule has values beside its type, which only --exact takes over",
			      "rules have values beside their type, which only --exact takes "
			      "over" },
	[NOTE_UNMATCHABLE] = { "rule cannot match any program: left out",
			       "rules cannot match any program: left out" },
	[NOTE_DOUBTFUL] = { "name is doubtful, because unrelated programs share it",
			    "names are doubtful, because unrelated programs share them" },
};

static void put_class(struct json_writer *json, const struct ananicy_class *class)
{
	const struct qos_attr *attr = &class->attr;

	json_begin_in_line(json, class->name, '{');
	if (attr->has & QOS_HAS_POLICY)
		json_put_text(json, "sched_policy", task_policy_name(attr->policy));
	if (attr->has & QOS_HAS_PRIORITY)
		json_put_number(json, "sched_priority", attr->priority);
	if (attr->has & QOS_HAS_NICE)
		json_put_number(json, "sched_nice", attr->nice);
	if (attr->has & QOS_HAS_IO_CLASS)
		json_put_text(json, "io_class", io_class_name(attr->io_class));
	if (attr->has & QOS_HAS_IO_LEVEL)
		json_put_number(json, "io_priority", attr->io_level);
	json_end(json, '}');
}

/* A rule that yields gives nobody what he could not have: see config_check_grants(). */
static void put_rule(struct json_writer *json, const struct ananicy_line *rule)
{
	char pattern[4 * ANANICY_NAME_MAX];

	ananicy_pattern(rule->name, pattern, sizeof(pattern));
	json_begin_in_line(json, pattern, '{');
	json_put_text(json, "qos", rule->qos);
	json_put_bool(json, "yield", true);
	json_end(json, '}');
}

static void begin(struct json_writer *json)
{
	text_buf_put(&json->text, header, strlen(header));
	json_begin(json, NULL, '{');
}

/* The n-th part with this label, from 1 on. 0 or -ENOMEM. */
static int end(struct json_writer *json, const char *label, unsigned n,
	       struct ananicy_output *output)
{
	struct ananicy_part *parts = reallocarray(output->parts, output->count + 1, sizeof(*parts));
	struct ananicy_part *part;

	if (parts)
		output->parts = parts;
	json_end(json, '}');
	if (!parts) {
		free(json_take(json));
		return -ENOMEM;
	}
	part = &parts[output->count];
	snprintf(part->label, sizeof(part->label), n > 1 ? "%s-%u" : "%s", label, n);
	part->text = json_take(json);
	if (!part->text)
		return -ENOMEM;
	output->count++;
	return 0;
}

static const char *const initials[] = { "a", "b", "c", "d", "e", "f", "g",	"h",	"i", "j",
					"k", "l", "m", "n", "o", "p", "q",	"r",	"s", "t",
					"u", "v", "w", "x", "y", "z", "digits", "other" };

/* Upper and lower case count as one. */
static const char *initial_of(const char *name)
{
	const char first = *name;

	if (first >= 'a' && first <= 'z')
		return initials[first - 'a'];
	if (first >= 'A' && first <= 'Z')
		return initials[first - 'A'];
	return initials[first >= '0' && first <= '9' ? 26 : 27];
}

static bool is_number(const char *text, size_t len)
{
	return len && strspn(text, "0123456789") >= len;
}

bool ananicy_is_label(const char *text, size_t len)
{
	for (size_t i = 0; i < array_size(initials); i++) {
		const size_t n = strlen(initials[i]);

		if (len < n || strncmp(text, initials[i], n) != 0)
			continue;
		if (len == n || (text[n] == '-' && is_number(text + n + 1, len - n - 1)))
			return true;
	}
	return is_number(text, len);
}

/* initial: NULL means any. */
static bool is_meant(const struct ananicy_line *rule, const char *initial)
{
	return rule->qos && (!initial || initial_of(rule->name) == initial);
}

/* Ends the file that is begun, and begins others where it would be too large. */
static int write_rules(const struct ananicy *ananicy, struct json_writer *json, bool in_one,
		       const char *initial, struct ananicy_output *output)
{
	const char *label = initial ? initial : "";
	unsigned n = 1;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ananicy->rules.count; i++) {
		if (!is_meant(&ananicy->rules.items[i], initial))
			continue;
		if (!in_one && json->text.len + RULE_MAX > CONFIG_SIZE_MAX) {
			r = end(json, label, n++, output);
			begin(json);
		}
		put_rule(json, &ananicy->rules.items[i]);
	}
	if (r == 0)
		return end(json, label, n, output);
	free(json_take(json));
	return r;
}

/* The bytes of a file of all rules meant; 0 without any. */
static size_t size_of(const struct ananicy *ananicy, const char *initial)
{
	struct json_writer json = { 0 };
	size_t empty, size;

	begin(&json);
	empty = json.text.len;
	for (size_t i = 0; i < ananicy->rules.count; i++) {
		if (is_meant(&ananicy->rules.items[i], initial))
			put_rule(&json, &ananicy->rules.items[i]);
	}
	size = json.text.len;
	free(json_take(&json));
	return size > empty ? size : 0;
}

static int write_part(const struct ananicy *ananicy, const char *initial,
		      struct ananicy_output *output)
{
	struct json_writer json = { 0 };

	begin(&json);
	return write_rules(ananicy, &json, false, initial, output);
}

/* Files filled to the brim would pass rules on with every rule that is added, and so would files of
 * ranges. */
static int write_parts(const struct ananicy *ananicy, struct ananicy_output *output)
{
	const size_t size = size_of(ananicy, NULL);
	int r = 0;

	if (!size)
		return 0;
	if (size + RULE_MAX <= CONFIG_SIZE_MAX)
		return write_part(ananicy, NULL, output);
	for (size_t i = 0; r == 0 && i < array_size(initials); i++) {
		if (size_of(ananicy, initials[i]))
			r = write_part(ananicy, initials[i], output);
	}
	return r;
}

static int write_all(const struct ananicy *ananicy, const struct ananicy_options *options,
		     struct ananicy_output *output)
{
	struct json_writer json = { 0 };
	int r = 0;

	/* A rule may yield to a class of an earlier file without a warning. */
	if (options->exact || options->in_one)
		begin(&json);
	for (size_t i = 0; options->exact && i < ananicy->n_classes; i++)
		put_class(&json, &ananicy->classes[i]);
	if (options->in_one)
		return write_rules(ananicy, &json, true, NULL, output);
	/* So that its name goes before that of every other file. */
	if (options->exact)
		r = end(&json, "0", 1, output);
	return r < 0 ? r : write_parts(ananicy, output);
}

static int compare_classes(const void *va, const void *vb)
{
	const struct ananicy_class *a = va, *b = vb;

	return strcmp(a->name, b->name);
}

int ananicy_convert(struct ananicy *ananicy, const struct ananicy_options *options,
		    struct ananicy_output *ret)
{
	struct ananicy_output output = { 0 };
	int r;

	ananicy_sort(ananicy, &ananicy->types);
	ananicy_sort(ananicy, &ananicy->rules);
	r = ananicy_assign(ananicy, options);
	if (r < 0)
		return r;
	if (!ananicy->n_classes)
		return -ENOENT;
	qsort(ananicy->classes, ananicy->n_classes, sizeof(*ananicy->classes), compare_classes);
	r = write_all(ananicy, options, &output);
	if (r < 0)
		ananicy_output_clear(&output);
	else
		*ret = output;
	return r;
}

void ananicy_output_clear(struct ananicy_output *output)
{
	for (size_t i = 0; i < output->count; i++)
		free(output->parts[i].text);
	free(output->parts);
	*output = (struct ananicy_output){ 0 };
}

static void put_notes(struct text_buf *text, const struct ananicy *ananicy, enum ananicy_note kind)
{
	const struct ananicy_notes *notes = &ananicy->notes[kind];
	const char *examples = notes->examples.text ? notes->examples.text : "";
	size_t lines = 0;

	if (!notes->count)
		return;
	for (const char *p = examples; *p; p++)
		lines += *p == '\n';
	text_buf_printf(text, "%zu %s\n%s", notes->count,
			notes->count == 1 ? kinds[kind].one : kinds[kind].many, examples);
	if (notes->count > lines)
		text_buf_printf(text, "    and %zu more\n", notes->count - lines);
}

char *ananicy_summary(const struct ananicy *ananicy)
{
	struct text_buf text = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ananicy->n_classes; i++)
		n += ananicy->classes[i].n_rules;
	text_buf_printf(&text, "%zu rule%s in %zu file%s, %zu of them imported\n", ananicy->n_read,
			ananicy->n_read == 1 ? "" : "s", ananicy->n_paths,
			ananicy->n_paths == 1 ? "" : "s", n);
	for (size_t i = 0; i < ananicy->n_classes; i++)
		text_buf_printf(&text, "    %zu %s\n", ananicy->classes[i].n_rules,
				ananicy->classes[i].name);
	for (enum ananicy_note kind = 0; kind < NOTE_COUNT; kind++)
		put_notes(&text, ananicy, kind);
	return text_buf_take(&text);
}
