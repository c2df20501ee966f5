/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine's knobs: applies sched profiles to them, and remembers how to put them back: in memory, and in
 * /run/schedqos/knobs.json before anything is written, so that a later run can do it after a crash. The instance lock
 * must be held by whoever has knobs written: one process at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <systemd/sd-event.h>

#include <schedqos/kernel/knobs.h>
#include <schedqos/machine/profile_result.h>
#include <schedqos/policy/config.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/problem.h>

struct machine;

/*
 * Takes over what an earlier run left in its state file. Returns 0; or -errno of a state file that is there and cannot
 * be believed (see state_folder.h), with *ret all the same, which then knows of nothing to put back; or -ENOMEM without
 * it. Until that file is taken over or set aside, or where the folder itself cannot be had, nothing is written to any
 * knob, for how to put it back could not be recorded.
 */
int machine_new(struct machine **ret);

/* With trees, whose descriptors it takes, and a folder for the state, which it takes too, of the caller's. */
int machine_new_at(const struct knobs *knobs, int folder, struct machine **ret);

/* Puts nothing back. */
void machine_free(struct machine *machine);
DEFINE_CLEANUP(struct machine, machine_free)

/* ---- for a daemon: how it goes is logged ---- */

/*
 * The configuration in force: its profiles, and what it says of autogroups. It is the caller's, and must stay until
 * another takes its place.
 */
void machine_set_config(struct machine *machine, const struct config *config);

/* Has this called whenever the kernel's base slice has been written. */
void machine_on_base_slice(struct machine *machine, void (*changed)(void *context), void *context);

/*
 * Applies the configured profile, and goes on to do so for processors that come online. A state file that will never be
 * of use is set aside; one that cannot be read now is a problem, and tried again until it can be.
 */
void machine_start(struct machine *machine, sd_event *event, struct problem *unread);

/*
 * As machine_set_config; where the configured profile is no longer what it was, applies it. One that was switched to
 * stays until then.
 */
void machine_reload(struct machine *machine, const struct config *config);

/* Applies the profile of that name, "" for none, until the configuration asks for another. 0, -ENOENT or -errno. */
int machine_switch(struct machine *machine, const char *name);

/* Puts all knobs back. */
void machine_put_back(struct machine *machine);

/* ---- for whoever has no daemon ---- */

/*
 * Makes the machine's knobs those of the profile (NULL: of none), with autogroups off if asked for; a knob that
 * the profile names itself is the profile's. What an earlier profile had changed and this one does not name is put
 * back, where nobody else has changed it since. Writes nothing that would change nothing. Goes on over refusals.
 * Returns 0, or -errno, with nothing written, when it cannot be recorded first.
 */
int machine_apply(struct machine *machine, const struct sched_profile *profile, bool autogroup_off,
		  struct profile_result *ret);

/* ---- what is in force ---- */

/* The name of the profile applied last, in this run or the one taken over from; NULL for none. */
const char *machine_profile(const struct machine *machine);

/* Of the last time that a profile was applied, and of processors since; *ret_count of them. */
const struct refusal *machine_refusals(const struct machine *machine, size_t *ret_count);

/* How many knobs there are to put back. */
size_t machine_count_changed(const struct machine *machine);
