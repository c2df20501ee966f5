/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the records in a state file that survives a crash: takes over the file of a killed daemon, writes our own, and
 * retries for as long as either fails.
 */
#pragma once

#include <stdint.h>

#include <systemd/sd-event.h>

struct tagger;

/* The first retry is made after this time; the interval doubles each time. */
#define KEEP_RETRY_MIN_US 1000000ULL

struct keep {
	int folder;	/* descriptor of the runtime folder, or a -errno */
	uint64_t start; /* when we subscribed to events: ticks since boot */
	int logged;	/* the last keep_error that was logged; 0: none since all was well */
	uint64_t wait_us;
	sd_event_source *timer; /* owned by the loop: runs while a retry is due */
};

/*
 * Makes the plan, with the records of a killed daemon. Needs tagger->config and applier. 0, -ENOMEM, or another -errno if
 * there is a file that cannot be read now, which has been logged: it stays, and nothing may be set.
 */
int keep_init(struct tagger *tagger);

/* Call it after the plan has been freed. Removes the file if everything has been put back. */
void keep_free(struct tagger *tagger);

/* Brings the file up to date. Call it when a configuration has been put in force, whose classes it has to hold. */
void keep_now(struct tagger *tagger);

/* Writes again what could not be written. */
void keep_retry(struct tagger *tagger);

/* Call it after tasks were booked: if the file had no room for them, logs it and starts retrying. */
void keep_check(struct tagger *tagger);

/* 0 if a crash could be repaired now, else a -errno that says why not. */
int keep_error(const struct tagger *tagger);
