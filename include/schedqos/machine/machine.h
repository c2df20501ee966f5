/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets the machine's knobs to a sched profile and puts them back. Before it writes any knob, it records in memory and
 * in /run/schedqos/knobs.json how to put it back, so that a later run can do so after a crash. Callers must hold the
 * instance lock, because only one process at a time may write knobs.
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
	size_t set;	 /* written to the wanted value */
	size_t already;	 /* already had the wanted value */
	size_t put_back; /* put back to the value from before schedqos */
	size_t refused;	 /* could not be set or put back */
	bool base_slice; /* the kernel's base slice was written */
};

/*
 * Takes over the record of an earlier run. Returns 0, or -errno (see state_file_fault) if the runtime folder cannot be
 * opened or the record cannot be read. With set_aside, a record that can never be read is set aside instead.
 */
int machine_new(bool set_aside, struct machine **ret);

/*
 * Like machine_new, with knobs below `root` (see host.h) and a descriptor of the runtime folder. Takes ownership of
 * both descriptors.
 */
int machine_new_at(int root, int folder, bool set_aside, struct machine **ret);

/* Frees the machine; puts no knob back. */
void machine_free(struct machine *machine);
DEFINE_CLEANUP(struct machine, machine_free)

/*
 * Sets the machine's knobs to those of the profile (NULL: none). autogroup_off also turns autogroups off, unless the
 * profile sets that knob itself. Puts back each knob that an earlier profile changed and this one does not name, unless
 * somebody else has changed it since. Writes only values that differ, and continues after refusals, which it logs.
 * Returns 0, or -errno if the record could not be written; then no knob was written.
 */
int machine_apply(struct machine *machine, const struct sched_profile *profile, bool autogroup_off,
		  struct profile_result *ret);

/* ---- for the daemon: results are logged ---- */

/*
 * Sets the configuration in force: its profiles and its `autogroup` setting. The caller keeps ownership and must keep
 * it alive until another configuration replaces it.
 */
void machine_set_config(struct machine *machine, const struct config *config);

/* Sets the functions to call when the kernel's base slice has been written, and when CPUs have come or gone. */
void machine_on_change(struct machine *machine, void (*base_slice)(void *context), void (*processors)(void *context),
		       void *context);

/* Applies the configured profile, now and to CPUs that come online later. */
void machine_start(struct machine *machine, sd_event *event);

/*
 * Sets the configuration like machine_set_config, and applies the configured profile if it differs from before. If it
 * does not, a profile chosen with machine_switch stays in force.
 */
void machine_reload(struct machine *machine, const struct config *config);

/*
 * Applies the profile of that name ("": none) until the configuration asks for another. Returns 0, -ENOENT or -errno.
 */
int machine_switch(struct machine *machine, const char *name);

/* Sets knobs again after CPUs have come or gone, or after a suspend. */
void machine_refresh(struct machine *machine);

/* Puts all knobs back. */
void machine_put_back(struct machine *machine);

/* ---- what is in force ---- */

/* Returns the name of the profile applied last, by this run or the one whose record it took over; NULL if none. */
const char *machine_profile(const struct machine *machine);

/*
 * Returns *ret_count lines "PATH: reason", safe for a terminal, for the knobs that could not be set when a profile was
 * last applied or when CPUs came online later. Neighbouring knobs with the same reason share a line.
 */
char *const *machine_refusals(const struct machine *machine, size_t *ret_count);

/* Returns the number of knobs that have to be put back. */
size_t machine_count_changed(const struct machine *machine);
