/* SPDX-License-Identifier: GPL-2.0-only */
/* What an earlier run has left of knobs: no knob is set before that is known. */
#include "daemon_private.h"

#include <string.h>

#include <schedqos/util/state_folder.h>

#define AGAIN_MIN_US 1000000ULL
#define AGAIN_MAX_US (64 * AGAIN_MIN_US)

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct daemon *daemon = userdata;
	struct knob_wait *wait = &daemon->knob_wait;

	(void)usec;
	if (system_profile_take_over(daemon->system) >= 0) {
		wait->timer = sd_event_source_disable_unref(wait->timer);
		profiles_start(daemon);
		return 0;
	}
	wait->us = wait->us * 2 < AGAIN_MAX_US ? wait->us * 2 : AGAIN_MAX_US;
	sd_event_source_set_time_relative(source, wait->us);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static void wait_for_better_times(struct daemon *daemon, int error)
{
	struct knob_wait *wait = &daemon->knob_wait;

	problem_report(&daemon->problems[PROBLEM_KNOBS],
		       "the record of knobs of an earlier run cannot be read: %s: it stays; "
		       "until then no knob is set",
		       state_file_fault(error));
	wait->us = AGAIN_MIN_US;
	sd_event_add_time_relative(daemon->event, &wait->timer, CLOCK_MONOTONIC, wait->us, AGAIN_MIN_US / 4, on_timer, daemon);
}

int profiles_init(struct daemon *daemon)
{
	int r = system_profile_new(&daemon->system), error = r;

	if (!daemon->system)
		return r;
	if (state_file_is_void(error)) {
		r = system_profile_set_aside(daemon->system);
		if (r >= 0)
			state_file_log_set_aside("the record of knobs", STATE_KNOBS, error, r);
	}
	if (r < 0)
		wait_for_better_times(daemon, r);
	return 0;
}

void profiles_free(struct daemon *daemon)
{
	sd_event_source_disable_unref(daemon->knob_wait.timer);
	system_profile_free(daemon->system);
}
