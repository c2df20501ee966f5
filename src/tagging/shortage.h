/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * No more descriptors, or no memory: a task cannot be looked at then, nor a client be served. Some descriptors are kept
 * for that time, and what was missed is looked at again.
 */
#pragma once

#include <stddef.h>

#include <systemd/sd-event.h>

/* A scan has up to three open at once; the others are for clients. */
#define SHORTAGE_RESERVE 8

struct tagger;

struct shortage {
	int reserve[SHORTAGE_RESERVE]; /* open descriptors of no use, the first n */
	size_t n;
	uint64_t records_failed; /* tasks_failed when last looked at */
	sd_event_source *timer; /* of the loop's: asks for a scan. NULL: there is no loop */
};

/* Takes all of the reserve or nothing, and only if that does not take the last descriptor. */
void shortage_fill_reserve(struct tagger *tagger);

/*
 * Takes any -errno, or 0. If it means a shortage: counts it, gives the reserve up, and asks for a scan, at once or, if
 * there was no reserve any more, a second later.
 */
void shortage_note(struct tagger *tagger, int error);

/* The same for what went wrong unseen, while tasks were looked at. */
void shortage_check(struct tagger *tagger);

/* A scan that was asked for is done: fills the reserve, unless there was a shortage again. */
void shortage_scanned(struct tagger *tagger);

/* Gives the reserve up. */
void shortage_release(struct tagger *tagger);
