/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the import of ananicy's rules share. */
#pragma once

#include <schedqos/config/ananicy.h>
#include <schedqos/policy/qos_class.h>
#include <schedqos/util/text_buf.h>

#include "arena.h"

/* So many classes of our own leave room for those of other files within CLASSES_MAX. */
#define ANANICY_CLASSES_MAX 512

/* No file has a longer name. */
#define ANANICY_NAME_MAX 255

/* What there is to tell about a line. */
enum ananicy_note {
	NOTE_BROKEN,
	NOTE_BAD_VALUE,
	NOTE_UNSUPPORTED,
	NOTE_DUPLICATE,
	NOTE_CONFLICT,
	NOTE_UNKNOWN_TYPE,
	NOTE_NOTHING,
	NOTE_OWN_VALUES,
	NOTE_UNMATCHABLE,
	NOTE_DOUBTFUL,
	NOTE_COUNT,
};

struct ananicy_notes {
	size_t count;
	struct text_buf examples; /* a line each */
};

/* A rule, or a type: its name is then that of the type. */
struct ananicy_line {
	const char *name;
	const char *type; /* of a rule; NULL: none */
	struct qos_attr
		attr; /* what it sets itself; of the bits in `has` those that ananicy knows */
	struct source source; /* file: index into paths */
	const char *qos;      /* the class that the rule gives; NULL: left out */
};

struct ananicy_lines {
	struct ananicy_line *items;
	size_t count, size;
};

struct ananicy_class {
	const char *name;
	struct qos_attr attr; /* for a class of its own; else all zeroes */
	size_t n_rules;
};

struct ananicy {
	struct arena *arena;
	const char **paths;
	size_t n_paths;
	struct ananicy_lines rules, types;
	struct ananicy_class classes[ANANICY_CLASSES_MAX];
	size_t n_classes;
	struct ananicy_notes notes[NOTE_COUNT];
	size_t n_read; /* rules, before any is left out */
};

/* ananicy.c: reading */

/* Counts, and keeps the line's place and the text if it is among the first few. */
void ananicy_note(struct ananicy *ananicy, enum ananicy_note kind, const struct source *source,
		  const char *name, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Sorts by name; of those with the same name only the last one stays, and the others are noted. */
void ananicy_sort(struct ananicy *ananicy, struct ananicy_lines *lines);

/* ananicy_values.c: single fields */

/*
 * Puts the value of a field into attr. number: if it is one, else text is one. Returns 0, -ENOENT
 * for a field that has nothing to do with scheduling or that we lack, or -EINVAL for a value that
 * the field cannot have.
 */
int ananicy_put_value(struct qos_attr *attr, const char *field, const char *text,
		      const double *number);

/* What is in force for a rule of this type (NULL: none) with these values of its own, as a class
 * can have it. */
struct qos_attr ananicy_merge(const struct qos_attr *type, const struct qos_attr *own);

/* ananicy_class.c: types and classes */

/* Sets the class of each rule, in the order of their names. 0, -E2BIG or -ENOMEM. */
int ananicy_assign(struct ananicy *ananicy, const struct ananicy_options *options);

/* ananicy_names.c: names of programs */

/* Why a rule of this name matches nothing; NULL if it may match. */
const char *ananicy_name_fault(const char *name);

/* Whether programs share the name that have nothing to do with each other. */
bool ananicy_name_is_doubtful(const char *name);

/* The pattern that matches this name and nothing else; size: at least 4 * ANANICY_NAME_MAX. */
void ananicy_pattern(const char *name, char *buf, size_t size);
