/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Descriptors or memory have run out: then tasks cannot be read, nor clients served. Some descriptors are held in
 * reserve for this, and a later scan makes up for what was missed.
 */
#pragma once

#include <stddef.h>

#include <systemd/sd-event.h>

/* A scan has up to three open at once; the rest are for clients. */
#define SHORTAGE_RESERVE 8

struct tagger;

struct shortage {
	int reserve[SHORTAGE_RESERVE]; /* the first n are open */
	size_t n;
	uint64_t records_failed; /* plan_failed when last checked */
	sd_event_source *timer; /* owned by the loop: requests a scan. NULL: there is no loop */
};

/* Opens the whole reserve or nothing, and always leaves at least one descriptor. */
void shortage_fill_reserve(struct tagger *tagger);

/*
 * Takes any -errno, or 0. If it means a shortage: counts it, closes the reserve, and requests a scan, at once or, if
 * there was no reserve left, a second later.
 */
void shortage_note(struct tagger *tagger, int error);

/*
 * The same for errors of reading and booking tasks, which are only recorded when they occur. Counts it as well if
 * reading them is not allowed for want of CAP_SYS_PTRACE.
 */
void shortage_check(struct tagger *tagger);

/* A requested scan is done: fills the reserve, unless there was another shortage. */
void shortage_scanned(struct tagger *tagger);

/* Closes the reserve. */
void shortage_release(struct tagger *tagger);
