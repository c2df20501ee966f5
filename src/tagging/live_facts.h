/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts of a living task, read from the kernel as the plan asks for them. */
#pragma once

#include <limits.h>

#include <schedqos/policy/rules.h>

#include "apply.h"
#include "arguments.h"

struct live_facts {
	struct facts facts; /* must be first: fetch casts its pointer */
	struct applier *applier;
	struct arguments *arguments;
	int proc;
	int error;    /* the last shortage; 0: none since live_facts_take_error */
	bool is_patient;  /* waits up to 2 ms for arguments; else a decision is put off that needs some */
	bool awaits;	  /* it has been put off */
	pid_t source; /* the thread whose files are read: the leader, unless it has ended before the others */
	struct live_facts *parent; /* for facts.parent; NULL in that */
	char argv[READER_BYTES];
	char exe[PATH_MAX];
	char cgroup[2 * PATH_MAX]; /* the lines of all hierarchies, at first */
};

/* The arguments must outlive it. NULL without memory. */
struct live_facts *live_facts_new(int proc, struct applier *applier, struct arguments *arguments);
void live_facts_free(struct live_facts *live);

/* Starts over with another task. Returns the facts to pass to the plan. */
struct facts *live_facts_for(struct live_facts *live, pid_t tid, pid_t tgid);

/* Notes a -errno if it is for want of descriptors or memory; so is that of each fact that could not be fetched. */
void live_facts_note(struct live_facts *live, int error);

/* Returns and clears what was noted last; 0: nothing. */
int live_facts_take_error(struct live_facts *live);

/* Whether the last decision has been put off. */
bool live_facts_await(const struct live_facts *live);

/* For who asks a question: arguments are waited for, in place of putting a decision off. */
void live_facts_be_patient(struct live_facts *live, bool patient);
