/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine's knobs: applies sched profiles to them and records how to put them back, in memory and, before anything
 * is written, in /run/schedqos/knobs.json, so that a later run can do so after a crash. Whatever writes knobs must hold
 * the instance lock: one process at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <systemd/sd-event.h>

#include <schedqos/policy/config.h>
#include <schedqos/util/cleanup.h>

struct machine;

/* Numbers of knobs. */
struct profile_result {
	size_t set;	 /* written to what is wanted */
	size_t already;	 /* held what is wanted before */
	size_t put_back; /* written to what was there before us */
	size_t refused;	 /* could not be set or put back */
	bool base_slice; /* the kernel's base slice was written */
};

/*
 * Takes over what an earlier run left in its record. Returns 0, or -errno (see state_file_fault): the runtime folder
 * cannot be opened or the record not be read. One that never can be is set aside instead if that is asked for.
 */
int machine_new(bool set_aside, struct machine **ret);

/* The same with the knobs beneath a root (see host.h), and a descriptor of the runtime folder. Takes over both. */
int machine_new_at(int root, int folder, bool set_aside, struct machine **ret);

/* Puts nothing back. */
void machine_free(struct machine *machine);
DEFINE_CLEANUP(struct machine, machine_free)

/*
 * Sets the machine's knobs to those of the profile (NULL: none), with autogroups off if asked for, unless the profile
 * itself sets that knob. A knob that an earlier profile changed and this one does not name is put back, unless it has
 * been changed by others since. Writes only where that changes something, and continues after refusals, which are
 * logged. Returns 0, or -errno with nothing written when the change cannot be recorded first.
 */
int machine_apply(struct machine *machine, const struct sched_profile *profile, bool autogroup_off,
		  struct profile_result *ret);

/* ---- for the daemon: results are logged ---- */

/*
 * Sets the configuration in force: its profiles and its setting for autogroups. The caller keeps ownership, and must
 * keep it alive until another takes its place.
 */
void machine_set_config(struct machine *machine, const struct config *config);

/* Sets what is called whenever the kernel's base slice has been written, and when processors have come or gone. */
void machine_on_change(struct machine *machine, void (*base_slice)(void *context), void (*processors)(void *context),
		       void *context);

/* Applies the configured profile, now and to processors as they come online. */
void machine_start(struct machine *machine, sd_event *event);

/*
 * As machine_set_config, and applies the configured profile if it has changed. Until it does, a profile set by
 * machine_switch stays in force.
 */
void machine_reload(struct machine *machine, const struct config *config);

/* Applies the profile of that name, "" for none, until the configuration asks for another. 0, -ENOENT or -errno. */
int machine_switch(struct machine *machine, const char *name);

/* What is done when processors have come or gone, or the machine slept. */
void machine_refresh(struct machine *machine);

/* Puts all knobs back. */
void machine_put_back(struct machine *machine);

/* ---- what is in force ---- */

/* The name of the profile applied last, by this run or by the one it took over from; NULL for none. */
const char *machine_profile(const struct machine *machine);

/*
 * "PATH: reason" for each of the *ret_count knobs, or several in a row with one reason, that could not be set when a
 * profile was applied last, and on processors that came online since. Safe for a terminal.
 */
char *const *machine_refusals(const struct machine *machine, size_t *ret_count);

/* How many knobs there are to put back. */
size_t machine_count_changed(const struct machine *machine);

/* ---- what on this machine keeps classes from taking effect. Changes nothing ---- */

enum finding_state {
	FINDING_OK,
	FINDING_NOTE, /* worth knowing; classes take effect, if perhaps not fully */
	FINDING_BAD,  /* makes classes ineffective, or harmful */
};

struct finding {
	const char *name; /* stable: "autogroup" */
	enum finding_state state;
	char *what;		 /* safe for a terminal */
	const char *consequence; /* for classes; NULL when all is well */
	const char *remedy;	 /* what to do about it; NULL as well */
};

struct findings {
	struct finding *items;
	size_t count;
	bool no_memory;
};

/* What is known before. */
struct doctor_input {
	/* The configuration as its files have it now; NULL: it has so many errors. */
	const struct config *config;
	size_t n_errors;
	bool is_daemons;      /* its files are those of the daemon that runs; else they are what was asked for */
	size_t n_differences; /* from what that daemon has in force: rules, classes, profiles and settings */
	pid_t daemon;	      /* the one that runs; 0: none; negative: it cannot be told */
	/* What it says that it cannot do, safe for a terminal. */
	char **problems;
	size_t n_problems;
	bool is_deaf; /* it cannot hear moves between cgroups, or what others set on tasks, though a rule asks for it */
};

/* 0 and the findings, to be cleared; or -ENOMEM. */
int doctor(const struct doctor_input *input, struct findings *ret);
void findings_clear(struct findings *findings);

/* "ok", "note", "bad". Static storage. */
const char *finding_state_name(enum finding_state state);

/* What a border between cpu cgroups does to classes, for people: an answer to `explain` says the same. */
#define DOCTOR_BORDER_WORDS                                                                                 \
	"nice ranks tasks within one cpu cgroup; across its border the groups' weights count first, and of a " \
	"class only the slice"
