/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the facts of a living task from the kernel, as the plan asks for them. */
#pragma once

#include <limits.h>

#include <schedqos/kernel/procfs.h>
#include <schedqos/policy/rules.h>

#include "apply.h"
#include "arguments.h"
#include "spending.h"

/* A power of two. Processes whose ids are equal modulo this share an entry: all but one of them seem to have moved. */
#define LAST_CGROUPS 16384
#define CGROUP_GONE  0

/* A power of two. Programs whose hashes are the same modulo this share a place. */
#define PROGRAMS	   1024
#define PROGRAM_NEEDS_ARGV 1U

struct last_cgroup {
	pid_t tgid;	 /* 0: free */
	uint32_t cgroup; /* hash of its path; CGROUP_GONE if the process has ended */
};

struct live_facts {
	struct facts facts; /* must be first: fetch casts its pointer */
	struct applier *applier;
	struct arguments *arguments;
	struct spending *spending;
	/* the debt of user overspender has become too large, by a read about process overspent_on */
	bool has_overspent;
	uid_t overspender;
	pid_t overspent_on;
	struct procfs_status status; /* valid if has_status */
	bool has_status;
	size_t n_read; /* bytes read for the last fact; bytes that cost more to read count several times */
	int proc;
	int error; /* the last shortage since live_facts_take_error; 0 if none */
	/* wait up to 2 ms for arguments; else a decision that needs them is put off */
	bool is_patient;
	bool awaits; /* the decision has been put off */
	/* the thread whose files are read: the leader, or another one if the leader has ended */
	pid_t source;
	struct last_cgroup *last_cgroups; /* the cgroup of each process at its last decision; NULL in the parent's */
	struct live_facts *parent;	  /* reads facts.parent; NULL in the parent's own */
	bool may_defer_argv;		  /* argv may be read after the decision: see live_facts_allow_deferral */
	/* hashes of paths of programs; the lowest bit is PROGRAM_NEEDS_ARGV if arguments mattered to a decision */
	uint32_t programs[PROGRAMS];
	char argv[READER_BYTES];
	char exe[PATH_MAX];
	char cgroup[2 * PATH_MAX]; /* the lines of all hierarchies, then reduced to one path */
};

/* Returns a reader, or NULL if out of memory. All arguments must outlive it. */
struct live_facts *live_facts_new(int proc, struct applier *applier, struct arguments *arguments,
				  struct spending *spending);
void live_facts_free(struct live_facts *live);

/* Starts over with another task. Returns the facts to pass to the plan. */
struct facts *live_facts_for(struct live_facts *live, pid_t tid, pid_t tgid);

/*
 * Lets the decision about the task that was passed to live_facts_for last do without the arguments, if they have never
 * mattered to a decision about the same program. Then facts.argv_is_deferred is set: see deferred.h.
 */
void live_facts_allow_deferral(struct live_facts *live);

/* Call it after a decision: remembers the cgroup that it read, and whether arguments mattered to it. */
void live_facts_learn(struct live_facts *live);

/* Forgets this for all programs, because the rules have changed. */
void live_facts_unlearn(struct live_facts *live);

/* Notes a -errno if it means a lack of descriptors or memory. Failures to fetch a fact are noted as well. */
void live_facts_note(struct live_facts *live, int error);

/* Returns and clears the error noted last; 0 if there was none. */
int live_facts_take_error(struct live_facts *live);

/* Returns whether a user's debt has become too large since the last call: see spending.h. */
bool live_facts_has_overspent(struct live_facts *live, uid_t *ret_user, pid_t *ret_tgid);

/* Forgets the cgroup of a process, because a new process has got its id. */
void live_facts_forget_cgroup(struct live_facts *live, pid_t tgid);

/*
 * Returns whether the process's cgroup has changed since a decision last read it, or none has.
 * *ret_is_spared: the cgroup is not read at present, see spending.h.
 */
bool live_facts_has_moved(struct live_facts *live, pid_t tgid, bool *ret_is_spared);

/* Returns whether the last decision has been put off. */
bool live_facts_is_put_off(const struct live_facts *live);

/* Makes the reader wait for arguments instead of putting a decision off. For questions, such as explain. */
void live_facts_be_patient(struct live_facts *live, bool patient);
