/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tagger: receives the kernel's events, gives each task the attributes of its class, and takes them back at the
 * end. It runs in the caller's event loop, and logs and counts what goes wrong. Only one may run on a machine at a
 * time: see instance_lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-event.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/overrides.h>
#include <schedqos/policy/plan.h>
#include <schedqos/policy/tasks.h>
#include <schedqos/tagging/explain_name.h>
#include <schedqos/util/problem.h>

struct tagger;

struct tagger_setup {
	sd_event *event;
	const struct config *config; /* in force until tagger_set_config */
	int proc;		     /* descriptor of /proc */
	pid_t hung;		     /* the process on which an earlier loop has just hung (see watch.h), or 0 */
	/* Called after each requested scan, if not NULL. It may request another one. */
	void (*scanned)(void *context);
	void *context;
};

/*
 * Probes the kernel's features, and sets the calling thread to nice -20. Everything in setup must outlive the tagger.
 * Returns 0 or -errno, and logs what went wrong.
 */
int tagger_new(const struct tagger_setup *setup, struct tagger **ret);

/* Removes the state file if everything has been put back. */
void tagger_free(struct tagger *tagger);

/* Subscribes to events, and takes over the state of a killed daemon. Returns as tagger_new does. */
int tagger_listen(struct tagger *tagger);

/* Makes the first scan; from then on the event loop handles events. */
void tagger_start(struct tagger *tagger);

/*
 * Puts another configuration in force and requests a scan. The previous one is no longer used. Returns 0, or -ENOMEM
 * with nothing changed.
 */
int tagger_set_config(struct tagger *tagger, const struct config *config);

/*
 * Has the event loop scan every task in its next iteration. Call it when rules may match other tasks than before.
 */
void tagger_ask_scan(struct tagger *tagger);

/*
 * Puts an override in force, and returns when the tasks carry it. For one without a cgroup: pid and start (ticks since
 * boot) of the process, which is joined by those that descend from it now, if is_tree says so. 0 or -errno: -ENOENT if
 * there is no such class, -ESRCH if there is no such process or it is one that is never touched.
 */
int tagger_override(struct tagger *tagger, const struct override *override, pid_t pid, uint64_t start,
		    uint16_t *ret_number);

/* What speaks against an ordinary user's giving his process this class, as of now: see plan.h. */
enum plan_objection tagger_objection(struct tagger *tagger, pid_t pid, const struct qos_class *class,
				     uint8_t *ret_raised);

/* Gives it another class, or the same one again. 0 or -errno: -ENOENT if there is no such class. */
int tagger_change_override(struct tagger *tagger, uint16_t number, const char *qos);

/* The name of its class, which the configuration in force may lack; then it has no effect. */
const char *tagger_override_class(const struct tagger *tagger, uint16_t number);

/* Ends it. Its tasks are as they would be without it, when this returns. */
void tagger_end_override(struct tagger *tagger, uint16_t number);

/*
 * Takes the -errno (or 0) of an operation elsewhere in the program. When descriptors have run out, the tagger closes
 * its reserve, so that a retry may succeed, and later scans for what was missed.
 */
void tagger_note_shortage(struct tagger *tagger, int error);

/* Call it when the kernel's base slice may have changed: tasks without a custom slice then follow it. */
void tagger_follow_base_slice(struct tagger *tagger);

/*
 * Gives every tagged task what it had, and those that come to be tagged as well, until resumed; then each gets its class
 * again. What somebody chose meanwhile is his, as ever. Returns when that is done.
 */
void tagger_suspend(struct tagger *tagger, bool suspend);

/* Prepares for the end: closes the reserve of descriptors, and unsubscribes from renames, moves and changes. */
void tagger_wind_down(struct tagger *tagger);

/* Puts everything back, tasks born meanwhile included. Takes up to 5 s. Returns the number of tasks put back. */
uint64_t tagger_undo(struct tagger *tagger);

/*
 * Puts back what a killed daemon has left, and removes its state file. No tagger may be running. Returns true if
 * nothing is left to do, else logs why; sets *ret_done if there was something to do.
 */
bool tagger_restore(bool *ret_done);

/* ---- queries, which change nothing ---- */

/* Higher errno values are counted in the last place. */
#define TAGGER_ERRNO_MAX 134

struct tagger_counters {
	uint64_t forks, execs, renames; /* events received */
	uint64_t moves;			/* between cgroups: events received */
	uint64_t changes;		/* calls by which others set attributes: events received */
	uint64_t put_back;		/* times that a rule took back what somebody had changed */
	uint64_t fights;		/* times that a task was left to whoever changed it again and again */
	uint64_t change_floods;		/* times that changes were ignored for a while */
	uint64_t lost;			/* times the kernel dropped events (ENOBUFS) */
	uint64_t rename_floods;		/* times that renames were ignored for a while */
	uint64_t scans;			/* of /proc, the first one included */
	uint64_t set;			/* attributes set and read back as wanted */
	uint64_t races;			/* the task was gone before we acted */
	uint64_t not_kept;		/* accepted, but something else was read back */
	uint64_t refused[TAGGER_ERRNO_MAX + 1]; /* by errno */
	uint64_t receive_errors;
};

/* Lives as long as the tagger. */
const struct tagger_counters *tagger_counters(const struct tagger *tagger);

/* One for each kind of problem, including those that have not occurred. */
const struct problem *tagger_problems(const struct tagger *tagger, size_t *ret_count);

/* The state of a task at this moment. */
struct tagger_task {
	pid_t tid, tgid;
	enum reason reason;
	uint16_t tag; /* its class, among rules_tags; TAG_NONE: none of ours */
	bool is_limited; /* a group or an override allows no higher one */
	bool differs;	 /* it carries something else than its class means */
	bool has_ended;	 /* this is what was last known of it */
	uint32_t rule;	 /* id of the rule behind it; 0: none */
	struct task_attr attr; /* what it carries */
};

/* The next living task: start with *cursor = 0 and call until false. Probes each task: no event reports exits. */
bool tagger_next_task(const struct tagger *tagger, uint32_t *cursor, struct tagger_task *ret);

/* Of this task. False if it is not known or has ended. */
bool tagger_find_task(const struct tagger *tagger, pid_t tid, struct tagger_task *ret);

/* The same, including the tasks that have ended and whose records are still there. */
bool tagger_next_record(const struct tagger *tagger, uint32_t *cursor, struct tagger_task *ret);

/*
 * Logs, at debug level, the tasks of each class by name, and how many are left alone for which reason. Reads the name of
 * each tagged task: 4 ms for 1000.
 */
void tagger_log_summary(const struct tagger *tagger);

/*
 * What there is to know about a thread, or a process if tid is its leader's: JSON, as described in schedqos(8), which
 * the caller frees. 0 or -errno: -ESRCH if there is no such task.
 */
int tagger_explain(const struct tagger *tagger, pid_t tid, char **ret);

/* The same about a program that does not run. */
int tagger_explain_name(const struct tagger *tagger, const struct explain_name *name, char **ret);

/* The number of records, which may include tasks that have ended, and the size of the table. */
size_t tagger_records(const struct tagger *tagger);
size_t tagger_table_bytes(const struct tagger *tagger);

/* The number of living processes that are to be read again because their arguments could not be read. */
uint64_t tagger_unread(const struct tagger *tagger);

/* Whether a read of a process has hung the loop in the last hour, so that one more should not be asked for lightly. */
bool tagger_is_careful(const struct tagger *tagger);

/* The number of datagrams that did not come from the kernel. */
uint64_t tagger_foreign(const struct tagger *tagger);

/* The kernel's features. */
const struct attr_caps *tagger_caps(const struct tagger *tagger);

/* How moves between cgroups come to be known. */
enum tagger_moves {
	MOVES_UNUSED, /* no rule or group looks at cgroups */
	MOVES_HEARD,
	MOVES_POLLED, /* they cannot be heard: processes are looked at again after their exec */
};
enum tagger_moves tagger_moves(const struct tagger *tagger);

/* How it comes to be known that somebody sets a task's attributes. */
enum tagger_changes {
	CHANGES_UNUSED, /* no rule enforces */
	CHANGES_HEARD,
	CHANGES_UNHEARD, /* they cannot be heard: tasks are looked at when something else is heard of them */
};
enum tagger_changes tagger_changes(const struct tagger *tagger);

/* Processes of one name whose changes were put back. */
struct tagger_opponent {
	pid_t pid;     /* of the last one */
	char name[64]; /* their comm, safe for a terminal; "": not known, or ended before it was asked for */
	uint64_t times;
};

/* The last few. They live until something happens. */
#define TAGGER_OPPONENTS_MAX 8
const struct tagger_opponent *tagger_opponents(const struct tagger *tagger, size_t *ret_count);

/* 0 if a crash could be repaired now, else a -errno that says why not. */
int tagger_crash_error(const struct tagger *tagger);
