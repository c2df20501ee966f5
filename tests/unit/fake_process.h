/* SPDX-License-Identifier: GPL-2.0-only */
/* A made-up process for the tests of the rules. */
#pragma once

#include "config_case.h"

#include <schedqos/policy/rules.h>

/* A process, with the facts that were fetched. */
struct process {
	struct facts facts; /* must be first: fetch casts its pointer */
	const char *exe, *argv, *comm, *cgroup;
	size_t argv_size;
	uid_t uid;
	bool unread;	/* its arguments cannot be read now */
	bool deferred;	/* they are read after a decision unless they matter to it */
	bool sandboxed; /* in a user namespace of its own */
	bool elsewhere; /* its user has no session at a seat */
	struct process *parent;
	unsigned missing; /* enum fact: facts that cannot be fetched */
	int error;	  /* -errno of fetching those */
	unsigned fetched;
};

/* arguments: separated by NULs. */
#define PROCESS(path, name, arguments, ...)                         \
	{                                                           \
		.exe = (path), .comm = (name), .argv = (arguments), \
		.argv_size = sizeof(arguments), __VA_ARGS__         \
	}

/*
 * Returns a configuration with these rules. text: the inside of a rules file, with ' in place of "; or only patterns,
 * separated by |, each of which gives QOS_UTILITY.
 */
struct config *rules_file(const char *text);

/* Returns a configuration of two such files, the second of which overrides the first. */
struct config *two_files(const char *text, const char *later);

/*
 * Returns the rule for the process, or NULL; *error is that of rules_match. A process without comm or arguments has
 * those of a process that was started by its path.
 */
const struct rule *process_match(const struct config *config, struct process *process, int *error);

/* Asserts that the process has the rule of this pattern, or none for NULL. */
#define assert_matches(config, process, pattern) \
	check_matches(config, process, pattern, __FILE__, __LINE__)
const struct rule *check_matches(const struct config *config, struct process *process,
				 const char *pattern, const char *file, int line);
