/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptors or memory have run out, so tasks could not be read or booked: a later scan makes up for it. */
#pragma once

#include <stdint.h>

#include <systemd/sd-event.h>

struct tagger;

struct shortage {
	uint64_t records_failed; /* plan_failed when last checked */
	sd_event_source *timer;	 /* owned by the loop: requests a scan. NULL: there is no loop */
};

/* Takes any -errno, or 0. If it means a shortage: counts it, and requests a scan a second later. */
void shortage_note(struct tagger *tagger, int error);

/*
 * The same for errors of reading and booking tasks, which are only recorded when they occur. Counts it as well if
 * reading them is not allowed for want of CAP_SYS_PTRACE.
 */
void shortage_check(struct tagger *tagger);
