/* SPDX-License-Identifier: GPL-2.0-only */
/* A made-up process for the tests of the rules. */
#pragma once

#include "config_case.h"

#include <schedqos/policy/rules.h>

/* A process, and how often its costly facts were asked for. */
struct process {
	struct facts facts; /* first: fetch finds the rest by it */
	const char *exe, *argv, *comm, *cgroup;
	size_t argv_size;
	uid_t uid;
	bool unread;	/* its arguments cannot be read now */
	bool deferred;	/* they are read after a decision unless they matter to it */
	bool sandboxed; /* in a user namespace of its own */
	bool elsewhere; /* its user has no session at a seat */
	struct process *parent;
	unsigned missing; /* enum fact: what cannot be had */
	int error;	  /* ... and why */
	unsigned fetched;
};

/* arguments: separated by NULs. */
#define PROCESS(path, name, arguments, ...)                         \
	{                                                           \
		.exe = (path), .comm = (name), .argv = (arguments), \
		.argv_size = sizeof(arguments), __VA_ARGS__         \
	}

/*
 * The inside of a rules file, with ' for "; or patterns only, separated by |, each of which gives QOS_UTILITY.
 */
struct config *rules_file(const char *text);

/* Two of them, the second one over the first. */
struct config *two_files(const char *text, const char *later);

/*
 * The rule that the process takes, or NULL; *error is rules_match's. Without a comm, or arguments, it has those of one
 * that was started in the plain way, by its path.
 */
const struct rule *process_match(const struct config *config, struct process *process, int *error);

/* The process takes the pattern's rule; NULL: none. */
#define assert_matches(config, process, pattern) \
	check_matches(config, process, pattern, __FILE__, __LINE__)
const struct rule *check_matches(const struct config *config, struct process *process,
				 const char *pattern, const char *file, int line);
