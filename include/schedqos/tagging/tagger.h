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
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

struct tagger;

/*
 * Probes the kernel's features, sets the calling thread to nice -20, subscribes to events, and takes over the state of
 * a killed daemon. config is in force until tagger_set_config; proc: a descriptor of /proc. All of them must outlive
 * the tagger. Returns 0 or -errno, and logs what went wrong.
 */
int tagger_new(sd_event *event, const struct config *config, int proc, struct tagger **ret);

/* Of one that has put everything back, the state file gets the name that tells of a stop. */
void tagger_free(struct tagger *tagger);
DEFINE_CLEANUP(struct tagger, tagger_free)

/* Makes the first scan; from then on the event loop handles events. */
void tagger_start(struct tagger *tagger);

/*
 * Puts another configuration in force, for tasks that are due; tagger_scan does so for all. The previous one is no
 * longer used. Returns 0, or -ENOMEM with nothing changed.
 */
int tagger_set_config(struct tagger *tagger, const struct config *config);

/* Scans every task, and returns when they carry the result. Call it when rules may match other tasks than before. */
void tagger_scan(struct tagger *tagger);

/*
 * Puts an override in force, and returns when the tasks carry it. 0 or -errno: -ENOENT if there is no such class,
 * -ESRCH if there is no such process or it is one that is never touched, -EACCES if it does not say that it raises, but
 * would. *ret_lowered: how many tasks carried more than their limit allows, and were lowered.
 */
int tagger_override(struct tagger *tagger, const struct override *override, uint16_t *ret_number,
		    uint64_t *ret_lowered);

/* The configuration in force may lack the class of one; then that has no effect. */
const struct overrides *tagger_overrides(const struct tagger *tagger);

/*
 * Ends those for which the test, called once for each, is true. Returns their number when the tasks carry the result.
 */
typedef bool override_test(const struct override *override, const void *context);
size_t tagger_end_overrides(struct tagger *tagger, override_test *ends, const void *context);

/*
 * Takes the place of all classes of that uid's units (0: the system's), and returns when the tasks carry the result. 0
 * or -ENOMEM.
 */
int tagger_set_units(struct tagger *tagger, uid_t uid, const struct unit_class *units, size_t n);
const struct units *tagger_units(const struct tagger *tagger);

/* Call it when the kernel's base slice may have changed: tasks without a custom slice then follow it. */
void tagger_follow_base_slice(struct tagger *tagger);

/* Call it when processors have come or gone: what comes from tracepoints is subscribed to for each of them. */
void tagger_follow_processors(struct tagger *tagger);

/*
 * Puts everything back, tasks born meanwhile included. Takes a tenth of a second, up to 5 s if somebody goes on.
 * Returns the number of tasks put back.
 */
uint64_t tagger_undo(struct tagger *tagger);

/*
 * A tagger that has decided about every task as a daemon would that is started now, and sets nothing: for queries
 * alone. Where a daemon was killed, its records are taken into account, as the next one would. config must outlive it;
 * no daemon may be running. 0 or -errno.
 */
int tagger_rehearse(const struct config *config, struct tagger **ret);

/*
 * Puts back what a killed daemon has left, and removes its state file. No tagger may be running. Returns true if
 * nothing is left to do, else logs why; sets *ret_done if there was something to do.
 */
bool tagger_restore(bool *ret_done);

/* ---- what tasks use: counted while somebody reads it, or the setting "accounting" says so ---- */

/* So many can read at a time. Each has a number below that, and its own longest waits. */
#define USE_READERS 16

/* For a task without a class. */
#define USE_NO_CLASS "none"

/* Which tasks a row is of. */
enum use_of {
	USE_OF_RULE,
	USE_OF_PROGRAM, /* without a rule */
	USE_OF_KERNEL,	/* its threads */
	USE_OF_OTHERS,	/* more programs than there can be rows */
	USE_OF_LOST,	/* tasks whose end was not heard of */
};

/*
 * What the tasks of a class and a rule or program have used since counting began. What a task uses is counted for the
 * row that it is in when it is looked at, or ends.
 */
struct use_row {
	uint8_t of;	    /* enum use_of */
	uint8_t visibility; /* enum shown */
	char program[16];   /* raw */
	bool rule_is_private;	  /* config_is_private */
	const char *class, *rule; /* NULL: none. rule: the pattern as it is written */
	pid_t example;		  /* a task that was in it lately */
	uint64_t living;	  /* tasks, at the last look */
	uint64_t ended;		  /* tasks */
	uint64_t cpu_ns;	  /* as the kernel's ticks have it; adds up to /proc/stat */
	uint64_t ending_ns;	  /* of that, since the kernel reported their ends: shared out by an estimate */
	uint64_t run_ns;	  /* as the scheduler measured it; less the last tick of those that have ended */
	uint64_t delay_ns, waits; /* ready to run but waiting for a CPU, and how often */
	uint32_t longest_us[USE_READERS]; /* the longest of these, since the reader last read it */
};

struct use_class {
	const char *name;
	uint64_t cpu_ns, delay_ns; /* never counted anew */
};

/* What is to be had of what tasks use. */
struct use_state {
	bool is_on;
	int taskstats;	   /* 0, or the -errno for which no ends are heard, and living tasks are read from /proc */
	bool has_delays;   /* the kernel counts waits */
	bool has_longest;  /* it knows the longest */
	uint64_t ended;	   /* tasks that were heard of */
	uint64_t lost;	   /* times that the kernel dropped records of ended tasks */
	uint64_t busy_ns;  /* what the machine has used since its boot, at the last look */
	uint64_t at_ns;	   /* CLOCK_MONOTONIC of that */
};

/* Someone begins or ends to read. Begin before the first look. 0 or -ENOMEM. */
int tagger_read_use(struct tagger *tagger, unsigned reader, bool begins);

/* Looks at every living task, and handles events meanwhile. Does nothing unless it is on. */
void tagger_look_at_use(struct tagger *tagger);

struct use_state tagger_use_state(const struct tagger *tagger);

/* The row or class of this number, or NULL after the last. */
const struct use_row *tagger_use_row(const struct tagger *tagger, size_t i);
const struct use_class *tagger_use_class(const struct tagger *tagger, size_t i);

/* The reader has read its longest waits. */
void tagger_forget_longest(struct tagger *tagger, unsigned reader);

/* ---- queries, which change nothing ---- */

/* Higher errno values are counted in the last place. */
#define TAGGER_ERRNO_MAX 134

struct tagger_counters {
	uint64_t forks, execs, renames; /* events received */
	uint64_t moves;			/* between cgroups: events received */
	uint64_t changes; /* calls by which others set attributes that were heard, while a rule enforces */
	uint64_t put_back;		/* times that a rule took back what somebody had changed */
	uint64_t lost;			/* times the kernel dropped events (ENOBUFS) */
	uint64_t rename_floods;		/* times that renames were ignored for a while */
	uint64_t scans;			/* of /proc, the first one included */
	uint64_t set;			/* attributes set and read back as wanted */
	uint64_t races;			/* the task was gone before we acted */
	uint64_t not_kept;		/* accepted, but something else was read back */
	uint64_t refused[TAGGER_ERRNO_MAX + 1]; /* by errno */
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
	bool is_limited; /* a group, an override or what is seen of it allows no higher one */
	bool is_raised;	 /* its app has the focus, and so it has more than its rule gives */
	bool differs;	 /* it carries something else than its class means */
	enum shown shown; /* what is seen of its app */
	uint32_t rule;	 /* id of the rule behind it; 0: none */
	struct task_attr attr; /* what it carries */
};

/* The next living task: start with *cursor = 0 and call until false. Probes each task: no event reports exits. */
bool tagger_next_task(const struct tagger *tagger, uint32_t *cursor, struct tagger_task *ret);

/* Of this task. False if it is not known or has ended. */
bool tagger_find_task(const struct tagger *tagger, pid_t tid, struct tagger_task *ret);

/*
 * What there is to know about a thread, or a process if tid is its leader's: JSON, as described in schedqos(8), which
 * the caller frees. is_for_user: hide patterns from files that not everybody may read. 0 or -errno: -ESRCH if there is
 * no such task.
 */
int tagger_explain(const struct tagger *tagger, pid_t tid, bool is_for_user, char **ret);

/*
 * The same about a program that need not run: its name, or its executable's path. -EINVAL: it is empty or ends in a
 * slash.
 */
int tagger_explain_name(const struct tagger *tagger, const char *name, char **ret);

/* The number of records, which may include tasks that have ended. */
size_t tagger_records(const struct tagger *tagger);

/* How something comes to be known that only some rules and groups look at. */
enum tagger_hearing {
	HEARING_UNUSED, /* none in force does */
	HEARING_HEARD,
	HEARING_POLLED, /* it cannot be heard: tasks are looked at again */
};

struct tagger_status {
	size_t table_bytes;
	struct attr_caps caps; /* the kernel's features */
	enum tagger_hearing moves;   /* between cgroups */
	enum tagger_hearing changes; /* of attributes: calls by which anybody sets some */
	bool crash_safe; /* a crash could be repaired now, for all classes */
	uint64_t unread;	/* living processes to be read again, whose arguments could not be read */
	uint64_t helper_cpu_ns; /* CPU time of who reads for it; that of those who have ended is in the program's
				   children's */
};
struct tagger_status tagger_status(const struct tagger *tagger);
