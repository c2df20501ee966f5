/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the configuration parser share. */
#pragma once

#include <stddef.h>
#include <syslog.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

#include "arena.h"
#include "json_read.h"

/* Far more than anyone needs. Keeps class indices within 16 bits and lookups short. */
#define CLASSES_MAX 1024

struct parser;

struct class_table {
	struct qos_class *items;
	size_t count;
};

struct preset {
	const char *name;
	struct class_table classes;
};

struct parser {
	struct config *config;
	struct class_table classes; /* becomes config->classes */
	struct preset *presets;
	size_t n_presets;
	int (*look_up)(void *context, const char *name, uid_t *ret);
	void *look_up_context;

	struct config_errors *errors; /* the caller's; errors from before this parser come first: */
	size_t n_before, n_errors_before;
	size_t file;		      /* index of the file being parsed */
	enum rule_raise raise;	      /* default for rules of this file that have no `raise` */
	const struct json_node *root; /* root node of this file */
	bool no_memory;		      /* an allocation failed, so the result is void */
};

#define WORDS(list)	    .type = KEY_WORD, .words = (list), .n_words = array_size(list)
#define FIELD(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* Reports a problem with the text of a value or of its key, usually as a warning. `what`: enum complaint. */
typedef void text_check(struct parser *parser, const struct json_node *value, unsigned what, const char *text);

/*
 * One key that an object may have: how it is read into a struct and written from one. Keys that are absent are not
 * written.
 */
struct key {
	const char *name;
	enum {
		KEY_OTHER,  /* handled by `parse` and `put`, which receive the field's address */
		KEY_TEXT,   /* const char *; not empty */
		KEY_CLASS,  /* const char *: the name of a class */
		KEY_BOOL,   /* bool; or an integer with one value for true and one for false (`words`); 0 if absent */
		KEY_NUMBER, /* any signed integer, or an unsigned one of which half the range suffices; 0 if absent */
		KEY_WORD,   /* an enum, written as one of `words`; a value without a word counts as absent */
	} type;
	uint16_t offset, size;	  /* FIELD() */
	int64_t min, max;	  /* KEY_NUMBER */
	const struct word *words; /* WORDS() */
	size_t n_words;
	const char *kind;  /* noun for errors: for a word, NULL means the key's name; for a number, its unit, or NULL */
	bool or_null;	   /* KEY_TEXT, KEY_CLASS: null is allowed */
	text_check *check; /* KEY_TEXT: an extra check, or NULL */
	void (*parse)(struct parser *parser, const struct json_node *value, void *into);
	void (*put)(struct json_writer *json, const char *key, const void *from); /* NULL: never written */
};

/* All keys that an object may have. */
struct keys {
	const struct key *items;
	size_t n;
	const char *kind; /* noun for these keys in errors */
	const char *(*elsewhere)(
		const struct json_node *value); /* returns where an unknown member belongs, or NULL; may be NULL */
};
#define KEYS(array, ...)                                \
	{                                               \
		(array), array_size(array), __VA_ARGS__ \
	}

enum complaint {
	AT_VALUE = 0,
	AT_KEY = 1,
	WARNING = 2,
};

/* config_error.c: errors and their places */

/*
 * Returns the path from the root to the node, such as chrome.thread_qos["a b"][0]. The caller frees it; NULL if there
 * is no memory.
 */
char *json_path(const struct json_node *node);

/* Reports a problem at a node. `what`: enum complaint, combined with |. */
void complain(struct parser *parser, const struct json_node *node, unsigned what, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A list of valid names: n structs, each of which begins with a pointer to its name. */
struct valid_names {
	const void *items;
	size_t n, size;
};
#define NAMES(array, n) ((struct valid_names){ (array), (n), sizeof((array)[0]) })
#define CLASSES(table)	NAMES((table)->items, (table)->count)

/*
 * Reports `unknown KIND "WORD"`, followed by a close name if there is one, otherwise by `otherwise`, or by all names if
 * that is NULL.
 */
void complain_unknown(struct parser *parser, const struct json_node *node, enum complaint where, const char *kind,
		      const char *word, struct valid_names names, const char *otherwise);

/* Returns ": must be a, b or c". The caller frees it; NULL if there is no memory, which sets parser->no_memory. */
char *names_to_choose(struct parser *parser, struct valid_names names);

/* Returns "FILE:LINE:COLUMN", escaped. The caller frees it; NULL if there is no memory. */
char *config_place(const char *const *files, const struct source *source);

/* Appends one warning; `path` is the path within the file. Returns 0 or -ENOMEM. */
int config_warn(const struct config *config, struct config_errors *errors, const struct source *at, const char *path,
		const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Sorts the errors from the nth on by file and place, since files are not parsed in order. */
void config_errors_sort(struct config_errors *errors, size_t n);

/* config_value.c: type and range of values */

/* Each reports a value of the wrong type or out of range, and then returns false or NULL. */
bool value_is_object(struct parser *parser, const struct json_node *value,
		     const char *example);				      /* shown in the error, or NULL */
const char *value_text(struct parser *parser, const struct json_node *value); /* not empty; lives as long as the tree */
const char *value_kept(struct parser *parser, const struct json_node *value); /* lives as long as the configuration */
bool value_bool(struct parser *parser, const struct json_node *value, bool *ret);

/*
 * Returns the texts of a list, or of a single text. Reads each with `one`, which reports a bad text and returns NULL.
 * Reports an empty list.
 */
typedef const char *list_item(struct parser *parser, const struct json_node *value);
const char *const *value_list(struct parser *parser, const struct json_node *value, list_item *one, size_t *ret_n);
void put_texts(struct json_writer *json, const char *key, const char *const *texts, size_t n);
bool is_digits(const char *text); /* Returns whether the text is a whole number. */
bool value_integer(struct parser *parser, const struct json_node *value, int64_t min, int64_t max, const char *unit,
		   int64_t *ret);

/* Returns a hint if the word stands where null is meant, or NULL. */
const char *instead_of_null(const char *word);

/* Returns the name of the class that the value or its key names, or NULL after reporting that there is none. */
const char *class_named(struct parser *parser, const struct json_node *value, enum complaint where);

/* Reads one value by its key. Returns false after reporting a problem; always true for KEY_OTHER. */
bool parse_key(struct parser *parser, const struct key *key, const struct json_node *value, void *into);

/* Returns the key of that name, or NULL. */
const struct key *find_key(const struct keys *keys, const char *name);

/* Returns the member's key, or NULL after reporting that there is none of that name. */
const struct key *key_of(struct parser *parser, const struct json_node *value, const struct keys *keys);

/* Reads each member of an object by its key and reports unknown keys. */
void parse_keys(struct parser *parser, const struct json_node *object, const struct keys *keys, void *into);

/* Writes a field by its key. `name` is the key's name, or NULL in a list. */
void put_key(struct json_writer *json, const struct key *key, const char *name, const void *from);
void put_keys(struct json_writer *json, const struct keys *keys, const void *from);
int64_t key_number(const struct key *key, const void *from);

/* Returns whether the member is SCHEMA_KEY, which every file may have; reports a value that is not a string. */
bool is_schema(struct parser *parser, const struct json_node *value);

/* Reports every key that an object at or below the node has twice. */
void check_duplicates(struct parser *parser, const struct json_node *node);

/* Return memory that lives as long as the configuration, or NULL if there is none, which sets parser->no_memory. */
void *keep_alloc(struct parser *parser, size_t size);
const char *keep_text(struct parser *parser, const char *text);
char *keep_bytes(struct parser *parser, const char *text, size_t length);
struct source source_of(const struct parser *parser, const struct json_node *node, enum complaint where);

/*
 * Copies the item over the item of the same name from an earlier file, or appends it. Items begin with a pointer to
 * their name; an item without a name is ignored. Returns the items, which may have moved.
 */
void *put_item(struct parser *parser, void *items, size_t *count, size_t size, const void *item);

/* Removes the item of this name if it exists. */
void remove_item(void *items, size_t *count, size_t size, const char *name);

/* config_class.c */
bool is_class(const struct json_node *value);		  /* judged by its key */
const char *outside_class(const struct json_node *value); /* a hint if it is an attribute in the wrong place, or NULL */
void parse_class(struct parser *parser, struct class_table *table, const struct json_node *value);
void parse_mapping(struct parser *parser, struct class_table *table);
void class_define(struct parser *parser, struct class_table *table, const struct qos_class *class);

/* Puts the mapping of that name in force. `at` is the place that names it. */
void mapping_choose(struct parser *parser, const struct json_node *at, const char *name);

/*
 * Define a mapping that can be selected by name. parse_preset defines the file's mapping even if the file has errors.
 */
void preset_define(struct parser *parser, const struct preset *preset);
void parse_preset(struct parser *parser, const char *path);

/* config_settings.c */
extern const struct word raise_words[2];
extern const struct keys setting_keys; /* of struct config */
bool is_setting(const char *key);
void parse_settings(struct parser *parser, const struct json_node *value); /* all except "mapping" */

void put_settings(struct json_writer *json, const struct config *config);

/* config_profile.c */
bool is_knob_tree(const char *key);
void profile_define(struct parser *parser, const struct sched_profile *profile);
void parse_profiles(struct parser *parser);

/* config_pattern.c: warnings about patterns that can never match */
text_check check_brackets;
text_check check_path;	  /* globs on a full path */
text_check check_cgroup;  /* globs on the path of a cgroup */
text_check check_process; /* the key of a rule, or match.parent */
text_check check_thread;

/* Checks a pattern that is a key. Returns false after reporting an empty one. */
bool pattern_key(struct parser *parser, const struct json_node *value, text_check *check);

/* config_rules.c: the mapping and classes of a rules file; then, once the classes of all files are known, its rules */
void parse_definitions(struct parser *parser);
void parse_rules(struct parser *parser);

/*
 * Write a class, a profile or all rules of a pattern as the value of `key`, or as a value of its own if that is NULL.
 */
void put_class(struct json_writer *json, const char *key, const struct qos_class *class);
void put_profile(struct json_writer *json, const char *key, const struct sched_profile *profile);
void put_rules(struct json_writer *json, const char *key, const struct rule *list,
	       const char *const *files); /* to tell each rule's place, or NULL */
