/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the configuration's parser share. */
#pragma once

#include <stddef.h>
#include <syslog.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/text.h>

#include "arena.h"
#include "json_read.h"

/* Far beyond any use; keeps class indices within a tag's 16 bits and lookups short. */
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
	struct class_table classes; /* config->classes while they are being built */
	struct preset *presets;
	size_t n_presets;
	int (*look_up)(void *context, const char *name, uid_t *ret);
	void *look_up_context;

	struct config_errors *errors; /* the caller's, whose own come first: */
	size_t n_before, n_errors_before;
	size_t file;		    /* the file being parsed */
	enum rule_raise raise;	    /* of its rules that do not say */
	const struct json_node *root; /* its contents */
	bool no_memory;		    /* something could not be allocated, so the result is void */
};

#define WORDS(list)	    .type = KEY_WORD, .words = (list), .n_words = array_size(list)
#define FIELD(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* Complains, most often warns, of a text, such as a pattern, that value or its key is. what: enum complaint */
typedef void text_check(struct parser *parser, const struct json_node *value, unsigned what, const char *text);

/* What an object may hold: how it is read into a struct, and written from one. What is not given is not written. */
struct key {
	const char *name;
	enum {
		KEY_OTHER,  /* by parse and put, which are given what is at the offset */
		KEY_TEXT,   /* const char *; not empty */
		KEY_CLASS,  /* const char *: the name of a class */
		KEY_BOOL,   /* bool; or a number for true, and one for false, by two words; 0: not given */
		KEY_NUMBER, /* any signed integer, or an unsigned one of which half the range is enough; 0: not given */
		KEY_WORD,   /* likewise; what has no word is not given */
	} type;
	uint16_t offset, size;	  /* FIELD() */
	int64_t min, max;	  /* KEY_NUMBER */
	const struct word *words; /* WORDS() */
	size_t n_words;
	const char *kind; /* what errors call a word, NULL: by the key's name; the unit of a number, or NULL */
	bool or_null;	  /* of a KEY_TEXT or KEY_CLASS: null is a value, too */
	text_check *check; /* of a KEY_TEXT, or NULL */
	void (*parse)(struct parser *parser, const struct json_node *value, void *into);
	void (*put)(struct json_writer *json, const char *key, const void *from); /* NULL: is not written */
};

/* The keys of an object. */
struct keys {
	const struct key *items;
	size_t n;
	const char *kind; /* what errors call them */
	const char *(*elsewhere)(
		const struct json_node *value); /* where a member belongs that is none of them, or NULL; or NULL */
};
#define KEYS(array, ...) { (array), array_size(array), __VA_ARGS__ }

enum complaint {
	AT_VALUE = 0,
	AT_KEY = 1,
	WARNING = 2,
};

/* config_error.c: errors and their places */

/* "chrome.thread_qos["a b"][0]": the path from the root to the node. The caller frees; NULL without memory. */
char *json_path(const struct json_node *node);

/* what: enum complaint, or-ed together. */
void complain(struct parser *parser, const struct json_node *node, unsigned what, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The names that there are: of n structs, each of which begins with a pointer to its own. */
struct names {
	const void *items;
	size_t n, size;
};
#define NAMES(array, n) ((struct names){ (array), (n), sizeof((array)[0]) })
#define CLASSES(table) NAMES((table)->items, (table)->count)

/*
 * `unknown KIND "WORD"`, followed by the name that is close if there is one, else by `otherwise`; NULL: by all of them.
 */
void complain_unknown(struct parser *parser, const struct json_node *node, enum complaint where, const char *kind,
		      const char *word, struct names names, const char *otherwise);

/* ": must be a, b or c". The caller frees; NULL without memory, which sets parser->no_memory. */
char *names_to_choose(struct parser *parser, struct names names);

/* "FILE:LINE:COLUMN", escaped. The caller frees; NULL without memory. */
char *config_place(const char *const *files, const struct source *source);

/* Appends one warning. path: in the file. 0 or -ENOMEM. */
int config_warn(const struct config *config, struct config_errors *errors, const struct source *at, const char *path,
		const char *format, ...) __attribute__((format(printf, 5, 6)));

/* By file and place, those from the nth on: files are not parsed in order. */
void config_errors_sort(struct config_errors *errors, size_t n);

/* config_value.c: values of the right type */

/* These complain about a value of another type, or out of its range, and return false (NULL). */
bool value_is_object(struct parser *parser, const struct json_node *value,
		     const char *example); /* to be shown, or NULL */
const char *value_text(struct parser *parser,
		       const struct json_node *value); /* not empty; lives as long as the tree */
const char *value_kept(struct parser *parser,
		       const struct json_node *value); /* ... as long as the configuration */
bool value_bool(struct parser *parser, const struct json_node *value, bool *ret);

/*
 * A list's texts, or one alone, each by `one`, which complains and returns NULL if it is none; complains of an empty
 * list.
 */
typedef const char *list_item(struct parser *parser, const struct json_node *value);
const char *const *value_list(struct parser *parser, const struct json_node *value, list_item *one, size_t *ret_n);
void put_texts(struct json_writer *json, const char *key, const char *const *texts, size_t n);
bool is_digits(const char *text); /* a whole number */
bool value_integer(struct parser *parser, const struct json_node *value, int64_t min, int64_t max, const char *unit,
		   int64_t *ret);

/* What to say of a word that stands where null is meant; or NULL. */
const char *instead_of_null(const char *word);

/* The name of a class, where that stands: as the value, or as its key. NULL: there is none of that name. */
const char *class_named(struct parser *parser, const struct json_node *value, enum complaint where);

/* Reads one value by its key. Returns false after a complaint, but not of KEY_OTHER. */
bool parse_key(struct parser *parser, const struct key *key, const struct json_node *value, void *into);

/* NULL: there is none of that name. */
const struct key *find_key(const struct keys *keys, const char *name);

/* The member's key; NULL, with an error, if there is none of that name. */
const struct key *key_of(struct parser *parser, const struct json_node *value, const struct keys *keys);

/* Reads each member of an object by its key; complains about unknown keys. */
void parse_keys(struct parser *parser, const struct json_node *object, const struct keys *keys, void *into);

/* Writes a field by its key. name: the key's, or NULL in a list. */
void put_key(struct json_writer *json, const struct key *key, const char *name, const void *from);
void put_keys(struct json_writer *json, const struct keys *keys, const void *from);
int64_t key_number(const struct key *key, const void *from);

/* Whether the member is SCHEMA_KEY, which any file may have; complains if it is no string. */
bool is_schema(struct parser *parser, const struct json_node *value);

/* Complains about every key that an object in or below the node has twice. */
void check_duplicates(struct parser *parser, const struct json_node *node);

/* Memory that lives as long as the configuration; NULL without memory, which sets parser->no_memory. */
void *keep_alloc(struct parser *parser, size_t size);
const char *keep_text(struct parser *parser, const char *text);
char *keep_bytes(struct parser *parser, const char *text, size_t length);
struct source source_of(const struct parser *parser, const struct json_node *node, enum complaint where);

/*
 * Puts a copy of the item in place of the one of its name in an earlier file, or after all others. Items begin with a
 * pointer to their name; one without a name is left out. Returns the items, which may have moved.
 */
void *put_item(struct parser *parser, void *items, size_t *count, size_t size, const void *item);

/* Removes the item of this name, if there is one. */
void remove_item(void *items, size_t *count, size_t size, const char *name);

/* config_class.c */
bool is_class(const struct json_node *value); /* by its key */
const char *
outside_class(const struct json_node *value); /* of a member elsewhere: what to say if it is an attribute, or NULL */
void parse_class(struct parser *parser, struct class_table *table, const struct json_node *value);
void parse_mapping(struct parser *parser, struct class_table *table);
void class_define(struct parser *parser, struct class_table *table, const struct qos_class *class);

/* Puts the mapping of that name in force; at: where it is named. */
void mapping_choose(struct parser *parser, const struct json_node *at, const char *name);

/* A mapping that can be chosen by its name: this one, or the file's. It exists even if that has errors. */
void preset_define(struct parser *parser, const struct preset *preset);
void parse_preset(struct parser *parser, const char *path);

/* config_settings.c */
extern const struct word raise_words[2];
extern const struct keys setting_keys; /* of struct config */
bool is_setting(const char *key);
void parse_settings(struct parser *parser, const struct json_node *value); /* but "mapping" */

void put_settings(struct json_writer *json, const struct config *config);

/* config_profile.c */
void profile_define(struct parser *parser, const struct sched_profile *profile);
void parse_profiles(struct parser *parser);

/* config_pattern.c: warnings about patterns that can match nothing of what they are compared with. */
text_check check_brackets;
text_check check_path;	  /* globs on a full path */
text_check check_cgroup;  /* ... on that of a cgroup */
text_check check_process; /* the key of a rule, or match.parent */
text_check check_thread;

/* Checks a pattern that is a key. False, with an error, if it is empty. */
bool pattern_key(struct parser *parser, const struct json_node *value, text_check *check);

/* config_rules.c: a rules file's mapping and classes; then, when all files' are known, what names them */
void parse_definitions(struct parser *parser);
void parse_rules(struct parser *parser);

/* A class, a profile or a pattern's rules as the value of key; NULL: as a value of its own. */
void put_class(struct json_writer *json, const char *key, const struct qos_class *class);
void put_profile(struct json_writer *json, const char *key, const struct sched_profile *profile);
void put_rules(struct json_writer *json, const char *key, const struct rule *list,
	       const char *const *files); /* to say where; or NULL */
