/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What there is to put back, kept for a crash: taken over from a daemon that was killed, written to a file, and tried
 * again for as long as that cannot be done.
 */
#pragma once

#include <stdint.h>

#include <systemd/sd-event.h>

struct tagger;

/* How soon what could not be done is tried again; then later each time. */
#define KEEP_AGAIN_MIN_US 1000000ULL

struct keep {
	int folder;	/* descriptor of the runtime folder, or a -errno */
	uint64_t start; /* since when we listen: ticks since boot */
	int unread;	/* a -errno: an earlier daemon's file is there and cannot be read now; it stays as it is */
	int told;	/* of keep_error, by the log; 0: nothing, or that all is well */
	uint64_t wait_us;
	sd_event_source *timer; /* of the loop's: runs while something is to be tried again */
};

/* Makes the plan, with what a killed daemon left. Needs tagger->config and applier. 0 or -ENOMEM. */
int keep_init(struct tagger *tagger);

/* After the plan has been freed. Removes the file if everything has been put back. */
void keep_free(struct tagger *tagger);

/* To be called when there may be more to keep: a new configuration is in force. */
void keep_now(struct tagger *tagger);

/* Tries again what could not be done. */
void keep_try_again(struct tagger *tagger);

/* To be called after tasks were booked: reports it, and sees to it, if there was no room. */
void keep_check(struct tagger *tagger);

/* 0 if a crash could be repaired now, else a -errno that says why not. */
int keep_error(const struct tagger *tagger);
