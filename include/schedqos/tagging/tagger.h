/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tagger receives the kernel's events, gives each task the attributes of its class, and takes them back at the end.
 * It has a loop of its own, which also runs the caller's event loop, and logs and counts errors. Only one may run on a
 * machine at a time: see instance_lock.
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
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

struct tagger;

/*
 * Probes the kernel's features, sets the calling thread to nice -20, subscribes to events, and takes over the state of
 * a killed daemon. config is in force until tagger_set_config; proc is a descriptor of /proc. All arguments must
 * outlive the tagger. Returns 0; or -errno after logging the reason.
 */
int tagger_new(sd_event *event, const struct config *config, int proc, struct tagger **ret);

/* Frees the tagger. If it has put everything back, renames the state file to the name that marks a stop. */
void tagger_free(struct tagger *tagger);
DEFINE_CLEANUP(struct tagger, tagger_free)

/* Makes the first scan. From then on tagger_loop handles events. */
void tagger_start(struct tagger *tagger);

/* Runs the event loop until it is told to exit, and handles events. Returns a negative errno if it fails. */
int tagger_loop(struct tagger *tagger);

/*
 * Puts another configuration in force, for tasks that are due; tagger_scan applies it to all tasks. The previous one is
 * no longer used. Returns 0, or -ENOMEM with nothing changed.
 */
int tagger_set_config(struct tagger *tagger, const struct config *config);

/*
 * Scans every task. Call it when rules may match different tasks. This and the following functions return once tasks
 * have been set; but in a storm of execs after five seconds, and the rest follows.
 */
void tagger_scan(struct tagger *tagger);

/*
 * Puts an override in force, and returns once the tasks have been set. Returns 0 or -errno: -ENOENT if there is no such
 * class, -ESRCH if there is no such process or we never touch it, -EACCES if the override would raise without saying
 * so, -ENOSPC if there are too many, -ENOMEM. *ret_lowered is the number of tasks that were above the limit, and were
 * lowered.
 */
int tagger_override(struct tagger *tagger, const struct override *override, uint16_t *ret_number,
		    uint64_t *ret_lowered);

/* Returns all overrides. One whose class is missing in the configuration in force has no effect. */
const struct overrides *tagger_overrides(const struct tagger *tagger);

/*
 * Ends the overrides for which the test, called once for each, returns true. Returns their number once tasks have been
 * set.
 */
typedef bool override_test(const struct override *override, const void *context);
size_t tagger_end_overrides(struct tagger *tagger, override_test *ends, const void *context);

/* Replaces the classes of all units of that uid (0: the system's). Returns 0 once tasks have been set, or -ENOMEM. */
int tagger_set_units(struct tagger *tagger, uid_t uid, const struct unit_class *units, size_t n);
const struct units *tagger_units(const struct tagger *tagger);

/* Makes tasks without a custom slice follow the kernel's base slice. Call it when that may have changed. */
void tagger_follow_base_slice(struct tagger *tagger);

/* Subscribes again to tracepoints, which is done per CPU. Call it when CPUs have come or gone. */
void tagger_follow_processors(struct tagger *tagger);

/*
 * Puts everything back, including tasks born meanwhile. Takes a tenth of a second, or up to 5 s if others keep changing
 * tasks. Returns the number of tasks put back.
 */
uint64_t tagger_undo(struct tagger *tagger);

/*
 * Makes a tagger for queries, which has decided about every task as a daemon that is started now would, but sets
 * nothing. Takes records of a killed daemon into account, as the next daemon would. config must outlive it. No daemon
 * may be running. Returns 0 or -errno.
 */
int tagger_rehearse(const struct config *config, struct tagger **ret);

/*
 * Puts back the tasks of a killed daemon, and removes its state file. No tagger may be running. Returns true if nothing
 * is left to do, else logs the reason. Sets *ret_done if there was something to do.
 */
bool tagger_restore(bool *ret_done);

/* ---- the use of tasks: counted while there is a reader, or if the setting "accounting" says so ---- */

/* Maximum number of readers at a time. Each has a number below this, and its own longest waits. */
#define USE_READERS 16

/* Name of the class of tasks without one. */
#define USE_NO_CLASS "none"

/* The tasks of a row. */
enum use_of {
	USE_OF_RULE,
	USE_OF_PROGRAM, /* tasks of a program without a rule */
	USE_OF_KERNEL,	/* kernel threads */
	USE_OF_OTHERS,	/* programs for which there was no row left */
	USE_OF_LOST,	/* tasks whose records were lost */
};

/*
 * The use of the tasks of one class and one rule or program, since counting began. A task's use is added to the row
 * that the task is in when it is looked at, or ends.
 */
struct use_row {
	uint8_t of;	    /* enum use_of */
	uint8_t visibility; /* enum shown */
	char program[16];   /* raw */
	bool rule_is_private;	  /* config_is_private */
	const char *class, *rule; /* NULL if none. rule is the pattern as written */
	pid_t example;		  /* a task that was in it recently */
	uint64_t living;	  /* living tasks at the last look */
	uint64_t ended;		  /* number of ended tasks */
	uint64_t cpu_ns;	  /* sampled at ticks; adds up to /proc/stat */
	/* part of cpu_ns: an estimated share of what tasks used after their records were written */
	uint64_t ending_ns;
	uint64_t run_ns;		  /* as the scheduler measured it, without the last tick of ended tasks */
	uint64_t delay_ns, waits;	  /* time that tasks were ready but waited for a CPU, and number of waits */
	uint32_t longest_us[USE_READERS]; /* longest wait since the reader last read it */
};

struct use_class {
	const char *name;
	uint64_t cpu_ns, delay_ns; /* never reset */
};

/* The state of accounting. */
struct use_state {
	bool is_on;
	/* 0; or the -errno because of which ends are not reported, and living tasks are read from /proc */
	int taskstats;
	bool has_delays;   /* the kernel counts waits */
	bool has_longest;  /* the kernel reports the longest wait */
	uint64_t ended;	   /* tasks that ended and were reported */
	uint64_t lost;	   /* times that the kernel dropped records of ended tasks */
	uint64_t busy_ns;  /* CPU time of the whole machine since boot, at the last look */
	uint64_t at_ns;	   /* CLOCK_MONOTONIC of the last look */
};

/* Adds or removes a reader. Add it before its first look. Returns 0 or -ENOMEM. */
int tagger_set_use_reader(struct tagger *tagger, unsigned reader, bool begins);

/* Looks at every living task, and handles events meanwhile. Does nothing unless accounting is on. */
void tagger_look_at_use(struct tagger *tagger);

struct use_state tagger_use_state(const struct tagger *tagger);

/* Return the row or class of this number, or NULL after the last. */
const struct use_row *tagger_use_row(const struct tagger *tagger, size_t i);
const struct use_class *tagger_use_class(const struct tagger *tagger, size_t i);

/* Resets the reader's longest waits, which it has read. */
void tagger_forget_longest(struct tagger *tagger, unsigned reader);

/* ---- queries, which change nothing ---- */

/* Larger errno values count as this one. */
#define TAGGER_ERRNO_MAX 134

struct tagger_counters {
	uint64_t forks, execs, renames; /* events received */
	uint64_t moves;			/* moves between cgroups: events received */
	/* calls that set attributes, received while a rule enforces */
	uint64_t changes;
	uint64_t put_back;		/* times that a rule undid somebody's change */
	uint64_t lost;			/* times the kernel dropped events (ENOBUFS) */
	uint64_t rename_floods;		/* times that renames were ignored for a while */
	uint64_t scans;			/* of /proc, the first one included */
	uint64_t set;			/* attributes set and read back as wanted */
	uint64_t races;			/* the task was gone before we acted */
	uint64_t not_kept;		/* accepted, but something else was read back */
	uint64_t refused[TAGGER_ERRNO_MAX + 1]; /* by errno */
};

/* Returns the counters, which live as long as the tagger. */
const struct tagger_counters *tagger_counters(const struct tagger *tagger);

/*
 * Returns one entry for each kind of problem, including those that have not occurred. The first *ret_n_faults are
 * faults of the machine; users can cause the others at any time, and they disturb only themselves.
 */
const struct problem *tagger_problems(const struct tagger *tagger, size_t *ret_count, size_t *ret_n_faults);

/* The state of a task at this moment. */
struct tagger_task {
	pid_t tid, tgid;
	enum reason reason;
	/* its class, index in the rules' tags; TAG_NONE if none of ours */
	uint16_t tag;
	bool is_limited;       /* a group, an override or its visibility allows no higher class */
	bool is_raised;	       /* its app has the focus, which raises its class */
	bool differs;	       /* its attributes differ from those of its class */
	enum shown shown;      /* visibility of its app */
	uint32_t rule;	       /* id of the rule behind it; 0 if none */
	struct task_attr attr; /* its attributes */
};

/*
 * Stores the next living task: start with *cursor = 0 and call until it returns false. Probes each task, because no
 * event reports exits.
 */
bool tagger_next_task(const struct tagger *tagger, uint32_t *cursor, struct tagger_task *ret);

/* Stores the state of this task. Returns false if it is unknown or has ended. */
bool tagger_find_task(const struct tagger *tagger, pid_t tid, struct tagger_task *ret);

/*
 * Explains a thread, or a process if tid is its leader's, as JSON that schedqos(8) describes and the caller frees.
 * is_for_user hides patterns of files that not everybody may read. Returns 0 or -errno: -ESRCH if there is no such
 * task.
 */
int tagger_explain(const struct tagger *tagger, pid_t tid, bool is_for_user, char **ret);

/*
 * Explains a program that need not run, by its name or its executable's path. -EINVAL: the name is empty or ends in a
 * slash.
 */
int tagger_explain_name(const struct tagger *tagger, const char *name, char **ret);

/* Returns the number of records, which may include tasks that have ended. */
size_t tagger_records(const struct tagger *tagger);

/* How the tagger learns of events that only some rules and groups need. */
enum tagger_hearing {
	HEARING_UNUSED, /* no rule or group in force needs them */
	HEARING_HEARD,
	HEARING_POLLED, /* the kernel does not report them, so tasks are looked at from time to time */
};

struct tagger_status {
	size_t table_bytes;
	struct attr_caps caps; /* the kernel's features */
	enum tagger_hearing moves;   /* between cgroups */
	enum tagger_hearing changes; /* of attributes: calls by which anybody sets some */
	uint64_t unread;	/* living processes to be read again, whose arguments could not be read */
	/* CPU time of the present helper; that of ended helpers counts as that of the program's children */
	uint64_t helper_cpu_ns;
};
struct tagger_status tagger_status(const struct tagger *tagger);
