/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts of a living task, from the kernel, when the plan asks for them. */
#pragma once

#include <limits.h>

#include <schedqos/policy/facts.h>

#include "apply.h"
#include "arguments.h"

/* Arguments beyond this are not compared with `argv` conditions. Only pages that are read into cost memory. */
#define ARGV_BYTES (64 * 1024)

struct live_facts {
	struct facts facts; /* first: fetch finds the rest by it */
	struct applier *applier;
	struct arguments *arguments;
	int proc;
	uint32_t began_ms; /* CLOCK_MONOTONIC before anything was fetched, cut to 32 bits */
	int error;    /* the last other than that a task is gone; 0: none since it was taken */
	pid_t source; /* the thread whose files are read: the leader, unless it has ended before the others */
	struct live_facts *parent; /* memory for facts.parent */
	char exe[PATH_MAX];
	char cgroup[PATH_MAX];
	char argv[ARGV_BYTES];
};

/* All that it is given must outlive it. NULL without memory. */
struct live_facts *live_facts_new(int proc, struct applier *applier, struct arguments *arguments);
void live_facts_free(struct live_facts *live);

/* Forgets what was known and begins with another task. Returns the facts to hand to the plan. */
struct facts *live_facts_for(struct live_facts *live, pid_t tid, pid_t tgid);

/* 0, or -errno of a fact that could not be fetched since the last call, though its task was there. */
int live_facts_take_error(struct live_facts *live);
