/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tagger: from the kernel's word on a task to the attributes that it carries, and back. It works in an event loop
 * of the caller's, logs what goes wrong, and counts it. One at a time may be at work on a machine: see instance_lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-event.h>

#include <schedqos/policy/config.h>
#include <schedqos/policy/tasks.h>
#include <schedqos/util/problem.h>

struct tagger;

struct tagger_setup {
	sd_event *event;
	const struct config *config; /* in force until tagger_set_config */
	int proc;		     /* descriptor of /proc */
	pid_t hung;		     /* at which process a look has hung just now (see watch.h), or 0 */
	/* After each scan that was asked for, if not NULL. It may ask for another one. */
	void (*scanned)(void *context);
	void *context;
};

/*
 * Finds out what this kernel can do, and takes the calling thread to nice -20. All that it is given must outlive the
 * tagger. Returns 0 or -errno, having logged what went wrong.
 */
int tagger_new(const struct tagger_setup *setup, struct tagger **ret);

/* If everything was put back, what is kept for a crash is removed. */
void tagger_free(struct tagger *tagger);

/* Subscribes to events, and takes over what a killed daemon has left. Returns as tagger_new does. */
int tagger_listen(struct tagger *tagger);

/* The first scan; from then on the event loop follows events. */
void tagger_start(struct tagger *tagger);

/*
 * Puts another configuration in force and asks for a scan. The one before is no longer used. Returns 0, or -ENOMEM with
 * everything as it was.
 */
int tagger_set_config(struct tagger *tagger, const struct config *config);

/*
 * Has the event loop look at every task, as soon as it comes round: to be called when rules may match others than
 * before.
 */
void tagger_ask_scan(struct tagger *tagger);

/*
 * To be called with the -errno (or 0) of anything that failed elsewhere in the program. For want of descriptors the
 * tagger gives up those that it holds in reserve, so that trying once more may help, and later looks at what was
 * missed.
 */
void tagger_note_shortage(struct tagger *tagger, int error);

/* The kernel's base slice may have been changed: has tasks without a slice of their own follow it. */
void tagger_follow_base_slice(struct tagger *tagger);

/* The end is near: gives up the reserve of descriptors, and asks for no more renames. */
void tagger_wind_down(struct tagger *tagger);

/* Puts everything back, tasks born meanwhile included. Takes up to 5 s. Returns the number of tasks put back. */
uint64_t tagger_undo(struct tagger *tagger);

/*
 * Without a tagger at work: puts back what a killed one has left, and removes the record of it. Returns whether nothing
 * is left to do, and logs why not; sets *ret_done if there was something to do.
 */
bool tagger_restore(bool *ret_done);

/* ---- what it can be asked: nothing of it changes anything ---- */

/* errno values are small; what is beyond is counted at the end. */
#define TAGGER_ERRNO_MAX 134

struct tagger_counters {
	uint64_t forks, execs, renames; /* events heard */
	uint64_t lost;			/* times the kernel dropped events (ENOBUFS) */
	uint64_t rename_floods;		/* times that renames were left unheard for a while */
	uint64_t scans;			/* of /proc, the first one included */
	uint64_t set;			/* attributes set and read back as wanted */
	uint64_t races;			/* the task was gone before we acted */
	uint64_t not_kept;		/* accepted, but something else was read back */
	uint64_t refused[TAGGER_ERRNO_MAX + 1]; /* by errno */
	uint64_t receive_errors;
};

/* Lives as long as the tagger. */
const struct tagger_counters *tagger_counters(const struct tagger *tagger);

/* All kinds of problems, those included that have not happened. */
const struct problem *tagger_problems(const struct tagger *tagger, size_t *ret_count);

/* How it stands with a task at this moment. */
struct tagger_task {
	pid_t tid;
	enum reason reason;
	uint16_t tag; /* the class that it carries, among rules_tags; TAG_NONE: none of ours */
};

/* The next task that lives: start with *cursor = 0 and call until false. Looks at each, for nobody tells of exits. */
bool tagger_next_task(const struct tagger *tagger, uint32_t *cursor, struct tagger_task *ret);

/* How many records of tasks there are, those of some that have ended included, and what the table takes. */
size_t tagger_records(const struct tagger *tagger);
size_t tagger_table_bytes(const struct tagger *tagger);

/* How many living processes wait to be looked at again, since their arguments could not be read. */
uint64_t tagger_unread(const struct tagger *tagger);

/* How many datagrams were not the kernel's. */
uint64_t tagger_foreign(const struct tagger *tagger);

/* What this kernel can do. */
const struct attr_caps *tagger_caps(const struct tagger *tagger);

/* 0 if a crash could be repaired now, else a -errno that says why not. */
int tagger_crash_error(const struct tagger *tagger);
