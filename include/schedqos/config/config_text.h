/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns text into a configuration: the built-in one, overridden name by name by a list of files, each over the ones
 * before it. Performs no I/O: the caller reads the files. Reports all errors of all files at once.
 */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>

/*
 * Limits for one file. The size is twice that of the largest collection of rules we know; parsing such a file takes
 * some 30 MB.
 */
#define CONFIG_SIZE_MAX	 (4 * 1024 * 1024)
#define CONFIG_DEPTH_MAX 32

/*
 * Keys of a rules file that are not patterns: the daemon's settings, and the place of the JSON schema for editors,
 * which we ignore.
 */
#define SETTINGS_KEY "schedqos"
#define SCHEMA_KEY "$schema"

enum config_kind {
	CONFIG_RULES, /* app_configs/NAME.json, /etc/schedqos.json: QOS_ classes, schedqos, rules */
	CONFIG_MAPPING,	 /* qos_mappings.json: QOS_ classes only */
	CONFIG_PROFILES, /* sched_profiles.json */
	CONFIG_PRESET,	 /* mappings/NAME.json: classes that the setting `mapping` selects by NAME */
	CONFIG_CHOICE,	 /* not JSON: `text` is the NAME given with --mapping, NUL-terminated */
};

struct config_file {
	const char *path; /* as shown to users */
	const char *text; /* size bytes; need not be NUL-terminated */
	size_t size;
	enum config_kind kind;
	bool is_private; /* not everybody may read it */
};

/* One error or warning. */
struct config_error {
	/*
	 * "FILE:LINE:COLUMN: where.in.the.json: message", or "FILE: message" if it concerns the file as a whole. No
	 * newline; escaped, so safe for a terminal. The message of a warning begins with "warning: ".
	 */
	char *text;
	unsigned line, column; /* from 1, column in bytes; 0 if it concerns the file as a whole */
	bool warning;	       /* the configuration is valid nevertheless */
	size_t order;	       /* private: number of the file */
};

struct config_errors {
	struct config_error *items;
	size_t count;
	size_t n_errors; /* errors without warnings, including errors that there was no memory to keep */
};

/*
 * Parses all files on top of the built-in configuration. Returns 0 and the configuration; -EINVAL if there was any
 * error, and leaves *ret alone; or -ENOMEM. Appends errors and warnings to `errors`, ordered by file and line. Keeps no
 * pointer to file paths and texts.
 *
 * look_up(context, name, &uid) turns a user's name into a uid and returns an error as in struct rule_user; it is called
 * once for each name. If it is NULL, every name is unknown.
 *
 * Parsing takes heap temporarily (4 MB for 15,000 rules); malloc_trim() returns it to the kernel.
 */
int config_parse(const struct config_file *files, size_t n_files,
		 int (*look_up)(void *context, const char *name, uid_t *ret), void *context,
		 struct config **ret, struct config_errors *errors);
void config_free(struct config *config);

/*
 * Appends warnings about a valid configuration, ordered by file and place. Meant for `check`, not for every start.
 * Returns 0 or -ENOMEM. It warns about:
 *
 * - rules that give privileges to every user: a real-time or deadline class, or one with a negative nice value,
 * assigned by a rule that requires neither a user nor a cgroup outside user.slice (one warning for each file and class,
 * at the first such rule), and a QOS_DEFAULT with such attributes;
 *
 * - classes that no rule assigns and whose names resemble a built-in class;
 *
 * - globs that never take effect because another rule always comes first.
 *
 * A rule that yields may assign a negative nice value if the class is built in or defined in an earlier file. The
 * shipped rules do so with every shipped mapping, and people stop reading warnings that appear at every check.
 */
int config_lint(const struct config *config, struct config_errors *errors);

/* Appends an error that concerns a file as a whole, for example that it cannot be read. */
void config_error_add(struct config_errors *errors, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void config_errors_clear(struct config_errors *errors);

/*
 * Returns the merged configuration as one rules file that parses to the same configuration. with_places adds to each
 * rule a key "from" with the place it comes from. The caller frees the text; NULL if there is no memory.
 */
char *config_print(const struct config *config, bool with_places);

/* Returns all sched profiles as one sched_profiles.json. The caller frees the text; NULL if there is no memory. */
char *config_print_profiles(const struct config *config);

/*
 * Returns the place that selected the mapping in force: "FILE:LINE:COLUMN", "--mapping" or "built in". The caller frees
 * the text; NULL if there is no memory.
 */
char *config_mapping_place(const struct config *config);

/*
 * Returns the path of a rule within its file, for example chrome.thread_qos["a b"]; `thread` selects one of its thread
 * rules and may be NULL. The caller frees the text; NULL if there is no memory.
 */
char *config_path_of(const struct config *config, const struct rule *rule, const struct thread_rule *thread);

/* One difference between two configurations. All texts are escaped, so safe for a terminal. */
struct config_change {
	const char *kind; /* "setting", "class", "profile" or "rule" (all rules of a pattern) */
	const char *name;
	const char *before, *after; /* JSON on one line; "" if it does not exist */
	const char *place;	    /* "FILE:LINE:COLUMN", or "" for a setting or a built-in item */
};
typedef void config_found(void *context, const struct config_change *change);

/* Number of differences: of rules, and of settings, classes and profiles together. */
struct config_diff {
	size_t added, changed, removed;
	size_t others;
};

/*
 * Compares what two configurations mean, ignoring how and where it is written. Calls `found`, if not NULL, for each
 * difference, ordered by kind and name. Returns 0 or -ENOMEM.
 */
int config_diff(const struct config *before, const struct config *after, config_found *found, void *context,
		struct config_diff *ret);

/*
 * Return a message that there is no class (sched profile) of this name, with a suggestion and the valid names; safe for
 * a terminal. The caller frees the text; NULL if there is no memory.
 */
char *class_words_unknown(const struct config *config, const char *name);
char *profile_words_unknown(const struct config *config, const char *name);

/* ---- the rules of another daemon ---- */

/*
 * Converts rules of ananicy (github.com/Nefelim4ag/Ananicy, and ananicy-cpp) into a rules file of ours. Each line of an
 * ananicy file is a JSON object: a rule if it has a "name", a type if it has only a "type". `#` begins a comment. Text
 * after the closing brace is ignored.
 */
struct ananicy;

/* Returns 0 or -ENOMEM. */
int ananicy_new(struct ananicy **ret);
void ananicy_free(struct ananicy *ananicy);

/*
 * Reads one file of `size` bytes, which need not be NUL-terminated. `path` is shown to users. Of two rules or types of
 * the same name the later one wins. Bad lines are noted for the summary. Returns 0 or -ENOMEM.
 */
int ananicy_read(struct ananicy *ananicy, const char *path, const char *text, size_t size);

/*
 * Assigns each rule a class; call it once, after all files were read. Returns 0 or -ENOMEM, and two texts that the
 * caller frees. *ret is a rules file sorted by name, which depends only on the rules in force; NULL if there are none.
 * *ret_summary tells users, by FILE:LINE, which parts were left out, and the number of rules before and after. Names
 * are escaped.
 */
int ananicy_convert(struct ananicy *ananicy, char **ret, char **ret_summary);
