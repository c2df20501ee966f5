/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up machine for the tests of the plan. It follows the kernel's rules: a fork copies attributes, exec and rename
 * keep them. The daemon on it (fake_daemon.h) receives the events.
 */
#pragma once

#include "test.h"

#include <schedqos/config/config_text.h>
#include <schedqos/policy/plan.h>

/* The built-in classes as they show on a task. */
#define PRISTINE    "SCHED_NORMAL nice 0"
#define INTERACTIVE "SCHED_NORMAL nice -4 slice 8 ms"
#define INITIATED   "SCHED_NORMAL nice -2 slice 12 ms util 0..768"
#define UTILITY	    "SCHED_BATCH nice 2 slice 16 ms util 0..512"
#define BACKGROUND  "SCHED_BATCH nice 4 slice 20 ms util 0..256"
#define BY_DEFAULT  UTILITY

/* Stands for a path that is too long to be read. */
#define UNKNOWN_CGROUP "?"

#define MS	1000000U
#define TICK_MS 10

#define MACHINE_TASKS  64
#define MACHINE_EVENTS 64

/* More than tasks, because the plan keeps the records of tasks that are gone. */
#define MACHINE_RECORDS 512

enum {
	INIT = 1,
	KTHREADD = 2,
	DAEMON = 50, /* schedqos itself */
};

struct machine_task {
	pid_t tid; /* 0: free */
	pid_t tgid;
	pid_t parent; /* the real parent's tid */
	uint64_t start;
	struct task_attr attr; /* slice_ns is 0 without a custom one; nice and slice also while the policy hides them */
	struct task_attr without; /* attributes that it would carry without the daemon */
	uint8_t unsure; /* for a fuzzer: attributes in which `without` is not checked; copied by a fork */
	uid_t uid;
	int32_t tty;
	bool is_elsewhere; /* its user has no session at a seat */
	bool is_privileged; /* it runs set-user-ID, or with capabilities */
	char comm[TASK_COMM_LEN];
	char exe[64];
	char cgroup[64]; /* of the process: that of its leader counts */
	char argv[128];
	size_t argv_size;
};

struct machine;

struct machine_facts {
	struct facts facts; /* must be first: fetch casts its pointer */
	struct machine *machine;
	struct machine_facts *parent;
};

struct machine {
	struct machine_task tasks[MACHINE_TASKS];
	struct attr_caps kernel; /* of the kernel */
	struct attr_caps caps;	 /* the same as far as the plan knows */
	uint64_t ms;		 /* CLOCK_MONOTONIC, of which the plan sees 32 bits */
	uint32_t pace; /* time that each step takes, longer than the plan is wary after a change */

	struct config *config, *old_config;
	struct plan *plan;
	uint64_t listens_since; /* ticks */

	/* The records that a crashed plan has left. */
	struct task legacy[MACHINE_RECORDS];
	size_t n_legacy;
	struct given legacy_given;

	bool deaf;	  /* events wait in the queue until hear() */
	bool lossy;	  /* events are dropped */
	bool hold;	  /* actions wait until carry_out() */
	int refuse;	  /* errno of every set */
	bool ignore;	  /* a set returns 0 and changes nothing */
	unsigned missing; /* enum fact: facts that cannot be fetched, as if the task had just ended */
	int why_missing;  /* another errno for those, or 0 */
	bool no_memory;	  /* the plan gets none for its records */
	struct task_event queue[MACHINE_EVENTS];
	size_t n_queued;
	struct plan_action held;
	bool has_held;

	/* Since the last count_from_here(). */
	bool unread;	  /* no process's arguments can be read now */
	bool spared;	  /* no process's cgroup and users are read now */
	unsigned fetches; /* number of fetches */
	unsigned fetched; /* enum fact: facts that were fetched */
	unsigned actions;
	struct plan_action last;
	enum plan_result result; /* of the last action */
	struct machine_facts asked, asked_parent;
};

/* Make, for cmocka, the machine in *state with an init and a kthreadd; and free it. */
int machine_on(void **state);
int machine_off(void **state);
void machine_anew(struct machine *m); /* does one after the other */
#define MACHINE_TEST(name) TEST_OF(name, struct machine *m, machine_on, machine_off)

/* Events on the machine. command: the executable and its arguments, separated by spaces. */
void forks(struct machine *m, pid_t parent, pid_t child);
void begins_fork(struct machine *m, pid_t parent, pid_t child); /* the child is born */
void ends_fork(struct machine *m, pid_t child);			/* its event is sent */
void clones(struct machine *m, pid_t creator, pid_t thread);
void forks_for_parent(struct machine *m, pid_t creator, pid_t child); /* CLONE_PARENT */
void begins_clone(struct machine *m, pid_t creator, pid_t thread);
void execs(struct machine *m, pid_t tid, const char *command);
void renames(struct machine *m, pid_t tid, const char *comm);
void moves(struct machine *m, pid_t pid, const char *cgroup);
void exits(struct machine *m, pid_t tid);
void spawns(struct machine *m, pid_t parent, pid_t child, const char *command); /* fork and exec */
void passes(struct machine *m, uint64_t ms);

/* Changes of a task by somebody else: its nice value; policy; I/O priority; all attributes. */
void renice(struct machine *m, pid_t tid, int nice);
void runs_nice(struct machine *m, pid_t tid, int by, const char *command); /* nice(1): adds to its nice value */
void chrt(struct machine *m, pid_t tid, enum task_policy policy, int priority);
void ionice(struct machine *m, pid_t tid, enum io_class class, unsigned level);
void sets(struct machine *m, pid_t tid, struct task_attr attr);

/* Returns the task, or NULL; living() fails the test instead. */
struct machine_task *machine_task(struct machine *m, pid_t tid);
struct machine_task *living(struct machine *m, pid_t tid);
pid_t tgid_of(struct machine *m, pid_t tid);

/* The kernel's answers about a task; kernel_sets() carries out an action and returns 0 or -errno. */
struct facts *facts_of(struct machine *m, pid_t tid, pid_t tgid);
struct task_attr attr_shown(const struct machine *m, const struct machine_task *task);
int kernel_sets(struct machine *m, const struct plan_action *action);

/* Asserts that the task carries these attributes, whatever its record says. */
#define assert_carries(m, tid, attr) check_carries(m, tid, attr, __FILE__, __LINE__)
void check_carries(struct machine *m, pid_t tid, const char *attr, const char *file, int line);
