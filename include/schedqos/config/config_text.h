/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration as text: the built-in one, overridden by a list of files, each overriding those before it name
 * by name. Does no I/O: the caller reads the files. All errors of all files are returned at once.
 */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>

/*
 * What a file may have at most: twice what the largest collection of rules that we know makes, and some 30 MB while it
 * is read.
 */
#define CONFIG_SIZE_MAX	 (4 * 1024 * 1024)
#define CONFIG_DEPTH_MAX 32

/*
 * Keys of a file that are no pattern: the daemon's settings; and where an editor finds the schema, of no meaning to us.
 */
#define SETTINGS_KEY "schedqos"
#define SCHEMA_KEY "$schema"

enum config_kind {
	CONFIG_RULES, /* app_configs/NAME.json, /etc/schedqos.json: QOS_ classes, schedqos, rules */
	CONFIG_MAPPING,	 /* qos_mappings.json: QOS_ classes only */
	CONFIG_PROFILES, /* sched_profiles.json */
	CONFIG_PRESET,	 /* mappings/NAME.json: classes that `mapping` in a rules file asks for by
			    NAME */
	CONFIG_CHOICE,	 /* no JSON, but such a NAME, as given by an option, which path is */
};

struct config_file {
	const char *path; /* as shown to people */
	const char *text; /* size bytes; need not be NUL-terminated */
	size_t size;
	enum config_kind kind;
};

/* One error or warning. */
struct config_error {
	/*
	 * "FILE:LINE:COLUMN: where.in.the.json: message", without a newline, escaped and so safe for a terminal. Of a
	 * file as a whole, "FILE: message"; a warning's message begins with "warning: ".
	 */
	char *text;
	unsigned line, column; /* from 1, column in bytes; 0: the file as a whole */
	bool warning;	       /* the configuration is valid all the same */
	size_t order;	       /* private: the number of the file */
};

struct config_errors {
	struct config_error *items;
	size_t count;
	size_t n_errors; /* those that are not warnings, even if there was no memory to keep */
};

/*
 * Parses all files on top of the built-in configuration. Returns 0 and the configuration, or -EINVAL when there
 * was any error (then *ret is not written), or -ENOMEM. Errors and warnings are appended to errors
 * in the order of files and lines. File paths and texts are not kept.
 *
 * look_up turns a user's name into its uid and returns an error as in struct rule_user; it is called
 * once for each name, with context. If it is NULL, no name is known.
 *
 * The JSON trees of the files take some heap temporarily (4 MB for 15,000 rules); malloc_trim() returns
 * it to the kernel.
 */
int config_parse(const struct config_file *files, size_t n_files,
		 int (*look_up)(void *context, const char *name, uid_t *ret), void *context,
		 struct config **ret, struct config_errors *errors);
void config_free(struct config *config);

/*
 * Appends warnings about rules that give privileges to everybody: a real-time or deadline class, or one with a negative
 * nice value, by a rule that requires neither a user nor a cgroup outside user.slice, one for each file and class at
 * the first such rule; about a QOS_DEFAULT that does; about classes that no rule gives and whose names are nearly a
 * built-in one's; and about globs that never take effect, since a rule of the same file or an earlier one always comes
 * first. By file and place. For checking a configuration, not for every start. Returns 0 or -ENOMEM.
 *
 * A rule that yields may give the negative nice value of a class that is built in or defined in an earlier file. The
 * shipped rules do so with every shipped mapping, and people stop reading warnings that appear at every check.
 */
int config_lint(const struct config *config, struct config_errors *errors);

/* Appends an error of a file as a whole, such as that it cannot be read. */
void config_error_add(struct config_errors *errors, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void config_errors_clear(struct config_errors *errors);

/*
 * The merged result as a rules file that parses to the same. with_places: each rule says in the key "from" where it
 * was written. The caller frees; NULL without memory.
 */
char *config_print(const struct config *config, bool with_places);

/* All profiles as such a file, sched_profiles.json. */
char *config_print_profiles(const struct config *config);

/*
 * What names the mapping in force: "FILE:LINE:COLUMN", "--mapping" or "built in". The caller frees; NULL without
 * memory.
 */
char *config_mapping_place(const struct config *config);

/*
 * Where a rule, or a thread rule of it if that is not NULL, stands in its file: chrome.thread_qos["a b"]. The caller
 * frees; NULL without memory.
 */
char *config_path_of(const struct config *config, const struct rule *rule, const struct thread_rule *thread);

/* One item in which two configurations differ. All texts are escaped: safe for a terminal. */
struct config_change {
	const char *kind; /* "setting", "class", "profile" or "rule" (a pattern's whole list) */
	const char *name;
	const char *before, *after; /* JSON on one line; "": it is not there */
	const char *place;	    /* "FILE:LINE:COLUMN" of what is there last; "" if it is built in or a setting */
};
typedef void config_found(void *context, const struct config_change *change);

/* How many they are: of rules, and of settings, classes and profiles together. */
struct config_diff {
	size_t added, changed, removed;
	size_t others;
};

/*
 * Compares what two configurations say, and not how or where it is written. found, if not NULL, is called for each
 * difference, by kind and name. 0 or -ENOMEM.
 */
int config_diff(const struct config *before, const struct config *after, config_found *found, void *context,
		struct config_diff *ret);

/*
 * That there is no class, or sched profile, of this name, which may have been meant, and which there are, safe for a
 * terminal. The caller frees; NULL without memory.
 */
char *class_words_unknown(const struct config *config, const char *name);
char *profile_words_unknown(const struct config *config, const char *name);

/* ---- the rules of another daemon ---- */

/*
 * Rules of ananicy (github.com/Nefelim4ag/Ananicy, and ananicy-cpp) turned into rules files of ours. A line of theirs
 * is a JSON object: a rule if it has a "name", a type if it has a "type" only. `#` begins a line of comment, and what
 * follows the closing brace is ignored.
 */
struct ananicy;

/* 0 or -ENOMEM. */
int ananicy_new(struct ananicy **ret);
void ananicy_free(struct ananicy *ananicy);

/*
 * Takes one file: size bytes, which need not be NUL-terminated. path: as shown to people. Of two rules with the same
 * name, or types, the one that was read later is in force. Returns 0 or -ENOMEM: what is wrong with a line is noted.
 */
int ananicy_read(struct ananicy *ananicy, const char *path, const char *text, size_t size);

/*
 * Gives each rule its class; once, when all files were read. Two texts, which the caller frees:
 * *ret: a rules file, in byte order of the names, that depends on nothing but the rules in force; NULL if there is
 * none; *ret_summary: lines for people: by FILE:LINE what was left out, or not taken over; then how many rules there
 * were, and are. Names are escaped. 0 or -ENOMEM.
 */
int ananicy_convert(struct ananicy *ananicy, char **ret, char **ret_summary);
