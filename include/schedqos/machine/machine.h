/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Applies sched profiles to the machine's knobs, and remembers how to put them back: in memory, and in
 * /run/schedqos/knobs.json before anything is written, so that a later run can do it after a crash. The instance lock
 * must be held: one process at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <schedqos/kernel/knobs.h>
#include <schedqos/policy/profile.h>

struct system_profile;

/* A knob, or several of one tree, that could not be had as wanted. */
struct refusal {
	char *text;  /* PATH: reason */
	bool is_new; /* not among the refusals of the call before */
};

/*
 * Takes over what an earlier run left in its state file. Returns 0; or -errno of a state file that is there and
 * cannot be believed (see state_file.h), with *ret all the same, which then knows of nothing to put back; or
 * -ENOMEM without. Until that file is taken over or set aside, or where the folder itself cannot be had, nothing is
 * written to any knob, for how to put it back could not be recorded.
 */
int system_profile_new(struct system_profile **ret);

/*
 * Tries again to take over what an earlier run left, if that could not be read. Returns 0, or -errno as before:
 * nothing is written to any knob then. system_profile_apply tries, too.
 */
int system_profile_take_over(struct system_profile *system);

/* Gives a state file that will never be of use another name. As state_file_set_aside. */
int system_profile_set_aside(struct system_profile *system);

/* With trees, whose descriptors it takes, and a folder for the state, which it takes too, of the caller's. */
int system_profile_new_at(const struct knobs *knobs, int folder, struct system_profile **ret);

/* Puts nothing back: see system_profile_apply for that. */
void system_profile_free(struct system_profile *system);

/* How apply went, in knobs. */
struct profile_result {
	size_t set;	 /* written to what is wanted */
	size_t already;	 /* were as wanted */
	size_t put_back; /* written to what was there before us */
	size_t refused;	 /* of either kind */
	bool base_slice; /* the kernel's base slice was among what was written */
};

/*
 * Makes the machine's knobs those of the profile (NULL: of none), with autogroups off if asked for; a knob that
 * the profile names itself is the profile's. What an earlier profile had changed and this one does not name is put
 * back, where nobody else has changed it since. Writes nothing that would change nothing. Goes on over refusals.
 * Returns 0, or -errno, with nothing written, when it cannot be recorded first.
 */
int system_profile_apply(struct system_profile *system, const struct sched_profile *profile,
			 bool autogroup_off, struct profile_result *ret);

/*
 * To be called when processors have come or gone: gives cpufreq policies that the last apply, and each refresh since,
 * has not met, or not with a processor online, what the profile has for them. All else is left as it is. Returns as
 * apply does.
 */
int system_profile_refresh(struct system_profile *system, const struct sched_profile *profile,
			   struct profile_result *ret);

/* The name of the profile applied last, in this run or the one taken over from; NULL for none. */
const char *system_profile_name(const struct system_profile *system);

/* Of the last system_profile_apply, and refreshes since; *ret_count of them. */
const struct refusal *system_profile_refusals(const struct system_profile *system,
					      size_t *ret_count);

/* How many knobs there are to put back. */
size_t system_profile_count(const struct system_profile *system);
