/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts of a living task, read from the kernel as the plan asks for them. */
#pragma once

#include <limits.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/policy/rules.h>

#include "apply.h"
#include "arguments.h"
#include "spending.h"

/* A power of two. Processes whose ids are the same modulo this share a place: then all but one count as moved. */
#define PLACES	    16384
#define CGROUP_GONE 0

struct place {
	pid_t tgid; /* 0: none */
	uint32_t cgroup; /* hash of its path; CGROUP_GONE: the process has ended */
};

struct live_facts {
	struct facts facts; /* must be first: fetch casts its pointer */
	struct applier *applier;
	struct arguments *arguments;
	struct spending *spending;
	bool has_overspent; /* a user's debt has become too large: whose, and by a read about which process */
	uid_t overspender;
	pid_t overspent_on;
	struct procfs_status status; /* if it has_status */
	bool has_status;
	int proc;
	int error;    /* the last shortage; 0: none since live_facts_take_error */
	bool is_patient;  /* waits up to 2 ms for arguments; else a decision is put off that needs some */
	bool awaits;	  /* it has been put off */
	pid_t source; /* the thread whose files are read: the leader, unless it has ended before the others */
	struct place *places;	   /* where processes were when that was read last */
	struct live_facts *parent; /* for facts.parent; NULL in that */
	char argv[READER_BYTES];
	char exe[PATH_MAX];
	char cgroup[2 * PATH_MAX]; /* the lines of all hierarchies, at first */
};

/* The arguments and the spending must outlive it. NULL without memory. */
struct live_facts *live_facts_new(int proc, struct applier *applier, struct arguments *arguments,
				  struct spending *spending);
void live_facts_free(struct live_facts *live);

/* Starts over with another task. Returns the facts to pass to the plan. */
struct facts *live_facts_for(struct live_facts *live, pid_t tid, pid_t tgid);

/* Notes a -errno if it is for want of descriptors or memory; so is that of each fact that could not be fetched. */
void live_facts_note(struct live_facts *live, int error);

/* Returns and clears what was noted last; 0: nothing. */
int live_facts_take_error(struct live_facts *live);

/* Returns once whether a user's debt has become too large since the last call: see spending.h. */
bool live_facts_has_overspent(struct live_facts *live, uid_t *ret_user, pid_t *ret_tgid);

/* The id is a new process's: it is not known where that is. */
void live_facts_forget_place(struct live_facts *live, pid_t tgid);

/*
 * Returns whether the process is in another cgroup than when that was read last for a decision, or that is not known.
 * *ret_is_spared: the cgroup is not read now, see spending.h.
 */
bool live_facts_has_moved(struct live_facts *live, pid_t tgid, bool *ret_is_spared);

/* Whether the last decision has been put off. */
bool live_facts_await(const struct live_facts *live);

/* For who asks a question: arguments are waited for, in place of putting a decision off. */
void live_facts_be_patient(struct live_facts *live, bool patient);
