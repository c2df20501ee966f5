/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration as text: a pile of files, each overriding those before it name by name, over what is
 * built in. Pure: the caller reads the files; every error of every file comes back at once.
 */
#pragma once

#include <sys/types.h>

#include <schedqos/policy/config.h>

#define CONFIG_SIZE_MAX	 (1024 * 1024)
#define CONFIG_DEPTH_MAX 32

enum config_kind {
	CONFIG_RULES, /* app_configs/NAME.json, /etc/schedqos.json: QOS_ classes, schedqos, rules */
	CONFIG_MAPPING,	 /* qos_mappings.json: QOS_ classes only */
	CONFIG_PROFILES, /* sched_profiles.json */
	CONFIG_PRESET,	 /* mappings/NAME.json: classes that `mapping` in a rules file asks for by
			    NAME */
};

struct config_file {
	const char *path; /* as errors and explain are to name it */
	const char *text; /* size bytes; need not be NUL-terminated */
	size_t size;
	enum config_kind kind;
};

/* One thing wrong. Texts are escaped: safe for a terminal. */
struct config_error {
	char *file;
	unsigned line, column; /* from 1, column in bytes; 0: the file as a whole */
	bool warning;	       /* true: the configuration is good all the same */
	char *path;	       /* where.in.the.json, "" for the top */
	char *message;
};

struct config_errors {
	struct config_error *items;
	size_t count;
	size_t n_errors; /* those that are not warnings, even if there was no memory to keep */
	size_t size;	 /* private: room in items */
};

/*
 * Parses all files over what is built in. Returns 0 and the configuration, or -EINVAL when there
 * was any error (then *ret is not written), or -ENOMEM. Errors and warnings are appended to errors
 * in the order of files and lines. File paths and texts are not kept.
 *
 * look_up turns a user's name into its uid and returns an error as of struct rule_user; it is asked
 * once for each name, with context. NULL knows no names.
 *
 * The JSON tree of a file needs some heap for a moment (6 MB for 15,000 rules); malloc_trim() gives
 * it back to the kernel.
 */
int config_parse(const struct config_file *files, size_t n_files,
		 int (*look_up)(void *context, const char *name, uid_t *ret), void *context,
		 struct config **ret, struct config_errors *errors);
void config_free(struct config *config);

/*
 * Appends warnings of what rules hand out to everybody: a real-time or deadline class, or one with
 * a negative nice value, by a rule that asks neither for a user nor for a cgroup that users cannot
 * make. One for each file and class, at the first such rule. For people who look at their
 * configuration, not for every start. Returns 0 or -ENOMEM.
 *
 * A rule that yields may hand out the negative nice value of a class that is built in or that files
 * before its own define. The shipped rules do, under every shipped mapping: nobody would read on
 * after the same warnings at every check.
 */
int config_check_grants(const struct config *config, struct config_errors *errors);

/* Appends one error; message is a printf format. Used by those who read the files, too. */
void config_error_add(struct config_errors *errors, const char *file, unsigned line,
		      unsigned column, const char *path, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
void config_errors_clear(struct config_errors *errors);

/*
 * "FILE:LINE:COLUMN: where.in.the.json: message", without a newline ("FILE: message" for the file
 * as a whole, "warning: " before a warning's message). The caller frees; NULL without memory.
 */
char *config_error_text(const struct config_error *error);

/* The merged result as a rules file that would give the same again. The caller frees; NULL: no
 * memory. */
char *config_print(const struct config *config);
